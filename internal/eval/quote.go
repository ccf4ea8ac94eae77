package eval

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A quoteChecker drops from verdicts what is not in the contexts: chunks that
// do not exist, and quotes that are not the chunk's own text at their place.
// It is used by one goroutine, and keeps its room from row to row.
type quoteChecker struct {
	chunks []codePoints
}

// reset takes the contexts of the next row.
func (q *quoteChecker) reset(contexts []string) {
	q.chunks = slices.Grow(q.chunks[:0], len(contexts))[:len(contexts)]
	for i, c := range contexts {
		q.chunks[i].reset(c)
	}
}

// clean drops from v what can't be found. The judge's own slices stay as they
// are, since a judge may give the same ones again.
func (q *quoteChecker) clean(v *verdict.Verdict) {
	for i := range v.Evidence {
		if q.holds(&v.Evidence[i]) {
			continue
		}
		kept := slices.Clone(v.Evidence[:i])
		for _, e := range v.Evidence[i+1:] {
			if q.holds(&e) {
				kept = append(kept, e)
			}
		}
		v.Evidence = kept
		break
	}
	for i, id := range v.ChunkIDs {
		if id >= 0 && id < len(q.chunks) && (i == 0 || id > v.ChunkIDs[i-1]) {
			continue
		}
		ids := slices.DeleteFunc(slices.Clone(v.ChunkIDs), func(id int) bool {
			return id < 0 || id >= len(q.chunks)
		})
		slices.Sort(ids)
		v.ChunkIDs = slices.Compact(ids)
		break
	}
}

// holds reports whether e quotes its chunk exactly.
func (q *quoteChecker) holds(e *verdict.Evidence) bool {
	if e.Chunk < 0 || e.Chunk >= len(q.chunks) {
		return false
	}
	text, ok := q.chunks[e.Chunk].slice(e.Start, e.End)
	return ok && text != "" && text == e.Quote
}
