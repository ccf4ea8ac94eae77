package extract

import (
	"html"
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
	if strings.IndexByte(sentence, '|') >= 0 { // has the headings of its columns
		return true
	}
	if !isMarked(sentence) && !mayDiffer(sentence) {
		return false
	}
	text = strings.ReplaceAll(text, namedSource, "") // in place of a number
	return isWithin(text, sentence) || isWithin(text, html.UnescapeString(sentence))
}

// isWithin reports whether the bytes of text but for blanks are in a sentence, in
// their order.
func isWithin(text, sentence string) bool {
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

// Reasons are why an answer may have no claims: what [Extraction.Reason] returns.
func Reasons() []string { return []string{reasonRefusal, reasonEmpty, reasonNothing} }
