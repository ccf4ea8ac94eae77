package llm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

const longestReason = 500 // runes

// finding holds an answer against the pieces that it was given for: chunk ids
// that there are not are dropped, and so is a quote that can't be found.
func (a *answer) finding(pieces []piece, contexts []string) finding {
	f := finding{known: true, label: a.label, reason: a.reason}
	if f.reason == "" {
		f.reason = "the model gave no reason"
	}
	if a.label == verdict.NotMentioned {
		return f
	}
	var named, shown []int
	for _, p := range pieces {
		shown = append(shown, p.chunk)
	}
	for _, id := range a.chunks {
		if id < len(pieces) {
			named = append(named, pieces[id].chunk)
		}
	}
	named, shown = ascending(named), ascending(shown)
	if len(named) == 0 && len(shown) == 1 {
		named = shown
	}
	among := named
	if len(among) == 0 {
		among = shown
	}
	for _, c := range among {
		if start, end, ok := find(contexts[c], a.quote); ok {
			text := contexts[c]
			from := utf8.RuneCountInString(text[:start])
			f.evidence = []verdict.Evidence{{
				Chunk: c, Start: from, End: from + utf8.RuneCountInString(text[start:end]), Quote: text[start:end],
			}}
			if len(named) == 0 {
				named = []int{c}
			}
			break
		}
	}
	if a.label == verdict.Supported {
		f.chunks = named
	}
	return f
}

func ascending(ids []int) []int {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// find returns the piece of text, in bytes, that a model meant by quote: the
// same characters, or else the same but for case, white space, kinds of
// quotation marks and dashes, and marks around it. Of a quote with an ellipsis
// the longest part is looked for, where it has three words.
func find(text, quote string) (start, end int, ok bool) {
	quote = strings.TrimFunc(quote, unicode.IsSpace)
	if !says(quote) {
		return 0, 0, false
	}
	if i := strings.Index(text, quote); i >= 0 {
		return i, i + len(quote), true
	}
	flat, at := flatten(text)
	bare := strings.TrimFunc(quote, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	try := []string{quote, strings.Trim(quote, " \"'“”‘’„«»…*.[]"), bare}
	longest := ""
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(bare, "...", "…"), func(r rune) bool { return r == '…' }) {
		if part = strings.Trim(part, " []()"); len(part) > len(longest) {
			longest = part
		}
	}
	if longest != bare && len(strings.Fields(longest)) >= 3 {
		try = append(try, longest)
	}
	for _, q := range try {
		q, _ := flatten(q)
		if !says(q) {
			continue
		}
		if i := strings.Index(flat, q); i >= 0 {
			start, end = at[i], at[i+len(q)]
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

// flatten makes texts alike that differ in what a model changes when it copies.
// at[i] is the byte of text that byte i of flat stands for; at[len(flat)] is the
// end of text.
func flatten(text string) (flat string, at []int) {
	var b strings.Builder
	space := true
	put := func(s string, i int) {
		for range len(s) {
			at = append(at, i)
		}
		b.WriteString(s)
	}
	for i, r := range text {
		switch {
		case isInvisible(r):
			continue
		case unicode.IsSpace(r):
			if !space {
				put(" ", i)
			}
			space = true
			continue
		case strings.ContainsRune("’‘ʼ`´“”„«»\"", r):
			put("'", i)
		case strings.ContainsRune("‐‑‒–—−", r):
			put("-", i)
		default:
			put(string(unicode.ToLower(r)), i)
		}
		space = false
	}
	flat = strings.TrimRight(b.String(), " ")
	return flat, append(at[:len(flat)], len(text))
}

// isInvisible knows characters that models leave out of what they copy.
func isInvisible(r rune) bool {
	return r == '\u00ad' || r >= '\u200b' && r <= '\u200f' || r == '\u2060' || r == '\ufeff'
}

func says(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// plain makes of a model's words one line, without what steers a terminal.
func plain(s string) string {
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

// oneLine is plain, cut to a length for a person.
func oneLine(s string) string {
	s = plain(s)
	if utf8.RuneCountInString(s) > longestReason {
		s = string([]rune(s)[:longestReason]) + "…"
	}
	return s
}
