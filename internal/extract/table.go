package extract

import "strings"

// A table tracks the state of the current Markdown table while iterating over sentences.
type table struct {
	heads []string // column headings
	row   int      // index of the sentence of the current row, or -1 outside of a table
}

// next reports whether sentence i is a table row. It returns the claim of the
// row, or the kind of a row that is not a claim.
func (t *table) next(d document, i int) (text string, kind Kind, found bool) {
	s := d.sentence(i)
	if strings.IndexByte(s, '|') < 0 || strings.IndexByte(s, '\n') >= 0 {
		t.row = -1
		return "", "", false
	}
	follows := t.row >= 0 && t.row == i-1 && strings.Count(d.gap(i), "\n") == 1
	if !follows {
		t.heads = nil
	}
	t.row = i
	switch {
	case isDelimiter(s):
		return "", Marks, true
	case !follows && i+1 < len(d.spans) && isDelimiter(d.sentence(i+1)) && strings.Count(d.gap(i+1), "\n") == 1:
		for _, c := range cells(s) {
			t.heads = append(t.heads, stripMarkdown(c))
		}
		return "", Heading, true
	case follows, len(s) > 2 && s[0] == '|' && s[len(s)-1] == '|':
		text, kind = rowText(t.heads, cells(s))
		return text, kind, true
	}
	t.row = -1
	return "", "", false
}

// isDelimiter reports whether s is the delimiter row between the header and the body of a table.
func isDelimiter(s string) bool {
	return strings.Trim(s, "-|: \t+=") == "" && strings.Contains(s, "-") && strings.Contains(s, "|")
}

// cells splits a row into trimmed cells. Bars that are escaped with a backslash
// or within code do not separate cells.
func cells(s string) []string {
	s = strings.TrimPrefix(s, "|")
	if !strings.HasSuffix(s, `\|`) {
		s = strings.TrimSuffix(s, "|")
	}
	var out []string
	from, inCode := 0, false
	for i := range len(s) {
		switch {
		case s[i] == '`':
			inCode = !inCode && strings.IndexByte(s[i+1:], '`') >= 0
		case s[i] == '|' && !inCode && (i == 0 || s[i-1] != '\\'):
			out = append(out, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(s[from:]))
}

// rowText joins the cells of a row, prefixing each with its column heading. The
// kind is Marks if no cell contains text.
func rowText(heads, row []string) (text string, kind Kind) {
	var b strings.Builder
	hasText := false
	for i, cell := range row {
		cell = stripMarkdown(cell)
		if cell == "" {
			continue
		}
		hasText = hasText || HasWords(cell)
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		if i < len(heads) && heads[i] != "" && (len(row) > 1 || !isAnswerKey(heads[i])) {
			b.WriteString(strings.TrimSuffix(heads[i], ":"))
			b.WriteString(": ")
		}
		b.WriteString(cell)
	}
	if !hasText {
		return "", Marks
	}
	return b.String(), ""
}
