package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A section is a byte range of an answer that contains no statements.
type section struct {
	start, end int
	kind       Kind
}

// findSections returns the model reasoning and source lists in raw, in order.
func findSections(raw string) []section {
	all := taggedSections(raw)
	if strings.IndexByte(raw, '\n') < 0 {
		return all
	}
	return append(all, sourceLists(raw, endOf(all))...)
}

// endOf returns the end of the last section, or 0.
func endOf(all []section) int {
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].end
}

// taggedSections finds the content of <think>, <sources> and similar tags. Some servers
// strip the opening tag at the start of the answer, so everything before an unmatched closing
// tag of reasoning is reasoning if the tag is the first one and ends its line. Any other
// unmatched closing tag is dropped alone. An unmatched opening tag of reasoning starts
// truncated reasoning, which extends to the end.
func taggedSections(raw string) []section {
	var all []section
	open, depth := section{}, 0
	for i := 0; i < len(raw); i++ {
		n := strings.IndexByte(raw[i:], '<')
		if n < 0 {
			break
		}
		i += n
		kind, closes, size := sectionTag(raw[i:])
		switch {
		case size == 0, i > 0 && raw[i-1] == '`', depth > 0 && kind != open.kind && (closes || kind == Reference):
		case !closes && depth > 0 && kind == open.kind:
			depth++
		case !closes: // perhaps within sources whose tag is never closed
			open, depth = section{i, len(raw), kind}, 1
		case depth > 1:
			depth--
		case depth == 1:
			depth = 0
			open.end = i + size
			all = append(all, open)
		case all == nil && kind == Reasoning && strings.TrimSpace(raw[i+size:lineEnd(raw, i+size)]) == "":
			all = []section{{0, i + size, Reasoning}}
		default:
			all = append(all, section{i, i + size, ""})
		}
	}
	if depth > 0 && open.kind == Reasoning {
		all = append(all, open)
	}
	return all
}

// sectionTag returns the kind of the section that the tag at the start of s encloses and
// the length of the tag, which is 0 if there is none. closes is true for a closing tag.
func sectionTag(s string) (kind Kind, closes bool, size int) {
	const maxLen = 300
	n := strings.IndexByte(s[:min(len(s), maxLen)], '>')
	if n < 2 {
		return "", false, 0
	}
	name, closes := strings.CutPrefix(s[1:n], "/")
	name, _, _ = strings.Cut(name, " ")
	switch strings.ToLower(name) {
	case "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad":
		return Reasoning, closes, n + 1
	case "sources", "references", "citations":
		return Reference, closes, n + 1
	}
	return "", false, 0
}

// sourceLists finds headings such as "Sources:" with the lines below them, and
// numbered source lists at the end.
func sourceLists(raw string, from int) []section {
	var all []section
	for start := from; start < len(raw); {
		end := lineEnd(raw, start)
		if rest, ok := cutSourceHeading(raw[start:end]); ok && (rest == "" || listsSources(rest)) {
			last := sourceListEnd(raw, end+1, rest == "")
			if end = max(end, last); last > 0 || rest != "" {
				all = append(all, section{start, end, Reference})
			}
		}
		start = end + 1
	}
	if notes := footnotesStart(raw, from); notes >= 0 && endOf(all) <= notes {
		all = append(all, section{notes, len(raw), Reference})
	}
	return all
}

func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

// sourceListEnd returns the end of the source list at i, or 0. A list ends at a
// heading, or at the first line after a blank line that is not an entry. The first line of a
// list after a heading can be any title.
func sourceListEnd(raw string, i int, afterHeading bool) int {
	last, blank := 0, false
	for i < len(raw) {
		end := lineEnd(raw, i)
		switch line := strings.TrimSpace(raw[i:end]); {
		case line == "":
			blank = true
		case strings.HasPrefix(line, "#"), isBold(strings.TrimRight(line, ":")):
			return last
		case isSourceEntry(line), afterHeading && last == 0 && isTitleLine(line):
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

// isSourceEntry reports whether line is an entry of a source list: it contains
// a URL, or it starts with a marker and is not a sentence.
func isSourceEntry(line string) bool {
	rest := trimListMarker(line)
	if isURL(rest) || strings.Contains(rest, "](http") || strings.Contains(rest, "://") {
		return true
	}
	return len(rest) < len(line) && isTitleLine(rest)
}

// trimListMarker removes the bullet, number or bracket at the start of line.
func trimListMarker(line string) string {
	if size := bracketMarker(line, 0).size; size > 0 {
		return strings.TrimLeft(line[size:], " :.\t")
	}
	r, size := utf8.DecodeRuneInString(line)
	if strings.ContainsRune("-*+•–◦▪", r) {
		return strings.TrimLeft(line[size:], " \t")
	}
	if n := listNumberLen(line); n > 0 {
		return strings.TrimLeft(line[n+1:], " \t")
	}
	return line
}

// listNumberLen returns the number of digits in the list number at the start of
// a line, such as 2 for "12. Rinse". It returns 0 if there is no list number.
func listNumberLen(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if n == 0 || n > 4 || n == len(line) || strings.IndexByte(".):", line[n]) < 0 {
		return 0
	}
	return n
}

// isTitleLine reports whether line can be the title of a source: it is short
// and contains no verb.
func isTitleLine(line string) bool {
	const maxLen = 240
	return line != "" && len(line) <= maxLen && !normalize(line).contains(isCommonVerb)
}

// footnotesStart returns the start of a source list without a heading at the
// end of an answer, or -1. Each line of such a list starts with a bracketed
// marker.
func footnotesStart(raw string, from int) int {
	start, end := -1, len(strings.TrimRight(raw, " \t\r\n"))
	for end > from {
		lineStart := strings.LastIndexByte(raw[:end], '\n') + 1
		line := strings.TrimSpace(raw[lineStart:end])
		if line == "" || lineStart <= from || bracketMarker(line, 0).size == 0 || !isSourceEntry(line) {
			break
		}
		start, end = lineStart, lineStart-1
	}
	return start
}

// maxHeadingBytes limits the length of a source list heading.
const maxHeadingBytes = 40

// cutSourceHeading cuts a source list heading, such as "Sources:", from the
// start of line.
func cutSourceHeading(line string) (rest string, ok bool) {
	const maxLen = 400
	prefix := line[:min(len(line), maxHeadingBytes)]
	if len(line) > maxLen || len(line) > maxHeadingBytes && strings.IndexByte(prefix, ':') < 0 && !strings.Contains(prefix, "：") {
		return "", false
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
	if !isOneOf(strings.ToLower(name), "source", "sources", "reference", "references", "citation", "citations", "bibliography", "works cited", "footnotes", "further reading",
		"sources used", "sources cited", "references used", "source documents", "cited sources", "supporting documents",
		"quelle", "quellen", "quellenangaben", "fuente", "fuentes", "referencias", "références", "bibliographie", "fonte", "fonti", "fontes",
		"riferimenti", "referências", "bronnen", "bron", "källor", "kilder", "źródła", "источники", "источник", "参考文献", "参考资料", "来源", "出典", "المصادر", "المراجع") {
		return "", false
	}
	return strings.Trim(rest, " \t\r*_"), true
}

// listsSources reports whether rest, the text after "Sources:", only lists
// sources. It must contain no verb, and if it is long, it must be a list or a
// capitalized title.
func listsSources(rest string) bool {
	const maxTitleWords = 6
	w := normalize(rest)
	if w.contains(isCommonVerb) || isClause(rest) {
		return false
	}
	if w.count() <= maxTitleWords || strings.ContainsAny(rest, ",;[") || strings.Contains(rest, "://") {
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

func isURL(s string) bool {
	s = strings.Trim(s, "<>")
	if strings.ContainsAny(s, " \n") || !strings.Contains(s, ".") {
		return false
	}
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "www.")
}
