package segment

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tongues tell languages apart by their script and their commonest words.
type tongues struct {
	tags  []string
	words wordSet // the languages that a word is common in
}

func newTongues() tongues { return tongues{words: newWordSet()} }

// add takes the common words of a language.
func (t *tongues) add(tag, data string) {
	if len(t.tags) == 64 {
		return // a set has no room for more: the language is found by its tag
	}
	bit := uint64(1) << len(t.tags)
	t.tags = append(t.tags, tag)
	for l := range strings.Lines(data) {
		if words, ok := strings.CutPrefix(l, "common:"); ok {
			for w := range strings.FieldsSeq(words) {
				t.words.add(w, bit)
			}
		}
	}
}

// How much of a text is looked at, and the longest word that is.
const (
	sampleSize  = 1500
	longestWord = 24
)

// find is the tag of the language that the beginning of text is written in, and
// "en" where nothing speaks for another.
func (t *tongues) find(text string) string {
	var votes [64]int
	var scripts [scriptCount]int
	var word [longestWord]byte
	n, total, letters := 0, 0, 0
	count := func() {
		if n == 0 || n > longestWord {
			n = 0
			return
		}
		total++
		for set := t.words.of(&word, n); set != 0; set &= set - 1 {
			votes[bits.TrailingZeros64(set)]++
		}
		n = 0
	}
	sample := text[:min(len(text), sampleSize)]
	for i := 0; i < len(sample); {
		b := sample[i]
		if b < utf8.RuneSelf {
			i++
			switch {
			case b-'A' < 26:
				b += 'a' - 'A'
			case b-'a' >= 26:
				count()
				continue
			}
			letters++
			if n < longestWord {
				word[n] = b
			}
			n = min(n, longestWord) + 1
			continue
		}
		r, size := utf8.DecodeRuneInString(sample[i:])
		i += size
		if s := scriptOf(r); s > 0 {
			scripts[s]++
		}
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			count()
			continue
		}
		letters++
		r = unicode.ToLower(r)
		if n+utf8.UTFMax <= longestWord {
			n += utf8.EncodeRune(word[n:], r)
		} else {
			n = longestWord + 1
		}
	}
	count()
	switch s := mostly(&scripts, letters); {
	case s == "hi" && votes[t.place("mr")] > votes[t.place("hi")]:
		return "mr"
	case s == "ru" && scripts[russian] == 0 && votes[t.place("bg")] > votes[t.place("ru")]:
		return "bg"
	case s != "":
		return s
	}
	best, english := -1, 0
	for i, tag := range t.tags {
		if tag == "en" {
			english = votes[i]
		} else if best < 0 || votes[i] > votes[best] {
			best = i
		}
	}
	// One word in ten must be known, and clearly more of them than are English.
	if best < 0 || votes[best] < 2 || votes[best]*10 < total || votes[best] <= english+max(1, english/4) {
		return "en"
	}
	return t.tags[best]
}

// place is where a language stands among the tags.
func (t *tongues) place(tag string) int { return max(slices.Index(t.tags, tag), 0) }
