package extract

// A rule cuts a phrase from the start of a sentence. It reports false if the sentence does
// not start with such a phrase.
type rule func(words) (rest words, ok bool)

// oneOf returns the rule for any of the given phrases.
func oneOf(phrases ...string) rule {
	return func(w words) (words, bool) { return w.cutAnyPrefix(phrases...) }
}

// sequence returns the rule for phrases that follow each other.
func sequence(rules ...rule) rule {
	return func(w words) (words, bool) {
		rest := w
		for _, r := range rules {
			after, ok := r(rest)
			if !ok {
				return w, false
			}
			rest = after
		}
		return rest, true
	}
}

// either returns the rule for phrases of any of the given rules, of which the first that
// matches counts.
func either(rules ...rule) rule {
	return func(w words) (words, bool) {
		for _, r := range rules {
			if rest, ok := r(w); ok {
				return rest, true
			}
		}
		return w, false
	}
}

// many returns the rule for any number of phrases, including none. phrase must cut at
// least one word.
func many(phrase rule) rule {
	return func(w words) (words, bool) {
		for len(w) > 0 {
			rest, ok := phrase(w)
			if !ok {
				break
			}
			w = rest
		}
		return w, true
	}
}

// within returns the rule for up to n words that end in one of the given ones.
func within(n int, list ...string) rule {
	return func(w words) (words, bool) {
		rest := w
		for range n {
			var first string
			if first, rest = rest.cutWord(); isOneOf(first, list...) {
				return rest, true
			}
		}
		return w, false
	}
}

// anyWord cuts one word.
func anyWord(w words) (words, bool) {
	_, rest := w.cutWord()
	return rest, len(w) > 0
}
