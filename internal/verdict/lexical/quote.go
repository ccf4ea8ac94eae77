package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A quote is a sentence in a chunk.
type quote struct {
	chunk, start, end int   // start and end are byte offsets
	covered           int64 // sum of weight × credit of the claim's terms in the sentence
	about             int64 // the same, including the terms in an earlier quote; set by bestSentence
}

// text returns the text of q.
func (q quote) text(contexts []string) string { return contexts[q.chunk][q.start:q.end] }

// statement returns the text of q. If q is a question, and the text after it answers yes or no,
// or an item with a cross, the answer is appended: "Is parking free? No.", "Pool: ❌".
func (q quote) statement(contexts []string) string {
	text := q.text(contexts)
	end := strings.TrimRight(text, " \n*_\ufe0f")
	for _, mark := range [...]string{"❌", "✗", "✘"} {
		if item, ok := strings.CutSuffix(end, mark); ok {
			return item + "no"
		}
	}
	question, ok := strings.CutSuffix(end, "?")
	if !ok {
		return text
	}
	const maxLabel = 24 // "A:", "Answer:", the name of a speaker
	answer := textAfter(contexts, q)
	if label, rest, ok := strings.Cut(answer, ":"); ok && len(label) <= maxLabel && !strings.ContainsAny(label, ",.!?\n") {
		answer = rest
	}
	answer = strings.TrimLeft(answer, "*_ ")
	word := answer[:len(answer)-len(strings.TrimLeftFunc(answer, unicode.IsLetter))]
	rest := strings.TrimLeft(answer[len(word):], "*_ ")
	yes := strings.EqualFold(word, "yes")
	switch {
	case !yes && !strings.EqualFold(word, "no") || rest != "" && strings.IndexAny(rest, ",.!;:–—-\n") != 0:
		return text
	case yes:
		return strings.TrimRight(question, " ") + ": yes"
	}
	return strings.TrimRight(question, " ") + ": no"
}

// textAfter returns the start of the text after q.
func textAfter(contexts []string, q quote) string {
	const maxLen = 120
	rest := contexts[q.chunk][q.end:]
	_, end := runeBounds(rest, 0, min(len(rest), maxLen))
	return strings.TrimSpace(rest[:end])
}

// runeBounds widens a byte range to the nearest code point boundaries.
func runeBounds(text string, start, end int) (int, int) {
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return start, end
}

// A textValue is a value in a text.
type textValue struct {
	text       string
	start, end int
}

func (p textValue) value() string { return wholeValue(p.text, p.start, p.end) }

// phrase returns the value with the words around it, at most three before and two after,
// from the same sentence.
func (p textValue) phrase() string {
	const before, after = 3, 2
	start, end := p.start, p.end
	for range before {
		head := strings.TrimRight(p.text[:start], " ")
		if n := len(head); n == 0 || strings.IndexByte("!?;|\n\t", head[n-1]) >= 0 || head[n-1] == '.' && n > 1 && isLetter(head[n-2]) {
			break
		}
		start = strings.LastIndexAny(head, " |\n\t") + 1
	}
	for range after {
		rest := strings.TrimLeft(p.text[end:], " ")
		n := strings.IndexAny(rest, " .,;!?|\n\t")
		if n < 0 {
			n = len(rest)
		}
		end = len(p.text) - len(rest) + n
	}
	return wholeValue(p.text, start, end)
}

// wholeValue returns the value at text[start:end] with the signs, digits and letters
// joined to it: "4-3" for the 3 in it, "$10" for the 10.
func wholeValue(text string, start, end int) string {
	const maxJoined = 12
	for n := 0; start > 0 && n < maxJoined && joins(text, start-1, -1); n++ {
		start--
	}
	if start > 0 && text[start-1] == '-' && (start == 1 || text[start-2] == ' ') {
		start--
	}
	for n := 0; end < len(text) && n < maxJoined && joins(text, end, 1); n++ {
		end++
	}
	return text[start:end]
}

// joins reports whether byte i of text belongs to the value next to it: a letter, a digit
// or a sign, or a mark between digits. step is the direction away from the value.
func joins(text string, i, step int) bool {
	c := text[i]
	switch {
	case c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z':
		return true
	case c == '$':
		return step < 0
	case c == '%':
		return step > 0
	case c == '-' || c == ':' || c == '/' || c == '.' || c == ',':
		next := i + step
		return next >= 0 && next < len(text) && text[next]-'0' <= 9 && text[i-step]-'0' <= 9
	}
	return false
}

// quoted returns an excerpt of a text in quotation marks.
func quoted(s string) string { return verdict.Excerpt(s, 0) }

// quotedValue returns a value in quotation marks. An excerpt would lack the number of
// "3. Mai", which looks like a list marker.
func quotedValue(s string) string {
	const maxWhole = 40
	if len(s) > maxWhole {
		return quoted(s)
	}
	return "“" + s + "”"
}
