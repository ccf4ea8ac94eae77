package extract

import (
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/segment"
)

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

// linePrefix returns what precedes sentence i on its line, such as a list marker, without
// indentation and block quote markers; their length; and the number of line breaks before it.
func (d document) linePrefix(i int) (prefix string, indent, breaks int) {
	gap := d.gap(i)
	line := gap[strings.LastIndexByte(gap, '\n')+1:]
	prefix = strings.TrimLeft(line, " \t>")
	return prefix, len(line) - len(prefix), strings.Count(gap, "\n")
}

// gap returns the text between sentences i-1 and i.
func (d document) gap(i int) string {
	from := 0
	if i > 0 {
		from = d.spans[i-1].End
	}
	return d.text[from:d.spans[i].Start]
}

func (d document) sentence(i int) string { return d.text[d.spans[i].Start:d.spans[i].End] }

// HasWords reports whether text contains a letter or a number.
func HasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// trimClosing trims closing quotation marks, brackets and emphasis. It also
// returns the last byte of the trimmed text, or 0 if it is empty.
func trimClosing(text string) (last byte, trimmed string) {
	trimmed = strings.TrimRight(text, "*_)`\"' ")
	if trimmed == "" {
		return 0, ""
	}
	return trimmed[len(trimmed)-1], trimmed
}

// kind classifies sentence i. It returns "" for a claim. refused is set if the sentence before is a refusal.
func (d document) kind(i int, refused bool) Kind {
	text := d.sentence(i)
	switch {
	case strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"):
		if strings.IndexByte(text, '\n') >= 0 || !HasWords(text) || strings.HasPrefix(text, "``` ") && strings.HasSuffix(text, " ```") {
			return Code
		}
	case !HasWords(text):
		return Marks
	case isReference(text):
		return Reference
	case d.isIndentedCode(i):
		return Code
	}
	if len(text) > maxSentenceBytes {
		return ""
	}
	if d.declining[d.spans[i].Start] {
		return Refusal
	}
	w := normalize(text)
	if kind := d.classify(i, text, w); kind != "" || !refused || !redirects(text, w) {
		return kind
	}
	return Refusal
}

// classify returns the kind of a sentence that is not code. w holds its words.
// More reliable checks come first.
func (d document) classify(i int, text string, w words) Kind {
	opened := w.trimOpening()
	switch {
	case isQuestion(text, w):
		return Question
	case isRefusal(text, opened):
		return Refusal
	case isGreeting(text, w, opened):
		return Greeting
	}
	switch p := d.position(i); {
	case d.isSignature(i, text, w, p):
		return Greeting
	case isLeadIn(text, w, opened, p):
		return LeadIn
	case d.isHeading(i, text, w, p):
		return Heading
	case isDisclaimer(w):
		return Disclaimer
	}
	return ""
}

// isReference reports whether text only identifies a source: a URL, a footnote
// or link definition for a URL, or a heading followed by sources on the same
// line.
func isReference(text string) bool {
	if strings.IndexByte("[<>h", text[0]) < 0 {
		if prefix := text[:min(len(text), maxHeadingBytes)]; strings.IndexByte(prefix, ':') < 0 && !strings.Contains(prefix, "：") {
			return false
		}
		rest, ok := cutSourceHeading(text)
		return ok && rest != "" && listsSources(rest)
	}
	if strings.HasPrefix(text, "[") {
		if n := strings.Index(text[:min(len(text), 40)], "]:"); n > 0 {
			text = strings.TrimSpace(text[n+2:])
		}
	}
	text = strings.Trim(text, "<>")
	return (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")) && !strings.ContainsAny(text, " \n")
}

// isIndentedCode reports whether sentence i is a block of indented code. The
// segmenter does not split such blocks.
func (d document) isIndentedCode(i int) bool {
	before := d.gap(i)
	n := strings.LastIndexByte(before, '\n')
	indent := before[n+1:]
	return (n >= 0 || i == 0) && (strings.HasPrefix(indent, "    ") || strings.HasPrefix(indent, "\t")) &&
		strings.TrimLeft(indent, " \t") == "" && segment.IsCode(d.text[d.spans[i].Start-len(indent):d.spans[i].End])
}

// MayAssert reports whether text between the claims and skipped sentences of an
// answer is long enough to contain an assertion. List markers, HTML and labels
// are not.
func MayAssert(text string) bool {
	const maxLetters = 12
	if len(text) <= maxLetters {
		return false
	}
	visible := newView(text).text
	letters := 0
	for _, r := range visible {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters > maxLetters && !isAnswerLabel(visible)
}
