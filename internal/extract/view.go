package extract

import (
	"cmp"
	"sort"
)

// A view is the visible text of an answer. It omits model reasoning, source
// lists, citations, HTML and invisible characters. Claims are found in text;
// their offsets refer to raw.
type view struct {
	raw, text string
	cuts      []cut // in order
}

// A cut is a range of raw that text omits or replaces.
type cut struct {
	start, end int  // range in raw
	at, size   int  // offset and length of the replacement in text
	kind       Kind // kind of the skipped text to report, or ""
	citation   bool // citation of the preceding claim
}

// compose returns the view of v.raw with the text of inner, which is a view of
// v.text. Adjacent cuts of the two views are merged.
func (v view) compose(inner view) view {
	out := view{raw: v.raw, text: inner.text}
	outerCuts, innerCuts := v.cuts, inner.cuts
	last := 0  // end of the last cut in v.text
	raw := 0   // end of the last cut in v.raw
	shift := 0 // difference between offsets in inner.text and v.text
	for len(outerCuts)+len(innerCuts) > 0 {
		from := len(v.text) // start of the cut in v.text
		if len(outerCuts) > 0 {
			from = outerCuts[0].at
		}
		if len(innerCuts) > 0 {
			from = min(from, innerCuts[0].start)
		}
		to := from
		c := cut{start: raw + from - last, at: from + shift}
		for {
			if len(outerCuts) > 0 && outerCuts[0].at <= to {
				to = max(to, outerCuts[0].at+outerCuts[0].size)
				c.kind, c.citation = cmp.Or(c.kind, outerCuts[0].kind), c.citation || outerCuts[0].citation
				last, raw = outerCuts[0].at+outerCuts[0].size, outerCuts[0].end
				outerCuts = outerCuts[1:]
			} else if len(innerCuts) > 0 && innerCuts[0].start <= to {
				to = max(to, innerCuts[0].end)
				c.kind, c.citation = cmp.Or(c.kind, innerCuts[0].kind), c.citation || innerCuts[0].citation
				shift += innerCuts[0].size - (innerCuts[0].end - innerCuts[0].start)
				innerCuts = innerCuts[1:]
			} else {
				break
			}
		}
		c.end, c.size = raw+to-last, to+shift-c.at
		last, raw = to, c.end
		out.cuts = append(out.cuts, c)
	}
	return out
}

// rawStart converts offset, the start of a range in text, to an offset in raw.
func (v view) rawStart(offset int) int {
	n := v.cutsBefore(offset + 1)
	if n < len(v.cuts) && v.cuts[n].at <= offset && v.cuts[n].size > 0 { // within a replacement
		return v.cuts[n].start
	}
	return v.toRaw(n, offset)
}

// rawEnd converts offset, the end of a range in text, to an offset in raw. The
// result includes the citations after the range.
func (v view) rawEnd(offset int) int {
	n := v.cutsBefore(offset)
	for n < len(v.cuts) && v.cuts[n].at+v.cuts[n].size == offset && (v.cuts[n].size > 0 || v.cuts[n].citation) {
		n++
	}
	if n < len(v.cuts) && v.cuts[n].at < offset {
		return v.cuts[n].end
	}
	return v.toRaw(n, offset)
}

// cutsBefore returns the number of cuts whose replacements end before offset.
func (v view) cutsBefore(offset int) int {
	return sort.Search(len(v.cuts), func(i int) bool { return v.cuts[i].at+v.cuts[i].size >= offset })
}

// toRaw converts an offset between cuts n-1 and n to an offset in raw.
func (v view) toRaw(n, offset int) int {
	if n == 0 {
		return offset
	}
	c := v.cuts[n-1]
	return c.end + offset - c.at - c.size
}
