// Package lexicon tokenizes texts and provides information about words: stems, classes,
// document frequencies, synonyms and antonyms.
//
// Document frequencies, irregular forms, synonyms and antonyms are stored in
// lexicon.bin, which generate.go generates. data/NOTICE.md lists its sources.
// The short lists in data/words.txt are maintained by hand.
package lexicon

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	_ "embed" // for the two data files
)

//go:embed data/lexicon.bin
var packed string

//go:embed data/words.txt
var wordLists string

// A Relation is the semantic relation between two words.
type Relation uint8

// The relations, closest first.
const (
	Adjective Relation = iota + 1 // Germany, German
	Synonym                       // in the first sense of both words
	Loose                         // a synonym in the first sense of one word
	Antonym
)

type wordInfo struct {
	key   uint64 // key of the stem, or 0 to apply the stemming rules
	class Class
}

// A Lexicon contains information about words. It is safe for concurrent use after the last
// call of Intern.
type Lexicon struct {
	forms Table[uint16] // indices into words, by hash
	words []wordInfo    // the first one is that of unknown words

	df     string // per slot: 4 bytes of fingerprint, 1 byte of quantized IDF
	dfMask uint64
	maxIDF float64

	vocabulary []uint64      // keys of the words with relations
	places     Table[uint16] // indices into vocabulary, plus 1, by key
	related    string        // 5 bytes per pair: two indices and the relation; sorted by the first index
	first      []uint32      // vocabulary[i] has the pairs first[i] to first[i+1]-1
}

// IDFStep is the quantization step of the stored inverse document frequencies.
const IDFStep = 0.05

// Magic is the file signature of lexicon.bin.
const Magic = "RFLEX\x00\x00\x01"

var errCorrupt = errors.New("lexicon: embedded data is corrupt")

// Load returns the embedded lexicon.
func Load() (*Lexicon, error) {
	l := &Lexicon{words: make([]wordInfo, 1)}
	if err := l.unpack(packed); err != nil {
		return nil, err
	}
	return l, l.readLists(wordLists)
}

// Bare returns a lexicon that contains only the lists in words.txt. The generator of
// lexicon.bin uses it to count words.
func Bare() (*Lexicon, error) {
	l := &Lexicon{words: make([]wordInfo, 1)}
	return l, l.readLists(wordLists)
}

// AddIrregular sets the key of an irregular form to lemma. Both arguments are hashes.
func (l *Lexicon) AddIrregular(form, lemma uint64) {
	l.word(form).key = lemma
}

// Intern returns Token.Word of the tokens with this form, a word in lower case without accents.
func (l *Lexicon) Intern(form string) uint16 {
	l.word(Hash(form))
	return l.forms.Get(Hash(form))
}

// word returns what is known of the word with a hash, which it adds if it is unknown.
func (l *Lexicon) word(hash uint64) *wordInfo {
	i := l.forms.Get(hash)
	if i == 0 {
		i = uint16(len(l.words)) //nolint:gosec // there are a few thousand words
		l.words = append(l.words, wordInfo{})
		l.forms.Set(hash, i)
	}
	return &l.words[i]
}

// Key returns the key of the stem of a word. It ignores case and accents.
func (l *Lexicon) Key(word string) uint64 {
	w := []byte(word)
	for i, c := range w {
		if c >= utf8.RuneSelf {
			if t := l.Tokens(nil, word); len(t) == 1 {
				return t[0].Key
			}
		}
		if c-'A' < 26 {
			w[i] |= 0x20
		}
	}
	var t Token
	l.fill(&t, w, Hash(w))
	return t.Key
}

// IDF returns the inverse document frequency of the word with key k. It is
// ln((N+1)/(df+½)), where df of the N source documents of lexicon.bin contain the word.
// For an unknown word, df is 0.
func (l *Lexicon) IDF(k uint64) float64 {
	if len(l.df) == 0 {
		return 1
	}
	fp := Fingerprint(k)
	for i := k & l.dfMask; ; i = (i + 1) & l.dfMask {
		s := l.df[i*5 : i*5+5]
		switch got := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24; got {
		case fp:
			return float64(s[4]) * IDFStep
		case 0:
			return l.maxIDF
		}
	}
}

// Fingerprint returns the part of a key that is stored in a slot of the frequency table.
// It is never 0.
func Fingerprint(k uint64) uint32 { return uint32(k>>31) | 1 } //nolint:gosec // the upper half is meant

// Related calls yield for each word that is related to the one with key k.
func (l *Lexicon) Related(k uint64, yield func(key uint64, r Relation)) {
	i := l.places.Get(k)
	if i == 0 {
		return
	}
	for p := l.first[i-1]; p < l.first[i]; p++ {
		s := l.related[p*5 : p*5+5]
		yield(l.vocabulary[int(s[2])|int(s[3])<<8], Relation(s[4]))
	}
}

// unpack parses lexicon.bin: Magic, followed by sections. Each section starts with its
// number of elements as a little-endian uint32. The frequency table is used in place.
func (l *Lexicon) unpack(s string) error {
	if !strings.HasPrefix(s, Magic) {
		return errCorrupt
	}
	s = s[len(Magic):]
	section := func(width int) string {
		if len(s) < 4 {
			return ""
		}
		n := int(binary.LittleEndian.Uint32([]byte(s[:4])))
		if n > (len(s)-4)/width {
			return ""
		}
		b := s[4 : 4+n*width]
		s = s[4+n*width:]
		return b
	}
	l.df = section(5)
	forms := section(16)
	vocabulary := section(8)
	l.related = section(5)
	slots := len(l.df) / 5
	if slots == 0 || slots&(slots-1) != 0 || len(forms) == 0 || len(vocabulary) == 0 || len(l.related) == 0 || len(s) != 1 {
		return errCorrupt
	}
	l.dfMask = uint64(slots - 1) //nolint:gosec // positive
	l.maxIDF = float64(s[0]) * IDFStep
	word := func(s string, i int) uint64 { return binary.LittleEndian.Uint64([]byte(s[i*8 : i*8+8])) }
	for i := 0; i < len(forms)/8; i += 2 {
		l.word(word(forms, i)).key = word(forms, i+1)
	}
	l.vocabulary = make([]uint64, len(vocabulary)/8)
	for i := range l.vocabulary {
		l.vocabulary[i] = word(vocabulary, i)
		l.places.Set(l.vocabulary[i], uint16(i+1)) //nolint:gosec // an index takes two bytes in related
	}
	l.first = make([]uint32, len(l.vocabulary)+1)
	for i := 0; i < len(l.related); i += 5 {
		a, b := int(l.related[i])|int(l.related[i+1])<<8, int(l.related[i+2])|int(l.related[i+3])<<8
		if a >= len(l.vocabulary) || b >= len(l.vocabulary) {
			return errCorrupt
		}
		l.first[a+1]++
	}
	for i := range l.vocabulary {
		l.first[i+1] += l.first[i]
	}
	return nil
}

// readLists parses data/words.txt. Each line consists of a class and its words.
func (l *Lexicon) readLists(text string) error {
	classes := map[string]Class{
		"stop": Stop, "negation": Negation | Stop, "polarity": Polarity, "label": Label, "numeral": Numeral, "ordinal": Ordinal, "month": Month,
		"fraction": Fraction, "partial": Partial, "always": Frequency, "sometimes": Partial | Frequency,
	}
	line := 0
	for s := range strings.Lines(text) {
		line++
		f := strings.Fields(s)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		class, ok := classes[f[0]]
		if !ok {
			return fmt.Errorf("lexicon: words.txt:%d: invalid class %q", line, f[0])
		}
		for _, w := range f[1:] { // WORD or FORM=LEMMA
			w, lemma, _ := strings.Cut(w, "=")
			key := uint64(0)
			if lemma != "" {
				key = l.Key(lemma)
			}
			info := l.word(Hash(w))
			info.class |= class
			if key != 0 {
				info.key = key
			}
		}
	}
	return nil
}
