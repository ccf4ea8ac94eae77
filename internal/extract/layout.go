package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/segment"
)

// isLeadIn reports whether a sentence only announces the text after it. opened
// is w without its opening phrase.
func isLeadIn(text string, w, opened words, p position) bool {
	last, trimmed := trimClosing(text)
	if strings.HasSuffix(trimmed, "：") {
		last = ':'
		if p.beforeItem && utf8.RuneCountInString(trimmed) <= 12 {
			return true
		}
	}
	rest, announced := opened.cutPhrase(announcing)
	if last != ':' {
		rest, answers := answerNoun(rest) // as in "here is a concise summary of the passage"
		return announced && answers && w.count() <= 14 && !w.hasDigit() && !rest.contains(isCommonVerb)
	}
	switch {
	case announced, opened.pointsToSteps() && !opened.hasDigit():
		return true
	case opened.hasDigit(), w.count() > 30,
		w.containsAny("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "dozen", "hundred",
			"thousand", "million", "not", "no", "never", "none"):
		return false // perhaps an assertion: "won three awards:"
	case opened.pointsForward(), opened.count() == 0: // "Based on the provided passages:"
		return true
	}
	first, _ := opened.cutWord()
	switch first {
	case "to", "when", "if", "for", "how":
		if p.wholeLine && w.count() <= 16 {
			return true
		}
	case "in", "on", "under", "within":
		if p.beforeItem && w.count() <= 8 && !w.contains(isCommonVerb) {
			return true
		}
	}
	if p.beforeCode && w.count() <= 12 && !w.contains(isCommonVerb) {
		return true
	}
	if isOneOf(opened.last(), "as", "like", "including") {
		return w.count() <= 8 // a longer lead-in asserts something
	}
	return opened.count() <= 16 && endsLeadIn(opened.last())
}

//nolint:gochecknoglobals // never changed
var (
	answerNoun = within(5, "answer", "answers", "summary", "list", "steps", "guide", "overview", "breakdown", "example", "examples",
		"response", "explanation", "information", "details", "outline", "table", "rundown", "tips", "points")
	theseSteps = sequence(oneOf("these"), within(3, "steps", "examples", "strategies", "tips", "suggestions", "ways", "instructions", "guidelines", "points",
		"questions", "rules", "methods", "commands", "items", "things", "components", "options", "recommendations"))
)

// pointsForward reports whether w refers to the text after it.
func (w words) pointsForward() bool {
	return w.containsAny("following", "follows", "below", "here", "heres")
}

// pointsToSteps reports whether w contains a phrase such as "these steps" or
// "these general guidelines".
func (w words) pointsToSteps() bool {
	if first, rest := w.cutWord(); first == "these" && rest.count() > 2 {
		return false // the subject of the sentence
	}
	for suffix := range w.suffixes() {
		if _, ok := theseSteps(suffix); ok {
			return true
		}
	}
	return false
}

// endsLeadIn reports whether a colon after s leaves the sentence incomplete.
func endsLeadIn(s string) bool {
	return isOneOf(s, "include", "includes", "included", "are", "is", "was", "were", "be", "by", "to", "in", "of", "on",
		"for", "with", "from", "that", "states", "says", "steps", "example", "examples", "instance", "answer", "summary",
		"mentions", "following", "at", "through", "this", "contains", "involves", "means", "reads", "list",
		"ways", "reasons", "because", "they",
		"sind", "ist", "sont", "est", "sono", "son", "são", "są", "zijn", "är", "folgende", "folgenden", "suivants", "suivantes",
		"siguientes", "seguenti", "seguintes", "volgende", "følgende", "следующие", "являются")
}

func (d document) isHeading(i int, text string, w words, p position) bool {
	last, trimmed := trimClosing(text)
	n := w.count()
	switch {
	case p.underlined && n <= 12:
		return true
	case p.heading:
		return last != '.' || n < 4
	case len(w) > 0 && len(w) <= 2 && isOneOf(strings.Trim(text, "0123456789"), ".", ")") && !p.first && p.wholeLine && !p.listItem:
		return true // number of an empty list item
	case last == ':' && p.beforeItem && (n <= 3 || n <= 6 && isTitleCase(text)) && !w.hasDigit() && !w.contains(isCommonVerb):
		return true
	case !p.wholeLine || n > 8 || w.hasDigit() || w.contains(isCommonVerb):
		return false
	case i == 0 && isSectionTitle(string(w)):
		return true
	case last == ':':
		return n <= 3 || n <= 6 && isTitleCase(text)
	case p.listItem || p.last || endsSentence(trimmed):
		return false
	}
	if i > 0 {
		before, previous := trimClosing(d.sentence(i - 1))
		bold := strings.HasPrefix(text, "**") || strings.HasPrefix(text, "__")
		if before == ':' || !bold && !endsSentence(previous) {
			return false // announced by a lead-in, or one of several lines
		}
		if bold {
			return strings.HasSuffix(text, "**") || strings.HasSuffix(text, "__")
		}
	} else if isBold(text) {
		return true
	}
	if p.beforeItem {
		return true
	}
	if i == 0 {
		return false // "Paris", followed by an explanation
	}
	after := d.sentence(i + 1)
	_, trimmed = trimClosing(after)
	return endsSentence(trimmed) && strings.Count(after, " ") >= 4
}

// isTitleCase reports whether text is bold or capitalizes its long words.
func isTitleCase(text string) bool {
	if strings.HasPrefix(text, "**") {
		return true
	}
	for word := range strings.FieldsSeq(text) {
		if len(word) > 4 && word[0]-'a' < 26 {
			return false
		}
	}
	return true
}

// isBold reports whether text is bold as a whole, like a heading.
func isBold(text string) bool {
	return len(text) > 4 && (strings.HasPrefix(text, "**") && strings.HasSuffix(text, "**") ||
		strings.HasPrefix(text, "__") && strings.HasSuffix(text, "__"))
}

// isSectionTitle reports whether s is a generic section title, such as "overview".
func isSectionTitle(s string) bool {
	return isOneOf(s, "overview", "introduction", "explanation", "note", "background", "references", "sources", "key points") || isAnswerLabel(s)
}

func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?,;。！？।؟۔…", last)
}

// A document is an answer split into sentences. Classifying a sentence can
// require its neighbors and its layout.
type document struct {
	text  string
	spans []segment.Span
	// declining holds the starts of the clauses that decline to answer, split from a sentence.
	declining map[int]bool
}

// A position describes the layout around a sentence.
type position struct {
	first, last     bool
	heading         bool // follows #
	listItem        bool
	indent          int  // indentation of the list item in columns, or -1
	wholeLine       bool // shares no line with other sentences
	beforeItem      bool // precedes a list item
	startsParagraph bool // follows a blank line
	beforeCode      bool // precedes fenced code
	underlined      bool // precedes a line of = or -
}

func (d document) sentence(i int) string { return d.text[d.spans[i].Start:d.spans[i].End] }

// gap returns the text between sentences i-1 and i.
func (d document) gap(i int) string {
	from := 0
	if i > 0 {
		from = d.spans[i-1].End
	}
	return d.text[from:d.spans[i].Start]
}

// linePrefix returns what precedes sentence i on its line, such as a list marker, without
// indentation and block quote markers; their length; and the number of line breaks before it.
func (d document) linePrefix(i int) (prefix string, indent, breaks int) {
	gap := d.gap(i)
	line := gap[strings.LastIndexByte(gap, '\n')+1:]
	prefix = strings.TrimLeft(line, " \t>")
	return prefix, len(line) - len(prefix), strings.Count(gap, "\n")
}

func (d document) position(i int) position {
	before, indent, breaks := d.linePrefix(i)
	p := position{first: i == 0, last: i == len(d.spans)-1, indent: -1}
	startsLine := breaks > 0 || p.first
	p.heading = startsLine && strings.HasPrefix(before, "#")
	if p.listItem = before != "" && !p.heading; p.listItem {
		p.indent = indent
	}
	p.wholeLine = startsLine
	p.startsParagraph = startsLine && !p.listItem && (p.first || breaks > 1)
	if !p.last {
		after, _, breaks := d.linePrefix(i + 1)
		p.wholeLine = startsLine && breaks > 0
		p.beforeItem = after != "" && after[0] != '#'
		next := d.sentence(i + 1)
		p.beforeCode = strings.HasPrefix(next, "```")
		underline := len(next) > 2 && (strings.Trim(next, "=") == "" || strings.Trim(next, "-") == "")
		p.underlined = p.wholeLine && !p.listItem && breaks == 1 && underline
	}
	return p
}
