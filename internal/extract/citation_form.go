package extract

import (
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/extract/english"
)

// isSourceNumbers reports whether s, the content of a bracket, consists of
// source numbers: "1", "1, 2", "1-3", "4:0†source". Numbers with four digits
// are taken for years.
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

// isMarker reports whether s, the content of a bracket, is a footnote marker or
// a numbered source: "^1", "Doc 1", "citation:3", "chunk_12", "S2".
func isMarker(s string) bool {
	if strings.HasPrefix(s, "^") || strings.HasPrefix(s, "@") || strings.HasPrefix(s, "#") {
		return len(s) > 1 && !strings.Contains(s, " ")
	}
	s, _, _ = strings.Cut(s, "†")
	return isLocator(s) || isShortID(s)
}

// isShortID reports whether s is a letter followed by a source number, such as
// "S2".
func isShortID(s string) bool {
	return len(s) > 1 && len(s) <= 4 && unicode.IsLetter(rune(s[0])) && isSourceNumbers(s[1:])
}

// isLocator reports whether s is a source word followed by a number, such as
// "Doc 1" or "p. 4".
func isLocator(s string) bool {
	word, number := splitLocator(s)
	return isSourceWord(word) && (isSourceNumbers(number) || isSectionNumber(number))
}

// splitLocator splits a locator into its word and its number: "page" and "4"
// for "page 4 of 10". It returns empty strings unless s starts with letters
// followed by something else.
func splitLocator(s string) (word, number string) {
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if n <= 0 {
		return "", ""
	}
	number = strings.TrimPrefix(strings.TrimLeft(s[n:], " .:#_-–№"), "id")
	number, _, _ = strings.Cut(strings.TrimLeft(number, " .:#_-"), " of ")
	return s[:n], number
}

// isSectionNumber reports whether s is a section number or letter: "A", "4.2",
// "12a".
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

// isSourceName reports whether s has the form of a file name, URL, identifier
// or other source name, which does not occur in prose.
func isSourceName(s string) bool {
	name, _, _ := strings.Cut(s, ",") // "plans.pdf, p. 3"
	return isURL(s) || isFileName(name) || isIdentifier(s) || isAuthorYear(s) || isSourcePointer(s)
}

func isURL(s string) bool {
	s = strings.Trim(s, "<>")
	if strings.ContainsAny(s, " \n") || !strings.Contains(s, ".") {
		return false
	}
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "www.")
}

// isFileName reports whether s is a file name, optionally with a fragment or
// page.
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

// isSourcePointer reports whether s, the content of a bracket, points to a
// source or a part of it: "page 12", "Source 1", "see section 4.2", "Source:
// the handbook".
func isSourcePointer(s string) bool {
	const maxLen = 100
	if len(s) > maxLen {
		return false
	}
	s = trimSee(s)
	if label, rest, ok := strings.Cut(s, ":"); ok && rest != "" {
		_, known := cutSourceHeading(label + ":")
		return known && listsSources(rest) || isSourceWord(label) && (isSourceNumbers(strings.TrimSpace(rest)) || isFileName(rest))
	}
	found := false
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ';' }) {
		part = strings.TrimSpace(part)
		switch {
		case isLocator(part):
			found = true
		case isSourceNumbers(part), isFileName(part):
		default:
			return false
		}
	}
	return found
}
