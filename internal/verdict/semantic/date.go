package semantic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Dates have English month names and years of four digits. The months in package
// lexicon are not suitable: they include other languages, and "Mars" may be a name.
const minYear, maxYear = 1000, 2999

// parseDate parses the date at the start of ws. It returns the date and its number of
// words, or 0 if there is no date. "14 March 1879", "March 14, 1879", "14th of March
// 1879" and "14 Mar 1879" are the same date. The day or the year may be missing. A
// weekday also counts as a date.
func parseDate(ws []word) (word, int) {
	if len(ws) == 0 {
		return word{}, 0
	}
	if isWeekday(ws[0]) {
		return word{text: ws[0].text, kind: date}, 1
	}
	day, m, n := dayAt(ws, 0), monthAt(ws, 0), 1
	if m > 0 {
		if day = dayAt(ws, 1); day > 0 {
			n = 2
		}
	} else {
		if len(ws) > 2 && ws[1].text == "of" {
			n = 2
		}
		if m = monthAt(ws, n); day == 0 || m == 0 {
			return word{}, 0
		}
		n++
	}
	year := yearAt(ws, n)
	if year > 0 {
		n++
	}
	return word{text: fmt.Sprintf("%d-%d-%d", year, m, day), kind: date}, n
}

// yearAt returns the year at word i, or 0.
func yearAt(ws []word, i int) int {
	if i >= len(ws) || ws[i].kind != number {
		return 0
	}
	return integer(ws[i].text, minYear, maxYear)
}

// dayAt returns the day of the month at word i, or 0. The day may be an ordinal.
func dayAt(ws []word, i int) int {
	if i >= len(ws) || ws[i].kind != number {
		return 0
	}
	text := ws[i].text
	if n := len(text); n > 2 && strings.IndexByte("tdh", text[n-1]) >= 0 {
		text = text[:len(text)-2]
	}
	return integer(text, 1, 31)
}

// integer returns the value of text, or 0 if it is not an integer from low to high.
func integer(text string, low, high int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0
	}
	return n
}

// monthAt returns the month at word i, or 0. A month must be capitalized, because "may"
// and "march" are verbs.
func monthAt(ws []word, i int) time.Month {
	if i >= len(ws) || !ws[i].capital {
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		if name := m.String(); strings.EqualFold(ws[i].text, name) || strings.EqualFold(ws[i].text, name[:3]) {
			return m
		}
	}
	if ws[i].text == "sept" {
		return time.September
	}
	return 0
}

func isWeekday(w word) bool {
	for d := time.Sunday; w.capital && d <= time.Saturday; d++ {
		if strings.EqualFold(w.text, d.String()) {
			return true
		}
	}
	return false
}

// timeAt returns the number of words in the time expression at word i, or 0. A time
// expression is a date, or "in" and a year.
func timeAt(ws []word, i int) int {
	switch {
	case i < len(ws) && ws[i].kind == date:
		return 1
	case i < len(ws) && ws[i].text == "in" && yearAt(ws, i+1) > 0:
		return 2
	}
	return 0
}

// placeAt returns the number of words in the place at word i, or 0. A place consists of
// a preposition and names.
func placeAt(ws []word, i int) int {
	if i >= len(ws) || ws[i].text != "in" && ws[i].text != "at" && ws[i].text != "near" {
		return 0
	}
	n := 1
	for i+n < len(ws) && ws[i+n].kind == plain && ws[i+n].capital {
		n++
	}
	if n == 1 {
		return 0
	}
	return n
}

// placeFirst moves each place before a directly preceding time: "born in 1879 in Ulm"
// becomes "born in Ulm in 1879".
func placeFirst(ws []word) []word {
	out := slices.Clone(ws)
	for i := 1; i < len(out); i++ {
		timeLen := timeAt(out, i)
		if timeLen == 0 {
			continue
		}
		if placeLen := placeAt(out, i+timeLen); placeLen > 0 {
			moved := slices.Clone(out[i : i+timeLen])
			copy(out[i:], out[i+timeLen:i+timeLen+placeLen])
			copy(out[i+placeLen:], moved)
			i += placeLen + timeLen - 1
		}
	}
	return out
}

// dateLast moves the time at the start of a claim to the end. It returns nil if the
// claim does not start with a time, or if it contains other numbers or dates.
func dateLast(ws []word) []word {
	n := timeAt(ws, 0)
	if n == 0 || n == len(ws) || slices.ContainsFunc(ws[n:], func(w word) bool { return w.kind == date || w.kind == number }) {
		return nil
	}
	out := slices.Concat(ws[n:], ws[:n])
	out[0].first = true
	for i := len(ws) - n; i < len(out); i++ {
		out[i].first, out[i].capital = false, false
	}
	return out
}
