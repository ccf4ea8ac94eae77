package lexicon

// A stemmed word is the first len bytes of a word, the last of them replaced by y if y
// is set: studies, studied, study.
type stemmed struct {
	len int
	y   bool
}

// stem removes the endings of English inflection from the lower-case word w. It is
// conservative: it keeps words of different meaning apart, and leaves irregular forms
// to the lexicon.
func stem(w []byte) stemmed {
	n := len(w)
	if n <= 4 {
		if n == 4 && w[3] == 's' && w[2] != 's' && w[2] != 'u' && w[2] != 'i' && string(w) != "news" {
			n-- // cats, dogs
		}
		return stemmed{len: n}
	}
	switch {
	case ends(w, "ies"), ends(w, "ied"):
		return stemmed{len: n - 2, y: true}
	case ends(w, "ing") && n >= 6:
		n = undouble(w, n-3)
	case ends(w, "es") && n >= 5:
		n -= 2
	case ends(w, "ed") && n >= 5:
		n = undouble(w, n-2)
	case w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
		n--
	case ends(w, "ly") && n >= 5:
		n -= 2
	}
	if n > 4 && w[n-1] == 'e' {
		n--
	}
	return stemmed{len: n}
}

// ends reports whether w ends in s and is longer.
func ends(w []byte, s string) bool {
	return len(w) > len(s) && string(w[len(w)-len(s):]) == s
}

// undouble removes the consonant that English doubles before -ing and -ed.
func undouble(w []byte, n int) int {
	if n < 4 || w[n-1] != w[n-2] {
		return n
	}
	switch w[n-1] {
	case 'b', 'd', 'g', 'm', 'n', 'p', 'r', 't':
		return n - 1
	}
	return n
}

// StemLength returns the length of the stem of a word of ASCII letters in either case.
func StemLength(word string) int {
	var buf [maxWord]byte
	if len(word) > maxWord {
		return len(word)
	}
	for i := range len(word) {
		buf[i] = word[i] | 0x20
	}
	return stem(buf[:len(word)]).len
}
