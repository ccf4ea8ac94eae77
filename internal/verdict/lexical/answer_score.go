package lexical

import (
	"math"
	"slices"
	"strings"
)

// compare returns an objection if a different candidate scores much higher than the
// answer.
func (r *answerReader) compare(contexts []string) (objection, quote) {
	answerScore, best := -1.0, 0.0 // -1 if the answer is not among the candidates
	inCell := false                // leave table cells to checkTables
	var other *candidate
	for i := range r.candidates {
		c := &r.candidates[i]
		score := r.proximity(c)
		if r.isAnswer(c) {
			s := &r.sentences[c.sentence]
			answerScore = max(answerScore, score)
			inCell = inCell || r.value != nil && strings.ContainsAny(contexts[c.chunk][s.start:s.end], "|\t")
		} else if score > best && r.isPlausible(c) {
			best, other = score, c
		}
	}
	if r.lowercase || inCell || answerScore < 0 || other == nil || best <= minProximityRatio*answerScore {
		return objection{}, quote{}
	}
	s := &r.sentences[other.sentence]
	return objection{
		reason:   quoted(contexts[other.chunk][other.start:other.end]) + " is closer to the words of the question than " + quoted(r.text),
		maxScore: maxContradictedScore, basis: basisMissing,
	}, quote{chunk: other.chunk, start: s.start, end: s.end}
}

// isAnswer reports whether a candidate is the answer itself.
func (r *answerReader) isAnswer(c *candidate) bool {
	if r.value != nil {
		return c.value != nil && r.value.match(c.value) < levels
	}
	return isSubset(c.words, r.answer) || isSubset(r.answer, c.words)
}

// isPlausible reports whether c may be an answer. If the answer is a full name, c must
// be a full name or part of one.
func (r *answerReader) isPlausible(c *candidate) bool {
	if r.value != nil {
		return true
	}
	if slices.ContainsFunc(c.words, func(k uint64) bool { return slices.Contains(r.words, k) }) {
		return false
	}
	if len(c.words) > 1 || len(r.answer) == 1 && !c.modifier {
		return true
	}
	return slices.ContainsFunc(r.candidates, func(o candidate) bool { return len(o.words) > 1 && isSubset(c.words, o.words) })
}

// sameAnswer reports whether two candidates are the same name or value.
func (r *answerReader) sameAnswer(a, b *candidate) bool {
	if r.value != nil {
		return a.value.match(b.value) < levels
	}
	return isSubset(a.words, b.words) || isSubset(b.words, a.words)
}

// proximity returns the score of a candidate: the sum of the proximities of the
// question words, weighted by IDF, for the best mention of the candidate.
func (r *answerReader) proximity(c *candidate) float64 {
	best := 0.0
	for i := range r.candidates {
		o := &r.candidates[i]
		if o != c && !r.sameAnswer(c, o) {
			continue
		}
		sum := 0.0
		for w := range r.words {
			if r.count[w] == 0 {
				continue
			}
			weight := r.j.lex.IDF(r.words[w]) / float64(r.count[w])
			if w == 0 && r.subject {
				weight *= verbWeight
			}
			sum += r.wordProximity(o, w) * weight
		}
		if r.value == nil && o.oblique != r.oblique && (r.subject || r.oblique) {
			sum *= caseMismatchFactor
		}
		best = max(best, sum)
	}
	return best
}

// wordProximity returns the proximity of question word w to c.
func (r *answerReader) wordProximity(c *candidate, w int) float64 {
	best := 0.0
	first := c.sentence
	if r.sentences[first].pronoun { // it refers to the previous sentence
		first = max(0, first-1)
	}
	for n := first; n < len(r.sentences) && n <= c.sentence+maxPronounSentences; n++ {
		s := &r.sentences[n]
		if s.chunk != c.chunk || n > c.sentence && !s.pronoun {
			continue
		}
		for _, at := range s.words {
			switch {
			case at.word != w:
			case n != c.sentence:
				best = max(best, pronounProximity)
			default:
				p := minProximity + (1-minProximity)*math.Exp(-float64(max(c.from-at.token, at.token-c.to, 0))/decayLength)
				if at.clause != c.clause {
					p *= otherClauseFactor
				}
				if r.subject && r.value == nil && at.token < c.token && !c.byAgent {
					p *= objectPositionFactor
				}
				best = max(best, p)
			}
		}
	}
	return best
}
