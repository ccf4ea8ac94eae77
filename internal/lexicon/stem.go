package lexicon

// stem returns the lower-case word w, which it may modify, without English inflectional endings.
// It is conservative, to avoid conflating different words. Irregular forms are in the lexicon.
func stem(w []byte) []byte {
	n := len(w)
	if n <= 4 {
		if n == 4 && w[3] == 's' && w[2] != 's' && w[2] != 'u' && w[2] != 'i' && string(w) != "news" {
			n-- // cats, dogs
		}
		return w[:n]
	}
	switch {
	case hasEnding(w, "ies"), hasEnding(w, "ied"): // studies, study
		w[n-3] = 'y'
		return w[:n-2]
	case hasEnding(w, "ing") && n >= 6:
		n = undouble(w, n-3)
	case hasEnding(w, "es"):
		n -= 2
	case hasEnding(w, "ed"):
		n = undouble(w, n-2)
	case w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
		n--
	case hasEnding(w, "ly"):
		n -= 2
	}
	if n > 4 && w[n-1] == 'e' {
		n--
	}
	return w[:n]
}

// hasEnding reports whether s is a proper suffix of w.
func hasEnding(w []byte, s string) bool {
	return len(w) > len(s) && string(w[len(w)-len(s):]) == s
}

// undouble returns the length of w[:n] without the last of two equal consonants, which
// English doubles before -ing and -ed.
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

// StemLength returns the length of the stem of a word of ASCII letters. It ignores case.
func StemLength(word string) int {
	var buf [maxWord]byte
	if len(word) > maxWord {
		return len(word)
	}
	for i := range len(word) {
		buf[i] = word[i] | 0x20
	}
	return len(stem(buf[:len(word)]))
}
