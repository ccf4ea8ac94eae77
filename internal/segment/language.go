package segment

import (
	"embed"
	"path"
	"strings"
	"sync"
)

// A wordClass describes how a word behaves before a full stop.
type wordClass uint8

const (
	classWord        wordClass = iota // not an abbreviation
	classTitle                        // precedes a name and never ends a sentence
	classNeverFinal                   // never ends a sentence
	classNumeral                      // precedes a number
	classRarelyFinal                  // ends a sentence only before a common first word
	classBound                        // like classRarelyFinal for claims, else like classNeverFinal
	classUnit                         // like classRarelyFinal unless it follows a number
	classFinal                        // often ends a sentence
	classClock                        // a.m. or p.m.
	classDigits                       // number
	classInitial                      // single letter
	classAcronym                      // letters separated by stops
	classNoVowel                      // short and without vowels
	classNone                         // no word before the stop
)

// A wordUse is a bit set of the other properties of a word.
type wordUse uint8

const (
	useStarter  wordUse = 1 << iota // often starts a sentence
	useNonFinal                     // never ends a sentence
	useSpeech                       // verb of speech after a quotation: "said"
	useMonth                        // month or the like after a day number and a stop
	useZone                         // day or time zone after "a.m." or "p.m."
	useBrand                        // name with an exclamation mark
	useClosing                      // closes a letter: "Regards,"
)

// A language holds the words and rules of a language. Text that mixes languages mostly quotes
// English, so every language includes the English words that it does not define itself.
type language struct {
	abbreviations map[string]wordClass
	uses          map[string]wordUse
	ordinals      bool // "12." before a capital usually means "12th"
	joinQuotes    bool // quotations are not split
	splitClauses  bool // commas and colons end sentences
	lowerStarts   bool // a stop before a lower-case letter may end a sentence
}

//go:embed data/*.txt
var files embed.FS

// A registry holds the embedded languages, each parsed on first use.
type registry struct {
	byTag    map[string]func() *language
	detector detector
}

//nolint:gochecknoglobals // embedded data, loaded once and never changed
var languages = sync.OnceValue(newRegistry)

func newRegistry() *registry {
	r := &registry{byTag: make(map[string]func() *language), detector: detector{words: make(map[string]uint64)}}
	english := readData("en")
	for _, tag := range Languages() {
		data := []string{english}
		if tag != "en" {
			data = []string{readData(tag), english}
		}
		r.detector.add(tag, data[0])
		r.byTag[tag] = sync.OnceValue(func() *language { return newLanguage(data...) })
	}
	return r
}

// Languages returns the tags of the languages that have rules, sorted.
func Languages() []string {
	entries, err := files.ReadDir("data") // does not parse them
	if err != nil {
		panic(err) // embedded, so this cannot fail
	}
	tags := make([]string, len(entries))
	for i, e := range entries {
		tags[i] = strings.TrimSuffix(e.Name(), ".txt")
	}
	return tags
}

func readData(tag string) string {
	data, err := files.ReadFile(path.Join("data", tag+".txt"))
	if err != nil {
		panic(err) // the names come from ReadDir
	}
	return string(data)
}

// claimsSuffix is the private-use suffix of a language tag that selects claim boundaries.
const claimsSuffix = "x-claims"

// Language returns the primary tag of lang, such as "de" for "de-AT", or the detected language of
// text if lang has none. It returns "en" if the language is unclear.
func Language(text, lang string) string {
	lang, _, _ = strings.Cut(strings.ReplaceAll(strings.ToLower(lang), "_", "-"), "-")
	if lang == "" || lang == "und" || lang == "x" {
		return languages().detector.detect(text)
	}
	return lang
}

// languageOf returns the rules of the language of the tag, or of the detected language of
// text if the tag has none. It falls back to English.
func languageOf(tag, text string) (l *language, claims bool) {
	tag, claims = strings.CutSuffix(strings.ToLower(tag), claimsSuffix)
	find, ok := languages().byTag[Language(text, tag)]
	if !ok {
		find = languages().byTag["en"]
	}
	return find(), claims
}

// newLanguage parses data files. Each line is a name, a colon, and words without their
// final period; words with a capital letter match only capitalized text. The first
// definition of a word wins, and English applies after every language. The words of
//
//	common  identify the language
//	title   precede a name and end no sentence: dr
//	never   occur inside a sentence: e.g
//	number  precede a number: fig
//	inside  end a sentence only before a word of start: inc
//	bound   do so for claims; by the golden rules they never end a sentence
//	unit    do so too, or end a sentence after a number: "12 km"
//	end     often end a sentence: etc
//	clock   are a.m. and p.m.
//	word    are abbreviations in English but words here
//	start   often start a sentence and rarely continue a name
//	open    cannot end a sentence, so a line that ends in one continues
//	month   follow a day with a period: "12. Juni"
//	zone    follow a.m.
//	speech  follow a quotation
//	brand   are written with "!"
//	close   close a letter
//	rules   are ordinals (12. before a capital is 12th), quotes, clauses or lower (a
//	        period before a lower-case letter may be a boundary)
func newLanguage(data ...string) *language {
	classes := map[string]wordClass{
		"title": classTitle, "never": classNeverFinal, "number": classNumeral, "inside": classRarelyFinal, "bound": classBound, "unit": classUnit, "end": classFinal, "clock": classClock, "word": classWord,
	}
	uses := map[string]wordUse{
		"start": useStarter, "open": useNonFinal, "speech": useSpeech, "month": useMonth, "zone": useZone, "brand": useBrand, "close": useClosing,
	}
	l := &language{abbreviations: make(map[string]wordClass, 1024), uses: make(map[string]wordUse, 512)}
	rules := map[string]*bool{"ordinals": &l.ordinals, "quotes": &l.joinQuotes, "clauses": &l.splitClauses, "lower": &l.lowerStarts}
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
					*rules[w] = true
				}
			}
		}
	}
	return l
}

func (l *language) is(word string, u wordUse) bool {
	return word != "" && l.uses[word]&u != 0
}
