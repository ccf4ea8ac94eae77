package lexical

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A second quote must cover at least minSecondAlone of a claim in addition to the first, or
// minSecondCoverage if it covers minSecondShare in all. Between sentences, a word that the
// first quote has counts 1/aboutShare.
const minSecondAlone, minSecondCoverage, minSecondShare, aboutShare = 0.15, 0.08, 0.3, 4

// selectQuote returns the sentence near the closest window that covers most of the claim,
// or nothing.
func (j *Judge) selectQuote(s *scratch, c *claim, contexts []string) []quote {
	n := int(c.terms[1] - c.terms[0])
	s.taken = slices.Grow(s.taken[:0], n)[:n]
	for i := range s.taken {
		s.taken[i] = levels
	}
	if best := j.bestSentence(s, c, contexts); best.covered > 0 {
		return []quote{best}
	}
	return nil
}

// bestSentence returns the sentence that adds the most credit to the terms. s.taken holds
// the level at which the quotes already selected match each term.
func (j *Judge) bestSentence(s *scratch, c *claim, contexts []string) quote {
	var best quote
	bestRank := int64(0)
	n := int(c.terms[1] - c.terms[0])
	s.gain = slices.Grow(s.gain[:0], n)[:n]
	j.eachHitSentence(s, contexts, c.bestHits, c.best.from, func(q quote, hits []hit) {
		clear(s.gain)
		for _, h := range hits {
			i := h.term - c.terms[0]
			var old int64
			if s.taken[i] < levels {
				old = credit(s.taken[i])
			}
			if g := (credit(h.level) - old) * s.terms[h.term].weight; g > s.gain[i] {
				q.covered += g - s.gain[i]
				s.gain[i] = g
			} else if g <= 0 && s.gain[i] == 0 { // already taken: shows what the sentence is about
				s.gain[i] = 1
				q.about += credit(h.level) * s.terms[h.term].weight
			}
		}
		rank := q.covered + q.about/aboutShare
		if q.about += q.covered; q.covered > 0 && rank > bestRank {
			best, bestRank = q, rank
		}
	})
	return best
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
	if p, ok := s.cells[key]; ok {
		return s.sentences[p.from:p.to]
	}
	lo := key.n * (cellSize / 2)
	lo, hi := runeBounds(text, lo, min(lo+cellSize, len(text)))
	from := len(s.sentences)
	j.opts.Sentences(text[lo:hi], func(start, end int) {
		s.sentences = append(s.sentences, [2]int{lo + start, lo + end})
	})
	s.cells[key] = span{from: from, to: len(s.sentences)}
	return s.sentences[from:]
}

// toEvidence converts quotes to evidence of a passage that does not support a claim.
// Offsets are in code points.
func (s *scratch) toEvidence(contexts []string, quotes []quote) []verdict.Evidence {
	out := make([]verdict.Evidence, len(quotes))
	for i, q := range quotes {
		text := contexts[q.chunk][q.start:q.end]
		start := s.codePoints(contexts, q.chunk, q.start)
		out[i] = verdict.Evidence{
			Chunk: q.chunk, Start: start, End: start + utf8.RuneCountInString(text), Quote: text,
			Role: verdict.RoleNearest,
		}
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
