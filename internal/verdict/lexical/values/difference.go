package values

import (
	"math"
	"strings"
)

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
	if d.v.Kind == Share && strings.HasPrefix(d.claim.Text[d.v.End:], " as ") { // half as long as
		d.v.Kind, d.v.Unit = Multiple, "times"
	}
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
	counted := d.counted()
	a, b, ok := d.pair(func(s *Value) bool { return isQuantity(s) && sameNoun(counted, s.Noun) })
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

// counted returns the plural after "as many" in "twice as many members as", or "".
func (d *derivation) counted() string {
	rest, ok := strings.CutPrefix(d.claim.Text[d.v.End:], " as many ")
	noun, _, found := strings.Cut(rest, " as ")
	if !ok || !found {
		return ""
	}
	return noun
}

// isQuantity reports whether a value has a size that ratios make sense of.
func isQuantity(v *Value) bool {
	return v.Exact() && (v.Kind == Number || v.Kind == Money || v.Kind == Measure || v.Kind == Duration)
}

// other applies a stated difference to a stated value, if the claim names what the
// difference refers to: "1,100 people, 200 fewer than in 2019".
func (d *derivation) other() (Derivation, bool) {
	like := d.alike
	cs := candidates(d.passages, func(s *Value) bool {
		return like(s) || s.Kind == Number && s.Exact() && s.Noun == "" && d.v.Kind == Money && s.written
	})
	for i := 1; i < len(cs); i++ {
		a, b := &cs[i-1], &cs[i]
		if a.passage != b.passage || !like(&a.Value) {
			continue
		}
		if b.delta == 0 || !d.refersTo(b) {
			continue
		}
		op := " + "
		if b.delta > 0 {
			op = " - "
		}
		return d.result(a.end(a.Low)+op+b.end(b.Low), a.Low-b.delta*b.Low, &a.Value)
	}
	return Derivation{}, false
}

// refersTo reports whether the claim names what a stated difference refers to.
func (d *derivation) refersTo(b *candidate) bool {
	named, missing := d.afterThan(b, d.words.left)
	if named+missing == 0 { // "50 more than before"
		return strings.Contains(strings.ToLower(d.claim.Text), "before")
	}
	return named > 0 && missing <= named
}

// afterThan returns how many of the content words after "than" in the sentence of b are
// among the words, and how many are not.
func (d *derivation) afterThan(b *candidate, words []string) (named, missing int) {
	text := d.passages[b.passage].Text
	_, end := sentence(text, b.Start, b.End)
	than := false
	eachWord(text, b.End, end, func(w string, _ int) {
		switch {
		case w == "than":
			than = true
		case !than || isFunctionWord(w):
		case contains(words, stem(w)):
			named++
		default:
			missing++
		}
	})
	return named, missing
}
