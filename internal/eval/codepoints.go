package eval

import "unicode/utf8"

// stride is how many code points lie between two marks: few enough to walk,
// and few marks beside the text.
const stride = 64

// codePoints finds pieces of a text by code points, as a Python slice does, in
// a time that does not depend on where they lie. It reads the text only when
// it is first asked.
type codePoints struct {
	text  string
	n     int   // code points in text; -1 where they are not counted yet
	marks []int // byte offsets of code points 0, stride, 2*stride...; none for ASCII
}

// reset takes another text.
func (p *codePoints) reset(text string) {
	p.text, p.n, p.marks = text, -1, p.marks[:0]
}

// len counts the code points of the text. Bytes that are not UTF-8 are one each.
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
		// Most texts are mostly ASCII, and a mark is never passed over.
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

// ascii8 reports whether the first eight bytes of s are one character each.
func ascii8(s string) bool {
	return (uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
		uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)&0x8080808080808080 == 0
}

// slice returns the code points from start up to end, and whether they exist.
func (p *codePoints) slice(start, end int) (string, bool) {
	if start < 0 || end < start || end > p.len() {
		return "", false
	}
	return p.text[p.offset(start):p.offset(end)], true
}

// offset returns the byte at which code point k starts, for 0 <= k <= len.
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
