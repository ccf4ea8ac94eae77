package extract

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
