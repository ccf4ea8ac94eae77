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

// points knows the words that refer to what was said and not to a name.
func points(w string) bool {
	switch w {
	case "this", "these", "those", "here", "there", "former", "latter", "we", "us", "our", "ours", "i", "me", "my", "mine", "you", "your", "yours":
		return true
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
			switch strings.ToLower(suffix) {
			case "st", "nd", "rd", "th":
				end += len(suffix)
			case "s":
				n, end = n+"s", end+1
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

// english reports whether a claim has a word that only English has.
func english(ws []word) bool {
	for _, w := range ws {
		switch w.text {
		case "of", "is", "was", "are", "were", "and", "has", "have", "had", "with", "by", "to", "from", "for", "not", "which", "that", "their":
			return true
		}
	}
	return false
}

// kindOf finds what is known of a word that is no number and no date.
func kindOf(w word) kind {
	switch w.text {
	case "he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "theirs", "himself", "herself", "itself", "themselves",
		"this", "these", "those", "we", "us", "our", "ours", "i", "me", "my", "mine", "you", "your", "yours",
		"here", "there", "latter":
		if w.capital && !w.first && w.text == "us" {
			return plain // the US
		}
		return pronoun
	case "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without", "hardly", "barely", "unless", "except", "lack", "lacks", "fail", "fails", "failed", "unable", "nowhere":
		return negation
	case "all", "some", "most", "every", "each", "only", "any", "many", "much", "few", "several", "both", "half", "least", "always", "often", "sometimes", "usually", "rarely", "seldom",
		"about", "around", "approximately", "nearly", "almost", "roughly", "exactly", "just", "up", "over", "under", "entire", "whole", "partly", "mainly", "mostly", "majority", "minority", "generally", "solely", "alone":
		return quantifier
	case "more", "less", "fewer", "better", "worse", "best", "worst", "greater", "before", "after", "since", "until", "during", "above", "below", "first", "last", "second", "third", "former",
		"earlier", "later", "next", "previous", "increase", "increased", "increases", "decrease", "decreased", "decreases", "than", "same", "different", "higher", "lower", "then", "further", "too":
		return comparison
	case "is", "are", "am", "was", "were", "be", "been", "being", "has", "have", "had", "having", "do", "does", "did", "will", "would", "can", "could", "may", "might", "must", "shall", "should",
		"if", "whether", "still", "already", "now", "once", "again", "allegedly", "reportedly", "possibly", "probably", "likely", "perhaps", "maybe":
		return auxiliary
	case "of", "in", "on", "at", "to", "from", "by", "with", "for", "into", "onto", "through", "between", "among", "against", "towards", "toward", "via", "near", "outside", "inside", "within", "off", "out", "down",
		"and", "or", "but", "as", "because", "although", "though", "while", "whereas", "which", "who", "whom", "whose", "that", "such", "thereby", "therefore", "thus", "so", "where", "when", "why", "how", "what":
		return function
	}
	return plain
}

// numeral is the digits of a number that is written as a word.
func numeral(w string) (string, bool) {
	switch w {
	case "zero":
		return "0", true
	case "one":
		return "1", true
	case "two":
		return "2", true
	case "three":
		return "3", true
	case "four":
		return "4", true
	case "five":
		return "5", true
	case "six":
		return "6", true
	case "seven":
		return "7", true
	case "eight":
		return "8", true
	case "nine":
		return "9", true
	case "ten":
		return "10", true
	case "eleven":
		return "11", true
	case "twelve":
		return "12", true
	case "hundred", "thousand", "million", "billion", "trillion", "dozen", "twice", "double", "doubled", "triple", "quarter", "tenth",
		"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
		"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety":
		return w, true
	}
	return "", false
}
