package values

import (
	_ "embed" // for the lists
	"slices"
	"strconv"
	"strings"
	"sync"
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
		"lone": lone, "clockWord": clockWord, "stop": stop, "times": times, "limit": limit | stop,
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
			l.words[w] = listed{classes[f[0]], n}
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

// lookup returns the class of a word in lower case without accents, and its number.
func lookup(w []byte) (class, float64) {
	l := load().words[string(w)]
	return l.class, l.num
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
