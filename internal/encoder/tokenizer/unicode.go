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
	mark
	punctuation
	word
	numeric
	letter
	number
	notNormalized
	upper // has a lower-case mapping
)

// characters maps code points to classes as in the reference. Identical pages
// of 256 code points are shared.
type characters struct {
	page  [(utf8.MaxRune + 1) / 256]uint16
	pages [][256]class
	ascii [utf8.RuneSelf]class
	lower map[rune]rune
}

// classOf returns the classes of a code point.
func (c *characters) classOf(r rune) class {
	if uint32(r) < utf8.RuneSelf {
		return c.ascii[r]
	}
	return c.pages[c.page[uint32(r)>>8]][r&0xff]
}

// toLower returns the lower case of a code point. U+0130 maps to two
// characters, of which toLower returns the first; the second is U+0307.
func (c *characters) toLower(r rune) rune {
	if c.classOf(r)&upper != 0 {
		return c.lower[r]
	}
	return r
}

// A tableBuilder builds characters.
type tableBuilder struct {
	*characters
	uniform map[class]uint16 // pages whose code points have equal classes
	shared  []bool           // whether a page is in uniform
}

// readCharacters parses the embedded table.
func readCharacters() (*characters, error) {
	c := &tableBuilder{
		characters: &characters{pages: make([][256]class, 1, 256), lower: make(map[rune]rune, 2048)},
		uniform:    map[class]uint16{0: 0},
		shared:     []bool{true},
	}
	classes := map[string]class{
		"space": space, "removed": removed, "mn": nonspacing, "mark": mark, "punct": punctuation, "word": word,
		"numeric": numeric, "letter": letter, "number": number, "unnormed": notNormalized,
	}
	for line := range strings.Lines(unicodeTable) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || name == "#" {
			continue
		}
		set, ok := classes[name]
		for item := range strings.SplitSeq(list, " ") {
			var err error
			switch {
			case ok:
				err = c.add(item, set)
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
	c.mark(0x130, 0x130, upper)
	c.lower[0x130] = 'i'
	for r := range c.ascii {
		c.ascii[r] = c.pages[c.page[0]][r]
	}
	return c.characters, nil
}

// add adds a property to a range such as 600-605.
func (c *tableBuilder) add(item string, set class) error {
	from, to, err := parseRange(item)
	if err == nil {
		c.mark(from, to, set)
	}
	return err
}

func (c *tableBuilder) mark(from, to rune, set class) {
	for at := from; at <= to; {
		n := at >> 8
		last := min(to, n<<8|0xff)
		i := c.page[n]
		switch {
		case !c.shared[i]:
			for r := at; r <= last; r++ {
				c.pages[i][r&0xff] |= set
			}
		case at&0xff != 0 || last&0xff != 0xff:
			c.page[n] = c.newPage(i, at&0xff, last&0xff, set, false)
		default:
			all := c.pages[i][0] | set
			next, ok := c.uniform[all]
			if !ok {
				next = c.newPage(i, 0, 0xff, set, true)
				c.uniform[all] = next
			}
			c.page[n] = next
		}
		at = last + 1
	}
}

func (c *tableBuilder) newPage(from uint16, lo, hi rune, set class, shared bool) uint16 {
	page := c.pages[from]
	for r := lo; r <= hi; r++ {
		page[r] |= set
	}
	c.pages = append(c.pages, page)
	c.shared = append(c.shared, shared)
	return uint16(len(c.pages) - 1)
}

// addLower adds lower-case mappings for a range such as 100-12E/2+1.
func (c *tableBuilder) addLower(item string) error {
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
		c.mark(r, r, upper)
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
