package eval

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A quoteChecker removes references of verdicts that do not match the contexts: chunks that
// do not exist, and quotes that differ from the chunk. It is for one goroutine and reuses its
// memory.
type quoteChecker struct {
	chunks []codePoints
}

// reset sets the contexts of the next row.
func (q *quoteChecker) reset(contexts []string) {
	q.chunks = slices.Grow(q.chunks[:0], len(contexts))[:len(contexts)]
	for i, c := range contexts {
		q.chunks[i].reset(c)
	}
}

// clean removes invalid references from v. It does not modify slices, because a judge may
// return the same ones again.
func (q *quoteChecker) clean(v *verdict.Verdict) {
	for i := range v.Evidence {
		if q.matches(&v.Evidence[i]) {
			continue
		}
		kept := slices.Clone(v.Evidence[:i])
		for _, e := range v.Evidence[i+1:] {
			if q.matches(&e) {
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

// matches reports whether e quotes its chunk exactly.
func (q *quoteChecker) matches(e *verdict.Evidence) bool {
	if e.Chunk < 0 || e.Chunk >= len(q.chunks) {
		return false
	}
	text, ok := q.chunks[e.Chunk].slice(e.Start, e.End)
	return ok && text != "" && text == e.Quote
}
