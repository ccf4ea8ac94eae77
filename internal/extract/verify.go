package extract

import (
	"context"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Restates reports whether text may be a claim that [Sentences] extracts from
// sentence. It does not depend on details of Markdown parsing, which may change
// between versions. If the sentence contains Markdown, HTML or possible
// citations, text may be any subsequence of it. If the sentence may be a table
// row, any text is accepted.
func Restates(text, sentence string) bool {
	if text == sentence || text == strings.TrimSpace(sentence) {
		return true
	}
	marked := hasMarkdown(sentence) || slices.ContainsFunc([]byte(sentence), mayStartCut) || strings.Contains(sentence, `":`) // JSON
	if marked {
		sentence = expandEntities(sentence)
		text = strings.ReplaceAll(text, sourcePlaceholder, "")
	}
	if strings.IndexByte(sentence, '|') >= 0 { // a claim has column headings
		return true
	}
	if !marked {
		return false
	}
	for i := range len(text) {
		if text[i] == ' ' {
			continue
		}
		at := strings.IndexByte(sentence, text[i])
		if at < 0 {
			return false
		}
		sentence = sentence[at+1:]
	}
	return true
}

// expandEntities inserts the decoded character after each HTML entity and JSON
// escape in s, since a claim may contain either form.
func expandEntities(s string) string {
	if !strings.ContainsAny(s, `&\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		char, n := "", 0
		switch s[i] {
		case '&':
			char, n = htmlEntity(s, i)
		case '\\':
			char, n = jsonEscape(s, i)
		}
		if n > 0 {
			b.WriteString(s[i+1 : i+n])
			b.WriteString(char)
			i += n - 1
		}
	}
	return b.String()
}

// Reasons returns the possible values of [Extraction.Reason] for answers
// without claims.
func Reasons() []string { return []string{reasonRefusal, reasonEmpty, reasonNothing} }

// MayAssert reports whether text between the claims and skipped sentences of an
// answer is long enough to contain an assertion. List markers, HTML and labels
// are not.
func MayAssert(text string) bool {
	const maxLetters = 12
	if len(text) <= maxLetters {
		return false
	}
	visible := newView(text).text
	letters := 0
	for _, r := range visible {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters > maxLetters && !isAnswerLabel(visible)
}

// Unclaimed returns the skipped sentences of an answer, given its claims.
// reason is the [Extraction.Reason] of the answer, and the kinds of the result
// are consistent with it. Sentences that [Sentences] would extract as claims
// get the kind [Unstated].
func Unclaimed(answer, reason string, claims []Claim) []Skipped {
	e, err := Sentences{}.Extract(context.Background(), "", answer)
	if err != nil {
		return nil
	}
	runes := []rune(answer)
	var all []Skipped
	add := func(s Skipped) {
		i := sort.Search(len(claims), func(i int) bool { return claims[i].End > s.Start })
		if i == len(claims) || claims[i].Start >= s.End { // overlaps no claim
			all = append(all, s)
		}
	}
	for _, s := range e.Skipped {
		add(s)
	}
	for _, c := range e.Claims {
		add(Skipped{Kind: Unstated, Text: string(runes[c.Start:c.End]), Start: c.Start, End: c.End})
	}
	slices.SortFunc(all, func(a, b Skipped) int { return a.Start - b.Start })
	for i := range all { // another version or language may classify differently
		switch s := &all[i]; {
		case reason == reasonRefusal && Extraction{Skipped: all}.Reason() == reasonNothing:
			s.Kind = Refusal
		case reason == reasonNothing && s.Kind == Refusal:
			s.Kind = Unstated
		}
	}
	return all
}
