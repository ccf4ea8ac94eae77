package extract

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// isRefusal reports whether a sentence declines to answer and asserts nothing
// else. It reports false for "The context does not mention X, but Y was born in
// 1970" and for "I'm not sure, it was in 1970".
func isRefusal(text string, w words) bool {
	if before, said, ok := strings.Cut(text, ": "); ok && startsWithQuote(said) { // not: The text says: "No pets."
		w = normalize(nil, before).trimOpening()
	}
	if startsWithQuote(text) {
		return false
	}
	if !w.refuses(3) { // "The passage states that the fee is not mentioned."
		rest, ok := trimLeadingFrame(text)
		if text = rest; !ok || !normalize(nil, text).trimOpening().refuses(3) {
			return false
		}
	}
	var buf [2 * maxSentenceBytes]byte
	for {
		n := strings.IndexByte(text, ',')
		if n < 0 {
			return true
		}
		text = text[n+1:]
		part := normalize(buf[:0], text)
		first, _ := part.cutWord()
		part = part.trimOpening()
		subject, _ := part.cutWord() // as in "so there is none", but not in "so you have to ask"
		asserts := english.IsPronoun(string(first)) || english.IsPronoun(string(subject)) && !isOneOf(subject, "you", "we")
		if asserts && !part.refuses(1) && (string(subject) != "there" || !part.contains(isAnsweringWord)) {
			return false
		}
	}
}

// refuses reports whether w, a sentence or clause without its opening phrase,
// declines to answer and asserts nothing else. depth limits the recursion into
// further clauses.
func (w words) refuses(depth int) bool {
	rest, form := w.cutRefusal()
	return form != notRefused && rest.assertsNothing(depth)
}

// A refusalForm is the way in which a sentence declines to answer.
type refusalForm uint8

const (
	notRefused    refusalForm = iota
	silentSource              // "the context does not mention"; the topic follows
	declinedFirst             // "I don't know", "I cannot find in the context"; the topic may follow
	lackOfAnswer              // "I do not have enough information"
	notMentioned              // "… is not mentioned in the context"; the topic precedes
)

// cutRefusal cuts the phrase with which w, a sentence without its opening phrase, declines
// to answer.
func (w words) cutRefusal() (rest words, form refusalForm) {
	for _, cut := range [...]func(words) (words, bool){words.cutSilentSource, words.cutSilentDocument, words.cutNoMention} {
		if rest, ok := cut(w); ok {
			return rest, silentSource
		}
	}
	if rest, ok := w.cutPhrase(declining); ok {
		return rest, declinedFirst
	}
	if rest, ok := w.cutLackOfInformation(); ok {
		return rest, lackOfAnswer
	}
	if rest, ok := w.cutNotMentioned(); ok {
		return rest, notMentioned
	}
	return w, notRefused
}

// assertsNothing reports whether w, the text after a refusal, contains no
// assertion.
func (w words) assertsNothing(depth int) bool {
	for len(w) > 0 {
		first, rest := w.cutWord()
		w = rest
		switch string(first) {
		case "and":
			subject, _ := rest.cutWord()
			if !english.IsPronoun(string(subject)) {
				continue
			}
		case "but", "however", "although", "though", "yet", "while", "whereas", "because", "since", ";", "instead", "rather", "except", "only":
		default:
			continue
		}
		if depth == 0 {
			return false
		}
		if rest.count() <= 2 {
			return true
		}
		if _, ok := rest.cutPhrase(closing); ok && !rest.hasDigit() {
			return true
		}
		return rest.trimOpening().refuses(depth - 1)
	}
	return true
}

// cutAttribution cuts a phrase such as "based on the provided passages".
func (w words) cutAttribution() (words, bool) {
	first, rest := w.cutWord()
	switch string(first) {
	case "from", "in", "within", "given", "per", "using", "by", "with":
	case "based", "according", "as":
		rest = rest.skip(func(s []byte) bool { return isOneOf(s, "on", "to", "per", "only", "solely", "purely") })
	default:
		return w, false
	}
	if after, ok := rest.cutSource(); ok {
		return after, true
	}
	return w, false
}

// cutSource cuts a phrase that refers to the contexts: "the provided context",
// "passage 3", "any of the given documents".
func (w words) cutSource() (words, bool) {
	rest := w.skip(func(s []byte) bool {
		return isOneOf(s, "the", "these", "this", "those", "your", "our", "any", "all", "all of", "none", "neither", "of", "both", "provided", "given", "available",
			"retrieved", "above", "following", "supplied", "current", "present", "existing", "relevant", "cited", "reference", "listed",
			"search", "first", "second", "third", "fourth", "fifth", "last", "original", "limited", "specific", "my")
	})
	first, after := rest.cutWord()
	if !isSourceNoun(first) {
		return w, false
	}
	return after.skip(func(s []byte) bool {
		return isOneOf(s, "provided", "given", "above", "available", "i", "have", "you", "youve", "base", "itself", "themselves", "supplied", "shared", "material", "materials", "gave", "me", "we", "were", "was", "to", "us",
			"1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
	}), true
}

// isSourceNoun reports whether s is a noun that refers to the contexts.
func isSourceNoun(s []byte) bool {
	return isOneOf(s, "context", "contexts", "passage", "passages", "document", "documents", "text", "texts", "article", "articles",
		"source", "sources", "excerpt", "excerpts", "information", "material", "materials", "data", "snippet", "snippets",
		"results", "content", "knowledge", "paragraph", "paragraphs", "references", "report", "summary", "documentation", "docs", "file", "files", "chunk", "chunks", "evidence")
}

// cutSilentSource cuts a phrase such as "the context does not mention".
func (w words) cutSilentSource() (words, bool) {
	rest, ok := w.cutSource()
	if !ok {
		return w, false
	}
	if after, ok := rest.cutSaysNothing(); ok {
		return after, true
	}
	if first, _ := w.cutWord(); string(first) != "none" && string(first) != "neither" {
		if rest, ok = rest.cutNegation(); !ok {
			return w, false
		}
	}
	verb, rest := rest.skip(isMannerAdverb).cutWord()
	return rest, isOneOf(verb, "provide", "mention", "contain", "include", "specify", "state", "say", "give", "offer", "indicate", "discuss", "address",
		"have", "name", "define", "note", "report", "explain", "describe", "answer", "tell", "reveal", "disclose", "clarify", "list", "cover", "detail", "identify",
		"mentions", "contains", "provides", "includes", "provided", "mentioned", "contained")
}

// cutSaysNothing cuts a predicate such as "says nothing about", "give no" or
// "are silent on", which follows a source.
func (w words) cutSaysNothing() (words, bool) {
	verb, rest := w.skip(isMannerAdverb).cutWord()
	switch string(verb) {
	case "say", "says", "give", "gives", "contain", "contains", "provide", "provides", "include", "includes", "make", "makes", "offer", "offers", "mention", "mentions", "state", "states", "specify", "specifies":
		first, rest := rest.cutWord()
		if string(first) == "no" && isOneOf(verb, "say", "says", "state", "states") && rest.startsClause() {
			return w, false // "the document says no pets are allowed"
		}
		return rest.skip(isAboutWord), string(first) == "no" || string(first) == "nothing"
	case "is", "are", "remain", "remains":
		first, rest := rest.cutWord()
		return rest.skip(isAboutWord), string(first) == "silent"
	case "leave", "leaves":
		first, rest := rest.cutWord()
		return rest, string(first) == "open" || string(first) == "unclear"
	}
	return w, false
}

// startsClause reports whether an auxiliary follows a noun phrase of at most
// four words.
func (w words) startsClause() bool {
	for range 5 {
		first, rest := w.cutWord()
		switch word := string(first); {
		case english.IsAuxiliary(word):
			return true
		case english.IsPreposition(word), english.IsQuestionWord(word), word == "that":
			return false
		}
		w = rest
	}
	return false
}

func isAboutWord(s []byte) bool {
	return isOneOf(s, "about", "on", "regarding", "concerning", "as", "to")
}

// cutNegation cuts a negation such as "does not" or "don't".
func (w words) cutNegation() (words, bool) {
	w = w.skip(isMannerAdverb)
	first, rest := w.cutWord()
	switch string(first) {
	case "doesnt", "dont", "didnt":
		return rest, true
	case "does", "do", "did":
		not, rest := rest.cutWord()
		return rest, string(not) == "not"
	}
	return w, false
}

// isMannerAdverb reports whether s can occur between a negation and its verb.
func isMannerAdverb(s []byte) bool {
	return isOneOf(s, "explicitly", "specifically", "directly", "clearly", "actually", "seem", "appear", "to", "also", "currently", "even", "really", "further")
}

// cutLackOfInformation cuts a phrase such as "I do not have enough
// information".
func (w words) cutLackOfInformation() (words, bool) {
	rest, ok := w.cutPrefix("i")
	if !ok {
		return w, false
	}
	if rest, ok = rest.cutNegation(); !ok {
		return w, false
	}
	if rest, ok = rest.skip(isMannerAdverb).cutPrefix("have"); !ok {
		return w, false
	}
	return rest.cutThrough(5, "information", "info", "data", "access", "details", "knowledge", "context", "answer", "evidence", "ability", "capability")
}

// cutNoMention cuts a phrase such as "there is no mention of" from a sentence
// that refers to the contexts. Without such a reference, the sentence would be
// a statement about the world.
func (w words) cutNoMention() (words, bool) {
	rest, ok := w.cutAnyPrefix("there is no", "there are no", "there was no", "there is not any", "there isnt any", "no", "there is nothing", "theres no", "theres nothing")
	if !ok {
		return w, false
	}
	rest, ok = rest.cutThrough(4, "mention", "mentions", "information", "info", "details", "detail", "reference", "references", "answer", "data")
	return rest, ok && rest.namesSource()
}

// namesSource reports whether w refers to the contexts.
func (w words) namesSource() bool {
	for rest := range w.suffixes() {
		if first, _ := rest.cutWord(); isOneOf(first, "the", "provided", "given", "these", "this", "any", "available") {
			if _, ok := rest.cutSource(); ok {
				return true
			}
		}
	}
	return false
}

// cutNotMentioned cuts up to the end of "… is not mentioned in the provided
// context" or "… is not mentioned", which must end a sentence with a single clause.
func (w words) cutNotMentioned() (words, bool) {
	const maxSubject = 6
	subject, present := 0, false // number of words before the verb, and whether that is "is" or "are"
	for suffix := range w.suffixes() {
		first, rest := suffix.cutWord()
		now := (present || isOneOf(first, "isnt", "arent")) && subject <= maxSubject
		if present = isOneOf(first, "is", "are"); !present || now {
			subject++
		}
		if english.IsAuxiliary(string(first)) && !present || isOneOf(first, "if", "when", "unless") {
			subject += maxSubject // "The mayor was arrested; the reason is not mentioned."
		}
		switch string(first) {
		case "isnt", "arent", "wasnt", "werent", "not":
		case "but", "however", "although", "though", "while", "whereas", ";", "because", "that", "who", "which", "and":
			return w, false
		default:
			continue
		}
		verb, rest := rest.skip(isMannerAdverb).cutWord()
		if !isOneOf(verb, "mentioned", "specified", "stated", "provided", "given", "included", "discussed", "found", "available", "addressed", "described", "indicated", "disclosed") {
			continue
		}
		if after, ok := rest.cutAttribution(); ok {
			return after, len(after) == 0
		}
		if now && len(rest) == 0 && isOneOf(verb, "mentioned", "specified", "stated") {
			return rest, true
		}
	}
	return w, false
}

// isAnsweringWord reports whether s is typical of clauses about the answer
// itself, such as "so I cannot answer the question".
func isAnsweringWord(s []byte) bool {
	return isOneOf(s, "answer", "question", "determine", "help", "assist", "clarify", "unclear", "asked", "requested", "needed", "information", "details",
		"context", "passage", "passages", "document", "documents", "text", "provided", "mentioned")
}
