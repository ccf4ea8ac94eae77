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
	var buf [2 * maxFrameBytes]byte
	if n := strings.IndexByte(window, ','); n >= 0 {
		w := normalize(buf[:0], window[:n])
		if rest, ok := w.cutSourceFrame(); ok && len(rest) == 0 {
			return strings.TrimLeft(text[n+1:], " "), true
		}
	}
	w := normalize(buf[:0], window)
	rest, ok := w.cutSourceFrame()
	if ok {
		if after, cut := trimWords(text, w.count()-rest.count()); cut && startsClause(after) {
			return after, true
		}
	}
	rest, ok = w.cutStatesThat()
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
	var buf [2 * maxFrameBytes]byte
	w := normalize(buf[:0], text[from+n+1:])
	rest, ok := w.cutSourceFrame()
	if !ok || len(rest) > 0 || n+from == 0 {
		return text, false
	}
	if first, _ := w.cutWord(); isOneOf(first, "in", "from", "with", "within") {
		return text, false // "He found the letter, in the documents."
	}
	end := text[len(strings.TrimRight(text, ".!")):]
	return strings.TrimRight(text[:from+n], ", ") + end[:min(1, len(end))], true
}

// cutSourceFrame cuts a frame such as "according to the documents" or "as
// stated in passage 2".
func (w words) cutSourceFrame() (words, bool) {
	if rest, ok := w.cutDocumentFrame(); ok {
		return rest, true
	}
	found := false
	for range 3 { // "based on the information provided in the context"
		rest := w
		after, stated := w.cutPrefix("as")
		if found { // "provided in"
			after, stated = w, true
		}
		if first, then := after.cutWord(); stated && isStatedParticiple(first) {
			rest = then
		}
		rest, ok := rest.cutAttribution()
		if !ok || w.namesReport() {
			break
		}
		w, found = rest, true
	}
	return w, found
}

// cutDocumentFrame cuts a frame such as "according to the handbook", which
// refers to the contexts by their type. It keeps phrases that may identify one
// of several documents, such as "the 2023 handbook".
func (w words) cutDocumentFrame() (words, bool) {
	first, rest := w.cutWord()
	switch string(first) {
	case "per":
	case "according", "based":
		_, rest = rest.cutWord()
	case "as":
		if second, then := rest.cutWord(); isStatedParticiple(second) {
			_, rest = then.cutWord()
		}
	default:
		return w, false
	}
	the, rest := rest.cutWord()
	if !isOneOf(the, "the", "this", "your") {
		return w, false
	}
	noun, rest := rest.cutWord()
	return rest, isDocumentNoun(noun)
}

// isDocumentNoun reports whether s is a type of document that can stand for the
// contexts.
func isDocumentNoun(s []byte) bool {
	return isOneOf(s, "handbook", "manual", "guide", "guidelines", "policy", "page", "website", "webpage", "faq", "faqs", "brochure", "leaflet", "booklet")
}

// namesReport reports whether the source at the start of w may be a document
// discussed in the contexts, such as "the report", rather than the contexts
// themselves.
func (w words) namesReport() bool {
	for range 5 {
		first, rest := w.cutWord()
		switch string(first) {
		case "search", "retrieved": // "the search results"
			return false
		case "report", "summary", "data", "knowledge", "results":
			return true
		}
		w = rest
	}
	return false
}

// isStatedParticiple reports whether s is a participle used to attribute a
// statement, as in "as stated in the passage".
func isStatedParticiple(s []byte) bool {
	return isOneOf(s, "stated", "mentioned", "noted", "described", "outlined", "indicated", "explained", "shown", "specified", "given", "listed", "provided", "written", "seen", "found", "contained")
}

// cutStatesThat cuts a main clause such as "the passage states that" or "it is
// stated in the context that".
func (w words) cutStatesThat() (words, bool) {
	if rest, ok := w.cutPrefix("it is"); ok {
		first, rest := rest.skip(isMannerAdverb).cutWord()
		if !isStatedParticiple(first) {
			return w, false
		}
		if rest, ok = rest.cutAttribution(); !ok {
			return w, false
		}
		return rest.cutPrefix("that")
	}
	if w.namesReport() {
		return w, false
	}
	rest, ok := w.cutSource()
	if !ok {
		return w, false
	}
	verb, rest := rest.skip(isMannerAdverb).cutWord()
	if !isOneOf(verb, "states", "state", "says", "say", "mentions", "mention", "indicates", "indicate", "notes", "note", "explains", "explain", "shows", "show", "reports", "confirms", "confirm", "specifies", "specify",
		"describes", "describe", "stated", "mentioned", "indicated", "noted", "explained") {
		return w, false
	}
	if after, ok := rest.cutPrefix("that"); ok {
		return after, true
	}
	if !isOneOf(verb, "states", "state", "says", "say") {
		return w, false
	}
	first, _ := rest.cutWord()
	return rest, english.IsDeterminer(string(first)) || english.IsSubjectPronoun(string(first))
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
		var buf [2 * maxFrameBytes]byte
		if w := normalize(buf[:0], rest[:min(i, maxFrameBytes)]); w.count() != 1 {
			return "", false
		}
		rest = strings.TrimLeft(rest[i:], " ")
	}
	return rest, true
}
