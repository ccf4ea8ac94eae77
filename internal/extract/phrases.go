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
	salute                   // a greeting where the sentence says little more
	closing                  // an offer of more help or a wish
	decline                  // a refusal
	announce                 // of what comes next
)

// A phrase is made of plain words; see words.
type phrase struct {
	text  string
	whole bool // it must be the whole sentence
}

//go:embed data/en.txt
var english string

// byRole holds phrases with the same first word.
type byRole [announce + 1][]phrase

//nolint:gochecknoglobals // read once from what is embedded, never changed
var phrases = sync.OnceValue(func() map[string]*byRole { return readPhrases(english) })

// readPhrases reads a data file: a line in brackets names the role of the lines
// after it. The phrases stand under their first words.
func readPhrases(data string) map[string]*byRole {
	roles := map[string]role{
		"[opening]": opening, "[salute]": salute, "[closing]": closing, "[decline]": decline, "[announce]": announce,
	}
	m := make(map[string]*byRole)
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
		if m[first] == nil {
			m[first] = new(byRole)
		}
		m[first][now] = append(m[first][now], phrase{text: text, whole: whole})
	}
	return m
}

// begins finds the longest phrase of the role that w begins with, and what
// follows it.
func (w words) begins(as role) (rest words, found bool) {
	first, _ := w.next()
	rest = w
	roles := phrases()[string(first)]
	if roles == nil {
		return rest, false
	}
	longest := 0
	for _, p := range roles[as] {
		if len(p.text) <= longest {
			continue
		}
		if after, ok := w.after(p.text); ok && (!p.whole || len(after) == 0) {
			rest, found, longest = after, true, len(p.text)
		}
	}
	return rest, found
}

// opened is w without what opens a sentence and says nothing: "Unfortunately,",
// "Sure,", "Based on the provided passages,".
func (w words) opened() words {
	for range 4 {
		rest, ok := w.begins(opening)
		if !ok {
			if rest, ok = w.bySource(); !ok {
				break
			}
		}
		w = rest
	}
	return w
}
