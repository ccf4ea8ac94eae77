package extract

import (
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/segment"
)

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
