package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is the word before a stop.
type token struct {
	start, end int
	class      class
	runes      int  // its letters and digits, as far as they were counted
	ascii      bool // ASCII letters only
	lower      bool // and all of them in lower case
	small      bool // letters in lower case only, of any script
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
	t.small = caps == 0 && lows > 0 && numbers == 0 && stops == 0
	t.lower = t.ascii && caps == 0
	found := c.lookup(s, t.capital)
	if found == word && letters > 1 {
		if e := elided(s); e != "" && e != "s" && e != "t" {
			first, _ = utf8.DecodeRuneInString(e)
			found = c.lookup(e, unicode.IsUpper(first))
		}
	}
	switch {
	case found != word:
		t.class = found
	case letters == 0 && numbers > 0:
		t.class = digits
	case s[len(s)-1] == ')' || s[len(s)-1] == ']':
		t.class = word // "(see c)."
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
// case; of "l'Ing" what follows the apostrophe.
func (c *cutter) lookup(s string, capital bool) class {
	if len(s) == 1 {
		if s[0] < utf8.RuneSelf {
			return c.lang.singles[s[0]]
		}
		return word
	}
	if len(s) > longestWord {
		return word
	}
	if capital {
		if k, ok := c.lang.abbreviations[s]; ok {
			return k
		}
	}
	var buf [longestWord + utf8.UTFMax]byte
	n := 0
	for i := 0; i < len(s) && n < longestWord; {
		b := s[i]
		if b < utf8.RuneSelf {
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			buf[n] = b
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n += utf8.EncodeRune(buf[n:], unicode.ToLower(r))
		i += size
	}
	return c.lang.abbreviations[string(buf[:n])]
}

// elided is what follows the apostrophe in a word such as "l'Ing".
func elided(s string) string {
	if i := strings.IndexByte(s, '\''); i > 0 && i < 6 {
		return s[i+1:]
	}
	if i := strings.Index(s, "’"); i > 0 && i < 6 {
		return s[i+len("’"):]
	}
	return ""
}
