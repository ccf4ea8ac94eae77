package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// "Yes" and "no" say of what the question asks that it is so, or that it is not. polar
// finds the clause of the contexts that comes nearest to the question, and whether
// that affirms or denies it.

// A polarity is what contexts say of a question.
type polarity int8

const (
	denied   polarity = -1
	unknown  polarity = 0
	affirmed polarity = 1
)

const (
	// A word of the question that stands before the clause, in its sentence, is
	// understood there: "Pets are welcome in the hall, but not in the rooms." One
	// behind it, or in the sentence before, may be.
	understood, behind, inLast = 0.9, 0.3, 0.25
	// ownWord is the same in a clause with a word of the question that the sentence
	// lacks before it.
	ownWord = 0.999
	// aboutIt is the share of the question that the nearest clause answers.
	aboutIt = 0.6
	// asNear is the share of its closeness from which another sentence is as near.
	asNear = 0.97
)

// answerPolarity returns what a short answer says of its question.
func answerPolarity(answer string) polarity {
	switch yes, ok := extract.YesOrNo(answer); {
	case !ok:
		return unknown
	case yes:
		return affirmed
	}
	return denied
}

// A polarClause is a clause of a context while the nearest is looked for.
type polarClause struct {
	q          quote
	words      []int // of the question
	denials    int
	opposed    []int // words of the question that it has the opposite of
	open       bool  // a condition or a limit: who can tell
	isQuestion bool
}

// polar returns what the contexts say of the question, and the sentence that does.
func (j *Judge) polar(s *scratch, c *claim, question string, contexts []string) (polarity, quote) {
	if s.slotWork > maxSlotWork {
		return unknown, quote{}
	}
	r := polarReader{j: j, s: s}
	a := &s.claimSide
	a.read(j.lex, question)
	if a.asksWhich() || a.negations > 0 || strings.Contains(strings.ToLower(contexts[c.best.chunk]), strings.ToLower(strings.TrimRight(c.text, "."))) {
		return unknown, quote{}
	}
	for _, i := range a.content {
		t := &a.tokens[i]
		if slices.Contains(r.words, t.Key) {
			continue
		}
		if t.Is(lexicon.Polarity) || isDenial(a.lower(i)) {
			r.denials = append(r.denials, len(r.words))
		}
		r.words = append(r.words, t.Key)
		var like, unlike []uint64
		j.lex.Related(t.Key, func(k uint64, rel lexicon.Relation) {
			if rel == lexicon.Antonym {
				unlike = append(unlike, k)
			} else {
				like = append(like, k)
			}
		})
		r.like, r.unlike = append(r.like, like), append(r.unlike, unlike)
	}
	if len(r.words) == 0 {
		return unknown, quote{}
	}
	r.count = make([]int, len(r.words))
	for chunk, text := range contexts {
		if chunk != c.best.chunk && !slices.ContainsFunc(c.supports, func(x support) bool { return x.chunk == chunk }) {
			continue
		}
		start, end := c.searched(chunk, text)
		s.slotWork += end - start
		j.opts.Sentences(text[start:end], func(from, to int) { r.sentence(chunk, text, start+from, start+to) })
	}
	return r.nearest()
}

// yesOrNo decides on an answer of yes or no by the clause that answers its question,
// if there is one. It returns what is left to say against the claim, with its quotes.
func (j *Judge) yesOrNo(s *scratch, c *claim, contexts []string, against objection, quotes []quote) (objection, []quote) {
	said := answerPolarity(c.answer)
	if said == unknown {
		return against, quotes
	}
	is, q := j.polar(s, c, s.question, contexts)
	if is == unknown {
		return against, quotes
	}
	if is == said {
		return objection{}, quotes
	}
	c.supports = nil
	return objection{reason: "the contexts say otherwise", limit: contradicted}, []quote{q}
}

// A polarReader reads the clauses of the contexts.
type polarReader struct {
	j            *Judge
	s            *scratch
	words        []uint64   // of the question
	like, unlike [][]uint64 // words with the same meaning, and with the opposite one
	count        []int      // clauses that have a word
	denials      []int      // of words that deny, such as "forbidden"
	clauses      []polarClause
	sentences    []int // the first clause of each
}

func (r *polarReader) sentence(chunk int, text string, start, end int) {
	x := &r.s.quoteSide
	x.read(r.j.lex, text[start:end])
	r.sentences = append(r.sentences, len(r.clauses))
	c := polarClause{q: quote{chunk: chunk, start: start, end: end}, isQuestion: strings.HasSuffix(strings.TrimSpace(text[start:end]), "?")}
	for i := range x.tokens {
		t := &x.tokens[i]
		if i > 0 && x.splitsClause(i) {
			r.add(c)
			if c.words, c.opposed, c.open = nil, nil, false; x.lower(i) != "except" { // what it excepts from what is denied is affirmed
				c.denials = 0
			}
		}
		if t.Is(lexicon.Negation) && !x.empty(i) && !x.compares(i+1) && !r.deniesOther(x, i) || i == 0 && answerPolarity(x.lower(0)) == denied {
			c.denials++
			continue
		}
		word := -1
		for w, k := range r.words {
			if k == t.Key || slices.Contains(r.like[w], t.Key) {
				word = w
			} else if slices.Contains(r.unlike[w], t.Key) {
				word = w
				c.denials++
				c.opposed = append(c.opposed, w)
			}
		}
		if k, ok := r.unPrefixed(x.lower(i)); ok && word < 0 {
			word = slices.Index(r.words, k)
			c.denials++
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
		case isLimit(x.lower(i)):
			c.open = true
		}
	}
	r.add(c)
}

// deniesOther reports whether "no" or "without" at token i is said of something that
// the question does not speak of: "with no penalty".
func (r *polarReader) deniesOther(x *side, i int) bool {
	switch x.lower(i) {
	case "no", "without":
	default:
		return false
	}
	for n := i + 1; n < len(x.tokens); n++ {
		if x.tokens[n].Is(lexicon.Stop) {
			continue
		}
		k := x.tokens[n].Key
		return !slices.ContainsFunc(r.like, func(like []uint64) bool { return slices.Contains(like, k) }) && !slices.Contains(r.words, k) && n == i+1 && i > 0
	}
	return false
}

// unPrefixed returns the word of the question that a word is the contrary of by its
// prefix: "unapproved", "incomplete".
func (r *polarReader) unPrefixed(word string) (uint64, bool) {
	const shortest = 6
	for _, prefix := range [...]string{"un", "in", "im", "non", "dis"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok && len(word) >= shortest {
			if k := r.j.lex.Key(rest); slices.Contains(r.words, k) {
				return k, true
			}
		}
	}
	return 0, false
}

func (r *polarReader) add(c polarClause) {
	for _, w := range c.words {
		r.count[w]++
	}
	r.clauses = append(r.clauses, c)
}

// splitsClause reports whether a clause or a part of a list begins at token i.
func (x *side) splitsClause(i int) bool {
	g := x.gap(i)
	if strings.ContainsAny(g, ",;:()—–|\n") {
		return true
	}
	switch x.lower(i) {
	case "but", "except", "unless", "while", "whereas", "although", "though", "because":
		return true
	}
	return false
}

// compares reports whether "more than" or the like begins at token i: "no more
// than five" denies nothing.
func (x *side) compares(i int) bool {
	if i+1 >= len(x.tokens) || x.lower(i+1) != "than" {
		return false
	}
	switch x.lower(i) {
	case "more", "less", "fewer", "later", "earlier", "longer", "other":
		return true
	}
	return false
}

// isDenial knows words that deny what they are said of.
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

// isLimit knows words after which something is so in some cases only.
func isLimit(word string) bool {
	switch word {
	case "only", "unless", "until", "if", "hardly", "rarely", "seldom", "sometimes":
		return true
	}
	return false
}

// sentenceOf is the number of the sentence of a clause.
func (r *polarReader) sentenceOf(clause int) int {
	n, found := slices.BinarySearch(r.sentences, clause)
	if !found {
		n--
	}
	return n
}

// sentenceLacks reports whether no clause of the sentence of c has word w of the
// question.
func (c *polarClause) sentenceLacks(r *polarReader, w int) bool {
	return !slices.ContainsFunc(r.clauses, func(x polarClause) bool { return x.q == c.q && slices.Contains(x.words, w) })
}

// asksWhich reports whether a question is not for yes or no.
func (x *side) asksWhich() bool {
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

// nearest returns what the clause nearest to the question says of it.
func (r *polarReader) nearest() (polarity, quote) {
	weights, all := make([]float64, len(r.words)), 0.0
	for w, k := range r.words {
		weights[w] = r.j.lex.IDF(k) / float64(max(1, r.count[w]))
		all += weights[w]
	}
	best, at := 0.0, -1
	other := 0.0 // of the nearest that says the opposite of the nearest of all
	have := make([]float64, len(r.words))
	for n, first := range r.sentences {
		end := len(r.clauses)
		if n+1 < len(r.sentences) {
			end = r.sentences[n+1]
		}
		last := first
		if n > 0 && r.clauses[r.sentences[n-1]].q.chunk == r.clauses[first].q.chunk {
			last = r.sentences[n-1]
		}
		for i := first; i < end; i++ {
			if len(r.clauses[i].words) == 0 {
				continue
			}
			clear(have)
			before := understood
			for _, w := range r.clauses[i].words {
				if !slices.ContainsFunc(r.clauses[first:i], func(c polarClause) bool { return slices.Contains(c.words, w) }) {
					before = ownWord
				}
			}
			for k := last; k < end; k++ {
				part := behind
				switch {
				case k == i:
					part = 1
				case k < first:
					part = inLast
				case k < i:
					part = before
				}
				for _, w := range r.clauses[k].words {
					have[w] = max(have[w], part)
				}
			}
			sum := 0.0
			for w, part := range have {
				sum += part * weights[w]
			}
			opposite := at >= 0 && r.clauses[i].denials%2 != r.clauses[at].denials%2 && n != r.sentenceOf(at)
			switch {
			case sum > best:
				if opposite {
					other = best
				}
				best, at = sum, i
			case opposite:
				other = max(other, sum)
			}
		}
	}
	if at < 0 || best < aboutIt*all || other > asNear*best {
		return unknown, quote{}
	}
	c := r.clauses[at]
	if c.denials > 0 && slices.ContainsFunc(r.denials, func(w int) bool { return !slices.Contains(c.words, w) && c.sentenceLacks(r, w) }) {
		return unknown, c.q // "not allowed" to "Is it forbidden?"
	}
	if c.isQuestion { // its answer is the next sentence
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
