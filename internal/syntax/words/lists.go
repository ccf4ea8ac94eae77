package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isClitic(text string) bool {
	if len(text) < 2 || len(text) > 5 {
		return false
	}
	switch strings.ToLower(strings.Replace(text, "’", "'", 1)) {
	case "'s", "'m", "'d", "'re", "'ve", "'ll", "n't":
		return true
	}
	return false
}

// contraction returns where a word without apostrophe is split, or 0.
func contraction(text string) int {
	switch strings.ToLower(text) {
	case "cannot", "gonna", "gotta", "wanna":
		return 3
	case "dont", "cant", "wont":
		return 2
	case "didnt", "isnt":
		return len(text) - 2
	case "doesnt", "wasnt", "arent", "werent", "hasnt", "havent", "couldnt", "wouldnt", "shouldnt":
		return len(text) - 2
	}
	return 0
}

// isAbbreviation reports whether the period after word belongs to it. A sentence that
// ends with a single letter ends with a period ("vitamin C.").
func isAbbreviation(word string, last bool) bool {
	r, size := utf8.DecodeRuneInString(word)
	if size == len(word) && unicode.IsUpper(r) {
		return !last
	}
	if initials := strings.Split(word, "."); len(initials) > 1 {
		for _, part := range initials {
			if r, size := utf8.DecodeRuneInString(part); size != len(part) || !unicode.IsLetter(r) {
				return false
			}
		}
		return true
	}
	switch word {
	case "etc", "Inc", "Corp", "Co", "Ltd", "Jr", "Sr", "vs":
		return true
	case "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Sen", "Rep", "Gov", "Gen", "Col", "Lt", "Maj", "Capt", "Sgt", "Rev", "Hon",
		"Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec",
		"Mon", "Tue", "Tues", "Wed", "Thu", "Thurs", "Fri", "Sat",
		"Ft", "Mt", "Ave", "Blvd", "Rd", "Dept", "Univ", "Bros", "Ph", "Fig", "Figs", "Eq", "Vol", "pp", "approx", "ca", "cf", "al":
		return !last
	case "No", "Art", "Sec":
		return !last
	}
	return false
}

// isPrefix reports whether a part before a hyphen is not a word of its own.
func isPrefix(part string) bool {
	switch part {
	case "e", "non", "mid", "pre", "anti", "re", "post", "co", "over", "pro", "multi", "ex", "sub", "semi", "neo", "counter",
		"intra", "inter", "socio", "psycho", "arch", "ultra", "de", "bi", "tri", "un", "mega", "micro", "macro", "mini", "pseudo", "quasi", "trans", "vice":
		return true
	}
	return false
}

func isUnit(text string) bool {
	switch text {
	case "am", "pm", "km", "kg", "cm", "mm", "mg", "ml", "lb", "lbs", "oz", "ft", "mph", "kb", "mb", "gb", "tb", "hr", "hrs", "min", "mins", "kw", "mw", "kwh", "ghz", "mhz", "hz":
		return true
	}
	return false
}

func isAddress(text string) bool {
	if strings.Contains(text, "://") || strings.HasPrefix(text, "www.") {
		return true
	}
	at := strings.IndexByte(text, '@')
	return at > 0 && strings.Contains(text[at:], ".")
}
