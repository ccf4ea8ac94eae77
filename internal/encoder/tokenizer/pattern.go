package tokenizer

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A literalPattern matches a string.
type literalPattern []byte

func (l literalPattern) find(all []match, src []byte) []match {
	for at := 0; ; {
		i := bytes.Index(src[at:], l)
		if i < 0 {
			return all
		}
		all = appendMatch(all, at+i, at+i+len(l))
		at += i + len(l)
	}
}

// gpt2Pattern is the pattern of GPT-2, RoBERTa and ModernBERT.
const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// Limits on patterns: the length of each in bytes, and the size of the automata of all,
// on which the time for each byte of a text depends.
const (
	maxPattern = 1000
	maxStates  = 200
)

// pattern returns a finder for a regular expression. The reference reads the
// syntax of Oniguruma. Except for gpt2Pattern, only literals, alternatives and
// repetitions are supported, such as the " {2,}" of SentencePiece models, since
// classes and assertions differ in Go and would silently give other tokens.
func (p *parser) pattern(pattern string) (finder, error) {
	switch {
	case pattern == gpt2Pattern:
		return gpt2Words{p.chars}, nil
	case len(pattern) > maxPattern:
		return nil, fmt.Errorf("pattern has %d bytes, the limit is %d", len(pattern), maxPattern)
	case strings.ContainsAny(pattern, `\^$.[]()`) || strings.Contains(pattern, "{,") || strings.Contains(pattern, "}?"):
		return nil, fmt.Errorf("pattern %.200q is not supported", pattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("pattern %.200q: %w", pattern, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("pattern %.200q: %w", pattern, err)
	}
	if p.states -= len(program.Inst); p.states < 0 {
		return nil, fmt.Errorf("with pattern %.200q, patterns have more than %d states", pattern, maxStates)
	}
	re, err := regexp.Compile(pattern)
	return regexpPattern{re}, err
}

type regexpPattern struct{ re *regexp.Regexp }

func (p regexpPattern) find(all []match, src []byte) []match {
	for _, m := range p.re.FindAllIndex(src, -1) {
		all = appendMatch(all, m[0], m[1])
	}
	return all
}

// A replaceNormalizer is the Replace normalizer.
type replaceNormalizer struct {
	finder finder
	to     string
}

func (r replaceNormalizer) unchanged(src []byte) bool {
	l, ok := r.finder.(literalPattern)
	return ok && !bytes.Contains(src, l)
}

// apply gives the replacement the origin of inserted text after the match.
func (r replaceNormalizer) apply(s *state, e *editor) {
	s.match = findAll(r.finder, s.match[:0], e.remaining())
	for _, m := range s.match {
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

// contraction returns the length of 's, 't, 're, 've, 'm, 'll or 'd at the start of
// src, or 0.
func contraction(src []byte) int {
	if len(src) > 1 && src[0] == '\'' {
		switch src[1] {
		case 's', 't', 'm', 'd':
			return 2
		}
		if len(src) > 2 && (string(src[1:3]) == "re" || string(src[1:3]) == "ve" || string(src[1:3]) == "ll") {
			return 3
		}
	}
	return 0
}

// gpt2Words implements gpt2Pattern.
type gpt2Words struct{ chars *characters }

func (g gpt2Words) find(all []match, src []byte) []match {
	for i := 0; i < len(src); {
		end := i + contraction(src[i:])
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
	return all
}
