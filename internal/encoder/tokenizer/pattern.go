package tokenizer

import (
	"bytes"
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

// A spaceRuns matches two or more spaces, the regular expression " {2,}" of
// SentencePiece models.
type spaceRuns struct{}

func (spaceRuns) find(all []match, src []byte) []match {
	for i := 0; i < len(src); {
		end := i
		for end < len(src) && src[end] == ' ' {
			end++
		}
		if end-i > 1 {
			all = appendMatch(all, i, end)
		}
		i = max(end, i+1)
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

// kind returns the class of the character at i among those of GPT-2's pattern,
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

// gpt2Words splits a text into words like GPT-2, RoBERTa and ModernBERT:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
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
