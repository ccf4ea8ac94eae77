package segment

import (
	"embed"
	"path"
	"strings"
	"sync"
)

// A class says how a word with a stop after it behaves.
type class uint8

const (
	word    class = iota // no abbreviation
	title                // stands before a name, never ends a sentence
	never                // stands inside of a sentence
	numeral              // stands before a number
	inside               // ends a sentence only before a word that often begins one
	bound                // the same for claims, and inside of a sentence elsewhere
	ending               // often ends a sentence
	clock                // a.m. and p.m.
	digits               // a number
	initial              // one letter
	acronym              // letters with stops between them
	clipped              // letters that no word is made of: no vowel among them
	nothing              // no word at all
)

// A use is what a word is good for besides standing before a stop.
type use uint8

const (
	starts use = 1 << iota // often begins a sentence and rarely goes on with a name
	opens                  // no sentence ends with it, so a line that does goes on
	speaks                 // said, asked: goes on after a quotation
	dates                  // a month or the like, which a day with a stop stands before
	zones                  // a day or time zone after a.m. and p.m.
	brands                 // a name that is written with an exclamation mark
	leaves                 // closes a letter: "Regards,"
)

// A language is what the cutter knows of a language. Where two languages meet
// in a text it is mostly English that is quoted, so every language knows the
// English words too, where it has no use of its own for them.
type language struct {
	abbreviations map[string]class
	singles       [128]class // of single letters
	uses          map[string]use
	ordinals      bool // "12." before a capital is mostly "12th"
	quotes        bool // a quotation lies in one sentence
	clauses       bool // commas and colons end sentences
	lower         bool // a stop before a small letter may end a sentence
}

//go:embed data/*.txt
var files embed.FS

// A shelf holds the languages that there are data for; each is read when it is
// first wanted.
type shelf struct {
	languages map[string]func() *language
	tongues   tongues
}

//nolint:gochecknoglobals // read once from what is embedded, never changed
var library = sync.OnceValue(newShelf)

func newShelf() *shelf {
	sh := &shelf{languages: make(map[string]func() *language), tongues: newTongues()}
	entries, err := files.ReadDir("data")
	if err != nil {
		panic(err) // what is embedded can be read
	}
	english := read("en")
	base := sync.OnceValue(func() *language { return newLanguage(english) })
	for _, e := range entries {
		tag := strings.TrimSuffix(e.Name(), ".txt")
		data := read(tag)
		sh.tongues.add(tag, data)
		if tag == "en" {
			sh.languages[tag] = base
			continue
		}
		sh.languages[tag] = sync.OnceValue(func() *language { return newLanguage(data, english) })
	}
	return sh
}

func read(tag string) string {
	data, err := files.ReadFile(path.Join("data", tag+".txt"))
	if err != nil {
		panic(err) // the names come from the directory
	}
	return string(data)
}

// variant is the private part of a language tag that asks for claims: where the
// golden rules and a judge differ on what a sentence is, the judge is right.
const variant = "x-claims"

// languageOf is what is known of the language that the tag names, or that the
// text is written in where the tag names none. English stands in for the
// languages that have no data.
func languageOf(tag, text string) (l *language, claims bool) {
	if len(tag) >= len(variant) && strings.EqualFold(tag[len(tag)-len(variant):], variant) {
		claims = true
		tag = strings.TrimSuffix(tag[:len(tag)-len(variant)], "-")
	}
	if n := strings.IndexAny(tag, "-_"); n >= 0 {
		tag = tag[:n]
	}
	sh := library()
	if tag == "" || tag == "und" {
		tag = sh.tongues.find(text)
	}
	find, ok := sh.languages[tag]
	if !ok {
		if find, ok = sh.languages[strings.ToLower(tag)]; !ok {
			find = sh.languages["en"]
		}
	}
	return find(), claims
}

// newLanguage reads data files: lines of a name, a colon and words. What an
// earlier file says of a word holds.
func newLanguage(data ...string) *language {
	classes := map[string]class{
		"title": title, "never": never, "number": numeral, "inside": inside, "bound": bound, "end": ending, "clock": clock, "word": word,
	}
	uses := map[string]use{
		"start": starts, "open": opens, "speech": speaks, "month": dates, "zone": zones, "brand": brands, "close": leaves,
	}
	l := &language{abbreviations: make(map[string]class, 1024), uses: make(map[string]use, 512)}
	for i, d := range data {
		for line := range strings.Lines(d) {
			name, words, ok := strings.Cut(line, ":")
			if !ok || strings.HasPrefix(name, "#") {
				continue
			}
			c, isClass := classes[name]
			u := uses[name]
			for w := range strings.FieldsSeq(words) {
				switch {
				case isClass:
					if _, twice := l.abbreviations[w]; !twice {
						l.abbreviations[w] = c
					}
				case u != 0:
					l.uses[w] |= u
				case name == "rules" && i == 0:
					l.rule(w)
				}
			}
		}
	}
	for w, c := range l.abbreviations {
		if len(w) == 1 {
			l.singles[w[0]] = c
			if up := w[0] - 'a' + 'A'; w[0] >= 'a' && l.singles[up] == word {
				l.singles[up] = c
			}
		}
	}
	return l
}

// rule switches one of the rules on that not all languages share.
func (l *language) rule(name string) {
	switch name {
	case "ordinals":
		l.ordinals = true
	case "quotes":
		l.quotes = true
	case "clauses":
		l.clauses = true
	case "lower":
		l.lower = true
	}
}

// is reports whether the word has the use.
func (l *language) is(word string, u use) bool {
	return word != "" && l.uses[word]&u != 0
}
