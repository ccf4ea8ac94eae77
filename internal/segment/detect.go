package segment

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A detector identifies languages by script and frequent words.
type detector struct {
	tags  []string
	words map[string]uint64 // set of the languages of each frequent word
}

func (d *detector) add(tag, data string) {
	bit := uint64(1) << len(d.tags)
	d.tags = append(d.tags, tag)
	for l := range strings.Lines(data) {
		if words, ok := strings.CutPrefix(l, "common:"); ok {
			for w := range strings.FieldsSeq(words) {
				d.words[w] |= bit
			}
		}
	}
}

const (
	sampleSize = 1500 // bytes read of a text
	maxWord    = 24   // bytes
	probeSize  = 64   // bytes of each of three probes
)

// detect returns the tag of the language of text, or "en" if it is unclear. It probes three short
// pieces of a long text first and reads its beginning only if they are inconclusive.
func (d *detector) detect(text string) string {
	if len(text) >= 4*probeSize {
		var s sample
		s.read(d.words, text[:wordEnd(text, probeSize)])
		middle := wordEnd(text, len(text)/2)
		s.read(d.words, text[middle:wordEnd(text, middle+probeSize)])
		s.read(d.words, text[wordEnd(text, len(text)-probeSize):])
		if tag, ok := d.confident(&s); ok {
			return tag
		}
	}
	var s sample
	s.read(d.words, text[:min(len(text), sampleSize)])
	return d.mostLikely(&s)
}

// wordEnd returns the end of the word that contains the offset at.
func wordEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:min(at+maxWord, len(text))], ' '); n >= 0 {
		return at + n
	}
	return at
}

// A sample accumulates counts over pieces of a text.
type sample struct {
	votes          [64]int // frequent words by language index
	scripts        [scriptCount]int
	words, letters int
}

func (s *sample) read(known map[string]uint64, text string) {
	word := make([]byte, 0, maxWord+utf8.UTFMax) // in lower case, without its end if it is too long
	count := func() {
		if n := len(word); n > 0 && n <= maxWord {
			s.words++
			for set := known[string(word)]; set != 0; set &= set - 1 {
				s.votes[bits.TrailingZeros64(set)]++
			}
		}
		word = word[:0]
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
			if len(word) <= maxWord {
				word = append(word, b)
			}
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
		if len(word) <= maxWord-utf8.UTFMax {
			word = utf8.AppendRune(word, unicode.ToLower(r))
		} else {
			word = word[:maxWord+1] // too long
		}
	}
	count()
}

// confident returns the language of a small sample and whether it is certain: Latin script only,
// and at least three times as many frequent words as for any other language.
func (d *detector) confident(s *sample) (string, bool) {
	const enough, clearly = 9, 3
	if s.scripts != [scriptCount]int{} {
		return "", false
	}
	best, next := 0, 0
	for i := range d.tags {
		if n := s.votes[i]; n > s.votes[best] {
			best, next = i, s.votes[best]
		} else if i != best {
			next = max(next, n)
		}
	}
	return d.tags[best], s.votes[best] >= enough && s.votes[best] >= clearly*next
}

func (d *detector) mostLikely(s *sample) string {
	votes := &s.votes
	switch tag := scriptLanguage(&s.scripts, s.letters); {
	case tag == "hi" && votes[d.index("mr")] > votes[d.index("hi")]:
		return "mr"
	case tag == "ru" && s.scripts[scriptRussian] == 0 && votes[d.index("bg")] > votes[d.index("ru")]:
		return "bg"
	case tag != "":
		return tag
	}
	best, english := -1, 0
	for i, tag := range d.tags {
		if tag == "en" {
			english = votes[i]
		} else if best < 0 || votes[i] > votes[best] {
			best = i
		}
	}
	// Require one known word in ten, and clearly more than are English.
	if best < 0 || votes[best] < 2 || votes[best]*10 < s.words || votes[best] <= english+max(1, english/4) {
		return "en"
	}
	return d.tags[best]
}

func (d *detector) index(tag string) int { return max(slices.Index(d.tags, tag), 0) }

// Scripts, and letters within a script, that distinguish languages.
const (
	_ = iota
	scriptKana
	scriptHan
	scriptGreek
	scriptArmenian
	scriptEthiopic
	scriptBurmese
	scriptDevanagari
	scriptCyrillic
	scriptRussian   // letters that Bulgarian and Ukrainian lack
	scriptUkrainian // letters that Russian and Bulgarian lack
	scriptKazakh
	scriptArabic
	scriptPersian // letters that Arabic lacks
	scriptUrdu    // letters that Arabic and Persian lack
	scriptCount
)

//nolint:gochecknoglobals // constant
var (
	scriptTables = [scriptCount]*unicode.RangeTable{
		scriptGreek: unicode.Greek, scriptCyrillic: unicode.Cyrillic, scriptArmenian: unicode.Armenian, scriptArabic: unicode.Arabic, scriptDevanagari: unicode.Devanagari,
		scriptBurmese: unicode.Myanmar, scriptEthiopic: unicode.Ethiopic, scriptKana: {R16: []unicode.Range16{{Lo: 0x3041, Hi: 0x30FA, Stride: 1}}}, scriptHan: unicode.Han,
	}
	scriptLetters = [scriptCount]string{
		scriptRussian: "ыэёЫЭЁ", scriptUkrainian: "іїєґІЇЄҐ", scriptKazakh: "қғңәөүұһҚҒӘӨҮҰ", scriptUrdu: "ٹڈڑےںہ", scriptPersian: "پچژگکی",
	}
)

// scriptOf returns the most specific script of the letter r, or 0 for Latin and unlisted scripts.
func scriptOf(r rune) int {
	if r < 0x370 {
		return 0
	}
	found := slices.IndexFunc(scriptLetters[:], func(letters string) bool { return strings.ContainsRune(letters, r) })
	if found < 0 {
		found = slices.IndexFunc(scriptTables[:], func(t *unicode.RangeTable) bool { return t != nil && unicode.Is(t, r) })
	}
	return max(found, 0)
}

// scriptLanguage returns the language that the script counts imply, or "" if they are inconclusive.
func scriptLanguage(n *[scriptCount]int, letters int) string {
	if cjk := n[scriptKana] + n[scriptHan]; n[scriptKana]*10 > cjk && cjk*3 > letters {
		return "ja"
	}
	tags := [...]string{scriptHan: "zh", scriptGreek: "el", scriptArmenian: "hy", scriptEthiopic: "am", scriptBurmese: "my", scriptDevanagari: "hi"}
	for s := scriptHan; s <= scriptDevanagari; s++ {
		if n[s]*3 > letters {
			return tags[s]
		}
	}
	if all := n[scriptCyrillic] + n[scriptRussian] + n[scriptUkrainian] + n[scriptKazakh]; all*3 > letters {
		switch {
		case n[scriptKazakh]*50 > all:
			return "kk"
		case n[scriptRussian] > n[scriptUkrainian]:
			return "ru"
		case n[scriptUkrainian] > 0:
			return "uk"
		case all > 60:
			return "bg" // Russian text of this length would contain ы
		}
		return "ru"
	}
	if all := n[scriptArabic] + n[scriptPersian] + n[scriptUrdu]; all*3 > letters {
		switch {
		case n[scriptUrdu]*50 > all:
			return "ur"
		case n[scriptPersian]*50 > all:
			return "fa"
		}
		return "ar"
	}
	return ""
}
