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
	glance      = 64 // of the beginning, the middle and the end, to begin with
)

// find is the tag of the language that text is written in, as far as three
// glances or else its beginning say, and "en" where nothing speaks for another.
func (t *tongues) find(text string) string {
	if len(text) >= 4*glance {
		var s sample
		s.read(&t.words, text[:wordEnd(text, glance)])
		middle := wordEnd(text, len(text)/2)
		s.read(&t.words, text[middle:wordEnd(text, middle+glance)])
		s.read(&t.words, text[wordEnd(text, len(text)-glance):])
		if tag, ok := t.plain(&s); ok {
			return tag
		}
	}
	var s sample
	s.read(&t.words, text[:min(len(text), sampleSize)])
	return t.likely(&s)
}

// wordEnd is where the first word of text that reaches the offset at ends.
func wordEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:min(at+longestWord, len(text))], ' '); n >= 0 {
		return at + n
	}
	return at
}

// A sample is what was counted in pieces of a text.
type sample struct {
	votes          [64]int // words that are common in a language, by its place
	scripts        [scriptCount]int
	words, letters int
}

// read counts a piece of a text.
func (s *sample) read(known *wordSet, text string) {
	var word [longestWord]byte
	n := 0
	count := func() {
		if n == 0 || n > longestWord {
			n = 0
			return
		}
		s.words++
		for set := known.of(&word, n); set != 0; set &= set - 1 {
			s.votes[bits.TrailingZeros64(set)]++
		}
		n = 0
	}
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			i++
			switch {
			case b-'A' < 26:
				b += 'a' - 'A'
			case b-'a' >= 26:
				count()
				continue
			}
			s.letters++
			if n < longestWord {
				word[n] = b
			}
			n = min(n, longestWord) + 1
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if k := scriptOf(r); k > 0 {
			s.scripts[k]++
		}
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			count()
			continue
		}
		s.letters++
		r = unicode.ToLower(r)
		if n+utf8.UTFMax <= longestWord {
			n += utf8.EncodeRune(word[n:], r)
		} else {
			n = longestWord + 1
		}
	}
	count()
}

// plain is the language that a small sample leaves no doubt about: one of Latin
// letters with three times as many common words as any other.
func (t *tongues) plain(s *sample) (string, bool) {
	const enough, clearly = 9, 3
	if s.scripts != [scriptCount]int{} {
		return "", false
	}
	best, next := 0, 0
	for i := range t.tags {
		if n := s.votes[i]; n > s.votes[best] {
			best, next = i, s.votes[best]
		} else if i != best {
			next = max(next, n)
		}
	}
	return t.tags[best], s.votes[best] >= enough && s.votes[best] >= clearly*next
}

// likely is the language that speaks most for itself in a sample.
func (t *tongues) likely(s *sample) string {
	votes := &s.votes
	switch tag := mostly(&s.scripts, s.letters); {
	case tag == "hi" && votes[t.place("mr")] > votes[t.place("hi")]:
		return "mr"
	case tag == "ru" && s.scripts[russian] == 0 && votes[t.place("bg")] > votes[t.place("ru")]:
		return "bg"
	case tag != "":
		return tag
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
	if best < 0 || votes[best] < 2 || votes[best]*10 < s.words || votes[best] <= english+max(1, english/4) {
		return "en"
	}
	return t.tags[best]
}

// place is where a language stands among the tags.
func (t *tongues) place(tag string) int { return max(slices.Index(t.tags, tag), 0) }
