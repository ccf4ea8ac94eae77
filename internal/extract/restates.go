package extract

import (
	"context"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Restates reports whether text may be what [Sentences] makes of a sentence, or the
// sentence itself. It does not depend on how Markdown is read, which may change
// from one version to another: if the sentence has marks of Markdown or HTML, or
// what may be a citation, text may be any part of it in its order, and if it may be a row of a table, anything.
func Restates(text, sentence string) bool {
	if text == sentence || text == strings.TrimSpace(sentence) {
		return true
	}
	marked := hasMarkdown(sentence) || mayHaveCuts(sentence) || strings.Contains(sentence, `":`) // of JSON
	if marked {
		sentence = expandEntities(sentence)
		text = strings.ReplaceAll(text, sourcePlaceholder, "") // in place of a number
	}
	if strings.IndexByte(sentence, '|') >= 0 { // has the headings of its columns
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

// withEntities is s with the character of each entity of HTML, and of each escape
// of JSON, behind it, as a text may have either.
func expandEntities(s string) string {
	if !strings.ContainsAny(s, `&\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		with, n := "", 0
		switch s[i] {
		case '&':
			with, n = htmlEntity(s, i)
		case '\\':
			with, n = jsonEscape(s, i)
		}
		if n > 0 {
			b.WriteString(s[i+1 : i+n])
			b.WriteString(with)
			i += n - 1
		}
	}
	return b.String()
}

// Reasons are why an answer may have no claims: what [Extraction.Reason] returns.
func Reasons() []string { return []string{reasonRefusal, reasonEmpty, reasonNothing} }

// MayAssert reports whether text between the claims and skipped sentences of an
// answer is long enough to be one: more than the markers of lists, HTML and labels
// that stand there.
func MayAssert(text string) bool {
	const longest = 12 // letters
	if len(text) <= longest || isAnswerLabel(newView(text).text) {
		return false
	}
	letters := 0
	for _, r := range newView(text).text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters > longest
}

// Unclaimed is what was skipped of an answer beside its claims, as far as the
// answer shows it. The reason is that of an answer without claims, which the kinds
// then give. Any other part that may be a claim was found to state nothing.
func Unclaimed(answer, reason string, claims []Claim) []Skipped {
	e, err := Sentences{}.Extract(context.Background(), "", answer)
	if err != nil {
		return nil
	}
	runes := []rune(answer)
	var all []Skipped
	add := func(s Skipped) {
		i := sort.Search(len(claims), func(i int) bool { return claims[i].End > s.Start })
		if i == len(claims) || claims[i].Start >= s.End { // no claim is of it
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
	for i := range all { // another version or language may have seen it otherwise
		switch s := &all[i]; {
		case reason == reasonRefusal && Extraction{Skipped: all}.Reason() == reasonNothing:
			s.Kind = Refusal
		case reason == reasonNothing && s.Kind == Refusal:
			s.Kind = Unstated
		}
	}
	return all
}
