package segment

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tongues tell languages apart by their script and their commonest words.
type tongues struct {
	tags  []string
	words map[string]uint64 // the set of the languages that a word is common in
}

func newTongues() tongues { return tongues{words: make(map[string]uint64, 1024)} }

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
				t.words[w] |= bit
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
		for set := t.words[string(word[:n])]; set != 0; set &= set - 1 {
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
	if s := mostly(&scripts, letters); s != "" {
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
	// One word in ten must be known, and more of them than are English.
	if best < 0 || votes[best] < 2 || votes[best]*10 < total || votes[best] <= english+english/4 {
		return "en"
	}
	return t.tags[best]
}

// The scripts that only one of the languages is written in.
const (
	_ = iota
	kana
	han
	greek
	armenian
	ethiopic
	burmese
	scriptCount
)

func scriptOf(r rune) int {
	switch {
	case r < 0x370:
		return 0
	case r < 0x400:
		return greek
	case 0x531 <= r && r <= 0x58A:
		return armenian
	case 0x1000 <= r && r <= 0x109F:
		return burmese
	case 0x1200 <= r && r <= 0x137F:
		return ethiopic
	case 0x1F00 <= r && r <= 0x1FFF:
		return greek
	case 0x3041 <= r && r <= 0x30FA:
		return kana
	case 0x4E00 <= r && r <= 0x9FFF:
		return han
	}
	return 0
}

// mostly is the language of the script that enough of a text is written in.
func mostly(scripts *[scriptCount]int, letters int) string {
	if cjk := scripts[kana] + scripts[han]; scripts[kana]*10 > cjk && cjk*3 > letters {
		return "ja"
	}
	for s := han; s < scriptCount; s++ {
		if scripts[s]*3 > letters {
			return [scriptCount]string{"", "ja", "zh", "el", "hy", "am", "my"}[s]
		}
	}
	return ""
}
