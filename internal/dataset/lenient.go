package dataset

import (
	"bytes"

	"golang.org/x/text/transform"
)

// A jsonText makes text valid JSON: it replaces the floats NaN, Infinity and -Infinity, which
// json.dumps of Python writes, with null, and control characters in strings with spaces, whose
// positions it records. It is a [transform.Transformer].
type jsonText struct {
	inString, escaped bool
	offset            int64 // in the result
	controls          []control
}

// A control is a control character that was in a string.
type control struct {
	offset   int64 // in the result
	lineFeed bool
}

// Reset implements [transform.Transformer].
func (t *jsonText) Reset() { *t = jsonText{} }

// Transform implements [transform.Transformer].
func (t *jsonText) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	const longest = len("-Infinity")
	defer func() { t.offset += int64(nDst) }()
	for nSrc < len(src) {
		c := src[nSrc]
		switch {
		case nDst+len("null") > len(dst):
			return nDst, nSrc, transform.ErrShortDst
		case t.escaped:
			t.escaped = false
		case t.inString:
			t.escaped, t.inString = c == '\\', c != '"'
		case c == '"':
			t.inString = true
		case c == 'N' || c == 'I' || c == '-':
			if !atEOF && nSrc+longest > len(src) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			if n := pythonFloat(src[nSrc:]); n > 0 {
				nDst += copy(dst[nDst:], "null")
				nSrc += n
				continue
			}
		}
		if t.inString && c < ' ' {
			t.controls = append(t.controls, control{t.offset + int64(nDst), c == '\n'})
			c = ' '
		}
		dst[nDst] = c
		nDst++
		nSrc++
	}
	return nDst, nSrc, nil
}

// pythonFloat returns the length of the float at the start of s, or 0.
func pythonFloat(s []byte) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(s, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// damaged reports whether a control character was between two offsets of the result. It forgets
// those before the end, and returns the number of line feeds among them.
func (t *jsonText) damaged(start, end int64) (found bool, lines int) {
	for ; len(t.controls) > 0 && t.controls[0].offset < end; t.controls = t.controls[1:] {
		found = found || t.controls[0].offset >= start
		if t.controls[0].lineFeed {
			lines++
		}
	}
	return found, lines
}

// replacePythonFloats returns JSON with null in place of the floats of Python.
func replacePythonFloats(text []byte) []byte {
	t := &jsonText{}
	fixed, _, _ := transform.Bytes(t, text) // it has no errors
	if len(t.controls) > 0 {
		return text
	}
	return fixed
}
