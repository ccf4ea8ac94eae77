package lexical

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// text returns the text of q.
func (q quote) text(contexts []string) string { return contexts[q.chunk][q.start:q.end] }

// statement returns the text of q. If q is a question, and the text after it answers yes or no,
// or an item with a cross, the answer is appended: "Is parking free? No.", "Pool: ❌".
func (q quote) statement(contexts []string) string {
	text := q.text(contexts)
	end := strings.TrimRight(text, " \n*_\ufe0f")
	for _, mark := range [...]string{"❌", "✗", "✘"} {
		if item, ok := strings.CutSuffix(end, mark); ok {
			return item + "no"
		}
	}
	question, ok := strings.CutSuffix(end, "?")
	if !ok {
		return text
	}
	const maxLabel = 24 // "A:", "Answer:", the name of a speaker
	answer := textAfter(contexts, q)
	if label, rest, ok := strings.Cut(answer, ":"); ok && len(label) <= maxLabel && !strings.ContainsAny(label, ",.!?\n") {
		answer = rest
	}
	answer = strings.TrimLeft(answer, "*_ ")
	word := answer[:len(answer)-len(strings.TrimLeftFunc(answer, unicode.IsLetter))]
	rest := strings.TrimLeft(answer[len(word):], "*_ ")
	yes := strings.EqualFold(word, "yes")
	switch {
	case !yes && !strings.EqualFold(word, "no") || rest != "" && strings.IndexAny(rest, ",.!;:–—-\n") != 0:
		return text
	case yes:
		return strings.TrimRight(question, " ") + ": yes"
	}
	return strings.TrimRight(question, " ") + ": no"
}

// textAfter returns the start of the text after q.
func textAfter(contexts []string, q quote) string {
	const maxLen = 120
	rest := contexts[q.chunk][q.end:]
	_, end := runeBounds(rest, 0, min(len(rest), maxLen))
	return strings.TrimSpace(rest[:end])
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

// A textValue is a value in a text.
type textValue struct {
	text       string
	start, end int
}

func (p textValue) value() string { return wholeValue(p.text, p.start, p.end) }

// phrase returns the value with the words around it, at most three before and two after,
// from the same sentence.
func (p textValue) phrase() string {
	const before, after = 3, 2
	start, end := p.start, p.end
	for range before {
		head := strings.TrimRight(p.text[:start], " ")
		if n := len(head); n == 0 || strings.IndexByte("!?;|\n\t", head[n-1]) >= 0 || head[n-1] == '.' && n > 1 && isLetter(head[n-2]) {
			break
		}
		start = strings.LastIndexAny(head, " |\n\t") + 1
	}
	for range after {
		rest := strings.TrimLeft(p.text[end:], " ")
		n := strings.IndexAny(rest, " .,;!?|\n\t")
		if n < 0 {
			n = len(rest)
		}
		end = len(p.text) - len(rest) + n
	}
	return wholeValue(p.text, start, end)
}

// wholeValue returns the value at text[start:end] with the signs, digits and letters
// joined to it: "4-3" for the 3 in it, "$10" for the 10.
func wholeValue(text string, start, end int) string {
	const maxJoined = 12
	for n := 0; start > 0 && n < maxJoined && joins(text, start-1, -1); n++ {
		start--
	}
	if start > 0 && text[start-1] == '-' && (start == 1 || text[start-2] == ' ') {
		start--
	}
	for n := 0; end < len(text) && n < maxJoined && joins(text, end, 1); n++ {
		end++
	}
	return text[start:end]
}

// joins reports whether byte i of text belongs to the value next to it: a letter, a digit
// or a sign, or a mark between digits. step is the direction away from the value.
func joins(text string, i, step int) bool {
	c := text[i]
	switch {
	case c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z':
		return true
	case c == '$':
		return step < 0
	case c == '%':
		return step > 0
	case c == '-' || c == ':' || c == '/' || c == '.' || c == ',':
		next := i + step
		return next >= 0 && next < len(text) && text[next]-'0' <= 9 && text[i-step]-'0' <= 9
	}
	return false
}

// quoted returns an excerpt of a text in quotation marks.
func quoted(s string) string { return verdict.Excerpt(s, 0) }

// quotedValue returns a value in quotation marks. An excerpt would lack the number of
// "3. Mai", which looks like a list marker.
func quotedValue(s string) string {
	const maxWhole = 40
	if len(s) > maxWhole {
		return quoted(s)
	}
	return "“" + s + "”"
}

// A second quote must cover at least minSecondAlone of a claim in addition to the first, or
// minSecondCoverage if it covers minSecondShare in all. Between sentences, a word that the
// first quote has counts 1/aboutShare.
const minSecondAlone, minSecondCoverage, minSecondShare, aboutShare = 0.15, 0.08, 0.3, 4

// selectQuote returns the sentence near the closest window that covers most of the claim,
// or nothing.
func (j *Judge) selectQuote(s *scratch, c *claim, contexts []string) []quote {
	if best := j.bestSentence(s, c, contexts, nil); best.covered > 0 {
		return []quote{best}
	}
	return nil
}

// bestSentence returns the sentence that adds the most credit to the terms. taken is as in cover.
func (j *Judge) bestSentence(s *scratch, c *claim, contexts []string, taken []presence) quote {
	var best quote
	bestRank := int64(0)
	j.eachHitSentence(s, contexts, c.bestHits, c.best.from, func(q quote, hits []hit) {
		s.cover(c, &q, hits, taken)
		rank := q.covered + q.about/aboutShare
		if q.about += q.covered; q.covered > 0 && rank > bestRank {
			best, bestRank = q, rank
		}
	})
	return best
}

// cover adds the credit of the hits in the sentence q to q.covered, or to q.about for terms that
// taken does not mark as missing. If taken is nil, all are missing.
func (s *scratch) cover(c *claim, q *quote, hits []hit, taken []presence) {
	n := int(c.terms[1] - c.terms[0])
	s.gain = slices.Grow(s.gain[:0], n)[:n]
	clear(s.gain)
	for _, h := range hits {
		i := h.term - c.terms[0]
		g := credit(h.level) * s.terms[h.term].weight
		switch {
		case taken == nil || taken[i] == isMissing:
			q.covered += max(0, g-s.gain[i])
			s.gain[i] = max(s.gain[i], g)
		case s.gain[i] == 0: // shows what the sentence is about
			s.gain[i] = 1
			q.about += g
		}
	}
}

// sentenceAt returns the sentence in which the closest window of a chunk starts.
func (j *Judge) sentenceAt(s *scratch, contexts []string, x support) quote {
	q := quote{chunk: x.chunk, start: 0, end: len(contexts[x.chunk])}
	for _, span := range j.sentences(s, contexts, x.chunk, x.start) {
		if span[0] > x.start {
			break
		}
		q.start, q.end = span[0], span[1]
	}
	return q
}

// firstSentence returns the sentence with the first letter or digit in the contexts. If they
// contain none, it returns the first sentence that is not blank, or a quote with chunk -1.
func (j *Judge) firstSentence(s *scratch, contexts []string) quote {
	first := quote{chunk: -1}
	for i, text := range contexts {
		at := strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
		if at >= 0 {
			return j.sentenceAt(s, contexts, support{chunk: i, start: at})
		}
		if at = strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) }); at >= 0 && first.chunk < 0 {
			first = j.sentenceAt(s, contexts, support{chunk: i, start: at})
		}
	}
	return first
}

// eachHitSentence calls yield with each sentence that contains hits, and those hits. In a
// long chunk it only splits the text around near.
func (j *Judge) eachHitSentence(s *scratch, contexts []string, hits []hit, near hit, yield func(q quote, hits []hit)) {
	for len(hits) > 0 {
		chunk, at := hits[0].chunk, 0
		if chunk == near.chunk {
			at = int(near.start)
		}
		before := func(end int) bool { return len(hits) > 0 && hits[0].chunk == chunk && int(hits[0].start) < end }
		for _, span := range j.sentences(s, contexts, int(chunk), at) {
			for before(span[0]) {
				hits = hits[1:]
			}
			inside := hits
			for before(span[1]) {
				hits = hits[1:]
			}
			if n := len(inside) - len(hits); n > 0 {
				yield(quote{chunk: int(chunk), start: span[0], end: span[1]}, inside[:n])
			}
		}
		for before(math.MaxInt) {
			hits = hits[1:]
		}
	}
}

// sentences returns the byte ranges of the sentences in the cell that contains byte
// near. Each cell is split once per task.
func (j *Judge) sentences(s *scratch, contexts []string, chunk, near int) [][2]int {
	text := contexts[chunk]
	key := cell{chunk: chunk}
	if len(text) > cellSize {
		key.n = max(0, near-cellSize/4) / (cellSize / 2)
	}
	if found, ok := s.cells[key]; ok {
		return found
	}
	lo := key.n * (cellSize / 2)
	lo, hi := runeBounds(text, lo, min(lo+cellSize, len(text)))
	from := len(s.sentences)
	j.opts.Sentences(text[lo:hi], func(start, end int) {
		s.sentences = append(s.sentences, [2]int{lo + start, lo + end})
	})
	s.cells[key] = s.sentences[from:]
	return s.cells[key]
}

// toEvidence converts quotes to evidence without a role. Offsets are in code points.
func (s *scratch) toEvidence(contexts []string, quotes []quote) []verdict.Evidence {
	out := make([]verdict.Evidence, len(quotes))
	for i, q := range quotes {
		text := contexts[q.chunk][q.start:q.end]
		start := s.codePoints(contexts, q.chunk, q.start)
		out[i] = verdict.Evidence{Chunk: q.chunk, Start: start, End: start + utf8.RuneCountInString(text), Quote: text}
	}
	return out
}

// codePoints returns the number of code points in a chunk before byte end. It counts from the
// end of the previous call, since claims usually follow the order of a chunk.
func (s *scratch) codePoints(contexts []string, chunk, end int) int {
	if s.mark.chunk != chunk {
		s.mark = mark{chunk: chunk}
	}
	m, text := &s.mark, contexts[chunk]
	if end >= m.bytes {
		m.points += utf8.RuneCountInString(text[m.bytes:end])
	} else {
		m.points -= utf8.RuneCountInString(text[end:m.bytes])
	}
	m.bytes = end
	return m.points
}
