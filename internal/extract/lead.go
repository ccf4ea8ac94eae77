package extract

import "strings"

// A leadStack tracks the headings and lead-ins that apply to the current sentence, such as
// "Advantages:" before "- low cost". An inner lead hides an outer one until its items end.
type leadStack []lead

// A lead is a heading or lead-in.
type lead struct {
	text       string
	indent     int  // indentation of the list item, or -1 outside of a list
	incomplete bool // clause completed by the next sentence
}

// next records sentence i, which has the given kind, and returns the lead that
// applies to it, or "". row indicates a table row.
func (l *leadStack) next(d document, i int, kind Kind, row bool) string {
	var last lead
	if len(*l) > 0 {
		last = (*l)[len(*l)-1]
	}
	if row {
		if kind == "" {
			return last.text
		}
		return ""
	}
	text := d.sentence(i)
	leadIn := leadText(text, kind)
	if len(*l) == 0 && leadIn == "" {
		return ""
	}
	p := d.position(i)
	fragment := kind == "" && isListFragment(text, p)
	if kind == "" && p.listItem && !fragment && last.incomplete && p.indent > last.indent {
		fragment = strings.Count(text, " ") < maxCompletionWords && !strings.Contains(text, ": ") && !strings.Contains(text, ":** ")
	}
	if p.listItem || p.wholeLine && !fragment || p.startsParagraph {
		for len(*l) > 0 && (*l)[len(*l)-1].indent >= p.indent {
			*l = (*l)[:len(*l)-1]
		}
	}
	parent := ""
	if len(*l) > 0 && fragment {
		parent = (*l)[len(*l)-1].text
	}
	if leadIn != "" {
		*l = append(*l, lead{text: leadIn, indent: p.indent, incomplete: isIncomplete(leadIn)})
	}
	return parent
}

// leadText returns the text that a sentence contributes to the fragments after it. It returns ""
// for a sentence that only announces, such as "Here are the steps:".
func leadText(text string, kind Kind) string {
	const maxBytes = 160
	if len(text) > maxBytes || kind != "" && kind != Heading && kind != LeadIn {
		return ""
	}
	last, trimmed := trimClosing(text)
	colon := last == ':' || strings.HasSuffix(trimmed, "：")
	if kind != Heading && !colon {
		return ""
	}
	w := normalize(text)
	opened := w.trimOpening()
	if kind == LeadIn && !opened.classifiesItems() {
		if _, announced := opened.cutPhrase(announcing); announced || opened.count() == 0 || opened.pointsForward() || opened.pointsToSteps() ||
			opened.count() <= 4 && opened.contains(isGenericWord) {
			return ""
		}
	}
	if opened.count() == 1 && isSectionTitle(string(w)) || isSectionTitle(string(opened)) {
		return ""
	}
	return strings.TrimRight(stripMarkdown(text), ":： ")
}

// classifiesItems reports whether w says something about the items after it, as in "The
// following are not included:".
func (w words) classifiesItems() bool {
	rest, ok := w.cutAnyPrefix("the following are", "the following is", "these are")
	rest, _ = rest.cutPrefix("not")
	return ok && rest.count() == 1 && !rest.contains(isGenericWord)
}

// isListFragment reports whether text is a list item or line that is not a
// complete sentence and so needs its lead.
func isListFragment(text string, p position) bool {
	const maxWords = 20
	if !p.wholeLine && !p.listItem {
		return false
	}
	n := strings.Count(text, " ") + 1
	last, trimmed := trimClosing(text)
	if endsSentence(trimmed) && last != ',' && last != ';' {
		return n <= 3
	}
	return last != ':' && n <= maxWords
}

// isGenericWord reports whether a lead with s carries no content, as in "The steps are:".
func isGenericWord(s string) bool {
	return isOneOf(s, "steps", "answer", "answers", "example", "examples", "instance", "summary", "list", "points", "ways", "things", "options",
		"instructions", "results", "result", "that", "this", "reads", "says", "states")
}

// maxCompletionWords limits the length of a list item that completes a clause:
// "Renting offers:" / "Flexibility to move with minimal hassle."
const maxCompletionWords = 12

// isIncomplete reports whether a lead ends in a word, such as a verb, that requires an object.
func isIncomplete(lead string) bool {
	return strings.Contains(lead, " ") && isOneOf(lead[strings.LastIndexByte(lead, ' ')+1:], "offers", "offer", "provides", "provide", "requires", "require", "include", "includes", "covers", "cover", "supports", "support",
		"contains", "contain", "involves", "involve", "has", "have", "are", "is", "was", "were", "to", "can", "should", "must", "may", "by")
}

// answerLabelLen returns the length of a label such as "Answer:" or "TL;DR -"
// at the start of s, including trailing white space. It returns 0 if there is
// no label or no text after it on the line.
func answerLabelLen(s string) int {
	window := s[:min(len(s), maxLabelBytes)]
	for _, separator := range [...]string{":", "：", " - ", " – ", " — ", ","} {
		label, _, ok := strings.Cut(window, separator)
		if !ok || !isAnswerLabel(label) || separator == "," && !takesComma(label) {
			continue
		}
		rest := strings.TrimLeft(s[len(label)+len(separator):], "*_ \t")
		if _, tag := htmlTag(rest, 0); tag > 0 && strings.HasPrefix(rest, "</") { // "<b>Answer:</b>"
			rest = strings.TrimLeft(rest[tag:], "*_ \t")
		}
		if rest == "" || rest[0] == '\n' || rest[0] == '\r' {
			return 0
		}
		return len(s) - len(rest)
	}
	return 0
}
