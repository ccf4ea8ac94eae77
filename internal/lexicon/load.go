package lexicon

import (
	_ "embed" // for the two data files
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

//go:embed data/lexicon.bin
var packed string

//go:embed data/words.txt
var wordLists string

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
		"fraction": Fraction,
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
