package tokenizer

import (
	_ "embed" // for the table
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed data/unicode.txt
var unicodeTable string

// A class is a bit set of the character properties in data/unicode.txt.
type class uint16

const (
	space class = 1 << iota
	removed
	nonspacing
	punctuation
	word
	letter
	number
	notNormalized
	upper // has a lower-case mapping
)

// characters maps code points to classes as in the reference.
type characters struct {
	classes []class       // by code point
	lower   map[rune]rune // except U+0130, which has two lower-case characters
}

func (c *characters) classOf(r rune) class { return c.classes[r] }

// readCharacters parses the embedded table. It panics if that is invalid, which is a bug.
func readCharacters() *characters {
	c := &characters{classes: make([]class, utf8.MaxRune+1), lower: make(map[rune]rune)}
	classes := map[string]class{
		"space": space, "removed": removed, "mn": nonspacing, "punct": punctuation, "word": word,
		"letter": letter, "number": number, "unnormed": notNormalized,
	}
	for line := range strings.Lines(unicodeTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, list, _ := strings.Cut(line, " ")
		for item := range strings.FieldsSeq(list) {
			set, distance := classes[name], rune(0)
			if name == "lower" { // the item ends with +distance or -distance
				i := strings.LastIndexAny(item, "+-")
				set, distance = upper, parseHex(item[i:])
				item = item[:i]
			}
			if set == 0 {
				panic("unicode.txt: unknown property " + name)
			}
			for _, r := range codePoints(item) {
				c.classes[r] |= set
				if set == upper {
					c.lower[r] = r + distance
				}
			}
		}
	}
	return c
}

// codePoints returns the code points of an item such as 41, 600-605 or 100-12E/2, every second one.
func codePoints(item string) (all []rune) {
	item, every2 := strings.CutSuffix(item, "/2")
	from, to, ok := strings.Cut(item, "-")
	if !ok {
		to = from
	}
	step := rune(1)
	if every2 {
		step = 2
	}
	for r, last := parseHex(from), parseHex(to); r <= last; r += step {
		all = append(all, r)
	}
	return all
}

func parseHex(s string) rune {
	n, err := strconv.ParseInt(s, 16, 32)
	if err != nil {
		panic("unicode.txt: " + err.Error())
	}
	return rune(n)
}
