package eval

import "unicode/utf8"

// stride is the number of code points between two marks, a compromise between time and
// memory.
const stride = 64

// codePoints slices a text by code points, like Python, in constant time. It reads the text
// on first use.
type codePoints struct {
	text    string
	counted bool
	n       int   // code points in text, once counted
	marks   []int // byte offsets of code points 0, stride, 2*stride...; empty for ASCII
}

// len returns the number of code points. Each invalid byte counts as one.
func (p *codePoints) len() int {
	if p.counted {
		return p.n
	}
	p.counted = true
	for i := range p.text {
		if p.n%stride == 0 {
			p.marks = append(p.marks, i)
		}
		p.n++
	}
	if p.n == len(p.text) {
		p.marks = nil
	}
	return p.n
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
