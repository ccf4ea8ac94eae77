package eval

import "unicode/utf8"

// stride is the number of code points between two marks, a compromise between time and
// memory.
const stride = 64

// codePoints slices a text by code points, like Python, in constant time. It reads the text
// on first use.
type codePoints struct {
	text  string
	n     int   // code points in text; -1 if not counted yet
	marks []int // byte offsets of code points 0, stride, 2*stride...; empty for ASCII
}

// reset sets the text.
func (p *codePoints) reset(text string) {
	p.text, p.n, p.marks = text, -1, p.marks[:0]
}

// len returns the number of code points. Each invalid byte counts as one.
func (p *codePoints) len() int {
	if p.n >= 0 {
		return p.n
	}
	p.n = 0
	for i, mark := 0, 0; i < len(p.text); {
		if p.n == mark {
			p.marks = append(p.marks, i)
			mark += stride
		}
		// Fast path for ASCII that does not skip a mark.
		if mark-p.n >= 8 && len(p.text)-i >= 8 && ascii8(p.text[i:]) {
			p.n += 8
			i += 8
			continue
		}
		_, size := utf8.DecodeRuneInString(p.text[i:])
		p.n++
		i += size
	}
	if p.n == len(p.text) {
		p.marks = p.marks[:0]
	}
	return p.n
}

// ascii8 reports whether the first eight bytes of s are ASCII.
func ascii8(s string) bool {
	return (uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
		uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)&0x8080808080808080 == 0
}

// slice returns the code points from start to end, or false if they are out of range.
func (p *codePoints) slice(start, end int) (string, bool) {
	if start < 0 || end < start || end > p.len() {
		return "", false
	}
	return p.text[p.offset(start):p.offset(end)], true
}

// offset returns the byte offset of code point k, for 0 <= k <= len.
func (p *codePoints) offset(k int) int {
	switch {
	case p.n == len(p.text):
		return k
	case k == p.n:
		return len(p.text)
	}
	at := p.marks[k/stride]
	for range k % stride {
		_, size := utf8.DecodeRuneInString(p.text[at:])
		at += size
	}
	return at
}
