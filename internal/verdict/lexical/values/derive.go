package values

import (
	"math"
	"slices"
	"strings"
)

// A Derivation is a computation over stated values.
type Derivation struct {
	Text  string // written out: "$10 + $25 = $35" or "$10 + $25 = $35, not $40"
	Holds bool   // the result is the claimed value
}

// Derive looks for a computation over the values of the passages that yields value i of a
// claim. Because some sum or ratio of many numbers always fits, the words of the claim
// must ask for it: "total" for a sum, "cheaper than" for a difference, "each" for a
// quotient, "lasted" for the time between two dates. Its operands must be the only two
// values of the unit in the passages, or the words around them must occur in the claim.
// For these operands only, a claim with another result is reported with Holds false; ok
// is false if no computation is asked for or its operands are unclear. Callers look for
// the value itself first.
func Derive(claim Text, i int, passages []Text) (d Derivation, ok bool) {
	v := claim.Values[i]
	start := derivation{claim: claim, i: i, v: v, passages: passages}
	switch v.Kind {
	case Clock, Ordinal:
		return Derivation{}, false
	case Date:
		return start.later()
	default:
		start.words = wordsOf(claim.Text, v.boundStart(claim.Text), v.End)
	}
	state := new(derivation)
	for _, rule := range [...]func(*derivation) (Derivation, bool){
		(*derivation).elapsed, (*derivation).ratio, (*derivation).change, (*derivation).share, (*derivation).partOf, (*derivation).discount,
		(*derivation).quotient, (*derivation).product, (*derivation).rate, (*derivation).sum, (*derivation).difference, (*derivation).other,
		(*derivation).list,
	} {
		*state = start // which rules change
		if d, ok := rule(state); ok {
			return d, true
		}
	}
	return Derivation{}, false
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

	unordered bool // it is unclear which value of a pair is named first
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

// sameNoun reports whether two nouns have the same last word, or one is missing.
func sameNoun(a, b string) bool {
	return a == "" || b == "" || head(a) == head(b)
}

// head returns the stem of the last word of a noun.
func head(noun string) string {
	return stem(strings.ToLower(noun[strings.LastIndexByte(noun, ' ')+1:]))
}

// sum adds the values that the claim names, or all values of the unit.
func (d *derivation) sum() (Derivation, bool) {
	asked := d.words.cues&cueSum != 0 || strings.Contains(d.claim.Text, " in all") || strings.Contains(d.claim.Text, " between them")
	if !asked && !strings.Contains(d.claim.Text, " and ") {
		return Derivation{}, false
	}
	cs := candidates(d.passages, d.alike)
	if len(cs) < 2 && d.v.Kind == Number && d.v.Noun != "" && asked {
		return d.kinds()
	}
	cs = oneColumn(cs, d.v.Unit)
	named := cs[:0:0]
	for _, c := range cs {
		if c.score(d.words.left) > 0 {
			named = append(named, c)
		}
	}
	for i, set := range [...][]candidate{cover(named, d.words.left), named, cs} {
		if len(set) < 2 || len(set) > 6 {
			continue
		}
		total, text := addUp(set)
		r, ok := d.result(text, total, &set[0].Value)
		if ok && (r.Holds || asked && (i == 0 || len(cs) == 2)) {
			return r, true
		}
		if !asked { // "the lamp and the shade cost $60": only what the claim names
			break
		}
	}
	return Derivation{}, false
}

// oneColumn returns the values outside tables and, of those in tables, the columns in the
// claimed unit if there are others.
func oneColumn(cs []candidate, unit string) []candidate {
	same := slices.ContainsFunc(cs, func(c candidate) bool { return c.cell.heading.end > 0 && c.Unit == unit })
	return slices.DeleteFunc(slices.Clone(cs), func(c candidate) bool { return same && c.cell.heading.end > 0 && c.Unit != unit })
}

// kinds adds the numbers of a sentence that count different things: 14 ferries and 8 tugs
// are 22 ships in all. The sentence must share a word with the claim.
func (d *derivation) kinds() (Derivation, bool) {
	cs := candidates(d.passages, func(s *Value) bool { return s.Kind == Number && s.Exact() && s.Noun != "" && isPlural(head1(s.Noun)) })
	for i := 0; i < len(cs); {
		j := i + 1
		for j < len(cs) && cs[j].passage == cs[i].passage && !hasEnd(d.passages[cs[i].passage].Text[cs[j-1].End:cs[j].Start]) {
			j++
		}
		set := cs[i:j]
		i = j
		if len(set) < 2 || len(set) > 6 || set[0].score(d.words.left)+set[len(set)-1].score(d.words.left) == 0 {
			continue
		}
		total, text := addUp(set)
		return d.result(text, total, &set[0].Value)
	}
	return Derivation{}, false
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

// addUp returns the sum of values and its terms.
func addUp(set []candidate) (float64, string) {
	total, terms := 0.0, make([]string, len(set))
	for i := range set {
		total += set[i].Low
		terms[i] = set[i].String()
	}
	return total, strings.Join(terms, " + ")
}

// cover returns the candidates that add a word of the claim to those of the candidates
// with more words of it, in the order of the text.
func cover(cs []candidate, words []string) []candidate {
	left := append([]string(nil), words...)
	chosen := make([]bool, len(cs))
	for range cs {
		k, top := -1, 0
		for i := range cs {
			if n := cs[i].score(left); n > top && cs[i].delta == 0 {
				k, top = i, n
			}
		}
		if k < 0 {
			break
		}
		chosen[k] = true
		left = slices.DeleteFunc(left, func(w string) bool { return contains(cs[k].label, w) })
	}
	var out []candidate
	for i := range cs {
		if chosen[i] {
			out = append(out, cs[i])
		}
	}
	return out
}

// pair returns the two values that the claim compares: a, which is named before "than",
// and b. If the claim is about a change, a is the later one.
func (d *derivation) pair(fits func(*Value) bool) (a, b candidate, ok bool) {
	cs := candidates(d.passages, fits)
	d.unordered = false
	if d.words.cues&cueThan != 0 {
		if i := best(cs, d.words.left, d.words.right); i >= 0 {
			if j := partner(cs, i, d.words.left, d.words.right); j >= 0 {
				return cs[i], cs[j], true
			}
			if len(cs) == 2 {
				d.unordered = true
				return cs[i], cs[1-i], true
			}
		}
	} else if d.words.cues&cueChange == 0 && len(cs) == 2 {
		if i := best(cs, d.words.left, nil); i >= 0 {
			return cs[i], cs[1-i], true
		}
		if d.words.cues&cueGap != 0 {
			return cs[0], cs[1], true
		}
	}
	if d.words.cues&cueChange == 0 || len(cs) < 2 {
		return a, b, false
	}
	if len(cs) > 2 {
		named := cs[:0:0]
		for _, c := range cs {
			if c.score(d.words.left) > 0 {
				named = append(named, c)
			}
		}
		if cs = named; len(cs) != 2 {
			return a, b, false
		}
	}
	a, b = cs[1], cs[0]
	if x, y := a.year(d.passages), b.year(d.passages); x != 0 && y != 0 && x < y {
		a, b = b, a
	}
	return a, b, true
}

// year returns the only year in the clause of a candidate, or 0.
func (c *candidate) year(passages []Text) float64 {
	year := 0.0
	for _, v := range passages[c.passage].Values {
		if v.Kind == Date && v.Unit == "" && v.Start >= c.from && v.End <= c.to {
			if year != 0 {
				return 0
			}
			year = v.Low
		}
	}
	return year
}

// difference subtracts two values that the claim compares.
func (d *derivation) difference() (Derivation, bool) {
	if d.words.cues&(cueLess|cueMore|cueGap) == 0 {
		return Derivation{}, false
	}
	a, b, ok := d.pair(d.alike)
	if !ok || d.countsOther() {
		return Derivation{}, false
	}
	less := a.Low < b.Low
	if less {
		a, b = b, a
	}
	x := a.Low - b.Low
	if d.v.Kind == Points {
		x = math.Round(1e6*x) / 1e4
	}
	r, ok := d.result(a.String()+" - "+b.String(), x, &a.Value)
	if c := d.words.cues & (cueLess | cueMore); !d.unordered && (less && c == cueMore || !less && c == cueLess) {
		r.Holds = false
	}
	return r, ok
}

// countsOther reports whether the claim compares with several things: "cheaper than two
// singles".
func (d *derivation) countsOther() bool {
	than := strings.Index(d.claim.Text, " than ")
	for i := range d.claim.Values {
		if v := &d.claim.Values[i]; i != d.i && than >= 0 && v.Start > than && v.Kind == Number && v.Noun != "" && v.Low > 1 && v.End-than < 16 {
			return true
		}
	}
	return false
}

// change computes a relative change: rose by 50%, 20% more than.
func (d *derivation) change() (Derivation, bool) {
	if d.v.Kind != Share || d.words.cues&(cueLess|cueMore) == 0 {
		return Derivation{}, false
	}
	a, b, ok := d.pair(isQuantity)
	if !ok || b.Low == 0 || a.Kind != b.Kind || a.Unit != b.Unit && a.dimension != b.dimension || a.dimension == temperature {
		return Derivation{}, false
	}
	if x := a.Low/b.Low - 1; x >= 0 {
		r, ok := d.result(a.String()+" / "+b.String()+" - 1", x, &d.v)
		r.Holds = r.Holds && d.words.cues&cueMore != 0
		return r, ok
	}
	r, ok := d.result("1 - "+a.String()+" / "+b.String(), 1-a.Low/b.Low, &d.v)
	r.Holds = r.Holds && d.words.cues&cueLess != 0
	return r, ok
}

// ratio computes how many times one value is another: twice as tall, doubled.
func (d *derivation) ratio() (Derivation, bool) {
	if d.v.Kind != Multiple {
		return Derivation{}, false
	}
	w := &d.words
	if at := secondTerm(d.claim.Text, d.v.End); w.cues&cueThan == 0 && at > 0 {
		*w = claimWords{
			cues: w.cues | cueThan, left: wordsOf(d.claim.Text[:at], d.v.boundStart(d.claim.Text), d.v.End).left,
			right: wordsOf(d.claim.Text[at:], 0, 0).left,
		}
	}
	if w.cues&(cueThan|cueChange) == 0 {
		w.cues |= cueOf(strings.ToLower(d.claim.Text[d.v.Start:d.v.End]))
	}
	a, b, ok := d.pair(isQuantity)
	if !ok || b.Low == 0 || a.Kind != b.Kind || a.Unit != b.Unit && a.dimension != b.dimension {
		return Derivation{}, false
	}
	return d.result(a.String()+" / "+b.String(), a.Low/b.Low, &d.v)
}

// secondTerm returns the offset of what a multiple that ends at text[end] refers to, or 0:
// the second "as" of "twice as many members as in 2010", the "of" of "twice the size of".
func secondTerm(text string, end int) int {
	rest := text[end:]
	if strings.HasPrefix(rest, " as ") {
		if k := strings.Index(rest[3:], " as "); k >= 0 {
			return end + 3 + k
		}
	}
	if strings.HasPrefix(rest, " the ") {
		if k := strings.Index(rest, " of "); k >= 0 {
			return end + k
		}
	}
	return 0
}

// isQuantity reports whether a value has a size that ratios make sense of.
func isQuantity(v *Value) bool {
	return v.Exact() && (v.Kind == Number || v.Kind == Money || v.Kind == Measure || v.Kind == Duration)
}
