package extract

import "strings"

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
