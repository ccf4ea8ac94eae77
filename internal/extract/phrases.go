package extract

import (
	_ "embed"
	"strings"
	"sync"
)

// A role is what a phrase at the beginning of a sentence does there.
type role uint8

const (
	opening  role = 1 + iota // says nothing by itself; what follows decides
	salutation                   // a greeting where the sentence says little more
	closing                  // an offer of more help or a wish
	declining                  // a refusal
	announcing                 // of what comes next
)

// A phrase is made of plain words; see words.
type phrase struct {
	text  string
	whole bool // it must be the whole sentence
}

//go:embed data/en.txt
var english string

// byRole holds phrases with the same first word.
type byRole [announcing + 1][]phrase

// A book holds phrases by their first words.
type phraseBook struct {
	phrases map[string]*byRole
	lengths [announcing + 1][256]uint32 // of the first words that begin with a byte, a bit for each
}

//nolint:gochecknoglobals // read once from what is embedded, never changed
var phrases = sync.OnceValue(func() *phraseBook { return parsePhrases(english) })

// of is the phrases of the role that begin with the word.
func (b *phraseBook) find(first []byte, as role) []phrase {
	if len(first) == 0 || b.lengths[as][first[0]]>>len(first)&1 == 0 {
		return nil // as for most words
	}
	if known := b.phrases[string(first)]; known != nil {
		return known[as]
	}
	return nil
}

// readPhrases reads a data file: a line in brackets names the role of the lines
// after it. The phrases stand under their first words.
func parsePhrases(data string) *phraseBook {
	roles := map[string]role{
		"[opening]": opening, "[salute]": salutation, "[closing]": closing, "[decline]": declining, "[announce]": announcing,
	}
	b := &phraseBook{phrases: make(map[string]*byRole)}
	var now role
	for l := range strings.Lines(data) {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' {
			continue
		}
		if r, ok := roles[l]; ok {
			now = r
			continue
		}
		text, whole := strings.CutSuffix(l, " .")
		first, _, _ := strings.Cut(text, " ")
		known := b.phrases[first]
		if known == nil {
			known = new(byRole)
			b.phrases[first] = known
		}
		b.lengths[now][first[0]] |= 1 << len(first)
		known[now] = append(known[now], phrase{text: text, whole: whole})
	}
	return b
}

// begins finds the longest phrase of the role that w begins with, and what
// follows it.
func (w words) cutPhrase(as role) (rest words, found bool) {
	first, _ := w.cutWord()
	rest = w
	longest := 0
	for _, p := range phrases().find(first, as) {
		if len(p.text) <= longest {
			continue
		}
		if after, ok := w.cutPrefix(p.text); ok && (!p.whole || len(after) == 0) {
			rest, found, longest = after, true, len(p.text)
		}
	}
	return rest, found
}

// opened is w without what opens a sentence and says nothing: "Unfortunately,",
// "Sure,", "Based on the provided passages,".
func (w words) trimOpening() words {
	for range 4 {
		rest, ok := w.cutPhrase(opening)
		if !ok {
			if rest, ok = w.cutAttribution(); !ok {
				break
			}
		}
		w = rest
	}
	return w
}
