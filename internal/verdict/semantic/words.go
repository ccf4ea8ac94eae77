package semantic

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind is what a word does in a claim, as far as that keeps it from being
// exchanged for another.
type kind uint8

const (
	plain kind = iota
	number
	date
	pronoun
	negation
	quantifier
	comparison
	auxiliary
	function // prepositions and conjunctions
)

// A word of a claim, in lower case. Numbers and dates are in one way of writing.
type word struct {
	text           string
	kind           kind
	capital, first bool
}

// read returns the words of a claim without the articles.
func read(text string) []word {
	raw := split(text)
	var out []word
	for i := 0; i < len(raw); i++ {
		if w, n := dateAt(raw[i:]); n > 0 {
			w.first = i == 0
			if k := len(out); k > 0 && out[k-1].kind == function && (out[k-1].text == "on" || out[k-1].text == "in") {
				w.first = out[k-1].first
				out = out[:k-1] // "on 14 March", "in March 1879": English may do without
			}
			out = append(out, w)
			i += n - 1
			continue
		}
		w := raw[i]
		w.first = i == 0
		if w.kind == plain {
			w.kind = kindOf(w)
		}
		if w.text == "former" && i > 0 && raw[i-1].text == "the" && (i+1 == len(raw) || kindOf(raw[i+1]) != plain) {
			w.kind = pronoun
		}
		if w.text == "there" && i+1 < len(raw) && kindOf(raw[i+1]) == auxiliary {
			w.kind = function // it points nowhere
		}
		if drops(raw, i) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// drops reports whether word i may be left out.
func drops(ws []word, i int) bool {
	next := ""
	if i+1 < len(ws) {
		next = ws[i+1].text
	}
	switch ws[i].text {
	case "a", "an", "the", "also", "however", "moreover", "additionally", "furthermore", "indeed":
		return true
	case "located", "situated": // "is located in"
		return i > 0 && kindOf(ws[i-1]) == auxiliary && (next == "in" || next == "on" || next == "at")
	case "year": // "in the year 1990"
		return i > 1 && ws[i-1].text == "the" && ws[i-2].text == "in" && within(ws, i+1, 1000, 2999) > 0
	}
	return false
}

func has(ws []word, k kind) bool {
	for _, w := range ws {
		if w.kind == k {
			return true
		}
	}
	return false
}

// dangles reports whether a pronoun comes before any name that it could stand
// for: such a claim speaks of what is said elsewhere. "This" and its like point
// elsewhere wherever they stand.
func dangles(ws []word) bool {
	named := false
	for i, w := range ws {
		switch {
		case w.kind == pronoun && (!named || points(w.text)):
			return true
		case w.kind != plain || !w.capital:
		case !w.first, i+1 < len(ws) && ws[i+1].kind != pronoun:
			named = true
		}
	}
	return false
}

// split cuts text into words, numbers and signs that count.
func split(text string) []word {
	text = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "−", "-", "\u00ad", "", "\u200b", "").Replace(text)
	var out []word
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsNumber(r):
			end := numberEnd(text, i)
			n := text[i:end]
			if strings.Count(n, ",") > 1 { // one comma may be that of a fraction
				n = strings.ReplaceAll(n, ",", "")
			}
			if i > 0 && text[i-1] == '-' && (i == 1 || text[i-2] == ' ' || text[i-2] == '(') {
				n = "-" + n
			}
			suffix := letters(text[end:])
			switch suffix = strings.ToLower(suffix); suffix {
			case "st", "nd", "rd", "th", "s":
				n, end = n+suffix, end+len(suffix)
			}
			out = append(out, word{text: n, kind: number})
			i = end
		case unicode.IsLetter(r) || unicode.IsMark(r):
			w := letters(text[i:])
			i += len(w)
			low := strings.ToLower(w)
			next := word{text: low, capital: unicode.IsUpper(r)}
			if strings.HasPrefix(text[i:], "'") {
				tail := strings.ToLower(letters(text[i+1:]))
				switch {
				case tail == "t" && strings.HasSuffix(low, "n"):
					next.text = uncontracted(low)
					out = append(out, next, word{text: "not", kind: negation})
					i += 2
					continue
				case tail == "s":
					i += 2
				}
			}
			if low == "cannot" {
				next.text = "can"
				out = append(out, next, word{text: "not", kind: negation})
				continue
			}
			out = append(out, next)
		case r == '-' && i > 0 && text[i-1] > ' ' && (i+1 == len(text) || strings.IndexByte(" ,.;:)", text[i+1]) >= 0):
			out = append(out, word{text: "-", kind: number}) // a rating of A-
			i += size
		case strings.ContainsRune("%$€£¥₹°<>=≤≥≠±×+/~#", r):
			out = append(out, word{text: string(r), kind: number})
			i += size
		default:
			i += size
		}
	}
	for i := range out {
		if out[i].kind == plain {
			if n, ok := numeral(out[i].text); ok {
				out[i].text, out[i].kind = n, number
			}
		}
	}
	return out
}

// letters is the run of letters and marks that s begins with.
func letters(s string) string {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return s[:i]
		}
	}
	return s
}

// numberEnd is where the number ends that starts at i. A comma belongs to it
// before three digits, and a point or a colon before any.
func numberEnd(text string, i int) int {
	digits := func(at int) int {
		n := 0
		for _, r := range text[at:] {
			if !unicode.IsNumber(r) {
				break
			}
			n += utf8.RuneLen(r)
		}
		return at + n
	}
	i = digits(i)
	for i+1 < len(text) {
		switch next := digits(i + 1); {
		case next == i+1:
			return i
		case text[i] == ',' && next == i+4, text[i] == '.', text[i] == ':':
			i = next
		default:
			return i
		}
	}
	return i
}

// uncontracted is the verb of "isn't", "won't".
func uncontracted(w string) string {
	switch w {
	case "won":
		return "will"
	case "can":
		return "can"
	case "shan":
		return "shall"
	}
	return strings.TrimSuffix(w, "n")
}
