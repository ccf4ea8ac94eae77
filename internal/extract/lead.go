package extract

import "strings"

// leads keep the stems and headings that what follows may lean on: "Advantages:"
// before "- low cost". An inner stem hides an outer one until its items end.
type leads struct {
	open [4]lead
	n    int
}

// A lead is a stem or a heading.
type lead struct {
	text   string
	indent int  // of the item that is the stem; -1 where it is none
	open   bool // it is a clause that what follows completes
}

// see takes sentence i, of the given kind, for what it means to the ones after
// it, and returns what it leans on itself.
func (l *leads) see(d document, i int, kind Kind, row bool) string {
	if row {
		if l.n > 0 && kind == "" {
			return l.open[l.n-1].text
		}
		return ""
	}
	text := d.sentence(i)
	opens := stem(text, kind)
	if l.n == 0 && opens == "" {
		return ""
	}
	p := d.place(i)
	indent := -1
	if p.item {
		indent = d.indent(i)
	}
	lean := ""
	fragment := kind == "" && isFragment(text, p)
	if kind == "" && p.item && !fragment && l.n > 0 && l.open[l.n-1].open && indent > l.open[l.n-1].indent {
		fragment = strings.Count(text, " ") < longestCompletion && !strings.Contains(text, ": ") && !strings.Contains(text, ":** ")
	}
	switch {
	case p.item, !fragment && p.wholeLine, p.paragraph:
		l.close(indent)
	}
	if l.n > 0 && fragment {
		lean = l.open[l.n-1].text
	}
	if opens != "" {
		l.push(lead{text: opens, indent: indent, open: isOpen(opens)})
	}
	return lean
}

// close forgets the stems that an item of the given indent does not stand
// under; -1 is no item, and no stem is before it.
func (l *leads) close(indent int) {
	if indent < 0 {
		l.n = 0
	}
	for l.n > 0 && l.open[l.n-1].indent >= indent {
		l.n--
	}
}

func (l *leads) push(x lead) {
	if l.n == len(l.open) {
		copy(l.open[:], l.open[1:])
		l.n--
	}
	l.open[l.n] = x
	l.n++
}

// stem is what a sentence of the kind says to what follows it, "" where it says
// nothing: "Here are the steps:" only announces.
func stem(text string, kind Kind) string {
	const longest = 160
	if len(text) > longest || kind != "" && kind != Heading && kind != LeadIn {
		return ""
	}
	last, upTo := final(text)
	colon := last == ':' || strings.HasSuffix(upTo, "：")
	if kind != Heading && !colon {
		return ""
	}
	w, _ := read(make([]byte, 0, 2*longest), text)
	opened := w.opened()
	if kind == LeadIn {
		if _, announced := opened.begins(announce); announced || opened.count() == 0 || opened.any(isPointer) || opened.pointsToSteps() ||
			opened.count() <= 4 && opened.any(isGeneric) {
			return ""
		}
	}
	if opened.count() == 1 && isLabel(w) || isLabel(opened) {
		return ""
	}
	return strings.TrimRight(clean(text), ":： ")
}

// isFragment reports whether a claim says too little without what it stands
// under: an item of a list or a line that is no sentence.
func isFragment(text string, p place) bool {
	const longest = 20 // words
	if !p.wholeLine && !p.item {
		return false
	}
	w := strings.Count(text, " ") + 1
	last, upTo := final(text)
	if last == ':' {
		return false
	}
	if isEnd(last, upTo) && last != ',' && last != ';' {
		return w <= 3
	}
	return w <= longest
}

// isGeneric knows the words of a stem that names only what kind of thing comes:
// "The steps are:".
func isGeneric(s []byte) bool {
	switch string(s) {
	case "steps", "answer", "answers", "example", "examples", "instance", "summary", "list", "points", "ways", "things", "options",
		"instructions", "results", "result", "that", "this", "reads", "says", "states":
		return true
	}
	return false
}

// longestCompletion is the number of words up to which an item completes a
// clause: "Renting offers:" / "Flexibility to move with minimal hassle."
const longestCompletion = 12

// isOpen reports whether a stem ends in a verb or the like and so is no
// sentence without what follows.
func isOpen(stem string) bool {
	switch stem[strings.LastIndexByte(stem, ' ')+1:] {
	case "offers", "offer", "provides", "provide", "requires", "require", "include", "includes", "covers", "cover", "supports", "support",
		"contains", "contain", "involves", "involve", "has", "have", "are", "is", "was", "were", "to", "can", "should", "must", "may", "by":
		return strings.Contains(stem, " ")
	}
	return false
}
