package lexical

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/values"
)

// The answer to a short question is usually a name, number or date in the contexts.
// checkAnswer scores each such candidate by its proximity to the words of the question
// and rejects an answer if another candidate scores much higher. For example, "Bruno
// Tate" does not answer "Who presented the accounts?" if the contexts state "Orla Finch
// presented the accounts. Bruno Tate audited them."

// The proximity of a question word to a candidate ranges from 0 to 1. The constants
// were tuned on the suites in docs/accuracy.md.
const (
	// Within a sentence, proximity is 1 next to the candidate and decays exponentially
	// to minProximity, with a decay length of decayLength words.
	minProximity, decayLength = 0.3, 12

	// Factors applied to the proximity of a word in the same sentence.
	otherClauseFactor    = 0.6 // the word is in a different clause
	objectPositionFactor = 0.6 // the candidate follows the word, but the answer is the subject
	caseMismatchFactor   = 0.6 // only the candidate or only the answer follows a preposition

	// verbWeight multiplies the weight of the verb if the answer is its subject.
	verbWeight = 2

	// pronounProximity is the proximity of a word in one of the next
	// maxPronounSentences sentences, if they start with a pronoun.
	pronounProximity    = 0.4
	maxPronounSentences = 3

	// minProximityRatio is the minimum ratio of a candidate's score to the answer's
	// score at which the answer is rejected.
	minProximityRatio = 1.5
)

const (
	// maxAnswerText limits the bytes of each context that are searched for answers;
	// maxAnswerWork limits the total for a task.
	maxAnswerText, maxAnswerWork = 1 << 15, 1 << 21
	maxAnswerWords               = 6
	maxCandidates                = 256
)

// A candidate is a name, number or date that may answer the question.
type candidate struct {
	chunk, sentence, clause int
	token                   int  // index of its first token in the sentence
	from, to                int  // token range of the enumeration that contains it
	oblique                 bool // follows a preposition
	modifier                bool // a single word before a common noun: "Dutch law"
	byAgent                 bool // follows "by"
	start, end              int  // byte offsets in the chunk
	words                   []uint64
	value                   *number // nil for a name
}

// A questionSentence is a context sentence and the question words found in it.
type questionSentence struct {
	chunk, start, end int
	pronoun           bool // starts with a pronoun
	words             []questionWord
}

// A questionWord is an occurrence of a question word in a sentence.
type questionWord struct{ word, clause, token int }

// checkAnswer returns an objection to a short answer if a different candidate fits the
// question much better.
func (j *Judge) checkAnswer(s *scratch, c *claim, contexts []string) (objection, quote) {
	if c.answer == "" {
		return objection{}, quote{}
	}
	r := answerReader{j: j, s: s}
	if !r.readQuestion(c) {
		return objection{}, quote{}
	}
	for chunk, text := range contexts {
		if s.answerWork += min(len(text), maxAnswerText); s.answerWork > maxAnswerWork {
			return objection{}, quote{}
		}
		start, end := c.searchRange(chunk, text)
		j.opts.Sentences(text[start:end], func(from, to int) {
			if len(r.candidates) < maxCandidates {
				r.readSentence(chunk, text, start+from, start+to)
			}
		})
	}
	return r.compare(contexts)
}

// searchRange returns the byte range of a context to search for the answer to a
// question: the text around the closest window, or the start of other contexts.
func (c *claim) searchRange(chunk int, text string) (start, end int) {
	if chunk == c.best.chunk {
		start = max(0, min(int(c.best.from.start)-maxAnswerText/2, len(text)-maxAnswerText))
	}
	end = min(len(text), start+maxAnswerText)
	return runeBounds(text, start, end)
}

// runeBounds widens a byte range to the nearest code point boundaries.
func runeBounds(text string, start, end int) (int, int) {
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return start, end
}

// An answerReader collects and scores the candidates for one question.
type answerReader struct {
	j          *Judge
	s          *scratch
	text       string     // text of the answer
	answer     []uint64   // keys of the answer's content words
	value      *number    // value of the answer, nil for a name
	subject    bool       // the answer is the subject
	oblique    bool       // the answer follows a preposition
	lowercase  bool       // the answer occurs in lower case in the contexts
	words      []uint64   // keys of the question's words
	related    [][]uint64 // keys of each word and its synonyms
	count      []int      // number of sentences that contain each word
	sentences  []questionSentence
	candidates []candidate
}

// readQuestion parses the answer and the words of its question from the claim. It
// reports whether the answer is a name, a number or a date.
func (r *answerReader) readQuestion(c *claim) bool {
	a, b := &r.s.claimStmt, &r.s.quoteStmt
	a.parse(r.j.lex, c.text)
	b.parse(r.j.lex, c.answer)
	r.text = strings.Trim(c.answer, " .!")
	names := true
	for _, i := range b.content {
		t := &b.tokens[i]
		r.answer = append(r.answer, t.Key)
		names = names && t.Is(lexicon.Capital)
	}
	found := r.s.appendNumbers(nil, 2, c.answer, b.tokens)
	switch {
	case len(splitItems(c.answer)) > 1, len(r.answer) > maxAnswerWords:
		return false
	case len(found) == 1 && len(b.tokens)-(found[0].last-found[0].first+1) <= 2:
		r.value = &found[0]
	case len(found) > 0, !names, len(r.answer) == 0:
		return false
	}
	for n, i := range a.content {
		t := &a.tokens[i]
		if slices.Contains(r.answer, t.Key) {
			r.subject = r.subject || n == 0
			r.oblique = r.oblique || a.followsPreposition(i)
			continue
		}
		like, _ := r.j.related(t.Key)
		r.words, r.related = append(r.words, t.Key), append(r.related, like)
	}
	r.count = make([]int, len(r.words))
	return len(r.words) > 0
}

// readSentence collects the candidates and the question words in a sentence.
func (r *answerReader) readSentence(chunk int, text string, start, end int) {
	x := &r.s.quoteStmt
	x.parse(r.j.lex, text[start:end])
	n := len(r.sentences)
	sentence := questionSentence{chunk: chunk, start: start, end: end}
	sentence.pronoun = len(x.tokens) > 0 && isPronoun(x.lower(0))
	var found []number
	if r.value != nil {
		found = r.s.appendNumbers(nil, maxNumbers, x.text, x.tokens)
	}
	clause, seen := 0, make([]bool, len(r.words))
	for i := 0; i < len(x.tokens); i++ {
		t := &x.tokens[i]
		if x.startsClause(i) {
			clause++
		}
		for w, like := range r.related {
			if !t.Is(lexicon.Stop) && slices.Contains(like, t.Key) {
				sentence.words = append(sentence.words, questionWord{w, clause, i})
				seen[w] = true
			}
		}
		c := candidate{chunk: chunk, sentence: n, clause: clause, token: i, from: i}
		if r.value == nil {
			c.start = start + int(t.Start)
			i = r.readName(x, c, start) - 1
			continue
		}
		if len(found) == 0 || found[0].first != i {
			continue
		}
		v := &found[0]
		found = found[1:]
		if values.Similarity(&r.value.Value, &v.Value) > 0 {
			c.to, c.start, c.end, c.value = v.last, start+v.Start, start+v.End, v
			r.candidates = append(r.candidates, c)
		}
	}
	for w, ok := range seen {
		if ok {
			r.count[w]++
		}
	}
	r.sentences = append(r.sentences, sentence)
}

// readName adds the name that starts at token c.token, if any, as a candidate and
// returns the next token. start is the byte offset of the sentence in the chunk.
func (r *answerReader) readName(x *statement, c candidate, start int) (next int) {
	i := c.token
	t := &x.tokens[i]
	next = i + x.matchKeys(i, r.answer)
	if next > i {
		c.words = r.answer
		r.lowercase = r.lowercase || !t.Is(lexicon.Capital)
	} else {
		next, c.words = x.nameAt(i)
	}
	if next == i {
		return i + 1
	}
	single := next == i+1
	if len(c.words) == 0 || len(c.words) == 1 && t.Is(lexicon.Initial) && single && !r.isAnswer(&c) {
		return next // may be capitalized only because it starts the sentence
	}
	c.end = start + int(x.tokens[next-1].End)
	c.byAgent = i > 0 && x.lower(i-1) == "by"
	c.oblique = x.followsPreposition(i)
	c.modifier = single && next < len(x.tokens) && x.tokens[next].Class&(lexicon.Stop|lexicon.Capital) == 0 && x.gap(next) == " "
	r.addName(x, c, next)
	return next
}

// addName adds a name that ends before token next. If only commas and conjunctions
// separate it from the previous name, both become part of the same enumeration.
func (r *answerReader) addName(x *statement, c candidate, next int) {
	c.to = next
	k := len(r.candidates) - 1
	if k >= 0 && r.candidates[k].sentence == c.sentence && x.isEnumerated(r.candidates[k].to, c.token) {
		c.from = r.candidates[k].from
		for ; k >= 0 && r.candidates[k].sentence == c.sentence && r.candidates[k].from == c.from; k-- {
			r.candidates[k].to = c.to
		}
	}
	r.candidates = append(r.candidates, c)
}

// isEnumerated reports whether only commas, "and" and "or" separate the token before
// from and token to.
func (x *statement) isEnumerated(from, to int) bool {
	for i := from; i <= to; i++ {
		if g := strings.TrimSpace(x.gap(i)); g != "" && g != "," {
			return false
		}
		if i == to {
			return true
		}
		switch x.lower(i) {
		case "and", "or", "the":
		default:
			return false
		}
	}
	return false
}

// isPronoun reports whether a word at the start of a sentence refers to the subject of
// the previous sentence.
func isPronoun(word string) bool {
	switch word {
	case "he", "she", "it", "they", "this", "these", "today", "now", "currently":
		return true
	}
	return false
}
