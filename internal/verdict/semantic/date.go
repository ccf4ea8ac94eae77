package semantic

import (
	"fmt"
	"strconv"
	"strings"
)

// dateAt reads the date that words begin with, and returns it with the number of
// its words; 0 for none. "14 March 1879", "March 14, 1879", "14th of March 1879"
// and "14 Mar 1879" are one date, and without a day or a year there is a part of
// one. A weekday is a date too.
func dateAt(ws []word) (word, int) {
	if len(ws) == 0 {
		return word{}, 0
	}
	if isWeekday(ws[0].text) && ws[0].capital {
		return word{text: ws[0].text, kind: date}, 1
	}
	day, month, n := 0, 0, 0
	switch {
	case month0(ws, 0) > 0:
		month, n = month0(ws, 0), 1
		if d := within(ws, n, 1, 31); d > 0 {
			day, n = d, n+1
		}
	case within(ws, 0, 1, 31) > 0:
		at := 1
		if at+1 < len(ws) && ws[at].text == "of" {
			at++
		}
		if month = month0(ws, at); month == 0 {
			return word{}, 0
		}
		day, n = within(ws, 0, 1, 31), at+1
	default:
		return word{}, 0
	}
	year := within(ws, n, 1000, 2999)
	if year > 0 {
		n++
	}
	return word{text: fmt.Sprintf("%d-%d-%d", year, month, day), kind: date}, n
}

// within is word i as a number from low to high, or of days as an ordinal too; 0
// for anything else.
func within(ws []word, i, low, high int) int {
	if i >= len(ws) || ws[i].kind != number {
		return 0
	}
	text := ws[i].text
	if n := len(text); high <= 31 && n > 2 && strings.IndexByte("tdh", text[n-1]) >= 0 {
		text = text[:len(text)-2]
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0
	}
	return n
}

// month0 is the month that word i names, from 1; 0 for none. A month has a
// capital: "may" and "march" are something else.
func month0(ws []word, i int) int {
	if i >= len(ws) || !ws[i].capital {
		return 0
	}
	switch ws[i].text {
	case "january", "jan":
		return 1
	case "february", "feb":
		return 2
	case "march", "mar":
		return 3
	case "april", "apr":
		return 4
	case "may":
		return 5
	case "june", "jun":
		return 6
	case "july", "jul":
		return 7
	case "august", "aug":
		return 8
	case "september", "sep", "sept":
		return 9
	case "october", "oct":
		return 10
	case "november", "nov":
		return 11
	case "december", "dec":
		return 12
	}
	return 0
}

func isWeekday(w string) bool {
	switch w {
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return true
	}
	return false
}

// whenAt is the number of words that say when from word i on: a date, or "in" and
// a year; 0 for none.
func whenAt(ws []word, i int) int {
	switch {
	case i < len(ws) && ws[i].kind == date:
		return 1
	case i+1 < len(ws) && ws[i].text == "in" && within(ws, i+1, 1000, 2999) > 0:
		return 2
	}
	return 0
}

// whereAt is the number of words that say where from word i on: a preposition and
// names; 0 for none.
func whereAt(ws []word, i int) int {
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

// placeFirst puts where before when, where the two stand side by side: "born in
// 1879 in Ulm" is "born in Ulm in 1879".
func placeFirst(ws []word) []word {
	out := append([]word{}, ws...)
	for i := 1; i < len(out); i++ {
		when := whenAt(out, i)
		if when == 0 {
			continue
		}
		if where := whereAt(out, i+when); where > 0 {
			moved := append([]word{}, out[i:i+when]...)
			copy(out[i:], out[i+when:i+when+where])
			copy(out[i+where:], moved)
			i += where + when - 1
		}
	}
	return out
}

// dateLast is a claim that begins with a date, or with "in" and a year, with that
// at its end; nil for any other, and for one that says when twice.
func dateLast(ws []word) []word {
	n := whenAt(ws, 0)
	if n == 0 || n == len(ws) {
		return nil
	}
	for _, w := range ws[n:] {
		if w.kind == date || w.kind == number {
			return nil
		}
	}
	out := append([]word{}, ws[n:]...)
	out[0].first = true
	for _, w := range ws[:n] {
		w.first, w.capital = false, false
		out = append(out, w)
	}
	return out
}
