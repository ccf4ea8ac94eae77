package dataset

import (
	"strings"
	"unicode/utf8"
)

// str reads a string literal, including its prefix.
func (p *pythonParser) str() (string, error) {
	raw, bytesOnly := false, false
	for p.s[p.i] != '\'' && p.s[p.i] != '"' {
		switch p.s[p.i] | 0x20 {
		case 'r':
			raw = true
		case 'b':
			bytesOnly = true
		case 'f':
			return "", p.fail("f-strings are not supported")
		}
		p.i++
	}
	mark := p.s[p.i : p.i+1]
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(p.s[p.i:], triple) {
		mark = triple
	}
	start := p.i
	p.i += len(mark)
	rest := p.s[p.i:]
	if n := strings.Index(rest, mark); n >= 0 && strings.IndexByte(rest[:n], '\\') < 0 {
		p.i += n + len(mark)
		return rest[:n], nil
	}
	var b strings.Builder
	for {
		n := strings.IndexAny(p.s[p.i:], "\\"+mark[:1])
		if n < 0 {
			p.i = start
			return "", p.failLiteral("unterminated string literal")
		}
		b.WriteString(p.s[p.i : p.i+n])
		p.i += n
		switch {
		case strings.HasPrefix(p.s[p.i:], mark):
			p.i += len(mark)
			if bytesOnly && !utf8.ValidString(b.String()) {
				return "", p.fail("bytes literal is not valid UTF-8")
			}
			return b.String(), nil
		case p.s[p.i] != '\\':
			b.WriteByte(p.s[p.i])
			p.i++
		case p.i+1 == len(p.s):
			p.i = start
			return "", p.failLiteral("unterminated string literal")
		case raw:
			b.WriteString(p.s[p.i : p.i+2])
			p.i += 2
		default:
			if err := p.escape(&b, bytesOnly); err != nil {
				return "", err
			}
		}
	}
}

// escape decodes an escape sequence. Numeric escapes are bytes in a bytes literal
// and code points in a string.
func (p *pythonParser) escape(b *strings.Builder, bytesOnly bool) error {
	const from, to = "\\'\"nrtabfv\n", "\\'\"\n\r\t\a\b\f\v"
	c := p.s[p.i+1]
	p.i += 2
	if k := strings.IndexByte(from, c); k >= 0 {
		if c != '\n' { // line continuation
			b.WriteByte(to[k])
		}
		return nil
	}
	switch {
	case c == 'x':
		return p.code(b, 16, 2, 2, bytesOnly)
	case c >= '0' && c <= '7':
		p.i--
		return p.code(b, 8, 1, 3, bytesOnly)
	case bytesOnly:
	case c == 'u':
		return p.code(b, 16, 4, 4, false)
	case c == 'U':
		return p.code(b, 16, 8, 8, false)
	case c == 'N':
		p.i -= 2
		return p.fail(`named escapes (\N) are not supported`)
	}
	// Python keeps the backslash of an unknown escape.
	b.WriteByte('\\')
	p.i--
	return nil
}

// code decodes a numeric escape of minDigits to maxDigits digits.
func (p *pythonParser) code(b *strings.Builder, base rune, minDigits, maxDigits int, asByte bool) error {
	var n rune
	digits := 0
	for ; digits < maxDigits && p.i < len(p.s); digits++ {
		d := strings.IndexByte("0123456789abcdef", p.s[p.i]|0x20)
		if p.s[p.i] < '0' || d < 0 || rune(d) >= base || n > utf8.MaxRune {
			break
		}
		n = n*base + rune(d)
		p.i++
	}
	switch {
	case digits < minDigits:
		return p.fail("truncated escape sequence")
	case asByte:
		b.WriteByte(byte(n))
	case !utf8.ValidRune(n):
		return p.fail("escape sequence is not a valid character")
	default:
		b.WriteRune(n)
	}
	return nil
}
