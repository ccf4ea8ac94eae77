package extract

// isDisclaimer reports whether a sentence speaks of the answer itself and of
// nothing else: "Please note that this response is based on the provided context
// only.", "This is not legal advice." It does if it names the answer and all of
// its words are among those that such sentences are made of: with any other word
// it may assert a fact.
func isDisclaimer(w words) bool {
	const shortest, longest = 4, 40
	if n := w.count(); n < shortest || n > longest || w.hasDigit() || w.contains(func(s []byte) bool { return !isDisclaimerWord(s) && !isAboutAnswer(s) }) {
		return false
	}
	return (w.contains(namesAnswer) || w.contains(namesWriter)) && w.contains(isAboutAnswer)
}

// namesAnswer knows the words for the answer itself, and for what it is not.
func namesAnswer(s []byte) bool {
	switch string(s) {
	case "answer", "answers", "response", "responses", "reply", "summary", "disclaimer", "advice", "assistant":
		return true
	}
	return false
}

// isWriter knows the words for who wrote the answer, and for where it stands.
func namesWriter(s []byte) bool {
	switch string(s) {
	case "i", "ive", "im", "my", "we", "our", "above", "this":
		return true
	}
	return false
}

// isGrammar knows the words that disclaimers share with every sentence, and those
// for the answer itself.
func isDisclaimerWord(s []byte) bool {
	if namesAnswer(s) || namesWriter(s) {
		return true
	}
	switch string(s) {
	case "a", "about", "all", "also", "always", "am", "an", "and", "any", "are", "as", "at", "be", "been", "before", "but", "by", "can", "cannot", "could",
		"do", "does", "dont", "for", "from", "has", "have", "however", "if", "in", "is", "it", "its", "just", "may", "me", "might", "must", "no", "not",
		"of", "on", "or", "other", "out", "should", "so", "that", "the", "therefore", "these", "those", "through", "to", "up", "us", "was", "were", "what",
		"which", "will", "with", "would", "you", "your", ";":
		return true
	}
	return false
}

// isAboutAnswer knows the words for where an answer comes from and what it is
// worth.
func isAboutAnswer(s []byte) bool {
	switch string(s) {
	case "below", "context", "contexts", "passage", "passages", "document", "documents", "text", "texts", "source", "sources", "excerpt", "excerpts",
		"material", "materials", "data", "snippet", "snippets", "article", "articles", "knowledge", "information", "info", "content", "contents", "details", "results",
		"search", "reference", "references", "provided", "given", "supplied", "available", "retrieved", "shared", "attached", "cited", "listed", "come", "comes", "came", "included", "contained", "found",
		"based", "derived", "drawn", "taken", "generated", "written", "produced", "created", "compiled", "using", "used", "uses", "relies", "limited", "according",
		"only", "solely", "purely", "strictly", "entirely", "exclusively", "directly", "outside", "external", "beyond", "additional", "prior", "own":
		return true
	case "please", "note", "kindly", "important", "keep", "mind", "aware", "remember", "ai", "artificial", "intelligence", "language", "model", "automatically",
		"complete", "incomplete", "comprehensive", "accurate", "inaccurate", "accuracy", "error", "errors", "mistakes", "contain", "contains", "include", "reflect", "reflects",
		"latest", "recent", "current", "updated", "update", "date", "outdated", "change", "verify", "verified", "check", "confirm", "consult", "refer", "official",
		"professional", "professionals", "expert", "experts", "qualified", "doctor", "lawyer", "advisor", "legal", "medical", "financial", "tax", "constitute", "constitutes",
		"considered", "intended", "meant", "purposes", "informational", "educational", "general", "guarantee", "guaranteed", "recommend", "recommended", "making", "make",
		"decisions", "decision", "rely", "further", "full":
		return true
	}
	return false
}
