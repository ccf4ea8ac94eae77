// Package language identifies the language of a text, if that is clear: by its script, or
// by its function words if the script is Latin.
//
// It prefers no answer to a wrong one. Names, titles, numbers and code have none.
package language

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

//go:embed words.txt
var wordList string

const (
	maxLatin = 24 // languages in words.txt
	english  = 0  // the first of them
	maxWord  = 16 // bytes of a function word
)

// A table has the function words that identify a language.
type table struct {
	names []string
	words lexicon.Table[*word] // by hash
}

// A word has a vote for one language, or half a vote for each of two, by their indexes in
// table.names. Words of more languages have none.
type word struct{ languages []int }

//nolint:gochecknoglobals // parsed once from the embedded list, never changed
var load = sync.OnceValue(func() *table {
	t := &table{}
	for line := range strings.Lines(wordList) {
		name, words, ok := strings.Cut(line, ":")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		language := len(t.names)
		t.names = append(t.names, name)
		for w := range strings.FieldsSeq(words) {
			hash := lexicon.Hash(w)
			x := t.words.Get(hash)
			if x == nil {
				x = &word{}
				t.words.Set(hash, x)
			}
			if !slices.Contains(x.languages, language) {
				x.languages = append(x.languages, language)
			}
		}
	}
	return t
})

// A script is a writing system.
type script int

const (
	none script = iota
	latin
	greek
	cyrillic
	hebrew
	arabic
	devanagari
	thai
	hangul
	kana
	han
	other
	scripts
)

//nolint:gochecknoglobals // constant
var scriptNames = [scripts]string{
	greek: "Greek", cyrillic: "Cyrillic script", hebrew: "Hebrew", arabic: "Arabic script", devanagari: "Devanagari",
	thai: "Thai", hangul: "Korean",
}

const (
	chinese  = "Chinese"
	japanese = "Japanese"
)

// A Profile counts what identifies the language of a text. The zero Profile is empty.
type Profile struct {
	scripts [scripts]int  // weight of the letters
	words   int           // words in Latin script
	votes   [maxLatin]int // halves of votes for a language
	sole    [maxLatin]int // those of words of one language
	first   [maxLatin]*word
	varied  [maxLatin]bool
}

// Add counts text.
func (p *Profile) Add(text string) {
	initial := true // whether the next word may start a sentence
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && c|0x20-'a' >= 26 {
			i, initial = i+1, initial || c == '.' || c == '!' || c == '?' || c == '\n'
			continue
		}
		if n := p.addLetters(text[i:]); n > 0 {
			p.addWord(text[i:i+n], initial)
			i, initial = i+n, false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		s := scriptOf(r)
		p.scripts[s] += weights[s]
		i += size
	}
}

// addLetters counts the letters of the word in Latin script at the start of text, and returns its
// length.
func (p *Profile) addLetters(text string) int {
	i := 0
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if c|0x20-'a' >= 26 {
				break
			}
			p.scripts[latin]++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		s := scriptOf(r)
		if s != latin && (i == 0 || !unicode.Is(unicode.Mn, r)) {
			break
		}
		p.scripts[s] += weights[s]
		i += size
	}
	return i
}

// addWord counts a word in Latin script. A capital usually starts a name, unless it is initial.
func (p *Profile) addWord(w string, initial bool) {
	p.words++
	if first, _ := utf8.DecodeRuneInString(w); len(w) > utf8.UTFMax*maxWord || !initial && unicode.IsUpper(first) {
		return
	}
	var buf [utf8.UTFMax * maxWord]byte
	lower := buf[:0]
	for _, r := range w {
		lower = utf8.AppendRune(lower, unicode.ToLower(r))
	}
	if len(lower) > 1 && len(lower) <= maxWord {
		p.vote(load().words.Get(lexicon.Hash(lower)))
	}
}

// vote counts the votes of a function word.
func (p *Profile) vote(w *word) {
	if w == nil || len(w.languages) > 2 {
		return
	}
	for _, l := range w.languages {
		p.varied[l] = p.varied[l] || p.votes[l] > 0 && p.first[l] != w
		p.first[l] = w
		p.votes[l] += 2 / len(w.languages)
	}
	if len(w.languages) == 1 {
		p.sole[w.languages[0]] += 2
	}
}

// weights has the weight of a letter of each script, in letters of an alphabet.
//
//nolint:gochecknoglobals // constant
var weights = [scripts]int{
	latin: 1, greek: 1, cyrillic: 1, hebrew: 1, arabic: 1, devanagari: 1, thai: 1, hangul: 3, kana: 3, han: 3, other: 1,
}

// Limits of what is clear. They favor precision: a text in one language with names, titles
// or terms of another must not be taken for the other.
const (
	minLetters      = 16 // weight of the letters of a script other than Latin
	minLetterRatio  = 5  // letters of the script per letter of all others
	minVotes        = 5  // halves of votes
	fewVotes        = 4  // enough if no other language has any, and the text is not short
	shortText       = 6  // words
	maxWordsPerVote = 20
	minVoteRatio    = 4 // votes per vote for another language by words of that language alone
)

// Language returns the name of the language, such as "German", or "" if it is unclear.
func (p *Profile) Language() string {
	all := 0
	best := none
	cjk := p.scripts[han] + p.scripts[kana]
	for s := latin; s < scripts; s++ {
		all += p.scripts[s]
		if p.scripts[s] > p.scripts[best] {
			best = s
		}
	}
	if cjk > p.scripts[best] || best == kana {
		best = han
	}
	weight := p.scripts[best]
	if best == han {
		weight = cjk
	}
	if weight < minLetterRatio*(all-weight) {
		return ""
	}
	switch {
	case best == latin:
		return p.latinLanguage()
	case weight < minLetters:
		return ""
	case best == han:
		const share = 10 // of kana in Japanese; Chinese has almost none
		switch k := p.scripts[kana]; {
		case k*share >= cjk:
			return japanese
		case k*share*share < cjk:
			return chinese
		}
		return ""
	}
	return scriptNames[best]
}

func (p *Profile) latinLanguage() string {
	best, next := 0, 0
	for i, n := range p.votes {
		if n > p.votes[best] {
			best = i
		}
	}
	for i, n := range p.sole {
		if i != best {
			next = max(next, n)
		}
	}
	v := p.votes[best]
	enough := v >= minVotes || v == fewVotes && next == 0 && p.words >= shortText
	if !enough || !p.varied[best] || v*maxWordsPerVote < 2*p.words || v < minVoteRatio*next {
		return ""
	}
	return load().names[best]
}

// letters returns the weight of the text in the given language.
func (p *Profile) letters(name string) int {
	const perVote = 12 // half a vote stands for about two words
	if i := slices.Index(load().names, name); i >= 0 {
		return perVote * p.sole[i]
	}
	if s := slices.Index(scriptNames[:], name); s >= 0 {
		return p.scripts[s]
	}
	return p.scripts[han] + p.scripts[kana]
}

// Leans reports whether a text whose own language is unclear may be in the given one: it
// has a sign of that, and none of another language in Latin script.
func (p *Profile) Leans(name string) bool {
	votes := 0
	for i, n := range load().names {
		switch {
		case n == name:
			votes = p.votes[i]
		case p.sole[i] > 0:
			return false
		}
	}
	return votes > 0 || p.letters(name) > 0
}

// HasDecimalComma reports whether the text is in a language in Latin script other than
// English, all of which write 0,5. If the language is unclear, the text must have words of
// such a language and none of English.
func (p *Profile) HasDecimalComma() bool {
	name := p.Language()
	if name == "" {
		return p.votes[english] == 0 && slices.Max(p.votes[:]) > 0
	}
	return name != load().names[english] && name == p.latinLanguage()
}

// Excludes reports whether the text is clearly in a language or script other than that of
// the given language, and has almost nothing in the latter.
func (p *Profile) Excludes(name string) bool {
	const rarely = 12
	own := p.Language()
	switch {
	case own == "": // Latin letters alone exclude what is written in others
		return !slices.Contains(load().names, name) && p.letters(name) == 0 && p.scripts[latin] >= minLetters
	case own == name:
		return false
	case (own == chinese || own == japanese) && (name == chinese || name == japanese):
		return true
	}
	return p.letters(name)*rarely <= p.letters(own)
}

// scriptOf returns the script of a character that is not ASCII.
func scriptOf(r rune) script {
	switch {
	case !unicode.IsLetter(r):
		return none
	case r < 0x250 || 0x1E00 <= r && r < 0x1F00:
		return latin
	}
	for s, t := range [scripts]*unicode.RangeTable{
		greek: unicode.Greek, cyrillic: unicode.Cyrillic, hebrew: unicode.Hebrew, arabic: unicode.Arabic, devanagari: unicode.Devanagari,
		thai: unicode.Thai, hangul: unicode.Hangul, kana: kanaLetters, han: unicode.Han,
	} {
		if t != nil && unicode.Is(t, r) {
			return script(s)
		}
	}
	return other
}

//nolint:gochecknoglobals // constant
var kanaLetters = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3041, Hi: 0x30FE, Stride: 1}}}
