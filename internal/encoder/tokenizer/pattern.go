package tokenizer

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// A literalPattern matches a string.
type literalPattern string

func (l literalPattern) find(all []match, src []byte) ([]match, error) {
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(l))
		if i < 0 {
			return all, nil
		}
		all = appendMatch(all, at+i, at+i+len(l))
		at += i + len(l)
	}
}

// newPattern returns a finder for a regular expression in Oniguruma syntax,
// which the reference uses. Unsupported syntax is an error. Except in the
// built-in patterns, classes such as \p{L} follow Go's version of Unicode and
// may differ from the reference for newer characters.
func newPattern(chars *characters, pattern string) (finder, error) {
	if f, ok := builtinPattern(chars, pattern); ok {
		return f, nil
	}
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("pattern has %d bytes, the limit is %d", len(pattern), maxPattern)
	}
	t, err := translate(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	if !t.backtracks {
		re, err := regexp.Compile(t.text())
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		return linearPattern{re}, nil
	}
	re, err := regexp2.Compile(t.text(), regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	re.MatchTimeout = matchTimeout
	return backtrackingPattern{re}, nil
}

const (
	// maxPattern limits the length of a pattern in bytes.
	maxPattern = 8 << 10
	// matchTimeout stops exponential backtracking. Other matches take microseconds.
	matchTimeout = 2 * time.Second
)

// A linearPattern is a pattern without lookaround, matched in time proportional
// to the length of the pattern times that of the text.
type linearPattern struct{ re *regexp.Regexp }

func (l linearPattern) find(all []match, src []byte) ([]match, error) {
	for _, m := range l.re.FindAllIndex(src, -1) {
		all = appendMatch(all, m[0], m[1])
	}
	return all, nil
}

// A backtrackingPattern is a pattern with lookaround or possessive matching.
type backtrackingPattern struct{ re *regexp2.Regexp }

var errMatchTimeout = errors.New("a pattern of the tokenizer takes too long on this text")

func (b backtrackingPattern) find(all []match, src []byte) ([]match, error) {
	runes := bytes.Runes(src)
	at, bytesAt := 0, 0 // the same position in runes and in src
	byteOffset := func(r int) int {
		for ; at < r; at++ {
			bytesAt += utf8.RuneLen(runes[at])
		}
		return bytesAt
	}
	last := -1
	for from := 0; from <= len(runes); {
		m, err := b.re.FindRunesMatchStartingAt(runes, from)
		if err != nil {
			return all, fmt.Errorf("%w: %w", errMatchTimeout, err)
		}
		if m == nil {
			break
		}
		lo, hi := m.RuneIndex, m.RuneIndex+m.RuneLength
		if lo == hi && lo == last {
			from++ // skip an empty match directly after a match
			continue
		}
		begin := byteOffset(lo)
		all = appendMatch(all, begin, byteOffset(hi))
		from, last = hi, hi
	}
	return all, nil
}

// A replaceNormalizer is the Replace normalizer.
type replaceNormalizer struct {
	finder finder
	to     string
}

func (r replaceNormalizer) unchanged(src []byte) bool {
	l, ok := r.finder.(literalPattern)
	return ok && !bytes.Contains(src, []byte(l))
}

// apply gives the replacement the origin of inserted text after the match.
func (r replaceNormalizer) apply(s *state, e *editor) error {
	all, err := findAll(r.finder, s.match[:0], e.remaining())
	s.match = all
	if err != nil {
		return err
	}
	for _, m := range all {
		n := int(m.hi - m.lo)
		if !m.matched {
			e.keep(n)
			continue
		}
		e.pos += n
		for _, c := range r.to {
			e.write(c, e.originBefore())
		}
	}
	return nil
}

// Patterns with a hand-written implementation, as they appear in files.
const (
	// gpt2Pattern is used by GPT-2, RoBERTa and ModernBERT.
	gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// cl100kPattern is used by GPT-4. Llama 3 and Qwen 2 use variants of it.
	cl100kPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`
	llama3Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2Pattern  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// builtinPattern returns the implementation of a known pattern.
func builtinPattern(chars *characters, pattern string) (finder, bool) {
	switch pattern {
	case gpt2Pattern:
		return gpt2Words{chars}, true
	case cl100kPattern, llama3Pattern:
		return gpt4Words{chars, 3}, true
	case qwen2Pattern:
		return gpt4Words{chars, 1}, true
	}
	return nil, false
}

// kind returns the class of the character at i among those used in patterns,
// and its length. The class is 0 for other characters and at the end.
func (c *characters) kind(src []byte, i int) (class, int) {
	if i >= len(src) {
		return 0, 0
	}
	if src[i] < utf8.RuneSelf {
		return c.ascii[src[i]] & (space | letter | number), 1
	}
	r, w := utf8.DecodeRune(src[i:])
	return c.classOf(r) & (space | letter | number), w
}

// run returns the end of the run of characters of the given kind that starts at
// i.
func (c *characters) run(src []byte, i int, kind class) int {
	for {
		k, w := c.kind(src, i)
		if k != kind || w == 0 {
			return i
		}
		i += w
	}
}

// spaces returns the end of the match of \s+(?!\S)|\s+ at i. It excludes the
// last space of a run before other text, unless it is the only one.
func (c *characters) spaces(src []byte, i int) int {
	end := c.run(src, i, space)
	if end == len(src) {
		return end
	}
	_, w := utf8.DecodeLastRune(src[i:end])
	if end-w == i {
		return end
	}
	return end - w
}

// contraction returns the length of 's, 't, 're, 've, 'm, 'll or 'd at i, or 0.
// With fold, it ignores case and treats ſ as s.
func contraction(src []byte, i int, fold bool) int {
	if i+1 >= len(src) || src[i] != '\'' {
		return 0
	}
	lower := func(c byte) byte {
		if fold && c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}
	switch lower(src[i+1]) {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if i+2 < len(src) && lower(src[i+2]) == 'e' {
			return 3
		}
	case 'l':
		if i+2 < len(src) && lower(src[i+2]) == 'l' {
			return 3
		}
	case 0xc5:
		if fold && i+2 < len(src) && src[i+2] == 0xbf {
			return 3
		}
	}
	return 0
}

// gpt2Words implements gpt2Pattern.
type gpt2Words struct{ chars *characters }

func (g gpt2Words) find(all []match, src []byte) ([]match, error) {
	for i := 0; i < len(src); {
		end := i + contraction(src, i, false)
		if end == i {
			at := i
			kind, w := g.chars.kind(src, at)
			if src[at] == ' ' {
				if k, n := g.chars.kind(src, at+1); n > 0 && k != space {
					at, kind, w = at+1, k, n
				}
			}
			if kind == space {
				end = g.chars.spaces(src, i)
			} else {
				end = g.chars.run(src, at+w, kind)
			}
		}
		all = append(all, match{int32(i), int32(end), true})
		i = end
	}
	return all, nil
}

// gpt4Words implements llama3Pattern and the equivalent patterns that differ in
// the number of digits.
type gpt4Words struct {
	chars     *characters
	maxDigits int
}

func (g gpt4Words) find(all []match, src []byte) ([]match, error) {
	for i := 0; i < len(src); {
		end := g.end(src, i)
		all = append(all, match{int32(i), int32(end), true})
		i = end
	}
	return all, nil
}

// end returns the end of the match that starts at i.
func (g gpt4Words) end(src []byte, i int) int {
	if n := contraction(src, i, true); n > 0 {
		return i + n
	}
	kind, w := g.chars.kind(src, i)
	next, n := g.chars.kind(src, i+w)
	newline := src[i] == '\r' || src[i] == '\n'
	switch {
	case kind == letter:
		return g.chars.run(src, i+w, letter)
	case kind == number:
		end := i + w
		for k := 1; k < g.maxDigits; k++ {
			if kind, w = g.chars.kind(src, end); kind != number {
				break
			}
			end += w
		}
		return end
	case !newline && next == letter:
		return g.chars.run(src, i+w+n, letter)
	case kind == 0:
		return skipNewlines(src, g.chars.run(src, i+w, 0))
	case src[i] == ' ' && n > 0 && next == 0:
		return skipNewlines(src, g.chars.run(src, i+w+n, 0))
	}
	// Match up to the last line break among the spaces, if any.
	end := g.chars.run(src, i, space)
	for k := end; k > i; k-- {
		if src[k-1] == '\r' || src[k-1] == '\n' {
			return k
		}
	}
	return g.chars.spaces(src, i)
}

func skipNewlines(src []byte, i int) int {
	for i < len(src) && (src[i] == '\r' || src[i] == '\n') {
		i++
	}
	return i
}
