package entail

import (
	"slices"
	"strings"
)

// A Phrase is a range of words of a sentence. The zero Phrase is empty.
type Phrase struct {
	of         *Sentence
	first, end int
}

// Span returns the phrase from word first to word last.
func (x *Sentence) Span(first, last int) Phrase { return Phrase{x, first, last + 1} }

// between returns the words from word i to word j, in the order of the sentence.
func (x *Sentence) between(i, j int) Phrase { return x.Span(min(i, j), max(i, j)) }

// Text returns the text of p, from its first word to its last.
func (p Phrase) Text() string {
	if p.of == nil {
		return ""
	}
	return p.of.Text[p.of.Words[p.first].Start:p.of.Words[p.end-1].End]
}

// maxQuoted is the maximum length of a quote in words. In scripts without spaces two
// characters are a word, and words overlap.
const maxQuoted = 14

// Quote returns the clause around p, or a part of it of at most maxQuoted words. It
// returns at least the text of p.
func (p Phrase) Quote() string {
	x := p.of
	if x == nil {
		return ""
	}
	wide := p
	for wide.first > 0 && !x.separates(wide.first, false) {
		wide.first--
	}
	for wide.end < len(x.Words) && !x.separates(wide.end, false) {
		wide.end++
	}
	if wide.end-wide.first > maxQuoted {
		wide = p.within(wide)
	}
	for wide.first < p.first && isLinking(x.Words[wide.first].Lower) {
		wide.first++
	}
	return wide.withSigns()
}

// within returns the part of wide around p that consists of at most maxQuoted words. It
// prefers to start and end at a comma.
func (p Phrase) within(wide Phrase) Phrase {
	near := p
	for near.first > wide.first && !p.of.separates(near.first, true) {
		near.first--
	}
	for near.end < wide.end && !p.of.separates(near.end, true) {
		near.end++
	}
	if near.end-near.first <= maxQuoted {
		return near
	}
	spare := max(0, maxQuoted-(p.end-p.first))
	near.first = max(near.first, p.first-spare/2)
	near.end = min(near.end, max(p.end, near.first+maxQuoted))
	return near
}

// separates reports whether a clause starts at word i, or a phrase after a comma.
func (x *Sentence) separates(i int, commas bool) bool {
	gap := x.Gap(i)
	if strings.ContainsAny(gap, ";()—–|\n。；") || strings.Contains(gap, ": ") || strings.Contains(gap, ". ") {
		return true
	}
	comma := strings.Contains(gap, ", ") || strings.Contains(gap, "，")
	return comma && (commas || x.Words[i].Clause != x.Words[i-1].Clause)
}

// isLinking reports whether a word links its clause to the one before.
func isLinking(word string) bool {
	return slices.Contains([]string{"and", "but", "or", "so", "because", "although", "though", "while", "whereas", "that"}, word)
}

// withSigns returns the text of p with the currency sign before it and the percent sign after it.
func (p Phrase) withSigns() string {
	x := p.of
	start, end := int(x.Words[p.first].Start), int(x.Words[p.end-1].End)
	for _, sign := range [...]string{"$", "€", "£", "¥", "-"} {
		if strings.HasSuffix(x.Text[:start], sign) {
			start -= len(sign)
			break
		}
	}
	for _, sign := range [...]string{"%", " %", "€", " €", "°C", "°F"} {
		if strings.HasPrefix(x.Text[end:], sign) {
			end += len(sign)
			break
		}
	}
	return x.Text[start:end]
}
