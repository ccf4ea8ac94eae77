package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Invented reports whether a statement has content that none of the sources
// has. A number that is new is invented, and so is a name: a word with a capital,
// unless it is one that sentences begin with. Of other words one in five may be new, for
// what it takes to make a sentence of a part of one, and so may be words of up
// to three letters. Words count as the same when one begins with the stem of the
// other; in scripts without spaces each character is a word.
func Invented(text string, sources ...string) bool {
	from := map[string]bool{}
	var known []string
	for _, s := range sources {
		for _, w := range tokens(s) {
			if !from[w.text] {
				from[w.text] = true
				known = append(known, w.text)
			}
		}
	}
	content, strange := 0, 0
	for i, w := range tokens(text) {
		if w.number {
			if !from[w.text] {
				return true
			}
			continue
		}
		if from[w.text] || akin(w.text, known) {
			content++
			continue
		}
		if w.capital && (i > 0 || utf8.RuneCountInString(w.text) > 3 && !opens(w.text)) {
			return true
		}
		if w.dense || utf8.RuneCountInString(w.text) > 3 && !isAuxiliary(w.text) {
			content++
			strange++
		}
	}
	return strange > max(1, content/5)
}

// A token is a word or a number in lower case.
type token struct {
	text            string
	number, capital bool
	dense           bool // a character of a script without spaces
}

// tokens are the runs of letters, marks and digits of a text; letters and digits
// part where they meet, and so do characters of scripts without spaces.
func tokens(text string) []token {
	var out []token
	start, kind := -1, 0
	flush := func(end int) {
		if start >= 0 {
			w := text[start:end]
			first, _ := utf8.DecodeRuneInString(w)
			out = append(out, token{text: strings.ToLower(w), number: kind == 2, capital: unicode.IsUpper(first), dense: kind == 3})
		}
		start = -1
	}
	for i, r := range text {
		k := 0
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			k = 3
		case unicode.IsLetter(r) || unicode.IsMark(r):
			k = 1
		case unicode.IsNumber(r):
			k = 2
		}
		if k != kind || k == 3 {
			flush(i)
		}
		if k > 0 && start < 0 {
			start = i
		}
		kind = k
	}
	flush(len(text))
	return out
}

// akin reports whether a word shares its stem with one of known: the longer of
// the two goes on for at most four letters after a common beginning of at least
// four, which is at least half of it.
func akin(w string, known []string) bool {
	for _, k := range known {
		n := 0
		for n < len(w) && n < len(k) && w[n] == k[n] {
			n++
		}
		if n >= 4 && len(w)-n <= 4 && len(k)-n <= 4 && 2*n >= max(len(w), len(k)) {
			return true
		}
	}
	return false
}

// opens knows longer words that statements begin with and that name nothing.
func opens(w string) bool {
	switch w {
	case "according", "although", "while", "when", "where", "after", "before", "during", "some", "most", "many", "each", "every",
		"both", "they", "because", "since", "only", "under", "over", "about":
		return true
	}
	return isAuxiliary(w)
}

// isAuxiliary knows longer words that carry a sentence and say nothing.
func isAuxiliary(w string) bool {
	switch w {
	case "been", "were", "have", "that", "this", "these", "those", "with", "from", "into", "which", "does", "being", "there", "their",
		"wurde", "wurden", "eine", "einem", "einen", "einer", "sind", "waren", "dass",
		"était", "sont", "dans", "avec", "pour",
		"está", "están", "fueron", "para", "como", "desde":
		return true
	}
	return false
}
