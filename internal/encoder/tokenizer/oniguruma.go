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

// A translation turns a pattern in Oniguruma's syntax into one in that of Go, or
// of regexp2 where it looks around or gives nothing back. It takes what means the
// same in both, and refuses the rest by name: a pattern that means something else
// than it says would give wrong tokens, and nobody would know.
type translation struct {
	in         string
	at         int
	out        []string // atoms, groups' brackets and quantifiers
	open       []int    // in out, of the groups not closed yet
	backtracks bool
}

var errPatternEnds = errors.New("the pattern ends too early")

// maxNesting is how deep groups may be in each other.
const maxNesting = 50

func translate(pattern string) (*translation, error) {
	if !utf8.ValidString(pattern) {
		return nil, errors.New("not UTF-8")
	}
	// In Oniguruma ^ and $ are those of a line.
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

// next translates one atom with its quantifiers, or a bracket.
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
			return errors.New("a bracket closes nothing")
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
		// Not at the end behind a last line break, as it is in Go.
		t.backtracks = true
		t.emit(1, `(?:\A|(?<=\n)(?!\z))`)
		return nil // a quantifier behind is refused as one that has nothing to repeat
	case '$':
		t.emit(1, "$")
		return nil
	case '*', '+', '?':
		return fmt.Errorf("%q has nothing to repeat", r)
	case '{':
		return errors.New(`a "{" that isn't escaped`)
	default:
		t.emit(w, quoteRune(r))
	}
	return t.quantifiers(len(t.out) - 1)
}

func (t *translation) emit(n int, s string) {
	t.at += n
	t.out = append(t.out, s)
}

// contractions is the only group in files that pays no heed to case. In general
// Oniguruma has more characters fold to the same than Go.
const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"

// group opens a bracket.
func (t *translation) group() error {
	if len(t.open) == maxNesting {
		return fmt.Errorf("groups are nested more than %d deep", maxNesting)
	}
	rest := t.in[t.at:]
	if strings.HasPrefix(rest, contractions) {
		t.emit(len(contractions), `(?:'[sSſ]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])`)
		return t.quantifiers(len(t.out) - 1)
	}
	opening := "(?:" // what a group captures isn't used
	n := 1
	if strings.HasPrefix(rest, "(?") {
		kinds := []string{"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>"}
		i := slices.IndexFunc(kinds, func(s string) bool { return strings.HasPrefix(rest, s) })
		if i < 0 {
			return fmt.Errorf("a group like %.4q isn't supported", rest)
		}
		n, opening = len(kinds[i]), kinds[i]
		t.backtracks = t.backtracks || i > 0
	}
	t.open = append(t.open, len(t.out))
	t.emit(n, opening)
	return nil
}

// quantifiers translates those behind the atom that begins at out[begin].
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
			// Go repeats up to 1000 times.
			if v, err := strconv.ParseUint(s, 10, 10); s != "" && (err != nil || v > 1000) || lo == "" {
				return fmt.Errorf("the repetition %s isn't supported", q)
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
			return errors.New("{n}? isn't supported") // an optional {n} in Oniguruma
		}
		t.emit(1, "?")
	case '+':
		if interval {
			return errors.New("{n,m}+ isn't supported") // a repeated {n,m} in Oniguruma
		}
		t.at++
		t.backtracks = true
		t.out = slices.Insert(t.out, begin, "(?>")
		t.out = append(t.out, ")")
	}
	if t.at < len(t.in) && strings.IndexByte("*+?{", t.in[t.at]) >= 0 {
		return errors.New("a quantifier behind a quantifier isn't supported")
	}
	return nil
}

// quoteRune writes a character so that it stands for itself.
func quoteRune(r rune) string {
	if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_' || r >= utf8.RuneSelf && unicode.IsPrint(r) {
		return string(r)
	}
	if r < 0x100 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return string(r)
}

// translateEscape translates an escape, which may be in brackets.
func translateEscape(s string, inClass bool) (text string, n int, err error) {
	if len(s) < 2 {
		return "", 0, errPatternEnds
	}
	r, w := utf8.DecodeRuneInString(s[1:])
	n = 1 + w
	switch r {
	case 's', 'S', 'd', 'D', 'w', 'W':
		// Go's are ASCII only.
		set := map[rune]string{'s': `\x09-\x0d\x85\p{Z}`, 'd': `\p{Nd}`, 'w': wordSet}[unicode.ToLower(r)]
		if inClass {
			if unicode.IsUpper(r) {
				return "", 0, fmt.Errorf(`\%c in brackets isn't supported`, r)
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
			return "", 0, errors.New(`\x above 7f is a byte in Oniguruma, which isn't supported`)
		}
		return text, n, err
	}
	if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return "", 0, fmt.Errorf(`\%c isn't supported`, r)
	}
	return quoteRune(r), n, nil
}

// wordSet is \w in brackets: letters, marks, numbers and connectors, and the circled
// and squared letters that are alphabetic without being letters. Outside it has
// the other numbers of Latin-1 as well.
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
		return "", 0, fmt.Errorf("%s is no character", s[:hi])
	}
	return quoteRune(rune(v)), hi, nil
}

// translateProperty translates \p{...}, for a general category or a script.
func translateProperty(s string) (string, int, error) {
	end := strings.IndexByte(s, '}')
	if end < 0 || len(s) < 3 || s[2] != '{' {
		return "", 0, errors.New(`\p without {...} isn't supported`)
	}
	name := s[3:end]
	negated := s[1] == 'P'
	if rest, ok := strings.CutPrefix(name, "^"); ok {
		name, negated = rest, !negated
	}
	_, category := unicode.Categories[name]
	_, script := unicode.Scripts[name]
	if !category && !script || name == "C" || name == "Cn" || name == "LC" {
		return "", 0, fmt.Errorf(`\p{%s} isn't supported`, name)
	}
	if negated {
		return `\P{` + name + "}", end + 1, nil
	}
	return `\p{` + name + "}", end + 1, nil
}

// translateClass translates a list in brackets.
func translateClass(s string) (text string, n int, err error) {
	var out strings.Builder
	n = 1
	out.WriteByte('[')
	if strings.HasPrefix(s[n:], "^") {
		out.WriteByte('^')
		n++
	}
	if strings.HasPrefix(s[n:], "]") {
		return "", 0, errors.New(`a "]" at the beginning of brackets isn't supported`)
	}
	for n < len(s) {
		r, w := utf8.DecodeRuneInString(s[n:])
		switch {
		case r == ']':
			return out.String() + "]", n + 1, nil
		case r == '[':
			return "", 0, errors.New("brackets in brackets aren't supported")
		case r == '&' && strings.HasPrefix(s[n:], "&&"):
			return "", 0, errors.New("&& in brackets isn't supported")
		case r == '\\':
			text, w, err = translateEscape(s[n:], true)
			if err != nil {
				return "", 0, err
			}
			out.WriteString(text)
		case r == '-':
			// Between two characters it makes a range; at the ends it is itself.
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

// setBefore reports whether a list ends in an escape for several characters, with
// which no range begins.
func setBefore(s string) bool {
	if i := strings.LastIndexByte(s, '\\'); i >= 0 {
		tail := s[i:]
		return len(tail) == 2 && strings.ContainsAny(tail[1:], "sdwSDW") ||
			len(tail) > 3 && (tail[1] == 'p' || tail[1] == 'P') && strings.HasSuffix(tail, "}")
	}
	return false
}
