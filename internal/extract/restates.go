package extract

import "strings"

// Restates reports whether text may be what [Sentences] makes of a sentence, or the
// sentence itself. It does not depend on how Markdown is read, which may change
// from one version to another: if the sentence has marks of Markdown, text may be
// any part of it in its order, and if it may be a row of a table, anything.
func Restates(text, sentence string) bool {
	if text == sentence || text == strings.TrimSpace(sentence) {
		return true
	}
	if strings.IndexByte(sentence, '|') >= 0 { // has the headings of its columns
		return true
	}
	if !isMarked(sentence) {
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

// Reasons are why an answer may have no claims: what [Extraction.Reason] returns.
func Reasons() []string { return []string{reasonRefusal, reasonEmpty, reasonNothing} }
