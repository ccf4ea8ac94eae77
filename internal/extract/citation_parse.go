package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A citationParser parses citation markers and limits the total size of the
// result.
type citationParser struct {
	definitions map[string]definition // from the answer's source list
	budget      int                   // remaining bytes
}

// parse returns the citations of a marker. Page and section numbers do not
// count as citations.
func (p *citationParser) parse(marker string) []Citation {
	var all []Citation
	for _, c := range parseMarker(marker) {
		p.budget -= len(marker) + citationOverhead
		if len(all) > 0 && p.budget < 0 {
			break
		}
		key := citationKey(c)
		if d, ok := p.definitions[key]; ok {
			c.Names = slices.Concat(d.names, c.Names)
			if d.number >= 0 {
				c.Number = d.number
			}
		}
		all = append(all, c)
	}
	return all
}

// citationOverhead is the approximate size of a citation in the results,
// excluding its text.
const citationOverhead = 64

// parseMarker parses a marker, which may contain nested markers.
func parseMarker(marker string) []Citation {
	marker = strings.TrimSpace(marker)
	switch r, _ := utf8.DecodeRuneInString(marker); {
	case marker == "":
		return nil
	case r == '<':
		return parseTagMarker(marker)
	case isSuperscript(r):
		return parseMarkerContent(normalizeSuperscripts(marker), "")
	case r == '(':
		inside := strings.TrimSuffix(marker[1:], ")")
		var all []Citation
		for at := strings.IndexByte(inside, '['); at >= 0 && at < len(inside); {
			size, content, link := bracketCitation(inside, at)
			if size == 0 {
				break
			}
			all = append(all, parseMarkerContent(content, link)...)
			at = skipSeparators(inside, at+size)
		}
		if all != nil {
			return all
		}
		return parseMarkerContent(inside, "")
	}
	if size, content, link := bracketCitation(marker, 0); size > 0 {
		return parseMarkerContent(content, link)
	}
	return parseMarkerContent(strings.Trim(marker, " []"), "") // a title
}

// parseTagMarker parses a citation tag such as "<sup>1</sup>" or "<ref
// name="doc_2"/>".
func parseTagMarker(marker string) []Citation {
	tag, rest, _ := strings.Cut(marker[1:], ">")
	for strings.HasPrefix(rest, "<") && !strings.HasPrefix(rest, "</") { // the tag of a link
		_, rest, _ = strings.Cut(rest, ">")
	}
	content, _, _ := strings.Cut(rest, "<")
	if content = strings.TrimSpace(content); strings.HasPrefix(content, "[") || strings.HasPrefix(content, "(") {
		return parseMarker(content)
	} else if content != "" {
		return parseMarkerContent(content, "")
	}
	for part := range strings.FieldsFuncSeq(tag, func(r rune) bool { return r == ' ' || r == '/' }) {
		if name, value, ok := strings.Cut(part, "="); ok && name != "class" && name != "style" {
			return parseMarkerContent(strings.Trim(value, `"'`), "")
		}
	}
	return nil
}

// normalizeSuperscripts replaces superscript characters with their ASCII
// equivalents.
func normalizeSuperscripts(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '¹':
			return '1'
		case r == '²' || r == '³':
			return r - '²' + '2'
		case r == '⁰' || r >= '⁴' && r <= '⁹':
			return r - '⁰' + '0'
		case r == '⁻':
			return '-'
		case r == '˒':
			return ','
		case r == '⁽' || r == '⁾':
			return -1
		}
		return r
	}, s)
}

// parseMarkerContent parses the content of a bracket. link is the URL that
// follows the bracket, or "".
func parseMarkerContent(content, link string) []Citation {
	all := parseCitationList(content)
	if link == "" {
		return all
	}
	if len(all) == 0 {
		return []Citation{{Names: []string{link}, Number: -1}}
	}
	if isSourceWord(strings.TrimSpace(content)) {
		all[0].Names = nil
	}
	all[0].Names = append(all[0].Names, link)
	all[0].Weak = false
	return all
}

// parseCitationList parses a list of sources, such as "1, 3" or "plans.pdf, p.
// 3".
func parseCitationList(content string) []Citation {
	content, name, hasDagger := strings.Cut(strings.TrimSpace(content), "†")
	if hasDagger && !isLineRange(name) && !isSourceWord(strings.TrimSpace(name)) {
		all := parseCitationList(content)
		if len(all) == 0 {
			return []Citation{{Names: []string{strings.TrimSpace(name)}, Number: -1}}
		}
		all[0].Names = append([]string{strings.TrimSpace(name)}, all[0].Names...)
		return all
	}
	if label, rest, ok := strings.Cut(content, ":"); ok && (isLocator(label) || isSourceNumbers(label)) && !isSourceNumbers(rest) { // "Source 1: plans.pdf"
		if all, kind := parseCitationPart(label, unknownPart); kind == sourcePart && len(all) == 1 {
			for _, c := range parseCitationList(rest) {
				all[0].Names = append(all[0].Names, c.Names...)
			}
			return all
		}
	}
	content = strings.TrimSpace(trimPointer(content))
	if isAuthorYear(content) {
		return []Citation{{Names: []string{content}, Number: -1, Weak: true}}
	}
	var all []Citation
	var title []string
	prev := unknownPart
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(content, " and ", ","), func(r rune) bool { return strings.ContainsRune(",;，、&", r) }) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		found, kind := parseCitationPart(part, prev)
		if kind == unknownPart {
			title = append(title, part)
			continue
		}
		prev = kind
		all = append(all, found...)
	}
	if title == nil {
		return all
	}
	// A source name may contain commas and be followed by a locator.
	names := []string{content}
	if len(title) > 1 || len(all) > 0 || title[0] != content {
		names = append(names, strings.Join(title, ", "), title[0])
	}
	for _, mark := range []string{" §", " - ", " – ", " — "} {
		if name, _, ok := strings.Cut(content, mark); ok {
			names = append(names, name)
		}
	}
	return []Citation{{Names: names, Number: -1}}
}

// trimSee removes a leading "see", "according to" or similar phrase.
func trimSee(s string) string {
	for _, word := range []string{"see also ", "see ", "cf. ", "from ", "in ", "according to ", "as per ", "per "} {
		if len(s) > len(word) && strings.EqualFold(s[:len(word)], word) {
			return s[len(word):]
		}
	}
	return s
}

// trimPointer removes a leading "see" or "Source:".
func trimPointer(s string) string {
	s = trimSee(s)
	label, rest, ok := strings.Cut(s, ":")
	if ok && strings.TrimSpace(rest) != "" && !strings.HasPrefix(rest, "//") {
		if _, known := cutSourceHeading(label + ":"); known {
			return rest
		}
	}
	return s
}

// A partKind classifies a part of a marker.
type partKind uint8

const (
	unknownPart partKind = iota
	sourcePart           // a source
	locatorPart          // a page, section or line
)

// parseCitationPart parses a part of a marker. prev is the kind of the
// preceding part.
func parseCitationPart(part string, prev partKind) ([]Citation, partKind) {
	label := strings.TrimLeft(part, "^#@")
	switch {
	case label != part && isSourceNumbers(label):
		return numberedCitations(label, ""), sourcePart
	case label != part && label != "":
		return []Citation{{Names: []string{label}, Number: -1}}, sourcePart
	case isSourceNumbers(part):
		if prev == locatorPart { // "pp. 3, 5"
			return nil, locatorPart
		}
		return numberedCitations(part, ""), sourcePart
	case isLineRange(part):
		return nil, locatorPart
	case isLocator(part):
		word, number := splitLocator(part)
		if isLocatorWord(word) {
			return nil, locatorPart
		}
		return numberedCitations(number, part), sourcePart
	case isURL(part), isFileName(part):
		return []Citation{{Names: []string{strings.Trim(part, "<>")}, Number: -1}}, sourcePart
	case isShortID(part):
		return numberedCitations(part[1:], part), sourcePart
	case isIdentifier(part):
		return []Citation{{Names: []string{part}, Number: -1}}, sourcePart
	}
	return nil, unknownPart
}

// numberedCitations parses source numbers: "1", "1-3", "4:0". name is the text
// that includes the number, such as "Doc 1", or "".
func numberedCitations(text, name string) []Citation {
	const maxRange = 100
	var names []string
	if name != "" {
		names = []string{name}
		if id, _, ok := strings.Cut(name, ":"); ok && strings.ContainsAny(id, "0123456789") { // "doc_17:3"
			names = append(names, id)
		}
	}
	ascii := strings.Map(func(r rune) rune {
		switch {
		case r >= '０' && r <= '９':
			return r - '０' + '0'
		case r == '–':
			return '-'
		}
		return r
	}, text)
	ascii = ascii[strings.LastIndexByte(ascii, ':')+1:] // "4:0" means source 0 of message 4
	first, last, isRange := strings.Cut(strings.TrimSpace(ascii), "-")
	from, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		if len(ascii) == 1 && unicode.IsLetter(rune(ascii[0])) { // "Document A"
			from = int(ascii[0]|0x20-'a') + 1
		} else {
			from = -1
		}
		return []Citation{{Names: names, Number: from}}
	}
	to, err := strconv.Atoi(strings.TrimSpace(last))
	if !isRange || err != nil || to <= from || to-from >= maxRange {
		return []Citation{{Names: names, Number: from}}
	}
	var all []Citation
	for n := from; n <= to; n++ {
		var numbered []string
		if name != "" {
			numbered = []string{strings.TrimSuffix(name, text) + strconv.Itoa(n)}
		}
		all = append(all, Citation{Names: numbered, Number: n})
	}
	return all
}

// isLineRange reports whether s is a range of lines: "L10-L20".
func isLineRange(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) > 1 && s[0] == 'L' && isSourceNumbers(strings.ReplaceAll(s[1:], "L", ""))
}

// isLocatorWord reports whether s is a noun for a part of a source, such as a
// page. It does not identify a source.
func isLocatorWord(s string) bool {
	return isOneOf(strings.ToLower(s), "page", "pages", "p", "pp", "pg", "section", "sections", "sec", "paragraph", "para", "part", "chapter", "ch", "appendix", "turn",
		"seite", "página", "pagina")
}
