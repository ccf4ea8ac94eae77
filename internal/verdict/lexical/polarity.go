package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A polarity is the answer to a yes-no question.
type polarity int8

const (
	negative    polarity = -1
	unknown     polarity = 0
	affirmative polarity = 1
)

// Weights and thresholds for the comparison of clauses with a question. They were tuned
// on the suites in docs/accuracy.md.
const (
	// A question word outside the clause has a lower weight if it occurs earlier in the
	// sentence ("Pets are welcome in the hall, but not in the rooms"), later in the
	// sentence, or in the previous sentence.
	earlierClauseWeight, laterClauseWeight, previousSentenceWeight = 0.9, 0.3, 0.25
	// newWordWeight replaces earlierClauseWeight if the clause contains a question word
	// that does not occur earlier in the sentence.
	newWordWeight = 0.999
	// minQuestionCoverage is the minimum share of the question's weight that the best
	// clause must cover.
	minQuestionCoverage = 0.6
	// tieRatio is the ratio of scores above which two clauses are a tie.
	tieRatio = 0.97
)

// answerPolarity returns the polarity of a short answer.
func answerPolarity(answer string) polarity {
	switch yes, ok := english.YesOrNo(answer); {
	case !ok:
		return unknown
	case yes:
		return affirmative
	}
	return negative
}

// checkYesOrNo compares a yes or no answer with the polarity of the contexts. It
// returns the objection and quotes to use: o and quotes if either polarity is unknown.
func (j *Judge) checkYesOrNo(s *scratch, c *claim, contexts []string, o objection, quotes []quote) (objection, []quote) {
	claimed := answerPolarity(c.answer)
	if claimed == unknown {
		return o, quotes
	}
	actual, q := j.questionPolarity(s, c, s.question, contexts)
	if actual == unknown {
		return o, quotes
	}
	if actual == claimed {
		return objection{}, quotes
	}
	c.supports = nil
	return objection{reason: "the contexts say the opposite", maxScore: maxContradictedScore, basis: basisNegation}, []quote{q}
}

// questionPolarity returns the answer to a question according to the contexts, and the
// sentence that states it.
func (j *Judge) questionPolarity(s *scratch, c *claim, question string, contexts []string) (polarity, quote) {
	if s.answerWork > maxAnswerWork {
		return unknown, quote{}
	}
	a := &s.claimStmt
	a.parse(j.lex, question)
	if a.isOpenQuestion() || a.negations > 0 || strings.Contains(strings.ToLower(contexts[c.best.chunk]), strings.ToLower(strings.TrimRight(c.text, "."))) {
		return unknown, quote{}
	}
	r := polarityReader{j: j, s: s}
	for _, i := range a.content {
		t := &a.tokens[i]
		if slices.Contains(r.words, t.Key) {
			continue
		}
		if t.Is(lexicon.Polarity) || isNegativeWord(a.lower(i)) {
			r.negativeWords = append(r.negativeWords, len(r.words))
		}
		related, antonyms := j.related(t.Key)
		r.words, r.related, r.antonyms = append(r.words, t.Key), append(r.related, related), append(r.antonyms, antonyms)
	}
	if len(r.words) == 0 {
		return unknown, quote{}
	}
	r.count = make([]int, len(r.words))
	for chunk, text := range contexts {
		if chunk != c.best.chunk && !slices.ContainsFunc(c.supports, func(x support) bool { return x.chunk == chunk }) {
			continue
		}
		start, end := c.searchRange(chunk, text)
		s.answerWork += end - start
		j.opts.Sentences(text[start:end], func(from, to int) { r.readSentence(chunk, text, start+from, start+to) })
	}
	return r.result()
}

// A polarClause is a clause of a context that is compared with a question.
type polarClause struct {
	q           quote // the sentence that contains the clause
	words       []int // question words in the clause, as indices
	negations   int
	opposed     []int // question words whose antonym is in the clause, as indices
	conditional bool  // contains a condition or a restriction
	isQuestion  bool
}

// A polarityReader collects clauses from the contexts and finds the one that answers
// the question.
type polarityReader struct {
	j             *Judge
	s             *scratch
	words         []uint64   // keys of the question words
	related       [][]uint64 // keys of each word and its synonyms
	antonyms      [][]uint64 // keys of the antonyms of each word
	count         []int      // number of clauses that contain each word
	negativeWords []int      // indices of negative words, such as "forbidden"
	clauses       []polarClause
	sentences     []int // index of the first clause of each sentence
}

// readSentence collects the clauses of a sentence.
func (r *polarityReader) readSentence(chunk int, text string, start, end int) {
	x := &r.s.quoteStmt
	x.parse(r.j.lex, text[start:end])
	r.sentences = append(r.sentences, len(r.clauses))
	c := polarClause{q: quote{chunk: chunk, start: start, end: end}, isQuestion: strings.HasSuffix(strings.TrimSpace(text[start:end]), "?")}
	for i := range x.tokens {
		t := &x.tokens[i]
		if i > 0 && x.startsSegment(i) {
			r.add(c)
			c.words, c.opposed, c.conditional = nil, nil, false
			if x.lower(i) != "except" { // an exception to a negative statement is affirmative
				c.negations = 0
			}
		}
		if t.Is(lexicon.Negation) && !x.isIdiomaticNegation(i) && !x.startsComparison(i+1) && !r.negatesOther(x, i) || i == 0 && answerPolarity(x.lower(0)) == negative {
			c.negations++
			continue
		}
		word := -1
		for w := range r.words {
			if slices.Contains(r.related[w], t.Key) {
				word = w
			} else if slices.Contains(r.antonyms[w], t.Key) {
				word = w
				c.negations++
				c.opposed = append(c.opposed, w)
			}
		}
		if word < 0 {
			if word = r.negatedByPrefix(x.lower(i)); word >= 0 {
				c.negations++
			}
		}
		switch {
		case word >= 0:
			if !slices.Contains(c.words, word) {
				c.words = append(c.words, word)
			} else if slices.Contains(c.opposed, word) { // "open on Sunday and closed on Monday"
				c.conditional = true
			}
		case isNegativeWord(x.lower(i)):
			c.negations++
		case isRestriction(x.lower(i)):
			c.conditional = true
		}
	}
	r.add(c)
}

func (r *polarityReader) add(c polarClause) {
	for _, w := range c.words {
		r.count[w]++
	}
	r.clauses = append(r.clauses, c)
}

// negatesOther reports whether the token i is "no" or "without" and negates something
// that the question does not mention: "with no penalty".
func (r *polarityReader) negatesOther(x *statement, i int) bool {
	if w := x.lower(i); w != "no" && w != "without" || i == 0 || i+1 == len(x.tokens) || x.tokens[i+1].Is(lexicon.Stop) {
		return false
	}
	k := x.tokens[i+1].Key
	return !slices.ContainsFunc(r.related, func(keys []uint64) bool { return slices.Contains(keys, k) })
}

// negatedByPrefix returns the index of the question word that a word such as
// "unapproved" or "incomplete" negates, or -1.
func (r *polarityReader) negatedByPrefix(word string) int {
	const minLength = 6
	if len(word) < minLength {
		return -1
	}
	for _, prefix := range [...]string{"un", "in", "im", "non", "dis"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok {
			if w := slices.Index(r.words, r.j.lex.Key(rest)); w >= 0 {
				return w
			}
		}
	}
	return -1
}

// isNegativeWord reports whether a word has a negative meaning, such as "forbidden".
func isNegativeWord(word string) bool {
	switch word {
	case "forbidden", "forbid", "forbids", "prohibited", "prohibit", "prohibits", "banned", "bans", "rejected", "reject", "rejects", "refused", "refuse", "refuses",
		"denied", "denies", "excluded", "excludes", "exclude", "declined", "cancelled", "canceled", "lacks", "lacked", "failed", "fails", "prevented", "prevents",
		"except", "excluding", "unable", "impossible", "closed", "abolished", "abandoned", "unchanged", "optional", "absent", "false", "untrue",
		"nicht", "kein", "keine", "keinen", "keiner", "nie", "verboten", "geschlossen", "pas", "jamais", "aucun", "aucune", "interdit", "fermé",
		"nunca", "ningún", "ninguna", "prohibido", "cerrado":
		return true
	}
	return false
}

// isRestriction reports whether a word restricts a statement to some cases.
func isRestriction(word string) bool {
	switch word {
	case "only", "unless", "until", "if", "hardly", "rarely", "seldom", "sometimes":
		return true
	}
	return false
}

// isOpenQuestion reports whether x is a question that is not a yes-no question.
func (x *statement) isOpenQuestion() bool {
	for i := range min(len(x.tokens), 3) {
		switch x.lower(i) {
		case "who", "whom", "whose", "what", "which", "when", "where", "why", "how", "wer", "was", "wann", "wo", "wie", "warum", "welche", "welcher", "welches",
			"qui", "que", "quoi", "quand", "où", "comment", "combien", "pourquoi", "quel", "quelle", "quién", "qué", "cuándo", "dónde", "cómo", "cuánto", "cuántos", "cuál": //nolint:misspell // Spanish
			if i > 0 || x.lower(i) != "was" { // "Was it there?"
				return true
			}
		}
	}
	return false
}

// result returns the polarity of the best clause and its sentence. The polarity is
// unknown if no clause matches the question well enough, or if the best clauses of two
// sentences are a tie and contradict each other.
func (r *polarityReader) result() (polarity, quote) {
	best := r.bestClause()
	if best < 0 {
		return unknown, quote{}
	}
	c := r.clauses[best]
	if c.negations > 0 && slices.ContainsFunc(r.negativeWords, func(w int) bool { return !r.sentenceContains(c.q, w) }) {
		return unknown, c.q // "not allowed" for "Is it forbidden?"
	}
	if c.isQuestion { // the next sentence answers it
		next := best + 1
		for next < len(r.clauses) && r.clauses[next].q.start == c.q.start {
			next++
		}
		if next == len(r.clauses) || r.clauses[next].q.chunk != c.q.chunk {
			return unknown, c.q
		}
		c = r.clauses[next]
	}
	switch {
	case c.negations%2 == 1:
		return negative, c.q
	case c.conditional:
		return unknown, c.q
	}
	return affirmative, c.q
}

// sentenceContains reports whether a clause of a sentence contains question word w.
func (r *polarityReader) sentenceContains(sentence quote, w int) bool {
	return slices.ContainsFunc(r.clauses, func(c polarClause) bool { return c.q == sentence && slices.Contains(c.words, w) })
}

// bestClause returns the index of the clause that covers most of the question. It
// returns -1 if no clause covers enough of it, or if two clauses that contradict each
// other are a tie.
func (r *polarityReader) bestClause() int {
	weights, total := make([]float64, len(r.words)), 0.0
	for w, k := range r.words {
		weights[w] = r.j.lex.IDF(k) / float64(max(1, r.count[w]))
		total += weights[w]
	}
	bestScore, best, bestSentence := 0.0, -1, -1
	opposite := 0.0 // best score of a contradicting clause in another sentence
	covered := make([]float64, len(r.words))
	for n, first := range r.sentences {
		end := len(r.clauses)
		if n+1 < len(r.sentences) {
			end = r.sentences[n+1]
		}
		previous := first
		if n > 0 && r.clauses[r.sentences[n-1]].q.chunk == r.clauses[first].q.chunk {
			previous = r.sentences[n-1]
		}
		for i := first; i < end; i++ {
			if len(r.clauses[i].words) == 0 {
				continue
			}
			clear(covered)
			r.setCoverage(covered, previous, first, i, end)
			score := 0.0
			for w, weight := range covered {
				score += weight * weights[w]
			}
			opposes := best >= 0 && r.clauses[i].negations%2 != r.clauses[best].negations%2 && n != bestSentence
			switch {
			case score > bestScore:
				if opposes {
					opposite = bestScore
				}
				bestScore, best, bestSentence = score, i, n
			case opposes:
				opposite = max(opposite, score)
			}
		}
	}
	if bestScore < minQuestionCoverage*total || opposite > tieRatio*bestScore {
		return -1
	}
	return best
}

// setCoverage sets covered to the weight with which clause i and the clauses around it
// cover each question word. The sentence of clause i consists of the clauses from first
// up to end. The previous sentence starts at clause previous.
func (r *polarityReader) setCoverage(covered []float64, previous, first, i, end int) {
	earlier := earlierClauseWeight
	for _, w := range r.clauses[i].words {
		if !slices.ContainsFunc(r.clauses[first:i], func(c polarClause) bool { return slices.Contains(c.words, w) }) {
			earlier = newWordWeight
		}
	}
	for n := previous; n < end; n++ {
		weight := laterClauseWeight
		switch {
		case n == i:
			weight = 1
		case n < first:
			weight = previousSentenceWeight
		case n < i:
			weight = earlier
		}
		for _, w := range r.clauses[n].words {
			covered[w] = max(covered[w], weight)
		}
	}
}

// maxAnswerText limits the bytes of each context that are searched for answers, and
// maxAnswerWork the total for a task.
const maxAnswerText, maxAnswerWork = 1 << 15, 1 << 21

// searchRange returns the byte range of a context to search for the answer to a
// question: the text around the closest window, or the start of other contexts.
func (c *claim) searchRange(chunk int, text string) (start, end int) {
	if chunk == c.best.chunk {
		start = max(0, min(int(c.best.from.start)-maxAnswerText/2, len(text)-maxAnswerText))
	}
	end = min(len(text), start+maxAnswerText)
	return runeBounds(text, start, end)
}
