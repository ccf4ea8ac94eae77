package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A section is a part of an answer, in bytes, that is no part of what it says.
type section struct {
	start, end int
	kind       Kind
}

// sections finds the reasoning of a model and lists of sources, in the order of
// the answer.
func findSections(raw string) []section {
	all := reasoningSections(raw)
	if strings.IndexByte(raw, '<') >= 0 {
		all = appendTaggedSources(raw, all)
	}
	if strings.IndexByte(raw, '\n') < 0 {
		return all
	}
	from := 0
	if len(all) > 0 {
		from = all[len(all)-1].end
	}
	return append(all, sourceLists(raw, from)...)
}

// reasoning finds what stands in <think> and its like. All before a closing tag
// that nothing opens is reasoning, since some servers swallow the opening one; an
// opening tag that nothing closes was cut off.
func reasoningSections(raw string) []section {
	var all []section
	open, depth := 0, 0
	for i := 0; i < len(raw); i++ {
		n := strings.IndexByte(raw[i:], '<')
		if n < 0 {
			break
		}
		i += n
		closes, size := reasoningTag(raw[i:])
		switch {
		case size == 0:
		case !closes:
			if depth++; depth == 1 {
				open = i
			}
		case depth > 1:
			depth--
		case depth == 1:
			depth = 0
			all = append(all, section{open, i + size, Reasoning})
		default:
			all = []section{{0, i + size, Reasoning}}
		}
	}
	if depth > 0 {
		all = append(all, section{open, len(raw), Reasoning})
	}
	return all
}

// taggedSources adds what stands in <sources> and its like to the sections, behind
// them.
func appendTaggedSources(raw string, all []section) []section {
	from := 0
	if len(all) > 0 {
		from = all[len(all)-1].end
	}
	for _, name := range [...]string{"sources", "references", "citations"} {
		lower := strings.ToLower(raw[from:])
		start := strings.Index(lower, "<"+name+">")
		if start < 0 || len(lower) != len(raw)-from {
			continue
		}
		end := strings.Index(lower[start:], "</"+name+">")
		if end >= 0 {
			from += start
			end += len("</" + name + ">")
			all = append(all, section{from, from + end, Reference})
			from += end
		}
	}
	return all
}

// reasoningTag is the length of the tag of reasoning that s begins with, 0 for
// none, and whether it closes.
func reasoningTag(s string) (closes bool, size int) {
	const longest = 16
	n := strings.IndexByte(s[:min(len(s), longest)], '>')
	if n < 2 {
		return false, 0
	}
	name, closes := strings.CutPrefix(s[1:n], "/")
	switch strings.ToLower(name) {
	case "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad":
		return closes, n + 1
	}
	return false, 0
}

// sourceLists finds headings such as "Sources:" with the lines below them, and
// lists of numbered sources at the end.
func sourceLists(raw string, from int) []section {
	var all []section
	for at := from; at < len(raw); {
		end := lineEnd(raw, at)
		if rest, ok := cutSourceHeading(raw[at:end]); ok {
			last := end
			if rest != "" && !listsSources(rest) {
				at = end + 1
				continue
			}
			if n := sourceListEnd(raw, end+1, rest == ""); n > 0 {
				last = n
			} else if rest == "" {
				at = end + 1
				continue
			}
			all = append(all, section{at, last, Reference})
			end = last
		}
		at = end + 1
	}
	if start := footnotesStart(raw, from); start >= 0 && (all == nil || all[len(all)-1].end <= start) {
		all = append(all, section{start, len(raw), Reference})
	}
	return all
}

// lineEnd is the end of the line at i, without its line break.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

// longestName is the length of a heading for sources, in bytes.
const maxHeadingBytes = 40

// sourceLabel reports whether a line begins with a heading for sources, and
// returns what follows its colon.
func cutSourceHeading(line string) (rest string, ok bool) {
	const longest = 400
	begin := line[:min(len(line), maxHeadingBytes)]
	if len(line) > longest || len(line) > maxHeadingBytes && strings.IndexByte(begin, ':') < 0 && !strings.Contains(begin, "：") {
		return "", false // as most
	}
	line = strings.TrimLeftFunc(line, func(r rune) bool { return !unicode.IsLetter(r) })
	name, rest, colon := strings.Cut(line, ":")
	if wide, after, ok := strings.Cut(line, "："); ok && !colon {
		name, rest = wide, after
	}
	if len(name) > maxHeadingBytes {
		return "", false
	}
	name = strings.TrimRightFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	switch strings.ToLower(name) {
	case "source", "sources", "reference", "references", "citation", "citations", "bibliography", "works cited", "footnotes", "further reading",
		"sources used", "sources cited", "references used", "source documents", "cited sources", "supporting documents",
		"quelle", "quellen", "quellenangaben", "fuente", "fuentes", "referencias", "références", "bibliographie", "fonte", "fonti", "fontes",
		"riferimenti", "referências", "bronnen", "bron", "källor", "kilder", "źródła", "источники", "источник", "参考文献", "参考资料", "来源", "出典", "المصادر", "المراجع":
	default:
		return "", false
	}
	return strings.Trim(rest, " \t\r*_"), true
}

// namesSources reports whether what follows "Sources:" names them and says
// nothing about them: it has no verb, and if it is long it is a list, or a title
// with capitals.
func listsSources(rest string) bool {
	const long = 6 // words
	w, _ := normalize(nil, rest)
	if w.contains(isCommonVerb) {
		return false
	}
	if w.count() <= long || strings.ContainsAny(rest, ",;[") || strings.Contains(rest, "://") {
		return true
	}
	small := 0
	for word := range strings.FieldsSeq(rest) {
		if len(word) > 3 && unicode.IsLower(firstRune(word)) {
			small++
		}
	}
	return small <= 1
}

// entries is the end of the list of sources that begins at i, 0 if there is
// none. A list ends at a heading, and after a blank line at whatever is no entry.
// With below it stands right below a heading, where the first line may be any
// title.
func sourceListEnd(raw string, i int, below bool) int {
	last, blank := 0, false
	for i < len(raw) {
		end := lineEnd(raw, i)
		switch line := strings.TrimSpace(raw[i:end]); {
		case line == "":
			blank = true
		case strings.HasPrefix(line, "#"), isBoldLine(line):
			return last
		case isSourceEntry(line), below && last == 0 && isTitleLine(line):
			last, blank = end, false
		case blank || last == 0 || !isTitleLine(line):
			return last
		default: // the second line of an entry
			last = end
		}
		i = end + 1
	}
	return last
}

// isEmphasized reports whether a line is in bold as a whole, as a heading is.
func isBoldLine(line string) bool {
	return len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimRight(line, ":"), "**")
}

// isEntry reports whether a line is an entry of a list of sources: it has a
// marker or an address, and is no sentence.
func isSourceEntry(line string) bool {
	rest := trimListMarker(line)
	if isURL(rest) || strings.Contains(rest, "](http") || strings.Contains(rest, "://") {
		return true
	}
	return len(rest) < len(line) && isTitleLine(rest)
}

// withoutMarker is a line without the bullet, number or bracket that begins it.
func trimListMarker(line string) string {
	if size := bracketCitationLen(line, 0); size > 0 {
		return strings.TrimLeft(line[size:], " :.\t")
	}
	r, size := utf8.DecodeRuneInString(line)
	if strings.ContainsRune("-*+•–◦▪", r) {
		return strings.TrimLeft(line[size:], " \t")
	}
	n := 0
	for n < len(line) && n < 4 && line[n]-'0' < 10 {
		n++
	}
	if n > 0 && n < len(line) && (line[n] == '.' || line[n] == ')' || line[n] == ':') {
		return strings.TrimLeft(line[n+1:], " \t")
	}
	return line
}

// isTitle reports whether a line can be the title of a source: a short one that
// has no verb.
func isTitleLine(line string) bool {
	const longest = 240
	if line == "" || len(line) > longest {
		return false
	}
	w, _ := normalize(nil, line)
	return !w.contains(isCommonVerb)
}

// footnotes is where the list of sources begins that stands at the end of an
// answer without a heading, each line of it with a number in brackets; -1 for
// none.
func footnotesStart(raw string, from int) int {
	start, end := -1, len(strings.TrimRight(raw, " \t\r\n"))
	for end > from {
		at := strings.LastIndexByte(raw[:end], '\n') + 1
		line := strings.TrimSpace(raw[at:end])
		if line == "" || at <= from || bracketCitationLen(line, 0) == 0 || !isSourceEntry(line) {
			break
		}
		start, end = at, at-1
	}
	return start
}
