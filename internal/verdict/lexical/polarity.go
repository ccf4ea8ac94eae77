package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// "Yes" and "no" affirm or deny what the question asks. questionPolarity finds the
// clause of the contexts that is closest to the question, and whether it affirms or
// denies it.

// A polarity is the answer of the contexts to a question.
type polarity int8

const (
	denied   polarity = -1
	unknown  polarity = 0
	affirmed polarity = 1
)

// Weights and thresholds of the comparison of clauses with a question, chosen on the
// suites of docs/accuracy.md.
const (
	// A word of the question that is not in the clause itself counts less if it is
	// earlier in the sentence ("Pets are welcome in the hall, but not in the rooms"),
	// later in it, or in the previous sentence.
	earlierInSentence, laterInSentence, inPreviousSentence = 0.9, 0.3, 0.25
	// earlierToOwnWord replaces earlierInSentence for a clause with a word of the
	// question that the sentence does not have before it.
	earlierToOwnWord = 0.999
	// minAnswered is the share of the question that the closest clause must have.
	minAnswered = 0.6
	// equallyClose is the share of its closeness from which a clause of another
	// sentence is as close.
	equallyClose = 0.97
)

// answerPolarity returns what a short answer says of its question.
func answerPolarity(answer string) polarity {
	switch yes, ok := english.YesOrNo(answer); {
	case !ok:
		return unknown
	case yes:
		return affirmed
	}
	return denied
}

// checkYesOrNo decides about an answer of yes or no by the clause that answers its
// question, if there is one. It returns the objection that remains, and its quotes.
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
	return objection{reason: "the contexts say the opposite", limit: contradicted}, []quote{q}
}

// questionPolarity returns the answer of the contexts to a question, and the sentence
// that gives it.
func (j *Judge) questionPolarity(s *scratch, c *claim, question string, contexts []string) (polarity, quote) {
	if s.answerWork > maxAnswerWork {
		return unknown, quote{}
	}
	a := &s.claimStmt
	a.read(j.lex, question)
	if a.isOpenQuestion() || a.negations > 0 || strings.Contains(strings.ToLower(contexts[c.best.chunk]), strings.ToLower(strings.TrimRight(c.text, "."))) {
		return unknown, quote{}
	}
	r := polarityReader{j: j, s: s}
	for _, i := range a.content {
		t := &a.tokens[i]
		if slices.Contains(r.words, t.Key) {
			continue
		}
		if t.Is(lexicon.Polarity) || isDenial(a.lower(i)) {
			r.denials = append(r.denials, len(r.words))
		}
		like, unlike := j.related(t.Key)
		r.words, r.like, r.unlike = append(r.words, t.Key), append(r.like, like), append(r.unlike, unlike)
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
	return r.decide()
}

// A polarClause is a clause of a context that is compared with a question.
type polarClause struct {
	q          quote // its sentence
	words      []int // indices of words of the question
	denials    int
	opposed    []int // indices of words of the question whose antonym it has
	open       bool  // has a condition or a restriction
	isQuestion bool
}

// A polarityReader reads the clauses of the contexts.
type polarityReader struct {
	j            *Judge
	s            *scratch
	words        []uint64   // of the question
	like, unlike [][]uint64 // words related to each, and itself, and antonyms
	count        []int      // clauses that have each word
	denials      []int      // indices of words that deny, such as "forbidden"
	clauses      []polarClause
	sentences    []int // the first clause of each
}

func (r *polarityReader) readSentence(chunk int, text string, start, end int) {
	x := &r.s.quoteStmt
	x.read(r.j.lex, text[start:end])
	r.sentences = append(r.sentences, len(r.clauses))
	c := polarClause{q: quote{chunk: chunk, start: start, end: end}, isQuestion: strings.HasSuffix(strings.TrimSpace(text[start:end]), "?")}
	for i := range x.tokens {
		t := &x.tokens[i]
		if i > 0 && x.startsPart(i) {
			r.add(c)
			c.words, c.opposed, c.open = nil, nil, false
			if x.lower(i) != "except" { // an exception to a denial is affirmed
				c.denials = 0
			}
		}
		if t.Is(lexicon.Negation) && !x.negatesNothing(i) && !x.startsComparison(i+1) && !r.deniesOther(x, i) || i == 0 && answerPolarity(x.lower(0)) == denied {
			c.denials++
			continue
		}
		word := -1
		for w := range r.words {
			if slices.Contains(r.like[w], t.Key) {
				word = w
			} else if slices.Contains(r.unlike[w], t.Key) {
				word = w
				c.denials++
				c.opposed = append(c.opposed, w)
			}
		}
		if word < 0 {
			if word = r.negatedByPrefix(x.lower(i)); word >= 0 {
				c.denials++
			}
		}
		switch {
		case word >= 0:
			if !slices.Contains(c.words, word) {
				c.words = append(c.words, word)
			} else if slices.Contains(c.opposed, word) { // "open on Sunday and closed on Monday"
				c.open = true
			}
		case isDenial(x.lower(i)):
			c.denials++
		case isRestriction(x.lower(i)):
			c.open = true
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

// deniesOther reports whether "no" or "without" at token i denies something that the
// question does not mention: "with no penalty".
func (r *polarityReader) deniesOther(x *statement, i int) bool {
	if w := x.lower(i); w != "no" && w != "without" || i == 0 || i+1 == len(x.tokens) || x.tokens[i+1].Is(lexicon.Stop) {
		return false
	}
	k := x.tokens[i+1].Key
	return !slices.ContainsFunc(r.like, func(like []uint64) bool { return slices.Contains(like, k) })
}

// negatedByPrefix returns the index of the word of the question that a word negates
// by its prefix, or -1: "unapproved", "incomplete".
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

// isDenial reports whether a word denies what it is said of.
func isDenial(word string) bool {
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

// isOpenQuestion reports whether a question does not ask for yes or no.
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

// decide returns the answer of the clause that is closest to the question, and its
// sentence. It is unknown if no clause is close, or if one of another sentence is
// equally close and says the opposite.
func (r *polarityReader) decide() (polarity, quote) {
	at := r.closest()
	if at < 0 {
		return unknown, quote{}
	}
	c := r.clauses[at]
	if c.denials > 0 && slices.ContainsFunc(r.denials, func(w int) bool { return !r.sentenceHas(c.q, w) }) {
		return unknown, c.q // "not allowed" for "Is it forbidden?"
	}
	if c.isQuestion { // the next sentence answers it
		next := at + 1
		for next < len(r.clauses) && r.clauses[next].q.start == c.q.start {
			next++
		}
		if next == len(r.clauses) || r.clauses[next].q.chunk != c.q.chunk {
			return unknown, c.q
		}
		c = r.clauses[next]
	}
	switch {
	case c.denials%2 == 1:
		return denied, c.q
	case c.open:
		return unknown, c.q
	}
	return affirmed, c.q
}

// sentenceHas reports whether a clause of a sentence has word w of the question.
func (r *polarityReader) sentenceHas(sentence quote, w int) bool {
	return slices.ContainsFunc(r.clauses, func(c polarClause) bool { return c.q == sentence && slices.Contains(c.words, w) })
}

// closest returns the index of the clause that is closest to the question, or -1.
func (r *polarityReader) closest() int {
	weights, total := make([]float64, len(r.words)), 0.0
	for w, k := range r.words {
		weights[w] = r.j.lex.IDF(k) / float64(max(1, r.count[w]))
		total += weights[w]
	}
	best, at, atSentence := 0.0, -1, -1
	opposite := 0.0 // of the closest clause of another sentence that says the opposite
	have := make([]float64, len(r.words))
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
			clear(have)
			r.collect(have, previous, first, i, end)
			sum := 0.0
			for w, part := range have {
				sum += part * weights[w]
			}
			opposes := at >= 0 && r.clauses[i].denials%2 != r.clauses[at].denials%2 && n != atSentence
			switch {
			case sum > best:
				if opposes {
					opposite = best
				}
				best, at, atSentence = sum, i, n
			case opposes:
				opposite = max(opposite, sum)
			}
		}
	}
	if best < minAnswered*total || opposite > equallyClose*best {
		return -1
	}
	return at
}

// collect sets how much of each word of the question clause i has, together with the
// clauses from previous, those of the sentence before, up to end. Its own sentence
// starts with clause first.
func (r *polarityReader) collect(have []float64, previous, first, i, end int) {
	earlier := earlierInSentence
	for _, w := range r.clauses[i].words {
		if !slices.ContainsFunc(r.clauses[first:i], func(c polarClause) bool { return slices.Contains(c.words, w) }) {
			earlier = earlierToOwnWord
		}
	}
	for k := previous; k < end; k++ {
		part := laterInSentence
		switch {
		case k == i:
			part = 1
		case k < first:
			part = inPreviousSentence
		case k < i:
			part = earlier
		}
		for _, w := range r.clauses[k].words {
			have[w] = max(have[w], part)
		}
	}
}
