package values

import (
	_ "embed" // for the lists
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

//go:embed words.txt
var wordList string

//go:embed units.txt
var unitList string

// lists are the parsed lists of words and units.
type lists struct {
	words  map[string]listed
	units  map[string]unit
	hedges map[string][]hedgePhrase // by the last word, the longest first
}

// A hedgePhrase consists of the words before the last one of a phrase.
type hedgePhrase struct {
	before []string
	hedge  hedge
}

type listed struct {
	class class
	num   float64
}

//nolint:gochecknoglobals // parsed once from the embedded lists, never changed
var load = sync.OnceValue(func() *lists {
	classes := map[string]class{
		"numeral": numeral, "scale": scale, "dozen": dozen, "ordinal": ordinal, "fraction": fraction, "month": month, "weekday": weekday,
		"lone": lone, "clockWord": clockWord, "stop": stop, "times": times, "limit": limit | stop, "change": change,
	}
	dimensions := map[string]uint8{
		"length": length, "mass": mass, "volume": volume, "area": area, "speed": speed, "data": data, "energy": energy, "power": power,
		"temperature": temperature, "frequency": frequency, "pressure": pressure,
	}
	kinds := map[string]Kind{"share": Share, "points": Points, "duration": Duration, "money": Money}
	l := &lists{words: map[string]listed{}, units: map[string]unit{}, hedges: map[string][]hedgePhrase{}}
	for h, phrases := range hedges {
		for _, p := range phrases {
			f := strings.Fields(p)
			last := f[len(f)-1]
			l.hedges[last] = append(l.hedges[last], hedgePhrase{f[:len(f)-1], h})
		}
	}
	for _, phrases := range l.hedges {
		slices.SortFunc(phrases, func(a, b hedgePhrase) int { return len(b.before) - len(a.before) })
	}
	for line := range strings.Lines(wordList) {
		f := strings.Fields(line)
		for _, w := range f[1:] {
			w, number, _ := strings.Cut(w, "=")
			n, _ := strconv.ParseFloat(number, 64) // 0 if there is none
			x := l.words[w]
			if x.class |= classes[f[0]]; n != 0 {
				x.num = n
			}
			l.words[w] = x
		}
	}
	for line := range strings.Lines(unitList) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		factor, _ := strconv.ParseFloat(f[2], 64)
		u := unit{name: f[1], kind: Measure, dimension: dimensions[f[0]], factor: factor}
		if kind, ok := kinds[f[0]]; ok {
			u.kind, u.calendar = kind, kind == Duration && factor >= secondsPerMonth
		}
		for _, name := range f[3:] {
			l.units[strings.ReplaceAll(name, "_", " ")] = u
		}
	}
	return l
})

// New returns a Finder of values in texts split by lex, to which it adds the words that it knows.
func New(lex *lexicon.Lexicon) *Finder {
	f := &Finder{lex: lex}
	f.readers.New = func() any { return &reader{finder: f} }
	l := load()
	add := func(w string, x listed) {
		n := int(lex.Intern(w))
		f.words = append(f.words, make([]listed, max(0, n+1-len(f.words)))...)
		f.words[n].class |= x.class
		f.words[n].num += x.num
	}
	for w, x := range l.words {
		add(w, x)
	}
	f.signs['$'] = currency
	start := func(name string, c class) {
		if s := name[0]; s < utf8.RuneSelf && !isASCIILetter(s) {
			f.signs[s] |= c
		} else {
			add(string(lexicon.Fold(nil, name)), listed{class: c})
		}
	}
	for name := range l.units {
		name, _, _ = strings.Cut(name, " ")
		start(name, unitStart)
	}
	for _, name := range [...]string{"c", "f", "kbps", "mbps", "gbps", "tbps"} { // 20°C; see dataUnit
		start(name, unitStart)
	}
	for name := range l.hedges {
		start(name, hedgeEnd)
	}
	return f
}

// unitOf returns the unit with a name or abbreviation in lower case without accents.
func unitOf(name string) (unit, bool) {
	u, ok := load().units[name]
	return u, ok
}

func durationUnit(name string) (unit, bool) {
	u, ok := unitOf(name)
	return u, ok && u.kind == Duration
}

// currencyOf returns the currency with a sign, code or name in lower case. The dollar and
// the pound without a country are those of the United States and the United Kingdom.
func currencyOf(name string) (unit, bool) {
	u, ok := unitOf(name)
	return u, ok && u.kind == Money
}
