package extract

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A view is the visible text of an answer. It omits model reasoning, source lists, citations, HTML
// and invisible characters. Claims are found in text; their offsets refer to raw.
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

// A viewBuilder builds the view of raw from its cuts.
type viewBuilder struct {
	raw  string
	out  []byte
	done int // number of bytes of raw processed
	cuts []cut
}

// replace replaces raw[start:end] with replacement and returns end - start.
func (b *viewBuilder) replace(start, end int, replacement string) int {
	if b.out == nil {
		b.out = make([]byte, 0, len(b.raw))
	}
	b.out = append(b.out, b.raw[b.done:start]...)
	b.cuts = append(b.cuts, cut{start: start, end: end, at: len(b.out), size: len(replacement)})
	b.out = append(b.out, replacement...)
	b.done = end
	return end - start
}

// last returns the cut of the last call of replace.
func (b *viewBuilder) last() *cut { return &b.cuts[len(b.cuts)-1] }

// before returns the visible byte before raw[i], which no cut includes, or 0.
func (b *viewBuilder) before(i int) byte {
	switch {
	case i > b.done:
		return b.raw[i-1]
	case len(b.out) > 0:
		return b.out[len(b.out)-1]
	}
	return 0
}

// view returns the view. If there are no cuts, its text is raw itself.
func (b *viewBuilder) view() view {
	if b.cuts == nil {
		return view{raw: b.raw, text: b.raw}
	}
	return view{raw: b.raw, text: string(append(b.out, b.raw[b.done:]...)), cuts: b.cuts}
}

// An answerStripper cuts what answers contain besides statements.
type answerStripper struct{ viewBuilder }

// newView returns the view of an answer. If there is nothing to omit, text is raw itself.
func newView(raw string) view {
	s := answerStripper{viewBuilder{raw: raw}}
	s.walk(findSections(raw))
	v := s.view()
	if !HasWords(v.text) && !slices.ContainsFunc(v.cuts, func(c cut) bool { return !c.citation }) {
		return view{raw: raw, text: raw} // "[900]" alone is an answer and cites nothing
	}
	return v
}

// walk cuts the given sections and the ranges that cutAt omits.
func (v *answerStripper) walk(sections []section) {
	lineStart := true // only white space and HTML precede i on its line
	for i := 0; i < len(v.raw); {
		if len(sections) > 0 && i >= sections[0].start {
			s := sections[0]
			sections = sections[1:]
			if s.end > i { // a section inside code is kept
				replacement := "\n\n" // separate the sentences around the section
				if v.before(i) == 0 {
					replacement = ""
				}
				i += v.replace(i, s.end, replacement)
				v.last().kind = s.kind
			}
			continue
		}
		if lineStart && !isSpace(v.raw[i]) {
			if n := answerLabelLen(v.raw[i:]); n > 0 {
				i += v.replace(i, i+n, "")
				continue
			}
		}
		if n := v.cutAt(i); n > 0 {
			lineStart = lineStart && v.raw[i] == '<'
			i += n
			continue
		}
		end := len(v.raw)
		if len(sections) > 0 {
			end = sections[0].start
		}
		n := i + 1
		for n < end && !cuttable[v.raw[n]] && v.raw[n-1] != '\n' {
			n++
		}
		lineStart = v.raw[n-1] == '\n' || lineStart && strings.TrimSpace(v.raw[i:n]) == ""
		i = n
	}
}

// cuttable holds the bytes at which cutAt can cut something. Those above 0x7f start a character.
//
//nolint:gochecknoglobals // never changed
var cuttable = [256]bool{'`': true, '<': true, '&': true, '[': true, '(': true, 0xc2: true, 0xe2: true, 0xe3: true, 0xef: true, 0xf0: true}

// cutAt omits a citation, tag or similar text at i, or keeps literal text such
// as code. It returns the number of bytes processed, or 0 for ordinary text.
func (v *answerStripper) cutAt(i int) int {
	switch v.raw[i] {
	case '`':
		return codeSpanLen(v.raw, i)
	case '<':
		if n := v.citations(i); n > 0 {
			return n
		}
		return v.tag(i)
	case '&':
		if char, n := htmlEntity(v.raw, i); n > 0 {
			return v.replace(i, i+n, char)
		}
		return 0
	case '[':
		if n := v.citations(i); n > 0 {
			return n
		}
		return max(0, linkEnd(v.raw, i)-i) // stripMarkdown keeps the text of a link
	case '(', 0xe3:
		return v.citations(i)
	}
	r, size := utf8.DecodeRuneInString(v.raw[i:])
	switch {
	case r == '［', isSuperscript(r):
		return v.citations(i)
	case isInvisible(r) && !isShapingJoiner(v.raw, i, size):
		return v.replace(i, i+size, "")
	case unicode.Is(unicode.So, r) && r != utf8.RuneError && isLineStart(v.raw, i):
		return v.emoji(i, i+size)
	}
	return 0
}

// emoji omits an emoji at the start of a line, from start to end, with its
// modifiers. It returns 0 if the line contains nothing else.
func (v *answerStripper) emoji(start, end int) int {
	for end < len(v.raw) {
		r, size := utf8.DecodeRuneInString(v.raw[end:])
		if r != '\ufe0f' && r != '\u200d' && r != ' ' && (r == utf8.RuneError || !unicode.In(r, unicode.So, unicode.Sk)) {
			break
		}
		end += size
	}
	if end == len(v.raw) || v.raw[end] == '\n' {
		return 0 // the whole line is skipped later
	}
	return v.replace(start, end, "")
}

// citations omits the citations at i and the preceding spaces.
func (v *answerStripper) citations(i int) int {
	end, replacement, ok := scanCitations(v.raw, i)
	if !ok {
		return 0
	}
	start := i
	for start > v.done && v.raw[start-1] == ' ' && replacement == "" {
		start--
	}
	if before := v.before(start); replacement == "" && end < len(v.raw) && isWordByte(v.raw[end]) && before != 0 && !isSpace(before) {
		replacement = " " // "…a month.[1]Next"
	}
	v.replace(start, end, replacement)
	v.last().citation = true
	return end - i
}

// tag omits the HTML tag at i. A block tag is replaced with a line break.
func (v *answerStripper) tag(i int) int {
	name, n := htmlTag(v.raw, i)
	if n == 0 {
		return 0
	}
	replacement := ""
	switch {
	case isBlockTag(name), isPromptTag(name):
		if before := v.before(i); before != 0 && before != '\n' {
			replacement = "\n"
		}
		if name == "li" && v.raw[i+1] != '/' {
			replacement += "- "
		}
	case name == "td", name == "th":
		replacement = " "
	case name == "sup":
		replacement = supReplacement(v.raw, i)
	}
	return v.replace(i, i+n, replacement)
}

// supReplacement returns the replacement of the <sup> tag at i. After a digit, it is a caret
// before an exponent and a space before a footnote, so that 10<sup>6</sup> is not read as 106.
func supReplacement(s string, i int) string {
	switch {
	case s[i+1] == '/' || i == 0 || s[i-1] < '0' || s[i-1] > '9':
		return ""
	case isExponent(s[:i]):
		return "^"
	}
	return " "
}

// codeSpanLen returns the length of the code span at i, or of its backticks if they are unbalanced.
func codeSpanLen(s string, i int) int {
	const maxLen = 1 << 16
	n := len(s) - len(strings.TrimLeft(s[i:], "`"))
	if end := strings.Index(s[n:min(len(s), n+maxLen)], s[i:n]); end >= 0 {
		return n + end + n - i - i
	}
	return n - i
}

// isInvisible reports whether r has no width, such as a soft hyphen, zero-width
// space, joiner or byte order mark.
func isInvisible(r rune) bool {
	return r == '\u00ad' || r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060' || r == '\ufeff'
}

// isShapingJoiner reports whether the character at i is a joiner that affects
// the adjacent letters or emoji. Joiners do not affect ASCII.
func isShapingJoiner(s string, i, size int) bool {
	if r, _ := utf8.DecodeRuneInString(s[i:]); r != '\u200c' && r != '\u200d' {
		return false
	}
	return i > 0 && s[i-1] >= utf8.RuneSelf && i+size < len(s) && s[i+size] >= utf8.RuneSelf
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
