package extract

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// Phrases that refer to the contexts. A report or data may also be what the contexts are about.
//
//nolint:gochecknoglobals // never changed
var (
	contextNouns = []string{
		"context", "contexts", "passage", "passages", "document", "documents", "text", "texts", "article", "articles", "source", "sources", "excerpt", "excerpts", "information",
		"material", "materials", "snippet", "snippets", "content", "paragraph", "paragraphs", "references", "documentation", "docs", "file", "files", "chunk", "chunks", "evidence",
	}
	reportNouns   = []string{"report", "summary", "data", "knowledge", "results"}
	documentNouns = []string{"handbook", "manual", "guide", "guidelines", "policy", "page", "website", "webpage", "faq", "faqs", "brochure", "leaflet", "booklet"}

	// anySource is "the provided context", "passage 3", "any of the given documents".
	anySource = either(contextSource, sequence(sourceAdjectives, oneOf(reportNouns...), afterSource))
	// contextSource is a source that is no report: "the passages", "the search results".
	contextSource = either(
		sequence(sourceAdjectives, oneOf(contextNouns...), afterSource),
		sequence(many(oneOf("the", "these", "your", "provided", "given")), oneOf("search", "retrieved"), oneOf(reportNouns...), afterSource))
	sourceAdjectives = many(oneOf("the", "these", "this", "those", "your", "our", "any", "all", "none", "neither", "of", "both", "provided", "given", "available",
		"retrieved", "above", "following", "supplied", "current", "present", "existing", "relevant", "cited", "reference", "listed",
		"search", "first", "second", "third", "fourth", "fifth", "last", "original", "limited", "specific", "my"))
	afterSource = many(oneOf("provided", "given", "above", "available", "i", "have", "you", "youve", "base", "itself", "themselves", "supplied", "shared", "material", "materials", "gave", "me", "we", "were", "was", "to", "us",
		"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"))

	// attribution is "based on the provided passages".
	attribution = sequence(attributing, anySource)
	attributing = either(oneOf("from", "in", "within", "given", "per", "using", "by", "with"),
		sequence(oneOf("based", "according", "as"), many(oneOf("on", "to", "per", "only", "solely", "purely"))))

	// participle is used to attribute a statement, as in "as stated in the passage".
	participle = oneOf("stated", "mentioned", "noted", "described", "outlined", "indicated", "explained", "shown", "specified", "given", "listed", "provided", "written", "seen", "found", "contained")
	// manner adverbs may precede a verb such as "states".
	manner = many(oneOf("explicitly", "specifically", "directly", "clearly", "actually", "seem", "appear", "to", "also", "currently", "even", "really", "further"))
)

// maxFrameBytes limits the search for a frame at either end of a claim. A frame
// is a phrase that attributes a statement to its source.
const maxFrameBytes = 120

// trimFrames cuts frames from both ends of text, such as "According to the documents," and "The
// passage states that". It reports false if there are none.
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
	if !framed || !HasWords(rest) {
		return text, false
	}
	return english.Capitalize(rest), true
}

// trimLeadingFrame cuts one frame from the start of text.
func trimLeadingFrame(text string) (string, bool) {
	window := text[:min(len(text), maxFrameBytes)]
	w := normalize(window)
	rest, ok := sourceFrame(w)
	if ok {
		if n := strings.IndexByte(window, ','); n >= 0 {
			if rest, ok := sourceFrame(normalize(window[:n])); ok && len(rest) == 0 {
				return strings.TrimLeft(text[n+1:], " "), true
			}
		}
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
	n = max(n, strings.LastIndex(text[from:], " according to "))
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

// Frames attribute a statement to the contexts.
//
//nolint:gochecknoglobals // never changed
var (
	// sourceFrame is "according to the documents", "as stated in passage 2", "based on the
	// information provided in the context". A document can be named by its type, as in "per
	// the handbook", but not "per the 2023 handbook", which may be one of several.
	sourceFrame = either(
		sequence(either(oneOf("per", "according to", "based on"), sequence(oneOf("as"), participle, anyWord)), oneOf("the", "this", "your"), oneOf(documentNouns...)),
		sequence(oneOf("as"), participle, attributing, contextSource, many(furtherFrame)),
		sequence(attributing, contextSource, many(furtherFrame)))
	furtherFrame = either(sequence(participle, attributing, contextSource), sequence(attributing, contextSource))

	// statesThat is "the passage states that", "it is stated in the context that".
	statesThat = either(
		sequence(oneOf("it is"), manner, participle, attribution, oneOf("that")),
		sequence(contextSource, manner, oneOf("states", "state", "says", "say", "mentions", "mention", "indicates", "indicate", "notes", "note", "explains", "explain", "shows", "show", "reports", "confirms", "confirm", "specifies", "specify",
			"describes", "describe", "stated", "mentioned", "indicated", "noted", "explained"), oneOf("that")),
		sequence(contextSource, manner, oneOf("states", "state", "says", "say"), beforeSubject))
)

// beforeSubject reports whether w starts with a determiner or a pronoun.
func beforeSubject(w words) (words, bool) {
	first, _ := w.cutWord()
	return w, english.IsDeterminer(first) || english.IsSubjectPronoun(first)
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

// trimOpening cuts opening phrases without content: "Unfortunately,", "Sure,",
// "Based on the provided passages,".
func (w words) trimOpening() words {
	for range 4 {
		rest, ok := w.cutPhrase(opening)
		if !ok {
			if rest, ok = attribution(w); !ok {
				break
			}
		}
		w = rest
	}
	return w
}
