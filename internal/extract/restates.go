package extract

import (
	"context"
	"slices"
	"strings"
)

// Restates reports whether text may be what [Sentences] makes of a sentence, or the
// sentence itself. It does not depend on how Markdown is read, which may change
// from one version to another: if the sentence has marks of Markdown or HTML, or
// what may be a citation, text may be any part of it in its order, and if it may be a row of a table, anything.
func Restates(text, sentence string) bool {
	if text == sentence || text == strings.TrimSpace(sentence) {
		return true
	}
	marked := isMarked(sentence) || mayDiffer(sentence)
	if marked {
		sentence = withEntities(sentence)
		text = strings.ReplaceAll(text, namedSource, "") // in place of a number
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

// withEntities is s with the character of each entity of HTML behind it, as a text
// may have either.
func withEntities(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] == '&' {
			if with, n := entityAt(s, i); n > 0 {
				b.WriteString(s[i+1 : i+n])
				b.WriteString(with)
				i += n - 1
			}
		}
	}
	return b.String()
}

// Reasons are why an answer may have no claims: what [Extraction.Reason] returns.
func Reasons() []string { return []string{reasonRefusal, reasonEmpty, reasonNothing} }

// Unclaimed is what is skipped of an answer without claims, as far as the answer and
// the reason show it. A sentence that may be a claim was found to state nothing. The
// kinds give the reason, except that of an answer with sentences, which is not empty.
func Unclaimed(answer, reason string) []Skipped {
	e, err := Sentences{}.Extract(context.Background(), "", answer)
	if err != nil {
		return nil
	}
	runes := []rune(answer)
	for _, c := range e.Claims {
		e.Skipped = append(e.Skipped, Skipped{Kind: Unstated, Text: string(runes[c.Start:c.End]), Start: c.Start, End: c.End})
	}
	e.Claims = nil
	slices.SortFunc(e.Skipped, func(a, b Skipped) int { return a.Start - b.Start })
	for i := range e.Skipped { // another version or language may have seen it otherwise
		s := &e.Skipped[i]
		switch {
		case reason == reasonRefusal && e.Reason() == reasonNothing:
			s.Kind = Refusal
		case reason == reasonNothing && s.Kind == Refusal:
			s.Kind = Unstated
		}
	}
	return e.Skipped
}
