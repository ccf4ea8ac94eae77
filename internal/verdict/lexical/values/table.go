package values

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A span is a range of bytes.
type span struct{ start, end int }

// readTables finds the values in the body of tables in Markdown. A number without a unit
// takes the unit of its heading, as in "Weight (kg)".
func (t *Text) readTables() {
	var header []span
	i := 0
	eachLine(t.Text, func(line span, previous string) {
		cells := cellsOf(t.Text, line)
		switch {
		case len(cells) < 2:
			header = nil
			return
		case isRule(t.Text[line.start:line.end]):
			if header == nil && line.start > 0 {
				header = cellsOf(t.Text, span{line.start - 1 - len(previous), line.start - 1})
			}
			return
		case header == nil:
			return
		}
		for i < len(t.Values) && t.Values[i].Start < line.start {
			i++
		}
		for ; i < len(t.Values) && t.Values[i].Start < line.end; i++ {
			v := &t.Values[i]
			for k := 1; k < len(cells) && k < len(header); k++ {
				if v.Start >= cells[k].start && v.Start < cells[k].end {
					v.addUnit(t.Text[header[k].start:header[k].end])
				}
			}
		}
	})
}

// addUnit sets the unit of a plain number from the brackets of its heading.
func (v *Value) addUnit(heading string) {
	if v.Per == "" && (v.Kind == Money || v.Kind == Number) {
		v.Per = periodOf(heading)
	}
	open, end := strings.LastIndexByte(heading, '('), strings.LastIndexByte(heading, ')')
	if v.Kind != Number || v.Noun != "" || open < 0 || end < open+2 {
		return
	}
	name := strings.ToLower(heading[open+1 : end])
	factor := 0.0
	switch strings.TrimLeft(name, "$€£¥ ") {
	case "m", "mn", "million", "millions":
		factor = 1e6
	case "bn", "billion", "billions":
		factor = 1e9
	case "thousand", "thousands", "000", "'000", "k":
		factor = 1e3
	}
	sign, size := utf8.DecodeRuneInString(name)
	money, hasSign := currencyOf(string(sign))
	switch u, ok := unitOf(name); {
	case name == "m" && !isAmount(heading):
		v.setUnit(u)
	case factor > 0:
		v.Low, v.High, v.Step, v.other, v.written = v.Low*factor, v.High*factor, v.Step*factor, 0, true
		if hasSign && size < len(name) {
			v.setUnit(money)
		}
	case ok:
		v.setUnit(u)
	}
}

// isAmount reports whether a heading is about money or a number of people, so that (m)
// means millions and not metres.
func isAmount(heading string) bool {
	return slices.ContainsFunc(wordsOf(heading), func(w string) bool {
		switch w {
		case "revenue", "revenues", "sales", "turnover", "profit", "loss", "income", "cost", "costs", "price", "budget", "value", "assets", "debt",
			"spending", "population", "people", "users", "visitors", "inhabitants", "passengers", "customers", "units":
			return true
		}
		return false
	})
}

// wordsOf returns the words of a heading in lower case.
func wordsOf(heading string) []string {
	return strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return !unicode.IsLetter(r) })
}

// periodOf returns the period of a rate that a heading names, or "".
func periodOf(heading string) string {
	for _, w := range wordsOf(heading) {
		switch w {
		case "hourly":
			return "hour"
		case "daily":
			return "day"
		case "weekly":
			return "week"
		case "monthly":
			return "month"
		case "yearly", "annual", "annually":
			return "year"
		}
	}
	return ""
}

// eachLine calls f with each line and the line before it.
func eachLine(text string, f func(line span, previous string)) {
	if strings.IndexByte(text, '|') < 0 {
		return
	}
	previous := ""
	for start := 0; start < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		f(span{start, end}, previous)
		previous = text[start:end]
		start = end + 1
	}
}

// cellsOf returns the cells of a line without the outer bars.
func cellsOf(text string, line span) []span {
	for line.start < line.end && text[line.start] == ' ' {
		line.start++
	}
	for line.end > line.start && (text[line.end-1] == ' ' || text[line.end-1] == '\r') {
		line.end--
	}
	if line.start < line.end && text[line.start] == '|' {
		line.start++
	}
	if line.start < line.end && text[line.end-1] == '|' {
		line.end--
	}
	var cells []span
	for start := line.start; start <= line.end; {
		end := line.end
		if n := strings.IndexByte(text[start:line.end], '|'); n >= 0 {
			end = start + n
		}
		cells = append(cells, span{start, end})
		start = end + 1
	}
	return cells
}

// isRule reports whether a line separates the headings of a table from its body.
func isRule(line string) bool {
	return strings.Contains(line, "--") && strings.Trim(line, "|-: \t\r") == ""
}
