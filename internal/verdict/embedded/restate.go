package embedded

import (
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/values"
)

// An edit is a byte range of a text and what replaces it.
type edit struct {
	start, end int
	by         string
}

// restate returns the edits that write the values of a claim as the passage writes them, if it has
// the same ones in other digits or words: 1,250 for 1250, 12 km for 12,000 metres, 15:25 for 3:25
// pm, 24 months for two years. The network cannot compare numbers. Ratios, numbers with two
// readings and counts in words are left alone.
func restate(claim, passage string, claimed, stated []values.Value) []edit {
	var edits []edit
	for i := range claimed {
		v := &claimed[i]
		written, by := digits(claim[v.Start:v.End]), ""
		for k := range stated {
			w := &stated[k]
			said := passage[w.Start:w.End]
			found := digits(said)
			if said == claim[v.Start:v.End] || found == written && found != "" && v.Kind != values.Money {
				by = ""
				break
			}
			if by == "" && (found != "" && written != "" || v.Kind != values.Number) && isSame(v, w) {
				by = said
			}
		}
		if by != "" {
			edits = append(edits, edit{v.Start, v.End, by})
		}
	}
	return edits
}

// isSame reports whether the claimed value v and the stated value w are the same, apart from words
// that limit them, or v is an approximation of w.
func isSame(v, w *values.Value) bool {
	if v.Kind != w.Kind || v.IsAmbiguous() || w.IsAmbiguous() {
		return false
	}
	switch values.Compare(v, w) {
	case values.Equal:
		return v.IsPlain() && w.IsPlain() || v.Kind != values.Date && values.SameNumber(v, w)
	case values.Entailed:
		return v.Approx && w.IsPlain()
	case values.Incomparable, values.Undecided, values.Contradicted:
	}
	return false
}

// digits returns the digits of a value as written, with periods and commas.
func digits(value string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) || c == '.' || c == ',' {
			return c
		}
		return -1
	}, value)
}

// apply returns the edited text.
func apply(text string, edits []edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.start])
		b.WriteString(e.by)
		at = e.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// original returns the byte range before the edits of a range after them.
func original(o [2]int, edits []edit) [2]int {
	shift := 0
	for _, e := range edits {
		start := e.start + shift
		end := start + len(e.by)
		if o[1] <= start {
			break
		}
		if o[0] < end {
			return [2]int{e.start, e.end}
		}
		shift += len(e.by) - (e.end - e.start)
	}
	return [2]int{o[0] - shift, o[1] - shift}
}
