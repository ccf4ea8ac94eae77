package extract

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed data/verbs.txt
var verbData string

// A verbForm is what a word is the form of. A word may be several, such as "cut".
type verbForm uint8

const (
	baseForm       verbForm = 1 << iota // open, take
	thirdPerson                         // opens, takes
	pastForm                            // opened, took
	participleForm                      // opened, taken
)

// A verbTable knows the common verbs of English.
type verbTable struct {
	forms map[string]verbForm
	past  map[string]string // of irregular verbs, by base form
}

//nolint:gochecknoglobals // parsed once from embedded data, never changed
var verbs = sync.OnceValue(func() *verbTable {
	t := &verbTable{forms: make(map[string]verbForm), past: make(map[string]string)}
	for line := range strings.Lines(verbData) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) == 3 {
			t.past[words[0]] = words[1]
			t.forms[words[1]] |= pastForm
			t.forms[words[2]] |= participleForm
			words = words[:1]
		}
		for _, base := range words {
			t.forms[base] |= baseForm
			t.forms[withS(base)] |= thirdPerson
			if t.past[base] == "" {
				t.forms[withED(base)] |= pastForm | participleForm
			}
		}
	}
	return t
})

// is reports whether the lower-case word is one of the forms.
func (t *verbTable) is(word string, forms verbForm) bool { return t.forms[word]&forms != 0 }

// pastOf returns the past of a verb: "opened", "took".
func (t *verbTable) pastOf(base string) string {
	if p := t.past[base]; p != "" {
		return p
	}
	return withED(base)
}

// withS returns the third person of a verb, which is also the plural of a noun.
func withS(base string) string {
	switch {
	case base == "have":
		return "has"
	case endsInConsonantY(base):
		return base[:len(base)-1] + "ies"
	}
	for _, end := range [...]string{"s", "x", "z", "ch", "sh", "o"} {
		if strings.HasSuffix(base, end) {
			return base + "es"
		}
	}
	return base + "s"
}

// withED returns the past of a regular verb.
func withED(base string) string {
	n := len(base)
	switch {
	case n == 0:
		return ""
	case base[n-1] == 'e':
		return base + "d"
	case endsInConsonantY(base):
		return base[:n-1] + "ied"
	case doublesFinal(base):
		return base + base[n-1:] + "ed"
	}
	return base + "ed"
}

func endsInConsonantY(word string) bool {
	n := len(word)
	return n > 1 && word[n-1] == 'y' && !isVowel(word[n-2])
}

// doublesFinal reports whether the last letter is doubled before "ed": in
// "stopped" and "planned", and in a few longer words whose last syllable is
// stressed.
func doublesFinal(base string) bool {
	switch base {
	case "admit", "commit", "submit", "permit", "prefer", "refer", "transfer", "occur", "control", "cancel", "travel", "label", "enrol", "regret":
		return true
	}
	n := len(base)
	if n < 3 || n > 4 || !isVowel(base[n-2]) || isVowel(base[n-1]) || strings.IndexByte("wxy", base[n-1]) >= 0 {
		return false
	}
	for _, b := range []byte(base[:n-2]) {
		if isVowel(b) {
			return false
		}
	}
	return true
}

func isVowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }
