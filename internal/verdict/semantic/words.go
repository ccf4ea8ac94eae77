package semantic

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind classifies a word. Only plain words may be replaced by synonyms.
type kind uint8

const (
	plain kind = iota
	number
	date
	pronoun
	operator // negations, quantifiers and comparisons
	auxiliary
	function // prepositions and conjunctions
)

// A word is a word in a claim.
type word struct {
	text    string // lower case; numbers and dates are normalized
	kind    kind
	capital bool // starts with a capital letter
	first   bool // first word of the claim
}

// parse returns the words of a claim without optional words.
func parse(text string) []word {
	raw := split(text)
	var out []word
	for i := 0; i < len(raw); i++ {
		if w, n := parseDate(raw[i:]); n > 0 {
			w.first = i == 0
			if k := len(out); k > 0 && out[k-1].kind == function && (out[k-1].text == "on" || out[k-1].text == "in") {
				w.first = out[k-1].first
				out = out[:k-1] // the preposition of "on 14 March" is optional
			}
			out = append(out, w)
			i += n - 1
			continue
		}
		if isOptional(raw, i) {
			continue
		}
		w := raw[i]
		w.first = i == 0
		if w.kind == plain {
			w.kind = kindOf(w)
		}
		switch {
		case w.text == "former" && i > 0 && raw[i-1].text == "the" && (i+1 == len(raw) || kindOf(raw[i+1]) != plain):
			w.kind = pronoun
		case w.text == "there" && i+1 < len(raw) && kindOf(raw[i+1]) == auxiliary:
			w.kind = function // "there is" is not a reference
		}
		out = append(out, w)
	}
	return out
}

// isOptional reports whether word i may be omitted without a change in meaning.
func isOptional(ws []word, i int) bool {
	switch ws[i].text {
	case "a", "an", "the", "also", "however", "moreover", "additionally", "furthermore", "indeed":
		return true
	case "located", "situated": // "is located in"
		return i > 0 && kindOf(ws[i-1]) == auxiliary && i+1 < len(ws) && slices.Contains([]string{"in", "on", "at"}, ws[i+1].text)
	case "year": // "in the year 1990"
		return i > 1 && ws[i-1].text == "the" && ws[i-2].text == "in" && yearAt(ws, i+1) > 0
	}
	return false
}

// refersOutside reports whether a claim may refer to something outside it: it contains a
// pronoun before the first name, or a deictic word such as "this".
func refersOutside(ws []word) bool {
	named := false
	for i, w := range ws {
		switch {
		case w.kind == pronoun && (!named || isDeictic(w.text)):
			return true
		case w.kind != plain || !w.capital:
		case !w.first, i+1 < len(ws) && ws[i+1].kind != pronoun:
			named = true
		}
	}
	return false
}

// isDeictic reports whether a pronoun refers to the conversation rather than to a name.
func isDeictic(w string) bool {
	switch w {
	case "this", "these", "those", "here", "there", "former", "latter", "we", "us", "our", "ours", "i", "me", "my", "mine", "you", "your", "yours":
		return true
	}
	return false
}

// isEnglish reports whether a claim contains a common word that occurs only in English.
func isEnglish(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool {
		switch w.text {
		case "of", "is", "was", "are", "were", "and", "has", "have", "had", "with", "by", "to", "from", "for", "not", "which", "that", "their":
			return true
		}
		return false
	})
}

// kindOf returns the kind of a word that is not a number or a date.
func kindOf(w word) kind {
	switch w.text {
	case "he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "theirs", "himself", "herself", "itself", "themselves",
		"this", "these", "those", "we", "us", "our", "ours", "i", "me", "my", "mine", "you", "your", "yours",
		"here", "there", "latter":
		if w.capital && !w.first && w.text == "us" {
			return plain // the US
		}
		return pronoun
	case "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without", "hardly", "barely", "unless", "except", "lack", "lacks", "fail", "fails", "failed", "unable", "nowhere",
		"all", "some", "most", "every", "each", "only", "any", "many", "much", "few", "several", "both", "half", "least", "always", "often", "sometimes", "usually", "rarely", "seldom",
		"about", "around", "approximately", "nearly", "almost", "roughly", "exactly", "just", "up", "over", "under", "entire", "whole", "partly", "mainly", "mostly", "majority", "minority", "generally", "solely", "alone",
		"more", "less", "fewer", "better", "worse", "best", "worst", "greater", "before", "after", "since", "until", "during", "above", "below", "first", "last", "second", "third", "former",
		"earlier", "later", "next", "previous", "increase", "increased", "increases", "decrease", "decreased", "decreases", "than", "same", "different", "higher", "lower", "then", "further", "too":
		return operator
	case "is", "are", "am", "was", "were", "be", "been", "being", "has", "have", "had", "having", "do", "does", "did", "will", "would", "can", "could", "may", "might", "must", "shall", "should",
		"if", "whether", "still", "already", "now", "once", "again", "allegedly", "reportedly", "possibly", "probably", "likely", "perhaps", "maybe":
		return auxiliary
	case "of", "in", "on", "at", "to", "from", "by", "with", "for", "into", "onto", "through", "between", "among", "against", "towards", "toward", "via", "near", "outside", "inside", "within", "off", "out", "down",
		"and", "or", "but", "as", "because", "although", "though", "while", "whereas", "which", "who", "whom", "whose", "that", "such", "thereby", "therefore", "thus", "so", "where", "when", "why", "how", "what":
		return function
	}
	return plain
}

// split returns the words, numbers and significant symbols of text.
func split(text string) []word {
	text = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "−", "-", "\u00ad", "", "\u200b", "").Replace(text)
	var out []word
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsNumber(r):
			var n string
			n, i = splitNumber(text, i)
			out = append(out, word{text: n, kind: number})
		case isLetter(r):
			w := leadingLetters(text[i:])
			i += len(w)
			lower := strings.ToLower(w)
			next := word{text: lower, capital: unicode.IsUpper(r)}
			negated := lower == "cannot"
			if strings.HasPrefix(text[i:], "'") {
				switch tail := strings.ToLower(leadingLetters(text[i+1:])); {
				case tail == "t" && strings.HasSuffix(lower, "n"):
					next.text, negated = expandContraction(lower), true
					i += 2
				case tail == "s":
					i += 2
				}
			}
			if lower == "cannot" {
				next.text = "can"
			}
			if n, ok := numeral(next.text); ok {
				next.text, next.kind = n, number
			}
			out = append(out, next)
			if negated {
				out = append(out, word{text: "not", kind: operator})
			}
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
	return out
}

// splitNumber returns the normalized number at byte i, and the offset of its end.
func splitNumber(text string, i int) (string, int) {
	end := numberEnd(text, i)
	n := text[i:end]
	if strings.Count(n, ",") > 1 { // a single comma may be a decimal comma
		n = strings.ReplaceAll(n, ",", "")
	}
	if i > 0 && text[i-1] == '-' && (i == 1 || text[i-2] == ' ' || text[i-2] == '(') {
		n = "-" + n
	}
	switch suffix := strings.ToLower(leadingLetters(text[end:])); suffix {
	case "st", "nd", "rd", "th", "s":
		return n + suffix, end + len(suffix)
	}
	return n, end
}

// numberEnd returns the end of the number that starts at byte i. It includes a comma
// before three digits, and a point or a colon before any digits.
func numberEnd(text string, i int) int {
	digitsEnd := func(start int) int {
		rest := strings.TrimLeftFunc(text[start:], unicode.IsNumber)
		return len(text) - len(rest)
	}
	i = digitsEnd(i)
	for i+1 < len(text) {
		switch next := digitsEnd(i + 1); {
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

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// leadingLetters returns the longest prefix of s that consists of letters and marks.
func leadingLetters(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, isLetter))]
}

// expandContraction returns the verb of a contraction without its "'t": "is" for "isn"
// and "will" for "won".
func expandContraction(w string) string {
	irregular := map[string]string{"won": "will", "can": "can", "shan": "shall"}
	return cmp.Or(irregular[w], strings.TrimSuffix(w, "n"))
}

// numeral normalizes a number word, and reports whether w is one. Numbers up to twelve
// are converted to digits.
func numeral(w string) (string, bool) {
	cardinals := [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	if n := slices.Index(cardinals[:], w); n >= 0 {
		return strconv.Itoa(n), true
	}
	ordinals := [...]string{"fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"}
	if n := slices.Index(ordinals[:], w); n >= 0 {
		return strconv.Itoa(n+4) + "th", true
	}
	switch w {
	case "hundred", "thousand", "million", "billion", "trillion", "dozen", "twice", "double", "doubled", "triple", "quarter",
		"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
		"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety":
		return w, true
	}
	return "", false
}
