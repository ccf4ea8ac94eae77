package tokenizer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A translation converts a pattern from Oniguruma syntax to that of Go, or of
// regexp2 if it needs lookaround or possessive matching. Constructs without an
// exact equivalent are errors, as an inexact pattern would silently produce
// wrong tokens.
type translation struct {
	in         string
	at         int
	out        []string // atoms, parentheses and quantifiers
	open       []int    // indexes in out of open groups
	backtracks bool
}

var errPatternEnds = errors.New("unexpected end of pattern")

// maxNesting limits the depth of groups.
const maxNesting = 50

func translate(pattern string) (*translation, error) {
	if !utf8.ValidString(pattern) {
		return nil, errors.New("not UTF-8")
	}
	// In Oniguruma, ^ and $ always match at line breaks.
	t := &translation{in: pattern, out: []string{"(?m)"}}
	for t.at < len(t.in) {
		if err := t.next(); err != nil {
			return nil, fmt.Errorf("at byte %d: %w", t.at, err)
		}
	}
	if len(t.open) > 0 {
		return nil, errPatternEnds
	}
	return t, nil
}

func (t *translation) text() string { return strings.Join(t.out, "") }

// next translates one atom with its quantifiers, or a parenthesis.
func (t *translation) next() error {
	r, w := utf8.DecodeRuneInString(t.in[t.at:])
	switch r {
	case '(':
		return t.group()
	case '|':
		t.emit(1, "|")
		return nil
	case ')':
		if len(t.open) == 0 {
			return errors.New("unmatched )")
		}
		begin := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.emit(1, ")")
		return t.quantifiers(begin)
	case '[':
		class, n, err := translateClass(t.in[t.at:])
		if err != nil {
			return err
		}
		t.emit(n, class)
	case '\\':
		text, n, err := translateEscape(t.in[t.at:], false)
		if err != nil {
			return err
		}
		t.emit(n, text)
	case '.':
		t.emit(1, ".")
	case '^':
		// Unlike in Go, ^ does not match after a final line break.
		t.backtracks = true
		t.emit(1, `(?:\A|(?<=\n)(?!\z))`)
		return nil // a quantifier here is an error
	case '$':
		t.emit(1, "$")
		return nil
	case '*', '+', '?':
		return fmt.Errorf("nothing to repeat before %q", r)
	case '{':
		return errors.New(`unescaped "{"`)
	default:
		t.emit(w, quoteRune(r))
	}
	return t.quantifiers(len(t.out) - 1)
}

func (t *translation) emit(n int, s string) {
	t.at += n
	t.out = append(t.out, s)
}

// contractions is the only case-insensitive group in practice. In general,
// Oniguruma folds more characters than Go.
const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"

// group translates an opening parenthesis.
func (t *translation) group() error {
	if len(t.open) == maxNesting {
		return fmt.Errorf("groups are nested more than %d levels deep", maxNesting)
	}
	rest := t.in[t.at:]
	if strings.HasPrefix(rest, contractions) {
		t.emit(len(contractions), `(?:'[sSſ]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])`)
		return t.quantifiers(len(t.out) - 1)
	}
	opening := "(?:" // captures are not used
	n := 1
	if strings.HasPrefix(rest, "(?") {
		kinds := []string{"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>"}
		i := slices.IndexFunc(kinds, func(s string) bool { return strings.HasPrefix(rest, s) })
		if i < 0 {
			return fmt.Errorf("group %.4q is not supported", rest)
		}
		n, opening = len(kinds[i]), kinds[i]
		t.backtracks = t.backtracks || i > 0
	}
	t.open = append(t.open, len(t.out))
	t.emit(n, opening)
	return nil
}

// quantifiers translates the quantifiers of the atom that starts at out[begin].
func (t *translation) quantifiers(begin int) error {
	if t.at >= len(t.in) {
		return nil
	}
	n := 1
	interval := false
	switch t.in[t.at] {
	case '*', '+', '?':
	case '{':
		end := strings.IndexByte(t.in[t.at:], '}')
		if end < 0 {
			return errPatternEnds
		}
		n, interval = end+1, true
	default:
		return nil
	}
	q := t.in[t.at : t.at+n]
	if interval {
		lo, hi, ranged := strings.Cut(q[1:n-1], ",")
		if lo == "" && hi != "" {
			lo = "0"
		}
		if !ranged {
			hi = lo
		}
		for _, s := range []string{lo, hi} {
			// Go supports up to 1000 repetitions.
			if v, err := strconv.ParseUint(s, 10, 10); s != "" && (err != nil || v > 1000) || lo == "" {
				return fmt.Errorf("repetition %s is not supported", q)
			}
		}
		q = "{" + lo + "," + hi + "}"
	}
	t.emit(n, q)
	if t.at >= len(t.in) {
		return nil
	}
	switch t.in[t.at] {
	case '?':
		if interval && !strings.Contains(t.in[t.at-n:t.at], ",") {
			return errors.New("{n}? is not supported") // means an optional {n} in Oniguruma
		}
		t.emit(1, "?")
	case '+':
		if interval {
			return errors.New("{n,m}+ is not supported") // means a repeated {n,m} in Oniguruma
		}
		t.at++
		t.backtracks = true
		t.out = slices.Insert(t.out, begin, "(?>")
		t.out = append(t.out, ")")
	}
	if t.at < len(t.in) && strings.IndexByte("*+?{", t.in[t.at]) >= 0 {
		return errors.New("repeated quantifiers are not supported")
	}
	return nil
}

// quoteRune returns a pattern that matches r.
func quoteRune(r rune) string {
	if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_' || r >= utf8.RuneSelf && unicode.IsPrint(r) {
		return string(r)
	}
	if r < 0x100 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return string(r)
}

// translateEscape translates the escape at the start of s and returns its
// length.
func translateEscape(s string, inClass bool) (text string, n int, err error) {
	if len(s) < 2 {
		return "", 0, errPatternEnds
	}
	r, w := utf8.DecodeRuneInString(s[1:])
	n = 1 + w
	switch r {
	case 's', 'S', 'd', 'D', 'w', 'W':
		// The classes of Go are ASCII only.
		set := map[rune]string{'s': `\x09-\x0d\x85\p{Z}`, 'd': `\p{Nd}`, 'w': wordSet}[unicode.ToLower(r)]
		if inClass {
			if unicode.IsUpper(r) {
				return "", 0, fmt.Errorf(`\%c in a character class is not supported`, r)
			}
			return set, n, nil
		}
		if r == 'w' || r == 'W' {
			set += wordNumbers
		}
		if unicode.IsUpper(r) {
			return "[^" + set + "]", n, nil
		}
		return "[" + set + "]", n, nil
	case 'n', 'r', 't', 'f', 'v', 'a':
		return quoteRune(map[rune]rune{'n': '\n', 'r': '\r', 't': '\t', 'f': '\f', 'v': '\v', 'a': '\a'}[r]), n, nil
	case 'p', 'P':
		return translateProperty(s)
	case 'u':
		return hexRune(s, 2, 6)
	case 'x':
		if strings.HasPrefix(s, `\x{`) {
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return "", 0, errPatternEnds
			}
			text, _, err = hexRune(s, 3, end)
			return text, end + 1, err
		}
		text, n, err = hexRune(s, 2, 4)
		if err == nil && s[2] >= '8' {
			return "", 0, errors.New(`\x above 7f is a byte in Oniguruma, which is not supported`)
		}
		return text, n, err
	}
	if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return "", 0, fmt.Errorf(`\%c is not supported`, r)
	}
	return quoteRune(r), n, nil
}

// wordSet is \w in a character class: letters, marks, numbers, connectors, and
// circled and squared letters, which are alphabetic but not in \p{L}.
// wordNumbers are the other Latin-1 numbers that \w matches elsewhere.
const (
	wordSet     = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}Ⓐ-ⓩ🄰-🅉🅐-🅩🅰-🆉`
	wordNumbers = `\xb2\xb3\xb9\xbc-\xbe`
)

func hexRune(s string, lo, hi int) (string, int, error) {
	if hi > len(s) {
		return "", 0, errPatternEnds
	}
	v, err := strconv.ParseUint(s[lo:hi], 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) || v > utf8.MaxRune {
		return "", 0, fmt.Errorf("%s is not a character", s[:hi])
	}
	return quoteRune(rune(v)), hi, nil
}

// translateProperty translates \p{...} for a general category or script.
func translateProperty(s string) (string, int, error) {
	end := strings.IndexByte(s, '}')
	if end < 0 || len(s) < 3 || s[2] != '{' {
		return "", 0, errors.New(`\p without {...} is not supported`)
	}
	name := s[3:end]
	negated := s[1] == 'P'
	if rest, ok := strings.CutPrefix(name, "^"); ok {
		name, negated = rest, !negated
	}
	_, category := unicode.Categories[name]
	_, script := unicode.Scripts[name]
	if !category && !script || name == "C" || name == "Cn" || name == "LC" {
		return "", 0, fmt.Errorf(`\p{%s} is not supported`, name)
	}
	if negated {
		return `\P{` + name + "}", end + 1, nil
	}
	return `\p{` + name + "}", end + 1, nil
}

// translateClass translates a character class.
func translateClass(s string) (text string, n int, err error) {
	var out strings.Builder
	n = 1
	out.WriteByte('[')
	if strings.HasPrefix(s[n:], "^") {
		out.WriteByte('^')
		n++
	}
	if strings.HasPrefix(s[n:], "]") {
		return "", 0, errors.New(`"]" at the start of a character class is not supported`)
	}
	for n < len(s) {
		r, w := utf8.DecodeRuneInString(s[n:])
		switch {
		case r == ']':
			return out.String() + "]", n + 1, nil
		case r == '[':
			return "", 0, errors.New("nested character classes are not supported")
		case r == '&' && strings.HasPrefix(s[n:], "&&"):
			return "", 0, errors.New("&& in a character class is not supported")
		case r == '\\':
			text, w, err = translateEscape(s[n:], true)
			if err != nil {
				return "", 0, err
			}
			out.WriteString(text)
		case r == '-':
			// A range between two characters, a literal at either end.
			before, after := s[n-1], s[n+1:]
			first := n == 1 || n == 2 && before == '^'
			if !first && after != "" && after[0] != ']' && !setBefore(s[:n]) {
				out.WriteByte('-')
			} else {
				out.WriteString(`\x2d`)
			}
		default:
			out.WriteString(quoteRune(r))
		}
		n += w
	}
	return "", 0, errPatternEnds
}

// setBefore reports whether s ends in an escape for a set of characters, which
// cannot start a range.
func setBefore(s string) bool {
	if i := strings.LastIndexByte(s, '\\'); i >= 0 {
		tail := s[i:]
		return len(tail) == 2 && strings.ContainsAny(tail[1:], "sdwSDW") ||
			len(tail) > 3 && (tail[1] == 'p' || tail[1] == 'P') && strings.HasSuffix(tail, "}")
	}
	return false
}
