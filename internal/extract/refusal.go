package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/segment"
)

// isRefusal reports whether a sentence, whose words without its opening phrase are w,
// declines to answer and asserts nothing else. It reports false for "The context does not
// mention X, but Y was born in 1970" and for "I'm not sure, it was in 1970".
func isRefusal(text string, w words) bool {
	if startsWithQuote(text) || !w.refuses() {
		return false
	}
	for _, part := range strings.Split(text, ",")[1:] {
		clause := normalize(part)
		first, _ := clause.cutWord()
		clause = clause.trimOpening()
		subject, _ := clause.cutWord() // as in "so there is none", but not in "so you have to ask"
		relative := isOneOf(first, "which", "who", "whose", "where") && !clause.containsAny("i", "you", "answer", "question", "means", "needed", "necessary", "required")
		asserts := relative || english.IsPronoun(first) || english.IsPronoun(subject) && !isOneOf(subject, "you", "we")
		if asserts && !clause.refuses() {
			return false
		}
	}
	return true
}

// refuses reports whether w, a sentence or clause without its opening phrase,
// declines to answer and asserts nothing else.
func (w words) refuses() bool {
	rest, form := w.cutRefusal()
	return form != notRefused && rest.assertsNothing()
}

// A refusalForm is the way in which a sentence declines to answer.
type refusalForm uint8

const (
	notRefused     refusalForm = iota
	silentContexts             // "the context does not mention"; the topic follows
	declinedFirst              // "I don't know", "I cannot find in the context"; the topic may follow
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
		return rest, declinedFirst
	}
	if w.endsNotMentioned() {
		return "", notMentioned
	}
	return w, notRefused
}

// assertsNothing reports whether w, the text after a refusal, has no further clause, or
// only one that declines as well or offers help.
func (w words) assertsNothing() bool {
	for rest := range w.suffixes() {
		first, clause := rest.cutWord()
		subject, _ := clause.cutWord()
		switch first {
		case "but", "however", "although", "though", "yet", "while", "whereas", "because", "since", ";", "instead", "rather", "except", "only":
		case "and":
			if !english.IsPronoun(subject) {
				continue
			}
		default:
			continue
		}
		if _, ok := clause.cutPhrase(closing); ok && !clause.hasDigit() {
			return true
		}
		return clause.trimOpening().refuses()
	}
	return true
}

// Refusals that name the contexts or the information that is lacking.
//
//nolint:gochecknoglobals // never changed
var (
	silence = either(silentSource, silentDocument, noMention)
	// silentSource is "the context does not mention", "none of the documents mention", "the
	// text says nothing about".
	silentSource = either(
		sequence(anySource, either(sequence(negation, manner, mentions), sequence(manner, saysNothing))),
		sequence(oneOf("none", "neither"), anySource, manner, mentions))
	mentions = oneOf("provide", "mention", "contain", "include", "specify", "state", "say", "give", "offer", "indicate", "discuss", "address",
		"have", "name", "define", "note", "report", "explain", "describe", "answer", "tell", "reveal", "disclose", "clarify", "list", "cover", "detail", "identify")
	negation    = sequence(manner, oneOf("doesnt", "dont", "didnt", "does not", "do not", "did not"))
	saysNothing = either(
		sequence(oneOf("say", "says", "state", "states"), oneOf("nothing"), about),
		sequence(oneOf("give", "gives", "contain", "contains", "provide", "provides", "include", "includes", "make", "makes", "offer", "offers", "mention", "mentions", "specify", "specifies"), oneOf("no", "nothing"), about),
		sequence(oneOf("is silent", "are silent", "remain silent", "remains silent"), about))
	about = many(oneOf("about", "on", "regarding", "concerning", "as", "to"))

	// silentDocument is "the employee handbook does not mention" or "the guide does not say
	// what", whose verb implies that the subject is a document, but not "the police report
	// does not mention a weapon".
	silentDocument = sequence(oneOf("the", "this", "these"), either(isSilent, sequence(anyWord, isSilent)))
	isSilent       = either(
		sequence(oneOf(slices.Concat(documentNouns, contextNouns)...), negation, manner, oneOf("mention", "specify")),
		sequence(anyWord, negation, manner, oneOf("say", "state", "indicate", "explain", "disclose"), beforeTopic))

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

// redirects reports whether a sentence, which follows a refusal, only says where else the reader may ask or look: any other word, but
// a name, may assert something, and an address is a claim.
func redirects(text string, w words) bool {
	if w.hasDigit() || strings.ContainsAny(text, "@/") || startsWithQuote(text) || !w.contains(isRedirection) || !w.contains(isAddressee) ||
		w.containsAny("not", "no", "dont", "cannot", "without") {
		return false
	}
	for i, field := range strings.Fields(text) {
		word := string(normalize(field))
		known := isRedirection(word) || isAddressee(word) || isDisclaimerWord(word) || isAboutAnswer(word) || isOneOf(word, "", "id", "suggest", "advise", "try",
			"get", "want", "able", "happy", "best", "more", "assistance", "relevant", "appropriate", "customer", "company", "companys")
		if !known && (i == 0 || !english.StartsUpper(field)) {
			return false
		}
	}
	return true
}

// isRedirection reports whether s says to ask somebody or to look elsewhere.
func isRedirection(s string) bool {
	return isOneOf(s, "contact", "contacting", "reach", "reaching", "check", "checking", "consult", "consulting", "refer", "referring", "visit", "visiting",
		"ask", "asking", "rephrase", "rephrasing", "touch", "speak", "speaking", "help", "assist")
}

// isAddressee reports whether s is who or what a reader may ask.
func isAddressee(s string) bool {
	return isOneOf(s, "support", "team", "staff", "helpdesk", "website", "site", "page", "documentation", "docs", "manual", "source", "sources", "department",
		"office", "service", "provider", "professional", "expert", "experts", "specialist", "representative", "administrator", "manufacturer", "question", "query", "us")
}

// beforeTopic reports whether w starts with a question word or a preposition.
func beforeTopic(w words) (words, bool) {
	next, _ := w.cutWord()
	return w, next == "whether" || english.IsQuestionWord(next) || english.IsPreposition(next)
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

// endsNotMentioned reports whether w is a single clause that ends in "is not mentioned in
// the provided context" or, after a short subject, in "is not mentioned".
func (w words) endsNotMentioned() bool {
	const maxSubject = 6
	if !strings.Contains(string(w), "not ") && !strings.Contains(string(w), "nt ") {
		return false
	}
	subject, before := 0, "" // words before the verb, and the last of them
	for suffix := range w.suffixes() {
		first, rest := suffix.cutWord()
		switch first {
		case "not", "isnt", "arent", "wasnt", "werent":
			rest, _ = manner(rest)
			if rest, ok := oneOf("mentioned", "specified", "stated", "provided", "given", "included", "discussed", "found", "available", "addressed", "described", "indicated", "disclosed")(rest); ok {
				after, attributed := attribution(rest)
				present := isOneOf(first, "isnt", "arent") || isOneOf(before, "is", "are")
				return len(after) == 0 && (attributed || present && subject <= maxSubject+1 && isOneOf(w.last(), "mentioned", "specified", "stated"))
			}
		case "but", "however", "although", "though", "while", "whereas", ";", "because", "that", "who", "which", "and", "if", "when", "unless":
			return false
		}
		subject, before = subject+1, first
	}
	return false
}

// splitRefusals splits each sentence that joins a refusal and a statement by a comma, such
// as "While the documents do not mention the CEO, the fee is $5."
func (d *document) splitRefusals() {
	spans := make([]segment.Span, 0, len(d.spans))
	for i, s := range d.spans {
		comma, refusal := halfRefusal(d.sentence(i))
		if comma == 0 {
			spans = append(spans, s)
			continue
		}
		halves := [2]segment.Span{{Start: s.Start, End: s.Start + comma + 1}, {Start: s.Start + comma + len(", "), End: s.End}}
		if d.declining == nil {
			d.declining = make(map[int]bool)
		}
		d.declining[halves[refusal].Start] = true
		spans = append(spans, halves[:]...)
	}
	d.spans = spans
}

// halfRefusal returns the offset of the comma between a refusal and a statement, and
// whether the refusal is the first (0) or the second (1) of the two. The offset is 0 if
// text is not such a sentence.
func halfRefusal(text string) (comma, refusal int) {
	comma = strings.Index(text, ", ")
	negated := strings.Contains(text, "not ") || strings.Contains(text, "n't ") || strings.Contains(text, "n’t ") || strings.Contains(text, " no")
	if comma < 0 || !negated || len(text) > maxSentenceBytes || startsWithQuote(text) || isRefusal(text, normalize(text).trimOpening()) {
		return 0, 0
	}
	left, right := text[:comma], text[comma+len(", "):]
	before, after := normalize(left), normalize(right)
	conjunction, statement := after.cutWord()
	joined := isOneOf(conjunction, "but", "however", "although", "though", "while", "whereas", "and")
	opened := before.trimConcession()
	subject := conjunction
	if joined {
		subject, _ = statement.cutWord()
	}
	switch {
	case opened.refuses():
		concedes := isOneOf(conjunction, "but", "however") || !joined && len(opened) < len(before.trimOpening())
		if concedes && !english.IsPronoun(subject) && !after.trimOpening().refuses() && isClause(right) {
			return comma, 0
		}
	case joined && after.trimConcession().refuses() && strings.IndexByte(right, ',') < 0 && isClause(left):
		return comma, 1
	}
	return 0, 0
}

// trimConcession cuts opening phrases and a conjunction such as "while".
func (w words) trimConcession() words {
	rest, _ := w.trimOpening().cutAnyPrefix("while", "although", "though", "even though", "whereas")
	return rest.trimOpening()
}
