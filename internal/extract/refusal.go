package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// isRefusal reports whether a sentence declines to answer and asserts nothing
// else. It reports false for "The context does not mention X, but Y was born in
// 1970" and for "I'm not sure, it was in 1970".
func isRefusal(text string, w words) bool {
	if before, said, ok := strings.Cut(text, ": "); ok && startsWithQuote(said) { // not: The text says: "No pets."
		w = normalize(before).trimOpening()
	}
	if startsWithQuote(text) {
		return false
	}
	if !w.refuses(3) { // "The passage states that the fee is not mentioned."
		rest, ok := trimLeadingFrame(text)
		if text = rest; !ok || !normalize(text).trimOpening().refuses(3) {
			return false
		}
	}
	for {
		n := strings.IndexByte(text, ',')
		if n < 0 {
			return true
		}
		text = text[n+1:]
		part := normalize(text)
		first, _ := part.cutWord()
		part = part.trimOpening()
		subject, _ := part.cutWord() // as in "so there is none", but not in "so you have to ask"
		asserts := english.IsPronoun(first) || english.IsPronoun(subject) && !isOneOf(subject, "you", "we")
		if asserts && !part.refuses(1) && (subject != "there" || !part.contains(isAnsweringWord)) {
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
	notRefused     refusalForm = iota
	silentContexts             // "the context does not mention"; the topic follows
	declinedFirst              // "I don't know", "I cannot find in the context"; the topic may follow
	lackOfAnswer               // "I do not have enough information"
	notMentioned               // "… is not mentioned in the context"; the topic precedes
)

// cutRefusal cuts the phrase with which w, a sentence without its opening phrase, declines
// to answer.
func (w words) cutRefusal() (rest words, form refusalForm) {
	if rest, ok := silence(w); ok {
		return rest, silentContexts
	}
	if rest, ok := w.cutPhrase(declining); ok {
		return rest, declinedFirst
	}
	if rest, ok := lackOfInformation(w); ok {
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
		switch first {
		case "and":
			subject, _ := rest.cutWord()
			if !english.IsPronoun(subject) {
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

// Refusals that name the contexts or the information that is lacking.
//
//nolint:gochecknoglobals // never changed
var (
	silence = either(silentSource, silentDocument, noMention)
	// silentSource is "the context does not mention".
	silentSource = either(
		sequence(anySource, saysNothing),
		sequence(oneOf("none", "neither"), anySource, manner, mentions),
		sequence(anySource, negation, manner, mentions))
	mentions = oneOf("provide", "mention", "contain", "include", "specify", "state", "say", "give", "offer", "indicate", "discuss", "address",
		"have", "name", "define", "note", "report", "explain", "describe", "answer", "tell", "reveal", "disclose", "clarify", "list", "cover", "detail", "identify",
		"mentions", "contains", "provides", "includes", "provided", "mentioned", "contained")
	negation = sequence(manner, oneOf("doesnt", "dont", "didnt", "does not", "do not", "did not"))
	// saysNothing follows a source: "says nothing about", "give no", "are silent on".
	saysNothing = sequence(manner, either(
		sequence(oneOf("say", "says", "state", "states"), either(oneOf("nothing"), sequence(oneOf("no"), notClause)), about),
		sequence(oneOf("give", "gives", "contain", "contains", "provide", "provides", "include", "includes", "make", "makes", "offer", "offers", "mention", "mentions", "specify", "specifies"), oneOf("no", "nothing"), about),
		sequence(oneOf("is silent", "are silent", "remain silent", "remains silent"), about),
		oneOf("leave open", "leaves open", "leave unclear", "leaves unclear")))
	about = many(oneOf("about", "on", "regarding", "concerning", "as", "to"))

	// silentDocument is "the guide does not say", whose verb implies that the subject is a
	// document. Its name has one or two words.
	silentDocument   = sequence(oneOf("the", "this", "these"), either(documentIsSilent, sequence(anyWord, documentIsSilent), sequence(anyWord, saysNotWhat), sequence(anyWord, anyWord, saysNotWhat)))
	documentIsSilent = sequence(oneOf(slices.Concat(documentNouns, contextNouns)...), negation, manner, oneOf("mention", "specify")) // not "the police report does not mention a weapon"
	saysNotWhat      = sequence(negation, manner, oneOf("say", "state", "indicate", "explain", "disclose"), beforeTopic)

	// noMention is "there is no mention of" in a sentence that refers to the contexts.
	// Without such a reference, the sentence would be a statement about the world.
	noMention = sequence(
		oneOf("there is no", "there are no", "there was no", "there is not any", "there isnt any", "no", "there is nothing", "theres no", "theres nothing"),
		within(4, "mention", "mentions", "information", "info", "details", "detail", "reference", "references", "answer", "data"),
		namesSource)

	// lackOfInformation is "I do not have enough information".
	lackOfInformation = sequence(oneOf("i"), negation, manner, oneOf("have"),
		within(5, "information", "info", "data", "access", "details", "knowledge", "context", "answer", "evidence", "ability", "capability"))
)

// beforeTopic reports whether w starts with a question word or a preposition.
func beforeTopic(w words) (words, bool) {
	first, _ := w.cutWord()
	next := first
	return w, next == "whether" || english.IsQuestionWord(next) || english.IsPreposition(next)
}

// notClause reports whether w is not a clause with a subject of at most four words, as in
// "the document says no pets are allowed".
func notClause(w words) (words, bool) {
	rest := w
	for range 5 {
		first, after := rest.cutWord()
		switch word := first; {
		case english.IsAuxiliary(word):
			return w, false
		case english.IsPreposition(word), english.IsQuestionWord(word), word == "that":
			return w, true
		}
		rest = after
	}
	return w, true
}

// namesSource reports whether w refers to the contexts.
func namesSource(w words) (words, bool) {
	for rest := range w.suffixes() {
		if first, _ := rest.cutWord(); isOneOf(first, "the", "provided", "given", "these", "this", "any", "available") {
			if _, ok := anySource(rest); ok {
				return w, true
			}
		}
	}
	return w, false
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
		if english.IsAuxiliary(first) && !present || isOneOf(first, "if", "when", "unless") {
			subject += maxSubject // "The mayor was arrested; the reason is not mentioned."
		}
		switch first {
		case "isnt", "arent", "wasnt", "werent", "not":
		case "but", "however", "although", "though", "while", "whereas", ";", "because", "that", "who", "which", "and":
			return w, false
		default:
			continue
		}
		rest, _ = manner(rest)
		verb, rest := rest.cutWord()
		if !isOneOf(verb, "mentioned", "specified", "stated", "provided", "given", "included", "discussed", "found", "available", "addressed", "described", "indicated", "disclosed") {
			continue
		}
		if after, ok := attribution(rest); ok {
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
func isAnsweringWord(s string) bool {
	return isOneOf(s, "answer", "question", "determine", "help", "assist", "clarify", "unclear", "asked", "requested", "needed", "information", "details",
		"context", "passage", "passages", "document", "documents", "text", "provided", "mentioned")
}
