package extract

import "unicode"

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
