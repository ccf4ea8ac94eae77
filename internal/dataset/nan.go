package dataset

import (
	"bufio"
	"bytes"
)

// Python's json.dumps writes floats that are no numbers as NaN, Infinity and
// -Infinity, which is no JSON. Reading deals with them only after it has failed.

// A bareFloat is such a word, without its sign, and where it stands.
type bareFloat struct {
	at   int64
	word string
}

// bareFloatAt returns the word with which s begins, or "".
func bareFloatAt(s []byte) string {
	for _, word := range []string{"NaN", "Infinity"} {
		if bytes.HasPrefix(s, []byte(word)) {
			return word
		}
	}
	return ""
}

// A jsonScan tells what lies within the strings of JSON.
type jsonScan struct{ text, escaped bool }

// outside takes the next byte and reports whether it lies outside strings.
func (s *jsonScan) outside(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.text:
		s.escaped, s.text = c == '\\', c != '"'
	case c == '"':
		s.text = true
	default:
		return true
	}
	return false
}

// withoutBareFloats returns JSON with null for these words, and where each null
// is. It returns nothing where there are none.
func withoutBareFloats(raw []byte) (fixed []byte, floats []bareFloat) {
	var scan jsonScan
	done := 0
	for i := 0; i < len(raw); i++ {
		if !scan.outside(raw[i]) {
			continue
		}
		word := bareFloatAt(raw[i:])
		if word == "" {
			continue
		}
		end, name := i+len(word), word
		if word == "Infinity" && i > done && raw[i-1] == '-' {
			i, name = i-1, "-Infinity"
		}
		fixed = append(fixed, raw[done:i]...)
		floats = append(floats, bareFloat{int64(len(fixed)), name})
		fixed = append(fixed, "null"...)
		done, i = end, end-1
	}
	if floats == nil {
		return nil, nil
	}
	return append(fixed, raw[done:]...), floats
}

// A floatReader puts numbers of the same length in the place of these words, so
// that a decoder gets past them, and remembers them.
type floatReader struct {
	r      *bufio.Reader
	scan   jsonScan
	read   int64 // offset in the input
	floats []bareFloat
}

func (f *floatReader) Read(p []byte) (int, error) {
	const longest = len("Infinity")
	head, err := f.r.Peek(longest)
	if len(head) == 0 {
		return 0, err
	}
	whole := err != nil // nothing follows
	head, _ = f.r.Peek(min(f.r.Buffered(), max(len(p), 1)))
	n := 0
	for n < len(head) {
		c := head[n]
		if (c == 'N' || c == 'I') && !f.scan.text {
			if !whole && n+longest > len(head) && n > 0 {
				break // the next call sees more of it
			}
			if word := bareFloatAt(head[n:]); word != "" {
				f.floats = append(f.floats, bareFloat{f.read + int64(n), word})
				n += copy(p[n:], "0.000000"[:len(word)])
				continue
			}
		}
		f.scan.outside(c)
		p[n] = c
		n++
	}
	_, _ = f.r.Discard(n) // just peeked at
	f.read += int64(n)
	return n, nil
}

// restore puts the words back into the value that ends at an offset of the
// input, and forgets them.
func (f *floatReader) restore(raw []byte, end int64) []byte {
	begin := end - int64(len(raw))
	raw = bytes.Clone(raw)
	k := 0
	for ; k < len(f.floats) && f.floats[k].at < end; k++ {
		if at := f.floats[k].at - begin; at >= 0 {
			copy(raw[at:], f.floats[k].word)
		}
	}
	f.floats = append(f.floats[:0], f.floats[k:]...)
	return raw
}
