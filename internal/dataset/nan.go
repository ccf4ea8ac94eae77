package dataset

import (
	"bufio"
	"bytes"
)

// Python's json.dumps writes NaN, Infinity and -Infinity, which are invalid in JSON.
// The functions in this file are only used after a syntax error.

// A bareFloat holds the position and text of such a float, or of a control
// character.
type bareFloat struct {
	offset int64
	word   string
}

// bareFloatAt returns the unsigned float at the start of s, or "".
func bareFloatAt(s []byte) string {
	for _, word := range []string{"NaN", "Infinity"} {
		if bytes.HasPrefix(s, []byte(word)) {
			return word
		}
	}
	return ""
}

// A stringScanner tracks the boundaries of JSON strings.
type stringScanner struct{ inString, escaped bool }

// outside consumes the next byte and reports whether it is outside a string.
func (s *stringScanner) outside(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.inString:
		s.escaped, s.inString = c == '\\', c != '"'
	case c == '"':
		s.inString = true
	default:
		return true
	}
	return false
}

// replaceBareFloats replaces bare floats with null. It returns nil if there are none.
func replaceBareFloats(raw []byte) []byte {
	var fixed []byte
	var scan stringScanner
	done := 0
	for i := 0; i < len(raw); i++ {
		if !scan.outside(raw[i]) {
			continue
		}
		word := bareFloatAt(raw[i:])
		if word == "" {
			continue
		}
		fixed = append(fixed, bytes.TrimSuffix(raw[done:i], []byte("-"))...)
		fixed = append(fixed, "null"...)
		done = i + len(word)
		i = done - 1
	}
	if fixed == nil {
		return nil
	}
	return append(fixed, raw[done:]...)
}

// A bareFloatReader replaces bare floats with valid numbers of the same length,
// control characters in strings with spaces, and records their positions.
type bareFloatReader struct {
	r      *bufio.Reader
	scan   stringScanner
	offset int64 // offset in the input
	floats []bareFloat
}

func (f *bareFloatReader) Read(p []byte) (int, error) {
	const longest = len("Infinity")
	head, err := f.r.Peek(longest)
	if len(head) == 0 {
		return 0, err
	}
	atEnd := err != nil
	head, _ = f.r.Peek(min(f.r.Buffered(), max(len(p), 1)))
	n := 0
	for n < len(head) {
		c := head[n]
		if (c == 'N' || c == 'I') && !f.scan.inString {
			if !atEnd && n+longest > len(head) && n > 0 {
				break // the next call receives the whole word
			}
			if word := bareFloatAt(head[n:]); word != "" {
				f.floats = append(f.floats, bareFloat{f.offset + int64(n), word})
				n += copy(p[n:], "0.000000"[:len(word)])
				continue
			}
		}
		if !f.scan.outside(c) && c < ' ' {
			f.floats = append(f.floats, bareFloat{f.offset + int64(n), string(rune(c))})
			c = ' '
		}
		p[n] = c
		n++
	}
	_, _ = f.r.Discard(n) // already peeked
	f.offset += int64(n)
	return n, nil
}

// restore returns a value that ends at offset end of the input with its
// original floats. It drops the recorded positions up to end.
func (f *bareFloatReader) restore(raw []byte, end int64) []byte {
	start := end - int64(len(raw))
	raw = bytes.Clone(raw)
	k := 0
	for ; k < len(f.floats) && f.floats[k].offset < end; k++ {
		if at := f.floats[k].offset - start; at >= 0 {
			copy(raw[at:], f.floats[k].word)
		}
	}
	f.floats = append(f.floats[:0], f.floats[k:]...)
	return raw
}
