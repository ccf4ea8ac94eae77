package tokenizer

import "unicode/utf8"

// The patterns that are known and written out below, as they are in files.
const (
	// gpt2Pattern is that of GPT-2, RoBERTa and ModernBERT.
	gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// cl100kPattern is that of GPT-4, and llama3Pattern and qwen2Pattern what
	// Llama 3 and Qwen 2 made of it.
	cl100kPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`
	llama3Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2Pattern  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// knownPattern returns a finder for a pattern that is written out.
func knownPattern(chars *characters, pattern string) (finder, bool) {
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

// kind returns which of the classes of the patterns the character at i has, 0 for
// none of them and at the end, and its length.
func (c *characters) kind(src []byte, i int) (class, int) {
	if i >= len(src) {
		return 0, 0
	}
	if src[i] < utf8.RuneSelf {
		return c.ascii[src[i]] & (space | letter | number), 1
	}
	r, w := utf8.DecodeRune(src[i:])
	return c.of(r) & (space | letter | number), w
}

// run returns where the run of characters of one kind that begins at i ends, if
// the character there has that kind.
func (c *characters) run(src []byte, i int, kind class) int {
	for {
		k, w := c.kind(src, i)
		if k != kind || w == 0 {
			return i
		}
		i += w
	}
}

// spaces ends a match of \s+(?!\S)|\s+ that begins at i: before the last space of
// a run that something follows, unless it is the only one.
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

// contraction returns the length of 's, 't, 're, 've, 'm, 'll or 'd at i, 0 for
// none. With fold the case doesn't count; ſ is then an s.
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

// gpt2Words is gpt2Pattern.
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

// gpt4Words is llama3Pattern, and those that differ from it in nothing that counts
// but the number of digits.
type gpt4Words struct {
	chars  *characters
	digits int
}

func (g gpt4Words) find(all []match, src []byte) ([]match, error) {
	for i := 0; i < len(src); {
		end := g.end(src, i)
		all = append(all, match{int32(i), int32(end), true})
		i = end
	}
	return all, nil
}

// end returns where the match that begins at i ends.
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
		for k := 1; k < g.digits; k++ {
			if kind, w = g.chars.kind(src, end); kind != number {
				break
			}
			end += w
		}
		return end
	case !newline && next == letter:
		return g.chars.run(src, i+w+n, letter)
	case kind == 0:
		return endOfLines(src, g.chars.run(src, i+w, 0))
	case src[i] == ' ' && n > 0 && next == 0:
		return endOfLines(src, g.chars.run(src, i+w+n, 0))
	}
	// The last line break among the spaces, if there is one.
	end := g.chars.run(src, i, space)
	for k := end; k > i; k-- {
		if src[k-1] == '\r' || src[k-1] == '\n' {
			return k
		}
	}
	return g.chars.spaces(src, i)
}

func endOfLines(src []byte, i int) int {
	for i < len(src) && (src[i] == '\r' || src[i] == '\n') {
		i++
	}
	return i
}
