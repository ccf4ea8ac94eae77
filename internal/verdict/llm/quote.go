package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
)

const maxReason = 500 // maximum length of a reason, in runes

// find returns the byte offsets of a model's quote in text. If there is no exact match, find
// ignores differences in case, white space, quotation marks, dashes and surrounding punctuation. If
// the quote contains an ellipsis, find also tries its longest part of at least three words.
func find(text, quote string) (start, end int, ok bool) {
	quote = strings.TrimFunc(quote, unicode.IsSpace)
	if !extractllm.HasWords(quote) {
		return 0, 0, false
	}
	if i := strings.Index(text, quote); i >= 0 {
		return i, i + len(quote), true
	}
	flat, offsets := flatten(text)
	bare := strings.TrimFunc(quote, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	candidates := []string{quote, strings.Trim(quote, " \"'“”‘’„«»…*.[]"), bare}
	longest := ""
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(bare, "...", "…"), func(r rune) bool { return r == '…' }) {
		if part = strings.Trim(part, " []()"); len(part) > len(longest) {
			longest = part
		}
	}
	if longest != bare && len(strings.Fields(longest)) >= 3 {
		candidates = append(candidates, longest)
	}
	for _, q := range candidates {
		q, _ := flatten(q)
		if !extractllm.HasWords(q) {
			continue
		}
		if i := strings.Index(flat, q); i >= 0 {
			start, end = int(offsets[i]), int(offsets[i+len(q)])
			for end > start {
				r, size := utf8.DecodeLastRuneInString(text[start:end])
				if !unicode.IsSpace(r) && !isInvisible(r) {
					break
				}
				end -= size
			}
			return start, end, true
		}
	}
	return 0, 0, false
}

// flatten normalizes characters that models change when they copy text. offsets[i] is the offset in
// text of byte i of flat; offsets[len(flat)] is the length of text.
func flatten(text string) (flat string, offsets []int32) {
	var b strings.Builder
	b.Grow(len(text))
	offsets = make([]int32, 0, len(text)+1)
	space := true
	write := func(s string, i int) {
		for range len(s) {
			offsets = append(offsets, int32(i)) //nolint:gosec // contexts are smaller than 2 GiB
		}
		b.WriteString(s)
	}
	for i, r := range text {
		switch {
		case isInvisible(r):
			continue
		case unicode.IsSpace(r):
			if !space {
				write(" ", i)
			}
			space = true
			continue
		case strings.ContainsRune("’‘ʼ`´“”„«»\"", r):
			write("'", i)
		case strings.ContainsRune("‐‑‒–—−", r):
			write("-", i)
		default:
			write(string(unicode.ToLower(r)), i)
		}
		space = false
	}
	flat = strings.TrimRight(b.String(), " ")
	return flat, append(offsets[:len(flat)], int32(len(text))) //nolint:gosec // as above
}

// isInvisible reports whether r is an invisible character, which models omit when they copy text.
func isInvisible(r rune) bool {
	return r == '\u00ad' || r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r == '\ufeff'
}

// plainLine returns s on one line without control characters.
func plainLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || isInvisible(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// reasonLine is plainLine limited to maxReason runes.
func reasonLine(s string) string {
	s = plainLine(s)
	if utf8.RuneCountInString(s) > maxReason {
		s = string([]rune(s)[:maxReason]) + "…"
	}
	return s
}
