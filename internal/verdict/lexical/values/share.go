package values

import "strings"

// share divides a part by its whole: 29 of the 58 members are half.
func (d *derivation) share() (Derivation, bool) {
	if d.v.Kind != Share || d.words.cues&(cueChange|cueThan) != 0 {
		return Derivation{}, false
	}
	cs := candidates(d.passages, isQuantity)
	before, after := wordsOf(d.claim.Text[:d.v.Start], 0, 0).left, wordsOf(d.claim.Text[d.v.End:], 0, 0).left
	var found Derivation
	n := 0
	for i := range cs {
		for j := range cs {
			part, whole := &cs[i], &cs[j]
			if i == j || part.Kind != whole.Kind || part.Unit != whole.Unit || part.Low >= whole.Low || part.passage != whole.passage || !d.isWhole(part, whole, before, after) {
				continue
			}
			r, ok := d.result(part.String()+" / "+whole.String(), part.Low/whole.Low, &d.v)
			if ok && r.Holds {
				return r, true
			}
			if ok {
				found, n = r, n+1
			}
		}
	}
	return found, n == 1
}

// isWhole reports whether the words say that part is a part of whole: "29 of the 58
// members", or both count what the claim is about. The words of the claim before its share
// name the part of an amount, those after it the whole.
func (d *derivation) isWhole(part, whole *candidate, before, after []string) bool {
	text := d.passages[part.passage].Text
	if part.Kind != Number {
		return part.score(before) > whole.score(before) && whole.score(after) > part.score(after)
	}
	if whole.Start >= 3 && strings.EqualFold(text[whole.Start-3:whole.Start], "of ") && whole.End < part.Start && !hasEnd(text[whole.End:part.Start]) {
		return whole.Noun != "" && contains(d.words.left, head(whole.Noun)) // of 400 members, 300
	}
	if part.End <= whole.Start && strings.TrimSpace(text[part.End:whole.Start]) == "of the" {
		return true
	}
	return part.Noun != "" && whole.Noun != "" && head(part.Noun) == head(whole.Noun) && contains(d.words.left, head(whole.Noun)) &&
		part.score(d.words.left) >= 1
}

// partOf applies a stated share to a stated whole: half of the 58 members are 29.
func (d *derivation) partOf() (Derivation, bool) {
	if d.v.Kind != Number && d.v.Kind != Money && d.v.Kind != Measure || d.words.cues&(cueThan|cueSum|cueChange) != 0 {
		return Derivation{}, false
	}
	shares := candidates(d.passages, func(s *Value) bool { return s.Kind == Share && s.Exact() })
	wholes := candidates(d.passages, func(s *Value) bool { return d.alike(s) && s.Low > 0 })
	for i := range shares {
		s := &shares[i]
		if s.score(d.words.left) < 1 || d.v.Noun != "" && !contains(s.label, head(d.v.Noun)) {
			continue
		}
		for j := range wholes {
			whole := &wholes[j]
			if d.v.Kind == Number && (whole.Noun == "" || d.v.Noun == "") {
				continue
			}
			if r, ok := d.result(s.String()+" of "+whole.end(whole.Low), s.Low*whole.Low, &whole.Value); ok && r.Holds {
				return r, true
			}
		}
	}
	return Derivation{}, false
}

// discount takes a stated discount in percent off the only stated price.
func (d *derivation) discount() (Derivation, bool) {
	if d.v.Kind != Money {
		return Derivation{}, false
	}
	prices := candidates(d.passages, d.alike)
	shares := candidates(d.passages, func(s *Value) bool { return s.Kind == Share && s.Exact() })
	if len(prices) != 1 || len(shares) != 1 {
		return Derivation{}, false
	}
	s, named := &shares[0], false
	for _, w := range [...]string{"discount", "off", "rebate", "reduction", "less", "cheaper"} {
		named = named || contains(s.label, stem(w))
	}
	if !named || d.words.cues&cueDiscount == 0 && s.score(d.words.left) == 0 {
		return Derivation{}, false
	}
	p := &prices[0]
	return d.result(p.String()+" - "+s.String(), p.Low*(1-s.Low), &p.Value)
}

// quotient divides a total by a count: 120,000 euros shared by 4 partners are 30,000
// each.
func (d *derivation) quotient() (Derivation, bool) {
	if d.words.cues&cueEach == 0 && d.v.Per == "" {
		return Derivation{}, false
	}
	totals := candidates(d.passages, d.alike)
	counts := candidates(d.passages, func(s *Value) bool {
		return s.Exact() && s.Low > 0 && (s.Kind == Number && s.Noun != "" || s.Kind == Duration)
	})
	per := stem(strings.ToLower(d.v.Per))
	for i := range totals {
		for j := range counts {
			t, c := &totals[i], &counts[j]
			if t.passage != c.passage || t.Start == c.Start {
				continue
			}
			n, unit := c.Low, ""
			if c.Kind == Duration {
				n, unit = c.Low/factorOf(c.Unit), c.Unit
			} else {
				unit = head(c.Noun)
			}
			if unit != per && !contains(d.words.left, unit) {
				continue
			}
			if r, ok := d.result(t.end(t.Low)+" / "+decimals(n, 2), t.Low/n, &t.Value); ok && (r.Holds || len(totals) == 1 && len(counts) == 1) {
				return r, true
			}
		}
	}
	return Derivation{}, false
}

// product multiplies a price or size of one thing by the number of things in the claim:
// four nights at $80 are $320. Several things are added up.
func (d *derivation) product() (Derivation, bool) {
	if d.words.cues&(cueThan|cueLess|cueMore|cueChange|cueGap) != 0 {
		return Derivation{}, false
	}
	cs := candidates(d.passages, d.alike)
	total, terms := 0.0, []string(nil)
	var like *Value
	for j := range d.claim.Values {
		n := &d.claim.Values[j]
		if j == d.i || n.Kind != Number && n.Kind != Duration || !n.Exact() || n.Low <= 0 {
			continue
		}
		count, unit := n.Low, ""
		switch {
		case n.Kind == Duration:
			count, unit = n.Low/factorOf(n.Unit), n.Unit
		case n.Noun != "":
			unit = head(n.Noun)
		}
		if unit == "" {
			continue
		}
		var prices []candidate
		for i := range cs {
			if cs[i].isPriceOf(unit, d.passages) {
				prices = append(prices, cs[i])
			}
		}
		price := best(prices, append(d.words.left, strings.Fields(strings.ToLower(n.Noun))...), nil)
		if len(prices) == 1 {
			price = 0
		}
		if price < 0 {
			return Derivation{}, false
		}
		p := &prices[price]
		like = &p.Value
		total += count * p.Low
		term := p.end(p.Low)
		if count != 1 {
			term = decimals(count, 2) + " × " + term
		}
		terms = append(terms, term)
	}
	if len(terms) == 0 || len(terms) == 1 && total == like.Low {
		return Derivation{}, false
	}
	return d.result(strings.Join(terms, " + "), total, like)
}

// rate converts a rate between periods: $20 a month is $240 a year.
func (d *derivation) rate() (Derivation, bool) {
	to, ok := durationUnit(strings.ToLower(d.v.Per))
	if !ok {
		return Derivation{}, false
	}
	unlike := derivation{v: d.v}
	unlike.v.Per = ""
	cs := candidates(d.passages, unlike.alike)
	if len(cs) > 1 {
		i := best(cs, d.words.left, d.words.right)
		if i < 0 {
			return Derivation{}, false
		}
		cs = cs[i : i+1]
	}
	for i := range cs {
		from, ok := durationUnit(strings.ToLower(cs[i].Per))
		if !ok || from.calendar != to.calendar || from.factor >= to.factor {
			continue
		}
		n := to.factor / from.factor
		like := cs[i].Value
		like.Per = d.v.Per
		return d.result(decimals(n, 2)+" × "+cs[i].end(cs[i].Low), n*cs[i].Low, &like)
	}
	return Derivation{}, false
}

// isPriceOf reports whether the words around a value say that it is for one unit: "a
// night costs $80", "$80 per night".
func (c *candidate) isPriceOf(unit string, passages []Text) bool {
	if stem(strings.ToLower(c.Per)) == unit {
		return true
	}
	text, found, near := passages[c.passage].Text, false, 0
	eachWord(text, c.from, c.to, func(w string, at int) {
		if near > 0 && stem(w) == unit && (at < c.Start || at >= c.End) {
			found = true
		}
		near--
		if w == "for" || w == "a" || w == "an" || w == "one" || w == "each" || w == "every" || w == "per" {
			near = 2 // "a single ticket"
		}
	})
	return found
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
