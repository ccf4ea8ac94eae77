// Package lexicon tokenizes texts and provides information about words: stems, classes,
// document frequencies, synonyms and antonyms.
//
// Document frequencies, irregular forms, synonyms and antonyms are stored in
// lexicon.bin, which generate.go generates. data/NOTICE.md lists its sources.
// The short lists in data/words.txt are maintained by hand.
package lexicon

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
	words []wordInfo    // the first one is for unknown words

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

// AddIrregular sets the key of an irregular form to lemma. Both arguments are hashes.
func (l *Lexicon) AddIrregular(form, lemma uint64) {
	l.word(form).key = lemma
}

// Intern returns Token.Word of the tokens with this form, a word in lower case without accents.
func (l *Lexicon) Intern(form string) uint16 {
	l.word(Hash(form))
	return l.forms.Get(Hash(form))
}

// word returns the information about the word with a hash. It adds an unknown word.
func (l *Lexicon) word(hash uint64) *wordInfo {
	i := l.forms.Get(hash)
	if i == 0 {
		i = uint16(len(l.words)) //nolint:gosec // there are a few thousand words
		l.words = append(l.words, wordInfo{})
		l.forms.Set(hash, i)
	}
	return &l.words[i]
}

// fill sets the key, class and number of t for the lower-case word w with hash h. It may modify w.
func (l *Lexicon) fill(t *Token, w []byte, h uint64) {
	t.Key, t.Word = h, l.forms.Get(h)
	if t.Word > 0 {
		info := &l.words[t.Word]
		t.Class |= info.class
		if info.key != 0 {
			t.Key = info.key
			return
		}
	}
	if root := stem(w); len(root) != len(w) {
		t.Key = Hash(root)
	}
}

// IDF returns the inverse document frequency of the word with key k. It is ln((N+1)/(df+½)), where
// df of the N source documents of lexicon.bin contain the word. For an unknown word, df is 0.
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
