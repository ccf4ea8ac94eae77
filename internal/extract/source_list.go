package extract

import (
	"strings"
	"unicode"
)

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
