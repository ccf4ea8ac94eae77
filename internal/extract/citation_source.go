package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// A source is an item of a citation.
type source struct {
	names        []string // as in [Citation]
	number, more int      // more is the number of further numbers in a range
	prefix       string   // before the numbers of a range: "Doc " of "Doc 1-3"
	weak         bool
}

// A sourceForm is the form of a list of sources.
type sourceForm uint8

const (
	notSources    sourceForm = iota
	sourceNumbers            // "1, 3"
	sourceNames              // "plans.pdf", "doc_2", "S2"; may be prose in parentheses
	sourcePointer            // "Source 1", "page 3", "Source: the handbook", "Smith et al., 2021"
)

// parseSources parses the content of a bracket as a list of sources. Pages, sections and
// lines are no sources of their own.
func parseSources(content string) ([]source, sourceForm) {
	content, name, hasName := strings.Cut(strings.TrimSpace(content), "†")
	if name = strings.TrimSpace(name); hasName && !isLineRange(name) && !isSourceWord(name) { // "4:1†plans.pdf"
		all, form := parseSources(content)
		if len(all) == 0 {
			return []source{{names: []string{name}, number: -1}}, sourceNames
		}
		all[0].names = slices.Insert(all[0].names, 0, name)
		return all, form
	}
	if isAuthorYear(content) {
		return []source{{names: []string{content}, number: -1, weak: true}}, sourcePointer
	}
	if numbers := strings.ReplaceAll(content, " and ", ", "); isSourceNumbers(numbers) {
		content = numbers
	}
	const maxPointer = 100
	pointer := trimSee(content)
	if len(pointer) <= maxPointer {
		if all, ok := parseLabel(pointer); ok {
			return all, sourcePointer
		}
	}
	form := sourceNumbers
	var all []source
	prev := unknownPart
	isFile := false
	for part := range strings.FieldsFuncSeq(pointer, func(r rune) bool { return strings.ContainsRune(",;，、&", r) }) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		found, kind := parseSource(part, prev)
		switch {
		case kind == unknownPart && !isFile: // "plans.pdf, Fees"
			return nil, notSources
		case isLocator(part):
			form = sourcePointer
		case !isSourceNumbers(part):
			form = max(form, sourceNames)
		}
		isFile = isFile || isFileName(part)
		prev = kind
		all = append(all, found...)
	}
	if prev == unknownPart && !isFile || pointer != content && form != sourcePointer || form == sourcePointer && len(pointer) > maxPointer {
		return nil, notSources
	}
	return all, form
}

// parseLabel parses a list of sources after a label: "Source: plans.pdf", "Source 1: plans.pdf".
func parseLabel(s string) ([]source, bool) {
	label, rest, ok := strings.Cut(s, ":")
	if !ok || strings.TrimSpace(rest) == "" || isSourceNumbers(s) || isLocator(s) && !isFileName(s) || strings.HasPrefix(rest, "//") {
		return nil, false
	}
	_, isHeading := cutSourceHeading(label + ":")
	if isHeading && !listsSources(rest) || !isHeading && !isLocator(label) && !isSourceNumbers(label) && !isSourceWord(label) {
		return nil, false
	}
	listed, form := parseSources(rest)
	switch {
	case !isHeading && form == notSources:
		return nil, false
	case form == notSources:
		listed = []source{{names: titleNames(strings.TrimSpace(rest)), number: -1}}
	}
	cited, kind := parseSource(label, unknownPart)
	if kind != sourcePart || len(cited) != 1 {
		return listed, true
	}
	for _, c := range listed {
		cited[0].names = append(cited[0].names, c.names...)
	}
	return cited, true
}

// titleNames returns the possible names of a source in a title, with and without a leading
// label and a trailing page or section.
func titleNames(title string) []string {
	names := []string{title}
	if rest := strings.TrimSpace(trimSee(title)); rest != title {
		names = append(names, rest)
	}
	if _, rest, ok := strings.Cut(title, ": "); ok {
		names = append(names, strings.TrimSpace(rest))
	}
	for _, name := range slices.Clone(names) {
		for _, mark := range []string{", ", " p.", " §", " - ", " – ", " — "} {
			if name, _, ok := strings.Cut(name, mark); ok {
				names = append(names, strings.TrimRight(name, ","))
			}
		}
	}
	return names
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

// A partKind classifies a part of a marker.
type partKind uint8

const (
	unknownPart partKind = iota
	sourcePart           // a source
	locatorPart          // a page, section or line
)

// parseSource parses an item of a list of sources. prev is the kind of the preceding item.
func parseSource(part string, prev partKind) ([]source, partKind) {
	label := strings.TrimLeft(part, "^#@")
	switch {
	case label != part && isSourceNumbers(label):
		return numberedSource(label, ""), sourcePart
	case label != part && label != "":
		return []source{{names: []string{label}, number: -1}}, sourcePart
	case isSourceNumbers(part):
		if prev == locatorPart { // "pp. 3, 5"
			return nil, locatorPart
		}
		return numberedSource(part, ""), sourcePart
	case isLineRange(part):
		return nil, locatorPart
	case isLocator(part):
		word, number := splitLocator(part)
		if isOneOf(strings.ToLower(word), "page", "pages", "p", "pp", "pg", "section", "sections", "sec", "paragraph", "para", "part", "chapter", "ch", "appendix", "turn",
			"seite", "página", "pagina") {
			return nil, locatorPart // a part of a source does not identify it
		}
		return numberedSource(number, part), sourcePart
	case isURL(part), isFileName(part):
		return []source{{names: []string{strings.Trim(part, "<>")}, number: -1}}, sourcePart
	case len(part) > 1 && len(part) <= 4 && unicode.IsLetter(rune(part[0])) && isSourceNumbers(part[1:]): // "S2"
		return numberedSource(part[1:], part), sourcePart
	case isIdentifier(part):
		return []source{{names: []string{part}, number: -1}}, sourcePart
	}
	return nil, unknownPart
}

// numberedSource parses source numbers: "1", "1-3", "4:0". name is the text that includes
// the number, such as "Doc 1", or "".
func numberedSource(text, name string) []source {
	const maxRange = 100
	c := source{number: -1}
	if name != "" {
		c.names = []string{name}
		if id, _, ok := strings.Cut(name, ":"); ok && strings.ContainsAny(id, "0123456789") { // "doc_17:3"
			c.names = append(c.names, id)
		}
	}
	ascii := strings.Map(func(r rune) rune {
		switch {
		case isFullWidthDigit(r):
			return r - '０' + '0'
		case r == '–':
			return '-'
		}
		return r
	}, text)
	ascii = ascii[strings.LastIndexByte(ascii, ':')+1:] // "4:0" means source 0 of message 4
	first, last, _ := strings.Cut(strings.TrimSpace(ascii), "-")
	if n, err := strconv.Atoi(strings.TrimSpace(first)); err == nil {
		c.number = n
	} else if len(ascii) == 1 && unicode.IsLetter(rune(ascii[0])) { // "Document A"
		c.number = int(ascii[0]|0x20-'a') + 1
	}
	if to, err := strconv.Atoi(strings.TrimSpace(last)); err == nil && to > c.number && c.number >= 0 && to-c.number < maxRange {
		c.more, c.prefix = to-c.number, strings.TrimSuffix(name, text)
	}
	return []source{c}
}

// isSourceNumbers reports whether s, the content of a bracket, consists of source numbers: "1", "1,
// 2", "1-3", "4:0†source". Numbers with four digits are taken for years.
func isSourceNumbers(s string) bool {
	s, _, _ = strings.Cut(s, "†")
	digits, found := 0, false
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', isFullWidthDigit(r):
			digits, found = digits+1, true
		case strings.ContainsRune(", -–;:，、&", r):
			digits = 0
		default:
			return false
		}
		if digits > 3 {
			return false
		}
	}
	return found
}

// isLocator reports whether s is a source word followed by a number, such as "Doc 1" or "p. 4".
func isLocator(s string) bool {
	word, number := splitLocator(s)
	return isSourceWord(word) && (isSourceNumbers(number) || isSectionNumber(number))
}

// splitLocator splits a locator into its word and its number: "page" and "4" for "page 4 of 10". It
// returns empty strings unless s starts with letters followed by something else.
func splitLocator(s string) (word, number string) {
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if n <= 0 {
		return "", ""
	}
	number = strings.TrimPrefix(strings.TrimLeft(s[n:], " .:#_-–№"), "id")
	number, _, _ = strings.Cut(strings.TrimLeft(number, " .:#_-"), " of ")
	return s[:n], number
}

// isSectionNumber reports whether s is a section number or letter: "A", "4.2", "12a".
func isSectionNumber(s string) bool {
	const maxLen = 8
	if s == "" || len(s) > maxLen {
		return false
	}
	digits := strings.Trim(s, "0123456789.")
	return len(digits) == 0 || len(digits) == 1 && unicode.IsLetter(rune(digits[0]))
}

// isSourceWord reports whether s is a noun for a source or a part of a source.
func isSourceWord(s string) bool {
	return isOneOf(strings.ToLower(s), "doc", "docs", "document", "documents", "source", "sources", "src", "ref", "refs", "reference", "references", "chunk", "chunks",
		"passage", "passages", "context", "contexts", "ctx", "citation", "citations", "cite", "page", "pages", "p", "pp", "pg", "section", "sections", "sec", "fn",
		"note", "footnote", "excerpt", "excerpts", "snippet", "snippets", "paragraph", "para", "article", "file", "result", "results", "evidence", "id", "item",
		"web", "search", "url", "link", "part", "chapter", "ch", "appendix", "turn", "kb", "faq",
		"quelle", "quellen", "seite", "dokument", "fuente", "página", "fonte", "pagina", "documento", "bron", "källa", "kilde", "источник", "来源", "出典", "文档", "المصدر")
}

// isFileName reports whether s is a file name, optionally with a fragment or page.
func isFileName(s string) bool {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "#")
	s, _, _ = strings.Cut(s, "?")
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || strings.ContainsAny(s, "\n\"") {
		return false
	}
	extension, _, _ := strings.Cut(strings.ToLower(s[dot+1:]), ":")
	return isOneOf(extension, "pdf", "doc", "docx", "txt", "md", "html", "htm", "xml", "json", "jsonl", "csv", "tsv", "xls", "xlsx", "ppt", "pptx", "rtf", "odt", "epub",
		"rst", "tex", "eml", "msg", "yaml", "yml", "log", "parquet", "aspx", "php")
}

// isIdentifier reports whether s is a machine-generated identifier: one word
// with letters and digits joined by punctuation, or a long hexadecimal number.
func isIdentifier(s string) bool {
	const minLen = 4
	if len(s) < minLen || strings.ContainsAny(s, " \n,$€£%") {
		return false
	}
	letters, digits, separators := 0, 0, 0
	transitions := 0 // from digit to letter
	for i, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
			if i+1 < len(s) && unicode.IsLetter(rune(s[i+1])) {
				transitions++
			}
		case unicode.IsLetter(r):
			letters++
		case strings.ContainsRune("_-:/#|.", r):
			separators++
		default:
			return false
		}
	}
	hexadecimal := strings.Trim(strings.ToLower(s), "0123456789abcdef-") == "" && len(s) >= 8
	return letters > 0 && digits > 0 && (separators > 0 || hexadecimal || transitions > 0 && letters > 4)
}

// isAuthorYear reports whether s is an author-year reference: "Smith et al.,
// 2021", "Smith & Jones 2020, p. 4".
func isAuthorYear(s string) bool {
	const maxLen = 80
	if len(s) > maxLen || s == "" || !english.StartsUpper(s) {
		return false
	}
	year := 1
	for year+4 <= len(s) && (isWordByte(s[year-1]) || !startsWithYear(s[year:])) {
		year++
	}
	if year+4 > len(s) {
		return false
	}
	authors, comma := strings.CutSuffix(strings.TrimRight(s[:year], " "), ",")
	rest := strings.TrimLeft(s[year+4:], "abc")
	if rest != "" && rest[0] != ',' && rest[0] != ';' && rest[0] != ':' {
		return false
	}
	several := strings.Contains(authors, "et al") || strings.Contains(authors, " & ") || strings.Contains(authors, " and ")
	if !comma && !several {
		return false
	}
	names := 0
	for word := range strings.FieldsSeq(authors) {
		switch word = strings.Trim(word, ",.;"); {
		case word == "et" || word == "al" || word == "&" || word == "and" || word == "van" || word == "von" || word == "de":
		case english.StartsUpper(word) && !english.IsMonth(word):
			names++
		default:
			return false
		}
	}
	return names > 0 && (several || names <= 2)
}

// startsWithYear reports whether s, which has at least four bytes, starts with
// a year from 1500 to 2099.
func startsWithYear(s string) bool {
	const digits = "0123456789"
	return strings.Trim(s[:4], digits) == "" && s[:2] >= "15" && s[:2] <= "20" && (len(s) == 4 || s[4]-'0' >= 10)
}

// isLineRange reports whether s is a range of lines: "L10-L20".
func isLineRange(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) > 1 && s[0] == 'L' && isSourceNumbers(strings.ReplaceAll(s[1:], "L", ""))
}

func isFullWidthDigit(r rune) bool { return r >= '０' && r <= '９' }
