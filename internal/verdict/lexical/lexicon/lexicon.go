// Package lexicon splits texts into words and knows about words: their stem, how rare
// they are, which ones are synonyms or antonyms, and which numbers, months and units
// they stand for.
//
// The word frequencies, irregular forms, synonyms and antonyms are in lexicon.bin, which
// tools/lexicon generates; docs/judges.md lists its sources. The short lists in
// data/words.txt are written by hand.
package lexicon

import (
	_ "embed" // for the two data files
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

//go:embed data/lexicon.bin
var packed string

//go:embed data/words.txt
var wordLists string

// A Relation is how one word is related to another.
type Relation uint8

// The relations, closest first.
const (
	Adjective Relation = iota + 1 // Germany, German
	Synonym                       // in the first sense of both words
	Loose                         // a synonym in the first sense of one word
	Antonym
)

// A Dimension is what a unit measures. Units of the same dimension can be converted.
type Dimension uint8

// None is the dimension of a plain count.
const None Dimension = 0

// A UnitInfo is a unit of measurement. A value times Factor is in the base unit of the
// dimension.
type UnitInfo struct {
	Name      string
	Dimension Dimension
	Factor    float64
}

type wordInfo struct {
	key   uint64 // of the stem, 0 to apply the rules
	value float64
	class Class
}

// A Lexicon is immutable and safe for concurrent use.
type Lexicon struct {
	words *Table[wordInfo]
	verbs *Table[bool] // by key; see Directed
	Units []UnitInfo

	df     string // per slot: 4 bytes of fingerprint, 1 byte of quantized IDF
	dfMask uint64
	maxIDF float64

	vocabulary []uint64 // keys of the words with relations, ascending
	related    string   // 5 bytes per pair: index, index, relation; sorted by the first index
	first      []uint32 // the pairs of vocabulary[i] are first[i]:first[i+1]
}

// IDFStep is the quantization step of the stored inverse document frequencies.
const IDFStep = 0.05

// Magic is the start of lexicon.bin.
const Magic = "RFLEX\x00\x00\x01"

var errCorrupt = errors.New("lexicon: embedded data is damaged")

// Load returns the embedded lexicon.
func Load() (*Lexicon, error) {
	l := &Lexicon{words: NewTable[wordInfo](4096, fnvPrime), verbs: NewTable[bool](512, fnvPrime)}
	if err := l.unpack(packed); err != nil {
		return nil, err
	}
	return l, l.readLists(wordLists)
}

// Bare returns a lexicon with only the hand-written lists. The generator of lexicon.bin
// uses it to count words.
func Bare() (*Lexicon, error) {
	l := &Lexicon{words: NewTable[wordInfo](1024, fnvPrime), verbs: NewTable[bool](512, fnvPrime)}
	return l, l.readLists(wordLists)
}

// AddIrregular makes lemma the key of an irregular form, both given by their hash.
func (l *Lexicon) AddIrregular(form, lemma uint64) {
	e, _ := l.words.Get(form)
	e.key = lemma
	l.words.Put(form, e)
}

// Key returns the key of the stem of a word. It ignores the case of ASCII letters.
func (l *Lexicon) Key(word string) uint64 {
	w := []byte(word)
	for i, c := range w {
		if c-'A' < 26 {
			w[i] |= 0x20
		}
	}
	var t Token
	l.fill(&t, w)
	return t.Key
}

// IDF returns ln((N+1)/(df+½)) of the word with key k, where df of the N documents that
// lexicon.bin was generated from contain the word; df is 0 for an unknown word.
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

// Directed reports whether the word with key k is a verb whose meaning changes if its
// two sides are swapped ("beat", not "met"), and whether the verb is known at all.
func (l *Lexicon) Directed(k uint64) (directed, known bool) { return l.verbs.Get(k) }

// Known reports whether the documents of lexicon.bin contain the word with key k.
func (l *Lexicon) Known(k uint64) bool { return l.IDF(k) < l.maxIDF }

// Fingerprint returns the part of a key that a slot of the frequency table stores. It
// is never 0.
func Fingerprint(k uint64) uint32 { return uint32(k>>31) | 1 } //nolint:gosec // the upper half is meant

// Related calls yield for each word that is related to the one with key k.
func (l *Lexicon) Related(k uint64, yield func(key uint64, r Relation)) {
	i := sort.Search(len(l.vocabulary), func(i int) bool { return l.vocabulary[i] >= k })
	if i == len(l.vocabulary) || l.vocabulary[i] != k {
		return
	}
	for p := l.first[i]; p < l.first[i+1]; p++ {
		s := l.related[p*5 : p*5+5]
		yield(l.vocabulary[int(s[2])|int(s[3])<<8], Relation(s[4]))
	}
}

// UnitNamed returns the index into Units of the unit with a name, 0 if there is none.
func (l *Lexicon) UnitNamed(name string) int {
	for i := range l.Units {
		if l.Units[i].Name == name {
			return i
		}
	}
	return 0
}

// unpack parses lexicon.bin: Magic, then sections, each preceded by its number of
// elements as a little-endian uint32. The frequency table is used in place.
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
		l.words.Put(word(forms, i), wordInfo{key: word(forms, i+1)})
	}
	l.vocabulary = make([]uint64, len(vocabulary)/8)
	for i := range l.vocabulary {
		l.vocabulary[i] = word(vocabulary, i)
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

// readLists parses data/words.txt. Each line has a class and its words.
func (l *Lexicon) readLists(text string) error {
	dimensions := map[string]Dimension{"": None}
	l.Units = []UnitInfo{{Factor: 1}}
	classes := map[string]Class{
		"stop": Stop, "negation": Negation | Stop, "polarity": Polarity, "label": Label, "hedge": Hedge, "at-least": AtLeast,
		"numeral": Numeral, "scale": Scale, "ordinal": Ordinal, "month": Month,
		"fraction": Fraction, "universal": Universal, "partial": Partial,
		"always": Universal | Frequency, "sometimes": Partial | Frequency,
	}
	line := 0
	for s := range strings.Lines(text) {
		line++
		f := strings.Fields(s)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		bad := fmt.Errorf("lexicon: words.txt:%d: bad entry %q", line, f[0])
		if f[0] == "unit" { // unit DIMENSION FACTOR NAME ALIAS...
			if len(f) < 4 {
				return bad
			}
			factor, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				return bad
			}
			d, ok := dimensions[f[1]]
			if !ok {
				d = Dimension(len(dimensions)) //nolint:gosec // a dozen
				dimensions[f[1]] = d
			}
			l.Units = append(l.Units, UnitInfo{Name: f[3], Dimension: d, Factor: factor})
			for _, w := range f[3:] {
				l.add(w, Unit, float64(len(l.Units)-1), "")
			}
			continue
		}
		if f[0] == "directed" || f[0] == "mutual" {
			for _, w := range f[1:] {
				l.verbs.Put(l.Key(w), f[0] == "directed")
			}
			continue
		}
		class, ok := classes[f[0]]
		if !ok {
			return bad
		}
		for _, w := range f[1:] { // WORD, WORD=VALUE or, for months, ABBREVIATION=VALUE=WORD
			w, rest, _ := strings.Cut(w, "=")
			number, lemma, _ := strings.Cut(rest, "=")
			v := 0.0
			if number != "" {
				var err error
				if v, err = strconv.ParseFloat(number, 64); err != nil {
					return bad
				}
			}
			l.add(w, class, v, lemma)
		}
	}
	return nil
}

func (l *Lexicon) add(word string, c Class, v float64, lemma string) {
	k := Hash(word)
	e, _ := l.words.Get(k)
	e.class |= c
	if v != 0 || e.value == 0 || math.IsNaN(e.value) {
		e.value = v
	}
	if lemma != "" {
		e.key = l.Key(lemma)
	}
	l.words.Put(k, e)
}
