package eval

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
)

const (
	// headBytes is the length of the start of a context that may contain its name.
	headBytes = 256
	// maxCandidates is the maximum number of contexts with the same name.
	maxCandidates = 32
)

// A sourceIndex finds the contexts of a row by the names and numbers in citations.
type sourceIndex struct {
	chunks int
	names  [keyForms]map[string][]int // chunks by form and name
	prefix map[string]bool            // prefixes of ids that end in a number, such as "doc" of "doc_7"
	first  int                        // number of the first chunk: 0 or 1
	byID   map[int]int                // chunks by number; nil if numbers are positions
}

// The forms in which names are compared, most exact first.
const (
	exactForm = iota // lower case, URLs without the scheme
	baseForm         // last element of a path
	stemForm         // letters and digits of that, without the extension
	keyForms
)

// newSourceIndex indexes the contexts of a row for the citations of its claims.
func newSourceIndex(row *dataset.Row, claims []extract.Claim) *sourceIndex {
	x := &sourceIndex{chunks: len(row.Contexts), prefix: make(map[string]bool)}
	ids, labels := make(map[int]int), make(map[int]int)
	for form := range x.names {
		x.names[form] = make(map[string][]int)
	}
	ordered := true // ids are 0, 1, 2...
	for i, text := range row.Contexts {
		if row.Sources != nil {
			s := &row.Sources[i]
			for _, name := range []string{s.ID, s.Part, s.Title, s.File, s.URL} {
				x.add(name, i)
			}
			x.prefix[numberPrefix(s.ID)], x.prefix[numberPrefix(s.Part)] = true, true
			n, err := strconv.Atoi(s.ID)
			if err == nil {
				addNumber(ids, n, i)
			}
			ordered = ordered && err == nil && n == i
		}
		names, label := headNames(text[:min(len(text), headBytes)])
		for _, name := range names {
			x.add(name, i)
		}
		if label >= 0 {
			addNumber(labels, label, i)
		}
	}
	if ordered { // such ids are positions
		clear(ids)
	}
	x.chooseNumbering(claims, ids, labels)
	return x
}

func addNumber(to map[int]int, n, chunk int) {
	if _, twice := to[n]; !twice {
		to[n] = chunk
	}
}

// chooseNumbering decides whether numbers are ids of contexts, labels at their start, or
// positions: whatever resolves most numbers. Positions start at 1 unless the answer cites 0.
func (x *sourceIndex) chooseNumbering(claims []extract.Claim, ids, labels map[int]int) {
	x.first = 1
	var numbers []int
	for i := range claims {
		for k := range claims[i].Citations {
			if n := claims[i].Citations[k].Number; n >= 0 {
				numbers = append(numbers, n)
				if n == 0 {
					x.first = 0
				}
			}
		}
	}
	count := func(resolves func(n int) bool) (k int) {
		for _, n := range numbers {
			if resolves(n) {
				k++
			}
		}
		return k
	}
	resolved := count(func(n int) bool { return n >= x.first && n-x.first < x.chunks })
	for _, numbering := range []map[int]int{labels, ids} {
		found := count(func(n int) bool { _, ok := numbering[n]; return ok })
		if found > 0 && found >= resolved {
			x.byID, resolved = numbering, found
		}
	}
}

// find returns the chunks that a citation may refer to, in order, or nil if it is
// unresolved. Several chunks may have the same name.
func (x *sourceIndex) find(c *extract.Citation) []int {
	for _, name := range c.Names {
		for form, key := range keysOf(name) {
			if key != "" && len(x.names[form][key]) > 0 {
				return x.names[form][key]
			}
			if strings.Contains(name, "://") {
				break // pages of other sites may have the same last element
			}
		}
	}
	if c.Number < 0 {
		return nil
	}
	if chunk, ok := x.byID[c.Number]; ok {
		return []int{chunk}
	}
	if x.byID != nil {
		return nil
	}
	for _, name := range c.Names {
		if p := numberPrefix(name); p != "" && x.prefix[p] && !strings.Contains(name, " ") {
			return nil // "doc_9" is not a position if there are "doc_1" and "doc_7"
		}
	}
	if n := c.Number - x.first; n >= 0 && n < x.chunks {
		return []int{n}
	}
	return nil
}

func (x *sourceIndex) add(name string, chunk int) {
	if name == "" {
		return
	}
	for form, key := range keysOf(name) {
		list := x.names[form][key]
		if key == "" || len(list) == maxCandidates || slices.Contains(list, chunk) {
			continue
		}
		x.names[form][key] = append(list, chunk)
	}
}

// numberPrefix returns the letters before the number at the end of a name, or "".
func numberPrefix(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	word := strings.TrimRight(name, "0123456789")
	if len(word) == len(name) {
		return ""
	}
	word = strings.TrimRight(word, " .:#_-/")
	if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	return word
}

// keysOf returns the forms of a name. Empty forms are not compared.
func keysOf(name string) [keyForms]string {
	exact := strings.ToLower(strings.TrimSpace(name))
	for _, scheme := range []string{"https://", "http://", "file://"} {
		exact = strings.TrimPrefix(exact, scheme)
	}
	exact = strings.TrimPrefix(exact, "www.")
	exact, _, _ = strings.Cut(exact, "#")
	exact = strings.TrimRight(exact, "/")
	path, _, _ := strings.Cut(strings.ReplaceAll(exact, `\`, "/"), "?")
	base := path[strings.LastIndexByte(path, '/')+1:]
	stem := base
	if dot := strings.LastIndexByte(base, '.'); dot > 0 && isExtension(base[dot+1:]) {
		stem = base[:dot]
	}
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return r
		}
		return -1
	}, stem)
	return [keyForms]string{exact, base, letters}
}

// isExtension reports whether s looks like a file extension: "pdf", or "pdf:12" with a location.
func isExtension(s string) bool {
	const longest = 5
	s, _, _ = strings.Cut(s, ":")
	return s != "" && len(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) &&
		strings.ContainsFunc(s, unicode.IsLetter)
}

// headNames returns the names of a text at its start: "Title: …", "[doc_12] …",
// "Document 3: …", or a heading. label is the number of the document, or -1.
func headNames(head string) (names []string, label int) {
	const lines, maxHeading = 4, 100
	nameKeys := []string{"title", "source", "file", "filename", "file name", "path", "url", "link", "document", "doc", "id", "doc id", "document id"}
	for i := range lines {
		line, rest, more := strings.Cut(head, "\n")
		trimmed := strings.TrimSpace(line)
		if i == 0 {
			var name string
			if name, label, trimmed = parseLabel(trimmed); name != "" {
				names = append(names, name)
			}
		}
		key, value, ok := strings.Cut(trimmed, ":")
		if ok && slices.Contains(nameKeys, strings.ToLower(strings.Trim(key, " *_#"))) {
			value, _, _ = strings.Cut(value, "):") // as in "(Title: Plans): …"
			names = append(names, strings.Trim(value, " *_\"'"))
		} else if i == 0 && more {
			heading := strings.Trim(trimmed, "#*_ ")
			if n := len(heading); n > 0 && n <= maxHeading && (trimmed[0] == '#' || strings.IndexByte(".,;:!?", heading[n-1]) < 0) {
				names = append(names, heading)
			}
		}
		if !more {
			break
		}
		head = rest
	}
	return names, label
}

// parseLabel parses the label at the start of a text: "[doc_12]", "Document 3:",
// "Document [3](Title: Plans):". It returns its name, its number or -1, and the rest of the line.
func parseLabel(line string) (name string, number int, rest string) {
	const longest = 64
	word := line[:len(line)-len(strings.TrimLeftFunc(line, unicode.IsLetter))]
	known := slices.Contains([]string{"document", "doc", "source", "passage", "chunk", "context", "reference", "excerpt", "snippet", "result"}, strings.ToLower(word))
	rest = line
	if known {
		rest = strings.TrimLeft(line[len(word):], " #_-")
	}
	switch {
	case strings.HasPrefix(rest, "["):
		var ok bool
		if name, rest, ok = strings.Cut(rest[1:], "]"); !ok || name == "" || len(name) > longest {
			return "", -1, line
		}
		var err error
		if number, err = strconv.Atoi(name); err != nil || number < 0 {
			number = -1
		}
	case known:
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == 0 || digits > 4 || digits < len(rest) && strings.IndexByte(":.)(|-\t", rest[digits]) < 0 {
			return "", -1, line
		}
		number, _ = strconv.Atoi(rest[:digits])
		name, rest = word+rest[:digits], rest[digits:]
	default:
		return "", -1, line
	}
	return name, number, strings.TrimLeft(rest, " :.()|-\t")
}
