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

// A class is a bit set of the properties of a token. The number that goes with it is in token.num.
type class uint32

const (
	digits    class = 1 << iota // a number in digits
	numeral                     // one to ninety
	scale                       // hundred, million, bn
	ordinal                     // first, 14th
	fraction                    // half, thirds: the denominator
	month                       // 1 to 12
	weekday                     // 0 (Sunday) to 6
	clockWord                   // noon, midnight: minutes
	dozen                       // dozen, score, couple, pair: the number
	lone                        // hour, decade: a duration after "a"
	currency                    // $ and the like
	stop                        // a word that ends the noun after a number
	word                        // letters
	ideogram                    // a character of a script without spaces
	decimal                     // digits with decimals
	times                       // once, twice: the number
	limit                       // until, from: the side, as in Value
	thousands                   // digits that may have a full stop as thousands separator: 1.500
	unitStart                   // a word or sign that the name of a unit may start with
	hedgeEnd                    // a word or sign that a hedge may end with
	negation                    // not, never, don't
	change                      // rose, fell: "rose by"
)

// trigger is the set of classes that a value may start with.
const trigger = digits | numeral | scale | ordinal | fraction | month | weekday | clockWord | dozen | lone | times

// A hedge is what the words before a number say of it.
type hedge uint8

const (
	unhedged hedge = iota
	atLeast
	atMost
	above
	below
	justBelow
	about
	justAbove
)

// lists are the parsed lists of words and units.
type lists struct {
	words  map[string]listed
	units  map[string]unit
	hedges map[string][]hedgePhrase // by the last word
}

// hedgeNames are the names of the hedges in words.txt. The longest phrase before a number counts.
//
//nolint:gochecknoglobals // constant
var hedgeNames = [...]string{"unhedged", "atLeast", "atMost", "above", "below", "justBelow", "about", "justAbove"}

type hedgePhrase struct {
	hedge hedge
	words []string
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
	kinds := map[string]Kind{"share": Share, "points": Points, "duration": Duration, "money": Money}
	l := &lists{words: map[string]listed{}, units: map[string]unit{}, hedges: map[string][]hedgePhrase{}}
	for line := range strings.Lines(wordList) {
		f := strings.Fields(line)
		if h := slices.Index(hedgeNames[:], f[0]); h >= 0 {
			for _, p := range f[1:] {
				words := strings.Split(p, "_")
				last := words[len(words)-1]
				l.hedges[last] = append(l.hedges[last], hedgePhrase{hedge: hedge(h), words: words}) //nolint:gosec // there are eight
			}
			continue
		}
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
		u := unit{name: f[1], kind: Measure, dimension: f[0], factor: factor}
		if kind, ok := kinds[f[0]]; ok {
			u.kind, u.dimension, u.calendar = kind, "", kind == Duration && factor >= secondsPerMonth
		}
		for _, name := range f[3:] {
			l.units[strings.ReplaceAll(name, "_", " ")] = u
		}
	}
	return l
})

// unitOf returns the unit with a name or abbreviation without accents, in lower case except for
// symbols with a prefix whose case matters, such as mW and MW.
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
