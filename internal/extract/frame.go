package extract

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// maxFrameBytes limits the search for a frame at either end of a claim. A frame
// is a phrase that attributes a statement to its source.
const maxFrameBytes = 120

// trimFrames cuts frames from both ends of text, such as "According to the
// documents," and "The passage states that". It reports false if there are
// none.
func trimFrames(text string) (string, bool) {
	rest, framed := text, false
	for range 3 { // "Based on the documents, the text states that"
		after, ok := trimLeadingFrame(rest)
		if !ok {
			break
		}
		rest, framed = after, true
	}
	if before, ok := trimTrailingFrame(rest); ok {
		rest, framed = before, true
	}
	if !framed || !hasAlphanumeric(rest) {
		return text, false
	}
	return english.Capitalize(rest), true
}

// trimLeadingFrame cuts one frame from the start of text.
func trimLeadingFrame(text string) (string, bool) {
	window := text[:min(len(text), maxFrameBytes)]
	if n := strings.IndexByte(window, ','); n >= 0 {
		w := normalize(window[:n])
		if rest, ok := sourceFrame(w); ok && len(rest) == 0 {
			return strings.TrimLeft(text[n+1:], " "), true
		}
	}
	w := normalize(window)
	rest, ok := sourceFrame(w)
	if ok {
		if after, cut := trimWords(text, w.count()-rest.count()); cut && startsClause(after) {
			return after, true
		}
	}
	rest, ok = statesThat(w)
	if !ok {
		return text, false
	}
	after, cut := trimWords(text, w.count()-rest.count())
	return after, cut && after != ""
}

// trimTrailingFrame cuts a frame from the end of text.
func trimTrailingFrame(text string) (string, bool) {
	from := max(0, len(text)-maxFrameBytes)
	n := strings.LastIndexByte(text[from:], ',')
	if k := strings.LastIndex(text[from:], " according to "); k > n {
		n = k
	}
	if n < 0 {
		return text, false
	}
	w := normalize(text[from+n+1:])
	rest, ok := sourceFrame(w)
	if !ok || len(rest) > 0 || n+from == 0 {
		return text, false
	}
	if first, _ := w.cutWord(); isOneOf(first, "in", "from", "with", "within") {
		return text, false // "He found the letter, in the documents."
	}
	end := text[len(strings.TrimRight(text, ".!")):]
	return strings.TrimRight(text[:from+n], ", ") + end[:min(1, len(end))], true
}

// startsClause reports whether text may start a clause: its first word is
// capitalized, a determiner or a pronoun.
func startsClause(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	low := english.Normalize(first)
	return low != "that" && (english.StartsUpper(text) || english.IsDeterminer(low) || english.IsSubjectPronoun(low))
}

// trimWords returns text without its first n words. It reports false unless
// those words are separated by spaces only.
func trimWords(text string, n int) (string, bool) {
	rest := strings.TrimLeft(text, " ")
	for range n {
		i := strings.IndexByte(rest, ' ')
		if i < 0 {
			return "", false
		}
		if w := normalize(rest[:min(i, maxFrameBytes)]); w.count() != 1 {
			return "", false
		}
		rest = strings.TrimLeft(rest[i:], " ")
	}
	return rest, true
}
