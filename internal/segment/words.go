package segment

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A class says how a word with a stop after it behaves.
type class uint8

const (
	word    class = iota // no abbreviation
	title                // stands before a name, never ends a sentence
	never                // stands inside of a sentence
	numeral              // stands before a number
	inside               // ends a sentence only before a word that often begins one
	ending               // often ends a sentence
	clock                // a.m. and p.m.
	digits               // a number
	initial              // one letter
	acronym              // letters with stops between them
	clipped              // letters that no word is made of: no vowel among them
	nothing              // no word at all
)

// A language is what the cutter knows of a language.
type language struct {
	abbreviations map[string]class
}

//go:embed data/en.txt
var english string

//nolint:gochecknoglobals // read once from what is embedded, never changed
var englishAbbreviations = sync.OnceValue(func() map[string]class { return readAbbreviations(english) })

// languageOf is what is known of the language that the tag names. English
// stands in for the languages that have no data.
func languageOf(string) language {
	return language{abbreviations: englishAbbreviations()}
}

// readAbbreviations reads a data file: lines of a class, a colon and words.
func readAbbreviations(data string) map[string]class {
	classes := map[string]class{
		"title": title, "never": never, "number": numeral, "inside": inside, "end": ending, "clock": clock,
	}
	m := make(map[string]class, 512)
	for l := range strings.Lines(data) {
		name, words, ok := strings.Cut(l, ":")
		if c, known := classes[name]; ok && known {
			for w := range strings.FieldsSeq(words) {
				if _, twice := m[w]; !twice {
					m[w] = c
				}
			}
		}
	}
	return m
}

// A token is the word before a stop.
type token struct {
	start, end int
	class      class
	runes      int  // its letters and digits, as far as they were counted
	ascii      bool // ASCII letters only
	lower      bool // and all of them in lower case
	capital    bool // begins with a capital
}

// maxToken is the longest word that is looked at, in bytes: no abbreviation is
// longer.
const maxToken = 40

// wordBefore is the word that ends at end, from the last white space, quote or
// bracket on and not before floor.
func (c *cutter) wordBefore(floor, end int) token {
	text := c.text
	start := end
	for start > floor && end-start < maxToken {
		r, size := utf8.DecodeLastRuneInString(text[floor:start])
		if r < utf8.RuneSelf {
			if b := byte(r); b == ' ' || '\t' <= b && b <= '\r' || b == '"' || b == '(' || b == '[' || b == '{' ||
				b == '*' || b == '_' || b == '`' || b == '/' || b == ',' || b == ';' || b == ':' || b == '-' {
				break
			}
		} else if unicode.IsSpace(r) || isOpener(r) || r == '—' || r == '–' || r == '…' {
			break
		}
		start -= size
	}
	for start < end && text[start] == '\'' {
		start++
	}
	t := token{start: start, end: end}
	c.classify(&t)
	return t
}

// classify sets what t is.
func (c *cutter) classify(t *token) {
	s := c.text[t.start:t.end]
	if s == "" {
		t.class = nothing
		return
	}
	letters, numbers, stops, vowels, caps, lows := 0, 0, 0, 0, 0, 0
	run, longest := 0, 0 // letters between stops
	ascii := true
	for _, r := range s {
		switch {
		case r == '.':
			stops++
			run = 0
			continue
		case unicode.IsDigit(r):
			numbers++
		case unicode.IsLetter(r):
			letters++
			run++
			longest = max(longest, run)
			if r >= utf8.RuneSelf {
				ascii = false
				vowels++
			} else if strings.IndexByte("aeiouyAEIOUY", byte(r)) >= 0 {
				vowels++
			}
			if unicode.IsUpper(r) {
				caps++
			} else {
				lows++
			}
		}
	}
	first, _ := utf8.DecodeRuneInString(s)
	t.runes = letters + numbers
	t.capital = unicode.IsUpper(first)
	t.ascii = ascii && letters > 0 && letters+strings.Count(s, "'") == len(s)
	t.lower = t.ascii && caps == 0
	switch found := c.lookup(s, t.capital); {
	case found != word:
		t.class = found
	case letters == 0 && numbers > 0:
		t.class = digits
	case letters == 1 && numbers == 0:
		t.class = initial
	case stops > 0 && numbers == 0 && longest == 1:
		t.class = acronym
	case letters == 0:
		t.class = nothing
	case vowels == 0 && letters <= 4 && numbers == 0 && lows > 0 && ascii:
		t.class = clipped
	}
}

// lookup finds s among the abbreviations, as it is written and then in lower
// case.
func (c *cutter) lookup(s string, capital bool) class {
	if len(s) > 12 {
		return word
	}
	if capital {
		if k, ok := c.lang.abbreviations[s]; ok {
			return k
		}
	}
	var buf [12]byte
	for i := range len(s) {
		b := s[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		buf[i] = b
	}
	return c.lang.abbreviations[string(buf[:len(s)])]
}

// beginsSentence knows English words that often begin a sentence and rarely go
// on with a name, so that a capital among them tells an abbreviation that ends
// a sentence from one inside of it.
func beginsSentence(word string) bool {
	switch word {
	case "The", "This", "That", "These", "Those", "He", "She", "It", "They", "We", "You", "I", "A", "An",
		"In", "On", "At", "After", "Before", "When", "While", "If", "But", "And", "However", "His", "Her",
		"Its", "Their", "Our", "My", "Your", "There", "Here", "What", "Who", "Where", "Why", "How", "Did", "Do",
		"Does", "Is", "Are", "Was", "Were", "As", "For", "From", "With", "By", "To", "Since", "Then", "Thus",
		"Also", "Although", "Though", "Because", "Both", "Each", "Every", "Some", "Many", "Most", "Several",
		"Other", "Another", "Such", "Once", "Until", "Under", "During", "Despite", "According", "Additionally",
		"Furthermore", "Moreover", "Meanwhile", "Instead", "Now", "Yes", "So", "Not", "Or", "Please", "Let",
		"Only", "Over", "Can", "Could", "Would", "Should", "Has", "Have", "Had", "Later", "Today", "Nor", "Yet",
		"Again", "Finally", "Therefore", "Overall", "Unfortunately", "Otherwise", "Next", "Which", "Someone",
		"Everyone", "Nobody", "Nothing", "Whether", "Within", "Without", "Unlike", "Like", "All", "Any", "Use",
		"It's", "He's", "She's", "They're", "I'm", "I've", "That's", "There's", "Don't", "We're", "You're":
		return true
	}
	return false
}
