package lexical

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// conclude makes the verdict on c from what was found in the contexts. What one
// chunk says against the claim counts only where no other supports it.
func (j *Judge) conclude(s *scratch, c *claim, contexts []string) verdict.Verdict {
	v := verdict.Verdict{Score: c.best.score, Reason: "no passage is like it"}
	if len(c.bestHits) == 0 {
		if v.Score >= j.opts.Threshold { // a threshold that lets everything pass
			v.Label = verdict.Supported
			v.ChunkIDs = chunksOf(c.supports)
		}
		return v
	}
	quotes := j.evidence(s, c, contexts)
	against := j.contradiction(s, c, contexts, quotes)
	alike := s.claimSide.sameSense(&s.quoteSide)
	against, quotes = j.yesOrNo(s, c, contexts, against, quotes)
	others := j.otherSupports(s, c, contexts)
	if against.reason != "" && len(others) > 0 {
		q := j.sentenceAt(s, contexts, others[0])
		quotes, against, alike = []quote{q}, objection{}, false
	} else if against.reason != "" {
		v.Score = min(v.Score, against.limit)
	}
	if against.reason == "" && v.Score >= j.opts.Threshold {
		if o, q := j.otherwisePlaced(s, c, contexts); o.reason != "" {
			against = o
			if q.end > 0 {
				quotes = []quote{q}
			}
			v.Score = min(v.Score, o.limit)
		}
	}
	switch {
	case v.Score >= j.opts.Threshold:
		v.Label = verdict.Supported
		v.ChunkIDs = chunksOf(others)
		for _, q := range quotes {
			v.ChunkIDs = append(v.ChunkIDs, q.chunk)
		}
		slices.Sort(v.ChunkIDs)
		v.ChunkIDs = slices.Compact(v.ChunkIDs)
		v.Reason = s.supportReason(c, contexts, quotes, alike, j.opts.Joined)
		v.Evidence = s.toEvidence(contexts, quotes, v.Label)
	case len(quotes) == 0:
	case against.less:
		v.Label = verdict.NotMentioned
		v.Reason = s.againstReason(against, c, contexts, quotes[0])
		v.Evidence = s.toEvidence(contexts, quotes[:1], v.Label)
	case against.reason != "":
		v.Label = verdict.Contradicted
		v.Reason = s.againstReason(against, c, contexts, quotes[0])
		v.Evidence = s.toEvidence(contexts, quotes[:1], v.Label)
	default:
		v.Label = verdict.NotMentioned
		v.Reason, v.Missing = s.missingReason(j.lex, c, contexts, quotes[0])
		v.Evidence = s.toEvidence(contexts, quotes[:1], v.Label)
	}
	return v
}

// otherSupports returns the supports of c in chunks other than the best one
// whose sentence there does not speak against the claim.
func (j *Judge) otherSupports(s *scratch, c *claim, contexts []string) []support {
	var others []support
	for _, x := range c.supports {
		if x.chunk == c.best.chunk {
			continue
		}
		q := j.sentenceAt(s, contexts, x)
		if x.near >= nearlyTheSame && j.saysOtherwise(s, c, contexts[x.chunk][q.start:q.end]).reason != "" {
			continue
		}
		others = append(others, x)
	}
	return others
}

// sentenceAt returns the sentence that the closest window of a chunk begins in.
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

func chunksOf(xs []support) []int {
	ids := make([]int, len(xs))
	for i, x := range xs {
		ids[i] = x.chunk
	}
	return ids
}

// A quote is a sentence of a chunk and the weight of the claim that it gives back.
type quote struct {
	chunk, start, end int // bytes
	covered           int64
}

// quotedShare is how much more of a claim a second sentence must give back to
// be quoted beside the first.
const quotedShare = 0.2

// evidence chooses the one or two sentences near the closest window that give
// back most of the claim.
func (j *Judge) evidence(s *scratch, c *claim, contexts []string) []quote {
	n := int(c.terms[1] - c.terms[0])
	var quotes []quote
	taken := slices.Grow(s.taken[:0], n)[:n]
	for i := range taken {
		taken[i] = levels
	}
	s.taken = taken
	for len(quotes) < 2 {
		best := j.bestSentence(s, c, contexts, taken)
		if best.covered == 0 || len(quotes) > 0 && float64(best.covered) < quotedShare*float64(c.total*exact) {
			break
		}
		quotes = append(quotes, best)
		for _, h := range c.bestHits {
			if int(h.chunk) == best.chunk && int(h.start) >= best.start && int(h.start) < best.end {
				if p := &taken[h.term-c.terms[0]]; h.level < *p {
					*p = h.level
				}
			}
		}
	}
	return quotes
}

// bestSentence finds the sentence whose hits add most to what is taken already.
func (j *Judge) bestSentence(s *scratch, c *claim, contexts []string, taken []level) quote {
	var best quote
	n := int(c.terms[1] - c.terms[0])
	s.gain = slices.Grow(s.gain[:0], n)[:n]
	hits := c.bestHits
	for len(hits) > 0 {
		chunk, near := hits[0].chunk, 0
		if chunk == c.best.from.chunk {
			near = int(c.best.from.start)
		}
		for _, span := range j.sentences(s, contexts, int(chunk), near) {
			for len(hits) > 0 && hits[0].chunk == chunk && int(hits[0].start) < span[0] {
				hits = hits[1:]
			}
			clear(s.gain)
			var sum int64
			for len(hits) > 0 && hits[0].chunk == chunk && int(hits[0].start) < span[1] {
				h := hits[0]
				hits = hits[1:]
				i := h.term - c.terms[0]
				var had int64
				if taken[i] < levels {
					had = credit(taken[i])
				}
				if g := (credit(h.level) - had) * s.terms[h.term].weight; g > s.gain[i] {
					sum += g - s.gain[i]
					s.gain[i] = g
				}
			}
			if sum > best.covered {
				best = quote{chunk: int(chunk), start: span[0], end: span[1], covered: sum}
			}
		}
		for len(hits) > 0 && hits[0].chunk == chunk {
			hits = hits[1:]
		}
	}
	return best
}

// quoteSpan is the length, in bytes, up to which a chunk is cut into sentences
// as a whole; of longer ones, the cell around the closest window. Cells overlap
// by half, so that a window lies well inside one.
const quoteSpan = 1 << 12

// A cell is a part of a chunk: quoteSpan bytes from quoteSpan/2 × n on.
type cell struct{ chunk, n int }

// span says which of scratch.sentences are those of a cell.
type span struct{ from, to int }

// sentences returns the sentences of a chunk around byte near. A cell is cut
// once a row, however many claims ask for it.
func (j *Judge) sentences(s *scratch, contexts []string, chunk, near int) [][2]int {
	text := contexts[chunk]
	key := cell{chunk: chunk}
	if len(text) > quoteSpan {
		key.n = max(0, near-quoteSpan/4) / (quoteSpan / 2)
	}
	if p, ok := s.cut[key]; ok {
		return s.sentences[p.from:p.to]
	}
	lo := key.n * (quoteSpan / 2)
	hi := min(lo+quoteSpan, len(text))
	for lo > 0 && !utf8.RuneStart(text[lo]) {
		lo--
	}
	for hi < len(text) && !utf8.RuneStart(text[hi]) {
		hi++
	}
	from := len(s.sentences)
	j.opts.Sentences(text[lo:hi], func(start, end int) {
		s.sentences = append(s.sentences, [2]int{lo + start, lo + end})
	})
	s.cut[key] = span{from: from, to: len(s.sentences)}
	return s.sentences[from:]
}

// toEvidence turns bytes into code points, for a claim with label l.
func (s *scratch) toEvidence(contexts []string, quotes []quote, l verdict.Label) []verdict.Evidence {
	out := make([]verdict.Evidence, len(quotes))
	for i, q := range quotes {
		text := contexts[q.chunk]
		start := s.codePoints(contexts, q.chunk, q.start)
		out[i] = verdict.Evidence{
			Chunk: q.chunk, Start: start, End: start + utf8.RuneCountInString(text[q.start:q.end]), Quote: text[q.start:q.end],
			Role: verdict.RoleOf(l),
		}
	}
	return out
}

// A mark says how many code points stand before a byte of a chunk.
type mark struct{ chunk, bytes, points int }

// markEvery is the distance, in bytes, between the marks of a chunk.
const markEvery = 1 << 12

// codePoints counts the code points of a chunk before byte end. It counts from
// the last mark before it, so that many claims and a long chunk cost no more
// than one pass over the chunk and markEvery for each claim.
func (s *scratch) codePoints(contexts []string, chunk, end int) int {
	text := contexts[chunk]
	if end < markEvery {
		return utf8.RuneCountInString(text[:end])
	}
	lo, ok := slices.BinarySearchFunc(s.marks, mark{chunk: chunk}, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.bytes, b.bytes))
	})
	if !ok {
		at := mark{chunk: chunk}
		var marks []mark
		for at.bytes < len(text) {
			marks = append(marks, at)
			next := min(len(text), at.bytes+markEvery)
			for next < len(text) && !utf8.RuneStart(text[next]) {
				next++
			}
			at.points += utf8.RuneCountInString(text[at.bytes:next])
			at.bytes = next
		}
		s.marks = slices.Insert(s.marks, lo, marks...)
	}
	n, _ := slices.BinarySearchFunc(s.marks[lo:], end, func(a mark, end int) int {
		if a.chunk != chunk || a.bytes > end {
			return 1
		}
		return -1
	})
	m := s.marks[lo+n-1]
	return m.points + utf8.RuneCountInString(text[m.bytes:end])
}
