package tokenizer

import (
	_ "embed" // for the table
	"errors"
	"fmt"
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

// classOf returns the classes of a code point.
func (c *characters) classOf(r rune) class { return c.classes[r] }

// readCharacters parses the embedded table.
func readCharacters() (*characters, error) {
	c := &characters{classes: make([]class, utf8.MaxRune+1), lower: make(map[rune]rune)}
	names := map[string]class{
		"space": space, "removed": removed, "mn": nonspacing, "punct": punctuation, "word": word,
		"letter": letter, "number": number, "unnormed": notNormalized,
	}
	for line := range strings.Lines(unicodeTable) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || name == "#" {
			continue
		}
		set, ok := names[name]
		for item := range strings.SplitSeq(list, " ") {
			var err error
			switch {
			case ok:
				err = c.addClass(item, set)
			case name == "lower":
				err = c.addLower(item)
			default:
				err = errors.New("unknown property")
			}
			if err != nil {
				return nil, fmt.Errorf("unicode.txt: %s: %s: %w", name, item, err)
			}
		}
	}
	return c, nil
}

// addClass adds a property to a range such as 600-605.
func (c *characters) addClass(item string, set class) error {
	from, to, err := parseRange(item)
	if err != nil {
		return err
	}
	for r := from; r <= to; r++ {
		c.classes[r] |= set
	}
	return nil
}

// addLower adds lower-case mappings for a range such as 100-12E/2+1.
func (c *characters) addLower(item string) error {
	i := strings.LastIndexAny(item, "+-")
	if i < 0 {
		return errors.New("missing distance")
	}
	distance, err := strconv.ParseInt(item[i:], 16, 32)
	if err != nil {
		return err
	}
	name, every2 := strings.CutSuffix(item[:i], "/2")
	from, to, err := parseRange(name)
	if err != nil {
		return err
	}
	step := rune(1)
	if every2 {
		step = 2
	}
	for r := from; r <= to; r += step {
		c.classes[r] |= upper
		c.lower[r] = r + rune(distance)
	}
	return nil
}

func parseRange(s string) (from, to rune, err error) {
	a, b, ok := strings.Cut(s, "-")
	if !ok {
		b = a
	}
	lo, err := strconv.ParseUint(a, 16, 21)
	if err != nil {
		return 0, 0, err
	}
	hi, err := strconv.ParseUint(b, 16, 21)
	if err != nil {
		return 0, 0, err
	}
	if hi > utf8.MaxRune || lo > hi {
		return 0, 0, errors.New("invalid range")
	}
	return rune(lo), rune(hi), nil
}
