package values

import "strings"

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
		d.used = append(d.used, j)
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

// times multiplies an amount for one thing by the stated number of these things: each of
// 14 buses has 52 seats.
func (d *derivation) times() (Derivation, bool) {
	if d.words.cues&(cueSum|cueThan|cueEach) != cueSum {
		return Derivation{}, false
	}
	amounts := candidates(d.passages, func(s *Value) bool { x := *s; x.Per = ""; return d.alike(&x) })
	for i := range amounts {
		a := &amounts[i]
		for j := range d.passages[a.passage].Values {
			n := &d.passages[a.passage].Values[j]
			if n.Start == a.Start || !n.Exact() || n.Low <= 1 || n.Start < a.from-maxSentence/2 || n.End > a.End+maxSentence/2 {
				continue
			}
			count := n.Low
			switch {
			case n.Kind == Duration && stem(strings.ToLower(a.Per)) == n.Unit:
				count /= factorOf(n.Unit)
			case n.Kind == Number && isPlural(head1(n.Noun)) && d.isEach(a, n) && a.score(d.words.topic) > 0:
			default:
				continue
			}
			like := a.Value
			like.Per = d.v.Per
			return d.result(decimals(count, 2)+" × "+a.end(a.Low), count*a.Low, &like)
		}
	}
	return Derivation{}, false
}

// isEach reports whether "each", "every" or "apiece" relates an amount to a number in the
// same sentence.
func (d *derivation) isEach(a *candidate, n *Value) bool {
	text := d.passages[a.passage].Text
	from, to := sentence(text, a.Start, a.End)
	if n.Start < from || n.End > to {
		return false
	}
	found := false
	eachWord(text, from, to, func(w string, _ int) { found = found || w == "each" || w == "every" || w == "apiece" })
	return found
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
