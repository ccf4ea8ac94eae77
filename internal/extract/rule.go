package extract

import "github.com/ragfaith/ragfaith/internal/extract/english"

// A rule cuts a phrase from the start of a sentence. It reports false if the sentence does
// not start with such a phrase.
type rule func(words) (rest words, ok bool)

// oneOf returns the rule for any of the given phrases.
func oneOf(phrases ...string) rule {
	return func(w words) (words, bool) { return w.cutAnyPrefix(phrases...) }
}

// sequence returns the rule for phrases that follow each other.
func sequence(rules ...rule) rule {
	return func(w words) (words, bool) {
		rest := w
		for _, r := range rules {
			after, ok := r(rest)
			if !ok {
				return w, false
			}
			rest = after
		}
		return rest, true
	}
}

// either returns the first of the rules that a sentence satisfies.
func either(rules ...rule) rule {
	return func(w words) (words, bool) {
		for _, r := range rules {
			if rest, ok := r(w); ok {
				return rest, true
			}
		}
		return w, false
	}
}

// many returns the rule for any number of phrases, including none.
func many(phrase rule) rule {
	return func(w words) (words, bool) {
		for len(w) > 0 {
			rest, ok := phrase(w)
			if !ok {
				break
			}
			w = rest
		}
		return w, true
	}
}

// within returns the rule for up to n words that end in one of the given ones.
func within(n int, list ...string) rule {
	return func(w words) (words, bool) {
		rest := w
		for range n {
			var first string
			if first, rest = rest.cutWord(); isOneOf(first, list...) {
				return rest, true
			}
		}
		return w, false
	}
}

// anyWord cuts one word.
func anyWord(w words) (words, bool) {
	_, rest := w.cutWord()
	return rest, len(w) > 0
}

// The rules below are phrases that refer to the contexts. Those about reports and data may
// refer to what the contexts are about.
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
