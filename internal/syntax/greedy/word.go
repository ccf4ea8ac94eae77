// Package greedy assigns tags, heads and relations to the words of an English
// sentence. A tagger reads the sentence from left to right; an arc-hybrid parser
// (Kuhlmann, Gómez-Rodríguez and Satta 2011) builds the tree. Each decision takes the
// class with the highest sum of integer weights of its features, so that results do
// not depend on the machine.
package greedy

import (
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/clusters"
)

// MaxWords is the maximum number of words that one tree can have.
const MaxWords = 200

// A word is the form of a word as features see it: hashes of its parts.
type word struct {
	form   uint32    // lower case, digits as 0
	suffix [4]uint32 // the last 1 to 4 bytes
	prefix [3]uint32 // the first 1 to 3 bytes
	shape  uint32    // classes of characters, runs cut to two
	class  uint32    // index of the tags that the word has in the training data, 0 if unknown
	group  uint32    // cluster of words with like neighbors, 0 if unknown
	topic  uint32    // coarse cluster of package clusters, 0 if unknown
	theme  uint32    // fine cluster
}

// FormKey returns the key of a form in the table of classes.
func FormKey(form string) uint32 { return hash(normalize(form)) }

// Values of the table of classes have the class in their lowest bits, then 8 bits of
// the group, then the cluster of package clusters plus 1.
const (
	classBits  = 12
	maxClasses = 1 << classBits
)

// ClassValue returns the value of a form in the table of classes. The class is less
// than 4096, the group less than 256.
func ClassValue(class, group uint32) uint32 { return class | group<<classBits }

// NewClasses returns a table of classes from values by [FormKey], and adds clusters to
// the values.
func NewClasses(values map[uint32]uint32) *Table {
	all := make(map[uint32]uint32, len(values)+clusters.Words)
	maps.Copy(all, values)
	for word, cluster := range clusters.All() {
		all[hash(word)] |= uint32(cluster+1) << (classBits + 8)
	}
	keys, list := make([]uint32, 0, len(all)), make([]uint32, 0, len(all))
	for key, value := range all {
		keys, list = append(keys, key), append(list, value)
	}
	return NewTable(keys, list)
}

func newWord(form string, classes *Table) word {
	low := normalize(form)
	w := word{form: hash(low), shape: hash(shape(form))}
	for i := range w.suffix {
		w.suffix[i] = hash(low[max(0, len(low)-i-1):]) + uint32(i)
	}
	for i := range w.prefix {
		w.prefix[i] = hash(low[:min(len(low), i+1)]) + uint32(i)
	}
	v := classes.Find(w.form)
	w.class, w.group, w.theme = v&(maxClasses-1), v>>classBits&0xff, v>>(classBits+8)
	if w.theme > 0 {
		w.topic = 1 + (w.theme-1)/(clusters.Fine/clusters.Coarse)
	}
	return w
}

// normalize returns a form in lower case, with plain quotes and with 0 for all digits.
func normalize(form string) string {
	plain := true
	for i := range len(form) {
		if c := form[i]; c < 'a' || c > 'z' {
			plain = false
			break
		}
	}
	if plain {
		return form
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '0'
		case r == '’' || r == '‘':
			return '\''
		case r == '“' || r == '”':
			return '"'
		case r == '–':
			return '-'
		}
		return unicode.ToLower(r)
	}, form)
}

func shape(form string) string {
	var b [32]byte
	n := 0
	for _, r := range form {
		c := byte('x')
		switch {
		case r >= 'a' && r <= 'z':
		case unicode.IsUpper(r):
			c = 'X'
		case unicode.IsDigit(r):
			c = '0'
		case r < utf8.RuneSelf:
			c = byte(r)
		case !unicode.IsLetter(r):
			c = '*'
		}
		if n >= 2 && b[n-1] == c && b[n-2] == c {
			continue
		}
		if n == len(b) {
			break
		}
		b[n] = c
		n++
	}
	return string(b[:n])
}

// hash is 32-bit FNV-1a.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// The functions below return the key of feature template n with one to three values.

func key1(n int, a uint32) uint32 { return mix(uint64(n)*m0 + uint64(a)*m1) }

func key2(n int, a, b uint32) uint32 {
	return mix(uint64(n)*m0 + uint64(a)*m1 + uint64(b)*m2)
}

func key3(n int, a, b, c uint32) uint32 {
	return mix(uint64(n)*m0 + uint64(a)*m1 + uint64(b)*m2 + uint64(c)*m3)
}

func key4(n int, a, b, c, d uint32) uint32 {
	return mix(uint64(n)*m0 + uint64(a)*m1 + uint64(b)*m2 + uint64(c)*m3 + uint64(d)*m4)
}

// Odd constants without a common pattern, as for multiplicative hashing.
const (
	m0 = 0x9e3779b97f4a7c15
	m1 = 0xbf58476d1ce4e5b9
	m2 = 0x94d049bb133111eb
	m3 = 0xd6e8feb86659fd93
	m4 = 0xa0761d6478bd642f
)

func mix(h uint64) uint32 {
	h ^= h >> 32
	return uint32(h * m2 >> 32)
}
