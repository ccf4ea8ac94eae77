package values

import (
	"math"
	"strings"
)

// A Derivation is a computation over stated values.
type Derivation struct {
	Text  string // written out: "$10 + $25 = $35" or "$10 + $25 = $35, not $40"
	Holds bool   // the result is the claimed value
	Apart bool   // two passages state the values that Order compares

	// Said has the byte ranges of the claim that a computation which holds accounts for: its
	// result, other values that it uses, and words such as "total" and "than".
	Said [][2]int
}

// Derive looks for a computation over the values of the passages that yields value i of a
// claim. Because some sum or ratio of many numbers always fits, the words of the claim
// must ask for it: "total" for a sum, "cheaper than" for a difference, "each" for a
// quotient, "lasted" for the time between two dates. Its operands must have the unit or
// noun of the claimed value, and be named by the claim or stated together. A claim with
// another result is reported with Holds false, if it is clear which operands are meant; ok
// is false if no computation is asked for or its operands are unclear. Callers look for
// the value itself first.
func Derive(claim Text, i int, passages []Text) (d Derivation, ok bool) {
	v := claim.Values[i]
	start := derivation{claim: claim, i: i, v: v, passages: passages}
	if v.Kind == Clock || v.Kind == Ordinal {
		return Derivation{}, false
	}
	if v.Kind == Date {
		if d, ok = start.later(); d.Holds {
			d.Said = start.said()
		}
		return d, ok
	}
	start.words = wordsOf(claim.Text, v.boundStart(claim.Text), v.End)
	state := new(derivation)
	for _, rule := range [...]func(*derivation) (Derivation, bool){
		(*derivation).elapsed, (*derivation).ratio, (*derivation).change, (*derivation).share, (*derivation).partOf, (*derivation).discount,
		(*derivation).remainder, (*derivation).quotient, (*derivation).product, (*derivation).times, (*derivation).rate, (*derivation).sum,
		(*derivation).difference, (*derivation).other, (*derivation).list,
	} {
		*state = start // which rules change
		r, found := rule(state)
		switch {
		case found && r.Holds:
			r.Said = state.said()
			return r, true
		case found && !ok:
			d, ok = r, true
		}
	}
	return d, ok
}

// boundStart returns the offset of the words of a bound before the value: "more than".
func (v *Value) boundStart(text string) int {
	start := v.Start
	for n := 0; n < 2 && !v.Exact() && v.Kind != Date && start > 0; n++ {
		if k := strings.LastIndexByte(strings.TrimRight(text[:start], " "), ' '); k >= 0 {
			start = k + 1
		} else {
			start = 0
		}
	}
	return start
}

// A derivation is the state of Derive.
type derivation struct {
	claim    Text
	i        int
	v        Value // claimed
	words    claimWords
	passages []Text

	unordered bool  // it is unclear which value of a pair is named first
	used      []int // other values of the claim
	general   bool  // the noun of the claimed value stands for several
}

// said returns Derivation.Said.
func (d *derivation) said() [][2]int {
	end := d.v.End
	if d.general {
		end = min(end+1+len(d.v.Noun), len(d.claim.Text))
	}
	out := append(saidWords(d.claim.Text), [2]int{d.v.Start, end})
	for _, i := range d.used {
		out = append(out, [2]int{d.claim.Values[i].Start, d.claim.Values[i].End})
	}
	return out
}

// saidWords returns the ranges of the words of a claim that ask for a computation.
func saidWords(claim string) (out [][2]int) {
	eachWord(claim, 0, len(claim), func(w string, at int) {
		if cueOf(w) != 0 || isSuperlative(w) {
			out = append(out, [2]int{at, at + len(w)})
		}
	})
	return out
}

// result compares the claimed value with a computed number.
func (d *derivation) result(text string, x float64, like *Value) (Derivation, bool) {
	r := *like
	r.Kind, r.Low, r.High, r.other, r.written = d.v.Kind, x, x, 0, true
	if d.v.Kind == Points || d.v.Kind == Share || d.v.Kind == Multiple || r.Unit == "" {
		r.Unit = d.v.Unit
	}
	c := Compare(&d.v, &r)
	if d.v.Kind == Share && !d.v.written {
		if math.Abs(d.v.Low-x) <= math.Max(fractionWords, d.v.Step/2) && d.v.Exact() {
			c = Entailed
		}
	}
	holds := c == Equal || c == Entailed
	text += " = " + r.String()
	if !holds {
		text += ", not " + d.v.String()
	}
	return Derivation{Text: text, Holds: holds}, c != Incomparable
}

// alike reports whether a stated value may be an operand of a sum or difference that
// gives the claimed value.
func (d *derivation) alike(s *Value) bool {
	v := &d.v
	if !s.Exact() || math.IsInf(s.Low, 0) || differentPeriods(v.Per, s.Per) {
		return false
	}
	switch v.Kind {
	case Points:
		return s.Kind == Share
	case Money:
		return s.Kind == Money && s.Unit == v.Unit
	case Measure:
		return s.Kind == Measure && s.dimension == v.dimension
	case Number:
		return s.Kind == Number && sameNoun(v.Noun, s.Noun)
	case Duration, Ordinal, Share, Multiple, Clock, Date:
	}
	return s.Kind == v.Kind
}

// differentPeriods reports whether two rates are for different periods of time.
func differentPeriods(a, b string) bool {
	x, ok := durationUnit(a)
	y, both := durationUnit(b)
	return ok && both && x.name != y.name
}

// sameNoun reports whether two numbers count the same: their nouns end in the same word,
// or one has no plural noun.
func sameNoun(a, b string) bool {
	return !isPlural(head1(a)) || !isPlural(head1(b)) || head(a) == head(b)
}

// CountsSame reports whether two numbers count the same things in the same words.
func CountsSame(a, b *Value) bool {
	return isPlural(head1(a.Noun)) && strings.EqualFold(a.Noun, b.Noun)
}

// CountsOther reports whether two numbers count things in different words.
func CountsOther(a, b *Value) bool {
	return isPlural(head1(a.Noun)) && isPlural(head1(b.Noun)) && !strings.EqualFold(a.Noun, b.Noun)
}

// head returns the stem of the last word of a noun.
func head(noun string) string {
	return stem(strings.ToLower(noun[strings.LastIndexByte(noun, ' ')+1:]))
}

// head1 returns the last word of a noun.
func head1(noun string) string { return noun[strings.LastIndexByte(noun, ' ')+1:] }

// hasEnd reports whether a sentence or line ends in s.
func hasEnd(s string) bool {
	for i := range len(s) {
		if isEnd(s, i) {
			return true
		}
	}
	return false
}
