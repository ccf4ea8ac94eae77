package extract

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// An AnswerType is the type of information that would answer a declined topic.
type AnswerType uint8

// Types of information.
const (
	AnyStatement AnswerType = iota // any statement about the topic
	Affirmation                    // yes or no, as for "whether tickets can be returned"
	Amount                         // a number, or "free"
	Cost                           // an amount of money, or "free"
	Time                           // a date, a time of day, a duration
	Person                         // a name
	Value                          // a name or a number, also of a place
)

// Declined describes the topic that, according to a refusal, the contexts do
// not cover.
type Declined struct {
	Type  AnswerType
	Topic string // words from the refusal or the question that an answer must contain
}

// DeclinedBy returns the topic that a refusal declines. If the refusal names no
// topic, the topic is the question. DeclinedBy reports false for refusals that
// do not blame the contexts, such as "I don't know".
func DeclinedBy(refusal, question string) (Declined, bool) {
	if len(refusal) > maxSentenceBytes {
		return Declined{}, false
	}
	f := slices.DeleteFunc(english.Split(stripMarkdown(refusal)), func(w english.Word) bool { return w.Lower == "" })
	w := normalizeWords(f)
	topic, ok := w.trimConcession().declinedTopic()
	if !ok {
		return Declined{}, false
	}
	vague := false
	topic, vague = topic.trimInformation()
	topic = topic.trimSource()
	if topic.refersToQuestion() {
		if vague {
			return Declined{}, false // "The documents do not give exact figures."
		}
		return declinedQuestion(question)
	}
	at := strings.LastIndex(string(w), string(topic))
	first := strings.Count(string(w[:at]), " ")
	d := classifyTopic(f[first : first+topic.count()])
	if vague && d.Type == AnyStatement {
		return Declined{}, false // the contexts may mention the topic
	}
	return d, d.Topic != ""
}

// normalizeWords joins the words of f in normalized form. It preserves the
// number of words.
func normalizeWords(f []english.Word) words {
	var b strings.Builder
	for i, x := range f {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.ReplaceAll(x.Lower, "'", ""))
	}
	return words(b.String())
}

// declinedTopic returns the topic of a refusal, which follows "the documents do
// not mention" or precedes "is not mentioned in the documents".
func (w words) declinedTopic() (words, bool) {
	rest, form := w.cutRefusal()
	switch form {
	case silentContexts:
		return rest, true
	case declinedFirst:
		if after, ok := attribution(rest); ok { // "I cannot find in the context how long"
			return after, true
		}
		if phrase := w[:len(w)-len(rest)]; len(rest) > 0 && reportsSearch(words(strings.TrimSpace(string(phrase))).last()) {
			rest, _ = about(rest)
			return rest, true
		}
		_, blames := namesSource(rest)
		return rest, blames
	case notMentioned:
		for suffix := range w.suffixes() {
			if first, _ := suffix.cutWord(); isOneOf(first, "is", "are", "was", "were", "isnt", "arent", "wasnt", "werent") {
				i := len(w) - len(suffix)
				return w[:max(0, i-1)], i > 0
			}
		}
	case notRefused:
	}
	return w, false
}

// reportsSearch reports whether s ends a phrase that says that something is not in the
// contexts, such as "I could not find", "it is not stated" and "no information about".
func reportsSearch(s string) bool {
	return isOneOf(s, "find", "found", "locate", "mentioned", "specified", "stated", "said", "about", "on", "available", "provided", "given")
}

// trimInformation cuts "any information about" and similar phrases. vague is
// true after words such as "enough" and "specific": the contexts may contain
// some information.
func (w words) trimInformation() (rest words, vague bool) {
	rest, _ = many(oneOf("any", "a", "an", "the", "this", "that", "relevant", "such"))(w)
	exact, _ := many(oneOf("enough", "sufficient", "specific", "exact", "precise", "detailed", "further", "additional", "more", "explicit", "direct", "complete", "full"))(rest)
	vague = len(exact) < len(rest)
	if topic, ok := oneOf("information", "info", "details", "detail", "data", "mention", "mentions", "evidence", "reference", "references", "indication", "answer", "answers", "guidance")(exact); ok {
		topic, _ = aboutTopic(topic)
		return topic, vague
	}
	if vague {
		return exact, true
	}
	return w, false
}

// trimSource cuts a trailing "in the documents".
func (w words) trimSource() words {
	for suffix := range w.suffixes() {
		if rest, ok := attribution(suffix); ok && len(rest) == 0 {
			return w[:max(0, len(w)-len(suffix)-1)]
		}
	}
	return w
}

// refersToQuestion reports whether a topic only refers to the question, as
// "this" and "the answer" do.
func (w words) refersToQuestion() bool {
	rest, _ := wordsForQuestion(w)
	return len(rest) == 0
}

//nolint:gochecknoglobals // never changed
var (
	aboutTopic       = many(oneOf("about", "on", "regarding", "concerning", "of", "to", "for", "as", "related", "determine", "say", "tell", "conclude", "provided", "given", "available"))
	wordsForQuestion = many(oneOf("this", "that", "it", "these", "the", "your", "question", "answer", "to", "what", "you", "asked", "are", "asking", "requested", "such", "a", "an", "for", "about"))
)

// declinedQuestion returns the topic of a question.
func declinedQuestion(question string) (Declined, bool) {
	asked := english.FindQuestion(question)
	if asked == "" {
		return Declined{}, false
	}
	q := parseQuestion(asked)
	if q == nil {
		return Declined{}, false
	}
	if q.Wh == "" {
		return Declined{Affirmation, english.Join(q.Before, q.Subject, q.Rest)}, true
	}
	f := slices.Concat(english.Words(q.Wh), q.Rest, q.Before)
	if q.Wh == "many" || q.Wh == "much" {
		f = slices.Insert(f, 0, english.Words("how")...)
	}
	d := classifyTopic(f)
	return d, d.Topic != "" && d.Type != AnyStatement
}

// classifyTopic classifies a topic, which is a noun phrase or a clause with a
// question word. The result has no topic if the topic is a reason or a manner.
func classifyTopic(f []english.Word) Declined {
	if len(f) > 1 && english.IsPreposition(f[0].Lower) && english.IsQuestionWord(f[1].Lower) {
		f = f[1:]
	}
	if len(f) < 2 {
		return classifyNoun(f)
	}
	first, second, rest := f[0].Lower, f[1].Lower, f[1:]
	cost := slices.IndexFunc(rest, func(w english.Word) bool { // a verb for paying
		return isOneOf(w.Lower, "cost", "costs", "charge", "charges", "charged", "pay", "pays", "paid")
	})
	switch first {
	case "whether", "if", "that":
		return Declined{Affirmation, english.Join(rest)}
	case "when":
		return Declined{Time, english.Join(rest)}
	case "who", "whom", "whose":
		return Declined{Person, english.Join(rest)}
	case "where":
		return Declined{Value, english.Join(rest)}
	case "why":
		return Declined{}
	case "how":
		switch {
		case isOneOf(second, "long", "soon", "often", "old"):
			return Declined{Time, english.Join(rest[1:])}
		case !isOneOf(second, "many", "much", "far", "big", "large", "tall", "high", "wide", "deep", "heavy", "fast", "thick"):
			return Declined{}
		case cost > 0:
			return Declined{Cost, english.Join(rest[1:cost], rest[cost+1:])}
		}
		return Declined{Amount, english.Join(rest[1:])}
	case "what", "which":
		last := len(rest) - 1
		switch {
		case cost > 0:
			return Declined{Cost, english.Join(rest[:cost], rest[cost+1:])}
		case strings.HasPrefix(second, "happen"):
			return Declined{AnyStatement, english.Join(rest[1:])}
		case english.IsTimeNoun(second):
			return Declined{Time, english.Join(rest[1:])}
		case english.IsBe(second):
			return classifyNoun(rest[1:])
		case english.IsBe(rest[last].Lower): // "what the fee is"
			return classifyNoun(rest[:last])
		case english.IsDeterminer(second), english.IsPronoun(second):
			return Declined{AnyStatement, english.Join(rest)}
		}
		return Declined{Value, english.Join(rest)}
	}
	return classifyNoun(f)
}

// classifyNoun classifies a noun phrase by its head noun, such as "date" in
// "the date of the merger". An answer need not repeat a head noun that only
// names the type.
func classifyNoun(f []english.Word) Declined {
	for len(f) > 1 && english.IsDeterminer(f[0].Lower) {
		f = f[1:]
	}
	if len(f) == 0 {
		return Declined{}
	}
	head := len(f) - 1
	if i := slices.IndexFunc(f[1:], func(w english.Word) bool { return english.IsPreposition(w.Lower) }); i >= 0 {
		head = i
	}
	topic := english.Join(f)
	noun := strings.TrimSuffix(f[head].Lower, "s")
	if isOneOf(noun, "price", "cost", "number", "amount", "total", "percentage", "share", "date", "time", "year", "day", "duration", "name", "location", "address", "place") {
		topic = english.Join(f[:head], f[head+1:])
	}
	switch noun {
	case "price", "cost", "fee", "salary", "charge", "fare", "rent":
		return Declined{Cost, topic}
	case "number", "amount", "total", "percentage", "share", "rate", "size", "length", "height", "weight", "distance", "speed", "capacity", "population", "age":
		return Declined{Amount, topic}
	case "date", "time", "year", "day", "duration", "deadline", "hour":
		return Declined{Time, topic}
	case "name", "author", "founder", "owner", "director", "ceo", "president", "chair", "head", "manager":
		return Declined{Person, topic}
	case "location", "address", "place":
		return Declined{Value, topic}
	}
	return Declined{AnyStatement, topic}
}
