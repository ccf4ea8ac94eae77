package lexical

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// A short answer is judged as the statement that it makes with its question, and
// a question asks for one name, number or date among those that the contexts
// have. otherAnswer compares them: each candidate by how close the words of the
// question stand to it. "Bruno Tate" is no answer to "Who presented the accounts?"
// if the contexts say "Orla Finch presented the accounts. Bruno Tate audited them."

// Closeness of a word of the question to a candidate.
const (
	// far is the closeness of a word far away in the same sentence. It rises to 1
	// beside the candidate, by a factor of e in so many words.
	far, reach  = 0.3, 12
	otherClause = 0.6 // in another clause of the sentence
	wrongSide   = 0.6 // where the object stands and not the subject
	otherRole   = 0.6 // of a candidate after a preposition where the answer is not, or the reverse
	byPronoun   = 0.4 // in one of the next sentences, which begins with a pronoun
	pronouns    = 3   // how many sentences that are
	// relation is the weight of the verb that the answer is the subject of.
	relation = 2
	// muchCloser is how much closer than the answer another candidate is if the
	// answer is wrong.
	muchCloser = 1.5
	// maxSlotText is how many bytes of a context are searched, and maxSlotWork of
	// all contexts for all claims of a row.
	maxSlotText, maxSlotWork = 1 << 15, 1 << 21
	// maxAnswer is how many words a name or a value has.
	maxAnswer = 6
	// maxMentions is how many names and numbers of the contexts are candidates.
	maxMentions = 256
)

// A mention is a name or a value of a context.
type mention struct {
	chunk, sentence, clause int
	at                      int  // its first token in the sentence
	from, to                int  // tokens of the names that it is listed with
	oblique                 bool // after a preposition
	modifies                bool // one word before one without a capital: "Dutch law"
	start, end              int  // bytes in the chunk
	words                   []uint64
	value                   *quantity.Value
	byAgent                 bool // after "by"
}

// A slotSentence is a sentence of the contexts with the words of the question in it.
type slotSentence struct {
	chunk, start, end int
	pronoun           bool
	words             []slotWord
}

// A slotWord is a word of the question in a sentence.
type slotWord struct {
	word, clause, at int
}

// otherAnswer looks for a candidate that fits the question of a short answer much
// better than the answer does.
func (j *Judge) otherAnswer(s *scratch, c *claim, contexts []string) (objection, quote) {
	if c.answer == "" {
		return objection{}, quote{}
	}
	r := slotReader{j: j, s: s}
	if !r.question(c) {
		return objection{}, quote{}
	}
	for chunk, text := range contexts {
		if s.slotWork += min(len(text), maxSlotText); s.slotWork > maxSlotWork {
			return objection{}, quote{}
		}
		start, end := c.searched(chunk, text)
		r.read(chunk, text, start, end)
	}
	return r.compare(contexts)
}

// searched is the part of a context in which the answer to a question is looked
// for: around the closest window, or at the beginning.
func (c *claim) searched(chunk int, text string) (start, end int) {
	if chunk == c.best.chunk {
		start = max(0, min(int(c.best.from.start)-maxSlotText/2, len(text)-maxSlotText))
	}
	end = min(len(text), start+maxSlotText)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return start, end
}

// A slotReader finds the candidates of one question.
type slotReader struct {
	j         *Judge
	s         *scratch
	answer    []uint64        // words of the answer that the question lacks
	value     *quantity.Value // of the answer, nil for a name
	subject   bool            // the answer stands where the subject does
	oblique   bool            // the answer stands after a preposition
	common    bool            // the contexts have the answer without a capital
	said      string
	words     []uint64 // of the question
	related   [][]uint64
	count     []int // sentences that have a word
	sentences []slotSentence
	mentions  []mention
}

// question reads the claim, which is the answer and the words of its question.
// It reports false for an answer that is neither a name nor a number or date.
func (r *slotReader) question(c *claim) bool {
	a, b := &r.s.claimSide, &r.s.quoteSide
	a.read(r.j.lex, c.text)
	b.read(r.j.lex, c.answer)
	r.said = strings.Trim(c.answer, " .!")
	names := true
	for _, i := range b.content {
		t := &b.tokens[i]
		r.answer = append(r.answer, t.Key)
		names = names && t.Is(lexicon.Capital)
	}
	vs := quantity.Append(nil, 2, r.j.lex, c.answer, b.tokens)
	switch {
	case len(splitItems(c.answer)) > 1, len(r.answer) > maxAnswer:
		return false
	case len(vs) == 1 && len(b.tokens)-(vs[0].LastToken-vs[0].FirstToken+1) <= 2:
		r.value = &vs[0]
	case len(vs) > 0, !names, len(r.answer) == 0:
		return false
	}
	for n, i := range a.content {
		t := &a.tokens[i]
		if slices.Contains(r.answer, t.Key) {
			r.subject = r.subject || n == 0
			r.oblique = r.oblique || a.afterPreposition(i)
			continue
		}
		r.words = append(r.words, t.Key)
		like := []uint64{t.Key}
		r.j.lex.Related(t.Key, func(k uint64, rel lexicon.Relation) {
			if rel != lexicon.Antonym {
				like = append(like, k)
			}
		})
		r.related = append(r.related, like)
	}
	r.count = make([]int, len(r.words))
	return len(r.words) > 0
}

// read finds the sentences, candidates and words of the question in a part of a
// context.
func (r *slotReader) read(chunk int, text string, start, end int) {
	r.j.opts.Sentences(text[start:end], func(from, to int) {
		if len(r.mentions) < maxMentions {
			r.sentence(chunk, text, start+from, start+to)
		}
	})
}

func (r *slotReader) sentence(chunk int, text string, start, end int) {
	x := &r.s.quoteSide
	x.read(r.j.lex, text[start:end])
	n := len(r.sentences)
	sentence := slotSentence{chunk: chunk, start: start, end: end}
	clause, seen := 0, make([]bool, len(r.words))
	if r.value != nil {
		vs := quantity.Append(nil, maxRoles, r.j.lex, x.text, x.tokens)
		for i := range vs {
			if vs[i].Kind == r.value.Kind && r.value.Similarity(&vs[i], r.j.lex) > 0 && vs[i].Ordinal == r.value.Ordinal {
				r.mentions = append(r.mentions, mention{chunk: chunk, sentence: n, at: vs[i].FirstToken, from: vs[i].FirstToken, to: vs[i].LastToken, start: start + vs[i].Start, end: start + vs[i].End, value: &vs[i]})
			}
		}
	}
	first := len(r.mentions)
	for i := 0; i < len(x.tokens); i++ {
		t := &x.tokens[i]
		if x.beginsClause(i) {
			clause++
		}
		if i == 0 && isPersonal(x.lower(i)) {
			sentence.pronoun = true
		}
		for w, like := range r.related {
			if !t.Is(lexicon.Stop) && slices.Contains(like, t.Key) {
				sentence.words = append(sentence.words, slotWord{w, clause, i})
				seen[w] = true
			}
		}
		if r.value != nil {
			continue
		}
		m := mention{chunk: chunk, sentence: n, clause: clause, at: i, start: start + int(t.Start), byAgent: i > 0 && x.lower(i-1) == "by", oblique: x.afterPreposition(i)}
		next := i + x.sequence(i, r.answer)
		if next > i {
			m.words = r.answer
			r.common = r.common || !t.Is(lexicon.Capital)
		} else {
			next, m.words = x.name(i)
		}
		if next == i {
			continue
		}
		i = next - 1
		if len(m.words) == 0 || len(m.words) == 1 && t.Is(lexicon.Initial) && next == m.at+1 && !r.isAnswer(&m) {
			continue
		}
		m.end = start + int(x.tokens[i].End)
		m.modifies = next == m.at+1 && next < len(x.tokens) && x.tokens[next].Class&(lexicon.Stop|lexicon.Capital) == 0 && x.gap(next) == " "
		r.list(x, m, next)
	}
	for i := range r.mentions {
		if m := &r.mentions[i]; m.sentence == n && i < first {
			for k := 1; k <= m.at; k++ {
				if x.beginsClause(k) {
					m.clause++
				}
			}
		}
	}
	for w, ok := range seen {
		if ok {
			r.count[w]++
		}
	}
	r.sentences = append(r.sentences, sentence)
}

// compare returns an objection if another candidate is much closer to the words
// of the question than the answer.
func (r *slotReader) compare(contexts []string) (objection, quote) {
	mine, best := -1.0, 0.0 // -1 for an answer that is nowhere
	inCell := false         // otherCell knows more of tables
	var other *mention
	for i := range r.mentions {
		m := &r.mentions[i]
		score := r.closeness(i)
		if r.isAnswer(m) {
			mine = max(mine, score)
			inCell = inCell || r.value != nil && strings.ContainsAny(contexts[m.chunk][r.sentences[m.sentence].start:r.sentences[m.sentence].end], "|\t")
		} else if score > best && r.isCandidate(m) {
			best, other = score, m
		}
	}
	if r.common || inCell || mine < 0 || other == nil || best <= muchCloser*mine {
		return objection{}, quote{}
	}
	there := r.sentences[other.sentence]
	q := quote{chunk: other.chunk, start: there.start, end: there.end}
	return objection{
		reason: quoted(contexts[other.chunk][other.start:other.end]) + " stands closer to the words of the question than " + quoted(r.said),
		limit:  contradicted, less: true,
	}, q
}

// isAnswer reports whether a candidate is what the answer says.
func (r *slotReader) isAnswer(m *mention) bool {
	if r.value != nil {
		return m.value != nil && r.value.Match(m.value, r.j.lex) > 0
	}
	return contained(m.words, r.answer) || contained(r.answer, m.words)
}

// isCandidate reports whether m may be an answer: for the name of a person with
// two words, it is another such name or a part of one.
func (r *slotReader) isCandidate(m *mention) bool {
	if r.value != nil {
		return true
	}
	if slices.ContainsFunc(m.words, func(k uint64) bool { return slices.Contains(r.words, k) }) {
		return false
	}
	if len(m.words) > 1 || len(r.answer) == 1 && !m.modifies {
		return true
	}
	for i := range r.mentions {
		if len(r.mentions[i].words) > 1 && contained(m.words, r.mentions[i].words) {
			return true
		}
	}
	return false
}

// contained reports whether all of a are in b.
func contained(a, b []uint64) bool {
	return !slices.ContainsFunc(a, func(k uint64) bool { return !slices.Contains(b, k) })
}

// same reports whether two candidates are the same.
func (r *slotReader) same(a, b *mention) bool {
	if r.value != nil {
		return a.value.Match(b.value, r.j.lex) > 0
	}
	return contained(a.words, b.words) || contained(b.words, a.words)
}

// closeness is how close the words of the question stand to the mention of
// candidate i that they are closest to.
func (r *slotReader) closeness(i int) float64 {
	best := 0.0
	for k := range r.mentions {
		if k != i && !r.same(&r.mentions[i], &r.mentions[k]) {
			continue
		}
		sum := 0.0
		for w := range r.words {
			if r.count[w] == 0 {
				continue
			}
			weight := r.j.lex.IDF(r.words[w]) / float64(r.count[w])
			if w == 0 && r.subject {
				weight *= relation
			}
			sum += r.wordAt(&r.mentions[k], w) * weight
		}
		if m := &r.mentions[k]; r.value == nil && m.oblique != r.oblique && (r.subject || r.oblique) {
			sum *= otherRole
		}
		best = max(best, sum)
	}
	return best
}

// wordAt is how close word w of the question stands to m.
func (r *slotReader) wordAt(m *mention, w int) float64 {
	best := 0.0
	first := m.sentence
	if r.sentences[first].pronoun { // it goes on about what was spoken of before
		first = max(0, first-1)
	}
	for n := first; n < len(r.sentences) && n <= m.sentence+pronouns; n++ {
		x := &r.sentences[n]
		if x.chunk != m.chunk || n > m.sentence && !x.pronoun {
			continue
		}
		for _, at := range x.words {
			if at.word != w {
				continue
			}
			switch {
			case n != m.sentence:
				best = max(best, byPronoun)
			default:
				v := far + (1-far)*math.Exp(-float64(max(m.from-at.at, at.at-m.to, 0))/reach)
				if at.clause != m.clause {
					v *= otherClause
				}
				if r.subject && r.value == nil && at.at < m.at && !m.byAgent {
					v *= wrongSide
				}
				best = max(best, v)
			}
		}
	}
	return best
}
