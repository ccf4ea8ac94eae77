package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// sourcePlaceholder replaces a citation that is a noun of its sentence.
const sourcePlaceholder = "the source"

// scanCitations finds the run of citations that starts at i. It returns the end
// of the run and its replacement, which is empty unless the sentence uses the
// citation as a noun. If the form of a bracket is ambiguous, its position
// decides: citations follow the words they support, so they end a clause.
func scanCitations(s string, i int) (end int, replacement string, ok bool) {
	const maxCitations = 32
	end = i
	unambiguous := true
	at := i
	for n := 0; n < maxCitations && at < len(s); n++ {
		m := markerAt(s, at)
		if m.size == 0 {
			break
		}
		ok, unambiguous = true, unambiguous && m.certain
		end = at + m.size
		at = skipSeparators(s, end)
	}
	if !ok || !unambiguous && !endsClause(s, i, end) {
		return 0, "", false
	}
	if i > 0 && isLineStart(s, i) && s[i] == '[' {
		return end, "", startsSentence(s, end) // "[1] The plan…", otherwise an item number
	}
	if isNounCitation(s, i, end) {
		return end, sourcePlaceholder, true
	}
	return end, "", true
}

// skipSeparators returns the offset after separators at i, where the next
// citation of a run may start.
func skipSeparators(s string, i int) int {
	i = len(s) - len(strings.TrimLeft(s[i:], " ,;"))
	for _, word := range []string{"and ", "& "} {
		if strings.HasPrefix(s[i:], word) {
			return i + len(word)
		}
	}
	return i
}

// A marker is a citation in a text and the sources that it cites. Page and section
// numbers are not sources.
type marker struct {
	size    int
	certain bool // only citations have this form
	sources []source
}

// markerAt parses the citation at i. The size of the marker is 0 if there is none.
func markerAt(s string, i int) marker {
	switch s[i] {
	case '[', 0xe3, 0xef:
		if m := bracketMarker(s, i); m.size > 0 {
			return m
		}
		return titleMarker(s, i)
	case '(':
		return parenMarker(s, i)
	case '<':
		return tagMarker(s, i)
	}
	return superscriptMarker(s, i)
}

// titleMarker parses the bracket at i if its content resembles the title of a source:
// several capitalized words, optionally with a page or section.
func titleMarker(s string, i int) marker {
	const maxLen = 80
	n := strings.IndexAny(s[i+1:min(len(s), i+maxLen)], "[]\n")
	if s[i] != '[' || n < 0 || s[i+1+n] != ']' || i+n+2 < len(s) && s[i+n+2] == '(' {
		return marker{}
	}
	title := s[i+1 : i+1+n]
	words := 0
	for word := range strings.FieldsSeq(strings.ReplaceAll(title, "&", " ")) {
		first := firstRune(word)
		if len(word) > 3 && !unicode.IsUpper(first) && !unicode.IsDigit(first) && !isSourceWord(strings.Trim(word, ".,:")) {
			return marker{}
		}
		words++
	}
	if words < 2 || !english.StartsUpper(title) || isClause(title) {
		return marker{}
	}
	return marker{size: n + len("[]"), sources: []source{{names: titleNames(title), number: -1}}}
}

// linkTargetEnd returns the end of the parenthesized URL at i, or 0.
func linkTargetEnd(s string, i int) int {
	if i < len(s) && s[i] == '(' {
		if n := strings.IndexAny(s[i:min(len(s), i+1000)], ")\n"); n > 0 && s[i+n] == ')' && !strings.Contains(s[i:i+n], " ") {
			return i + n + 1
		}
	}
	return 0
}

// parenMarker parses the citation in parentheses at i. A bare number is never certain.
func parenMarker(s string, i int) marker {
	const maxLen = 120
	window := s[i+1 : min(len(s), i+maxLen)]
	// "([1], [2])", "(see [1])", "([plans.pdf](https://…))"
	m := marker{certain: true}
	first := i + 1 + len(window) - len(strings.TrimPrefix(trimSee(window), "e.g. "))
	for at := first; at < len(s); {
		if s[at] == ')' && at > first {
			m.size = at + 1 - i
			return m
		}
		inner := bracketMarker(s, at)
		if inner.size == 0 {
			break
		}
		m.sources = append(m.sources, inner.sources...)
		at = skipSeparators(s, at+inner.size)
	}
	n := strings.IndexAny(window, ")\n")
	if n < 1 || window[n] != ')' {
		return marker{}
	}
	sources, form := parseSources(window[:n])
	if form != sourceNumbers && form != sourcePointer {
		return marker{}
	}
	return marker{n + len("()"), form == sourcePointer, sources}
}

// tagMarker parses the citation tag at i, such as "<sup>1</sup>", "<ref>doc_2</ref>" or
// "<ref name="doc_2"/>", but no exponent.
func tagMarker(s string, i int) marker {
	const maxLen = 200
	window := s[i:min(len(s), i+maxLen)]
	start := strings.IndexByte(window, '>') + 1
	if start == 0 {
		return marker{}
	}
	name, attributes, _ := strings.Cut(window[1:start-1], " ")
	switch strings.ToLower(name) {
	case "sup":
		if isExponent(s[:i]) {
			return marker{}
		}
	case "ref", "cite", "citation", "source", "doc", "footnote":
	default:
		return marker{}
	}
	if _, value, _ := strings.Cut(strings.TrimRight(attributes, " /"), "="); strings.HasSuffix(window[:start], "/>") && name != "sup" {
		sources, _ := parseSources(strings.Trim(value, "\"' "))
		return marker{start, true, sources}
	}
	closing := "</" + name + ">"
	n := strings.Index(window, closing)
	if n < start {
		return marker{}
	}
	content := window[start:n]
	for strings.HasPrefix(content, "<") { // the tag of a link
		_, size := htmlTag(content, 0)
		if size == 0 {
			return marker{}
		}
		content = content[size:]
	}
	content, _, _ = strings.Cut(content, "<")
	if strings.HasPrefix(content, "[") { // perhaps with a URL
		m := bracketMarker(content, 0)
		if m.size > 0 {
			m.size, m.certain = n+len(closing), true
		}
		return m
	}
	sources, form := parseSources(strings.Trim(content, "() "))
	if form == notSources {
		return marker{}
	}
	return marker{n + len(closing), true, sources}
}

//nolint:gochecknoglobals // never changed
var superscriptDigits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-", "˒", ",", "⁽", "", "⁾", "")

// superscriptMarker parses the superscript citation at i, such as ¹ or ⁽¹˒²⁾, but no exponent.
func superscriptMarker(s string, i int) marker {
	if isExponent(s[:i]) {
		return marker{}
	}
	n := i
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !isSuperscript(r) && (n == i || r != ',' && r != '˒' && r != '⁻') {
			break
		}
		n += size
	}
	if n > i && s[n-1] == ',' {
		n--
	}
	const maxLen = 64
	content := superscriptDigits.Replace(s[i:min(n, i+maxLen)])
	sources, _ := parseSources(content)
	return marker{n - i, true, sources}
}

func isSuperscript(r rune) bool {
	return r == '⁽' || r == '⁾' || r == '¹' || r == '²' || r == '³' || r >= '⁴' && r <= '⁹' || r == '⁰'
}

// isExponent reports whether a superscript after s is an exponent. Exponents
// follow a number, a unit or a variable.
func isExponent(s string) bool {
	s = tail(s)
	word := s[strings.LastIndexAny(s, " \n\t([/·")+1:]
	if word == "" {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(word)
	if !unicode.IsLetter(r) {
		return unicode.IsDigit(r) && !isDate(s, word) || strings.ContainsRune(")]⁻−", r)
	}
	if isOneOf(strings.TrimLeft(strings.ToLower(word), "0123456789.,"), "m", "km", "cm", "mm", "dm", "nm", "µm", "ft", "in", "mi", "yd", "ha", "hm", "dam", "sec", "min", "kg", "feet", "foot", "inch", "inches", "meter", "meters", "metre", "metres", "miles", "mile", "yards") {
		return true
	}
	const maxSymbolLetters = 2 // as in mc²
	return utf8.RuneCountInString(strings.TrimLeft(word, "0123456789½¼¾.")) <= maxSymbolLetters
}

// isDate reports whether number, which ends s, is a year or the day of a month.
func isDate(s, number string) bool {
	const yearDigits = 4
	if len(number) == yearDigits && (number[0] == '1' || number[0] == '2') && strings.Trim(number, "0123456789") == "" {
		return true
	}
	before := strings.TrimRight(s[:len(s)-len(number)], " ")
	return english.IsMonth(before[strings.LastIndexByte(before, ' ')+1:])
}

// endsClause reports whether the citation from i to end follows the words it
// supports: it ends a clause or stands between two sentences.
func endsClause(s string, i, end int) bool {
	rest := strings.TrimLeft(s[end:], " *_\"”’»")
	if rest == "" || strings.ContainsRune(".,;:!?)\n。，；：！？、।|", firstRune(rest)) {
		n := strings.LastIndexAny(s[:end], "[(")
		return n < 0 || !isIndex(s, n)
	}
	before := strings.TrimRight(s[:i], " *_\"”’»")
	return before != "" && strings.IndexByte(".!?", before[len(before)-1]) >= 0 && startsSentence(s, end)
}

// tail returns the last bytes of s, enough for its last word.
func tail(s string) string {
	const maxLen = 64
	return s[max(0, len(s)-maxLen):]
}

// isIndex reports whether the bracket at i is an array index or a function
// argument: "array[1]", "x[0]", "f(2)".
func isIndex(s string, i int) bool {
	if i == 0 || !isWordByte(s[i-1]) {
		return false
	}
	word := tail(s[:i])
	word = word[strings.LastIndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' })+1:]
	_, after, closed := strings.Cut(s[i:], "]")
	after = strings.TrimLeft(after, ".!?")
	last := s[i] == '[' && closed && (after == "" || startsSentence(after, 0)) // of a sentence, as in "runs on iOS[1]."
	switch {
	case s[i] == '[' && strings.Trim(word, "0123456789.") == "": // "$10.50[1]"
		return false
	case len(word) == 1, strings.Contains(word, "_"):
		return true
	case !last && (strings.Contains(word, ".") || strings.IndexFunc(word[min(1, len(word)):], unicode.IsUpper) >= 0 && strings.ToUpper(word) != word):
		return true
	}
	return isOneOf(strings.ToLower(word), "array", "arr", "list", "vector", "vec", "matrix", "items", "args", "argv", "data", "index", "row", "rows", "column", "element", "tuple", "dict", "map", "params", "results", "f", "g")
}

// isLineStart reports whether only white space and list markers precede i on its line.
func isLineStart(s string, i int) bool {
	before := strings.TrimRight(s[:i], " \t>*-#•")
	return before == "" || before[len(before)-1] == '\n'
}

// startsSentence reports whether a capitalized sentence starts at i.
func startsSentence(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], " \t")
	return len(rest) < len(s[i:]) && english.StartsUpper(rest)
}

// isNounCitation reports whether the citation from i to end is a noun of its
// sentence: "according to [1]", "[2] states that".
func isNounCitation(s string, i, end int) bool {
	before := strings.TrimRight(s[:i], " ")
	if len(before) < i || i == 0 {
		last := tail(before)
		word := last[strings.LastIndexAny(last, " \n(")+1:]
		if isOneOf(strings.ToLower(word), "to", "in", "from", "per", "by", "see", "of", "on", "that", "both", "with", "source", "sources", "reference", "document", "passage", "and", "as", "via") {
			return true
		}
	}
	if before != "" && !strings.ContainsRune(".!?\n", rune(before[len(before)-1])) {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimLeft(s[end:], " "), " ")
	return isOneOf(word, "states", "says", "notes", "mentions", "reports", "shows", "explains", "describes", "indicates", "confirms", "suggests", "adds", "claims", "gives", "lists")
}

// bracketMarker parses the bracketed citation at i, including the URL of a link.
func bracketMarker(s string, i int) marker {
	const maxLen = 400
	window := s[i:min(len(s), i+maxLen)]
	for _, pair := range [...][2]string{{"[[", "]]"}, {"【", "】"}, {"［", "］"}, {"〔", "〕"}, {"[", "]"}} {
		inside, ok := strings.CutPrefix(window, pair[0])
		if !ok {
			continue
		}
		n := strings.Index(inside, pair[1])
		if n < 0 || strings.ContainsAny(inside[:n], "\n[]") && pair[0] != "[[" {
			continue
		}
		content := strings.Trim(inside[:n], " []")
		end := i + len(pair[0]) + n + len(pair[1])
		sources, form := parseSources(content)
		link := ""
		if e := linkTargetEnd(s, end); e > 0 {
			link, end = s[end+1:e-1], e
		}
		switch {
		case form == notSources && (link == "" || !isSourceWord(content)):
			continue
		case link != "" && len(sources) == 0:
			sources = []source{{names: []string{link}, number: -1}}
		case link != "":
			sources[0].names, sources[0].weak = append(sources[0].names, link), false
		}
		return marker{end - i, !isIndex(s, i), sources}
	}
	// "[[1](https://…)]", perhaps in brackets once more
	if strings.HasPrefix(window, "[[") && !strings.HasPrefix(window, "[[[[") {
		if m := bracketMarker(s, i+1); m.size > 0 && strings.HasPrefix(s[i+1+m.size:], "]") {
			m.size += len("[]")
			return m
		}
	}
	return marker{}
}
