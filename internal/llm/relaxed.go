package llm

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is the maximum nesting depth of values.
const maxDepth = 64

// A relaxedParser converts JSON as written by language models to strict JSON. Unlike
// libraries that repair JSON, it neither closes what is truncated nor guesses where a string
// with unescaped quotes ends: the guess could turn a quotation into a verdict.
// It does not backtrack, so it runs in linear time.
type relaxedParser struct {
	src    string
	pos    int
	out    []byte
	sawKey bool // a key and a colon were read, so this is not prose in braces
}

var (
	errTruncated = errors.New("cut off")
	errMalformed = errors.New("broken")
	errTooDeep   = errors.New("nested too deeply")
)

// value parses a value at pos, after white space and comments.
func (r *relaxedParser) value(depth int) error {
	if err := r.skipSpace(); err != nil {
		return err
	}
	switch c := r.src[r.pos]; {
	case depth >= maxDepth:
		return errTooDeep
	case c == '{' || c == '[':
		return r.container(c, depth)
	case c == '"' || c == '\'':
		return r.quotedString()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	return r.literal()
}

func (r *relaxedParser) container(open byte, depth int) error {
	closing := byte('}')
	if open == '[' {
		closing = ']'
	}
	r.pos++
	r.out = append(r.out, open)
	for n := 0; ; n++ {
		if err := r.skipSpace(); err != nil {
			return err
		}
		if r.src[r.pos] == closing {
			r.pos++
			r.out = append(r.out, closing)
			return nil
		}
		if n > 0 {
			r.out = append(r.out, ',')
		}
		if open == '{' {
			if err := r.key(); err != nil {
				return err
			}
		}
		if err := r.value(depth + 1); err != nil {
			return err
		}
		if err := r.skipSpace(); err != nil {
			return err
		}
		switch r.src[r.pos] {
		case ',':
			r.pos++
		case closing:
		default:
			return errMalformed
		}
	}
}

func (r *relaxedParser) key() error {
	if c := r.src[r.pos]; c == '"' || c == '\'' {
		if err := r.quotedString(); err != nil {
			return err
		}
	} else {
		w := r.word()
		if w == "" {
			return errMalformed
		}
		r.out = strconv.AppendQuote(r.out, w)
	}
	if err := r.skipSpace(); err != nil {
		return err
	}
	if r.src[r.pos] != ':' {
		return errMalformed
	}
	r.pos++
	r.sawKey = true
	r.out = append(r.out, ':')
	return nil
}

// word parses ASCII letters, digits and underscores.
func (r *relaxedParser) word() string {
	return r.run("_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// run parses characters of a set.
func (r *relaxedParser) run(set string) string {
	rest := r.src[r.pos:]
	text := rest[:len(rest)-len(strings.TrimLeft(rest, set))]
	r.pos += len(text)
	return text
}

// unexpected returns the error about what precedes pos.
func (r *relaxedParser) unexpected() error {
	if r.pos == len(r.src) {
		return errTruncated
	}
	return errMalformed
}

func (r *relaxedParser) literal() error {
	switch word := r.word(); word {
	case "true", "True", "TRUE", "false", "False", "FALSE", "null", "NULL":
		r.out = append(r.out, strings.ToLower(word)...)
	case "None":
		r.out = append(r.out, "null"...)
	default:
		return r.unexpected()
	}
	return nil
}

func (r *relaxedParser) number() error {
	s := r.run("+-.eE0123456789")
	if !json.Valid([]byte(s)) {
		return r.unexpected()
	}
	r.out = append(r.out, s...)
	return nil
}

func (r *relaxedParser) quotedString() error {
	quote := r.src[r.pos]
	r.pos++
	r.out = append(r.out, '"')
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		switch {
		case c == quote:
			r.pos++
			r.out = append(r.out, '"')
			return nil
		case c == '\\':
			if err := r.escape(); err != nil {
				return err
			}
		case c == '"':
			r.pos++
			r.out = append(r.out, '\\', '"')
		case c < 0x20:
			r.pos++
			r.out = append(r.out, '\\', 'u', '0', '0', "01"[c>>4], "0123456789abcdef"[c&15])
		default:
			_, n := utf8.DecodeRuneInString(r.src[r.pos:])
			r.out = append(r.out, strings.ToValidUTF8(r.src[r.pos:r.pos+n], "\ufffd")...)
			r.pos += n
		}
	}
	return errTruncated
}

func (r *relaxedParser) escape() error {
	if r.pos+1 >= len(r.src) {
		return errTruncated
	}
	n := 2
	switch c := r.src[r.pos+1]; {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		r.out = append(r.out, '\\', c)
	case c == '\'':
		r.out = append(r.out, '\'')
	case c == 'u' && r.pos+6 <= len(r.src) && isHex(r.src[r.pos+2:r.pos+6]):
		n = 6
		r.out = append(r.out, r.src[r.pos:r.pos+n]...)
	default: // a lone backslash, as in \alpha, is literal
		n = 1
		r.out = append(r.out, '\\', '\\')
	}
	r.pos += n
	return nil
}

func isHex(s string) bool {
	_, err := strconv.ParseUint(s, 16, 32)
	return err == nil
}

// skipSpace skips white space and comments. It returns errTruncated at the end of the text.
func (r *relaxedParser) skipSpace() error {
	for {
		r.run(" \t\n\r")
		rest := r.src[r.pos:]
		if rest == "" {
			return errTruncated
		}
		if rest[0] != '#' && !strings.HasPrefix(rest, "//") {
			return nil
		}
		_, rest, _ = strings.Cut(rest, "\n")
		r.pos = len(r.src) - len(rest)
	}
}
