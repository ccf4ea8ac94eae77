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
	switch {
	case d.isPartOf(part, whole):
		return part.Kind != Number || d.names(whole) || d.names(part)
	case part.Kind != Number:
		return part.score(before) > whole.score(before) && whole.score(after) > part.score(after)
	}
	return part.Noun != "" && whole.Noun != "" && head(part.Noun) == head(whole.Noun) && d.names(whole) && part.score(d.words.left) >= 1
}

// names reports whether the claim contains what a number counts.
func (d *derivation) names(c *candidate) bool {
	return c.Noun != "" && contains(d.words.left, head(c.Noun))
}

// isPartOf reports whether a sentence states part as a part of whole: "12 of its 20
// matches", "of the 40 trees, 12", "90 hectares, of which 20 hectares", "90 km, 20 km of it".
func (d *derivation) isPartOf(part, whole *candidate) bool {
	if part.passage != whole.passage || part.Kind != whole.Kind || part.Low > whole.Low {
		return false
	}
	text := d.passages[part.passage].Text
	if part.End <= whole.Start {
		gap := text[part.End:whole.Start]
		i := strings.LastIndex(gap, " of ")
		return i >= 0 && !hasEnd(gap) && strings.Count(gap, " ") < 6 && isDeterminer(gap[i+len(" of "):])
	}
	gap, rest := text[whole.End:part.Start], text[part.End:]
	if hasEnd(gap) {
		return false
	}
	for _, s := range [...]string{" of which", " of whom", " of them", " of these", " including "} {
		if strings.Contains(gap, s) {
			return true
		}
	}
	for _, s := range [...]string{" of it", " of them", " of these", " of which", " of whom"} {
		if strings.HasPrefix(rest, s) {
			return true
		}
	}
	start := strings.ToLower(text[max(0, whole.Start-10):whole.Start])
	i := strings.LastIndex(start, "of ")
	return i >= 0 && (i == 0 || start[i-1] == ' ') && isDeterminer(start[i+len("of "):])
}

// isDeterminer reports whether s is empty or a determiner and a space.
func isDeterminer(s string) bool {
	switch s {
	case "", "the ", "its ", "their ", "his ", "her ", "our ", "all ", "these ":
		return true
	}
	return false
}

// remainder subtracts a part from its whole: of 240 trees 36 died, so the other 204 live.
func (d *derivation) remainder() (Derivation, bool) {
	if d.words.cues&cueGap == 0 && !strings.Contains(d.claim.Text, " other ") && !strings.Contains(d.claim.Text, " not ") {
		return Derivation{}, false
	}
	cs := candidates(d.passages, d.alike)
	for i := range cs {
		for j := range cs {
			if part, whole := &cs[i], &cs[j]; i != j && d.isPartOf(part, whole) && (d.names(whole) || part.score(d.words.topic)+whole.score(d.words.topic) > 0) {
				return d.result(whole.String()+" - "+part.String(), whole.Low-part.Low, &whole.Value)
			}
		}
	}
	return Derivation{}, false
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
			r, ok := d.result(s.String()+" of "+whole.end(whole.Low), s.Low*whole.Low, &whole.Value)
			if ok && (r.Holds || s.passage == whole.passage && d.names(whole) && s.score(d.words.topic) > 2 && isOf(d.passages[s.passage].Text, s.End, whole.Start)) {
				return r, true
			}
		}
	}
	return Derivation{}, false
}

// isOf reports whether only "of" and a determiner separate two values.
func isOf(text string, end, start int) bool {
	s, ok := strings.CutPrefix(text[min(end, start):start], " of ")
	return ok && isDeterminer(s)
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
	eachWord(d.passages[s.passage].Text, s.from, s.to, func(w string, _ int) {
		named = named || cueOf(w)&cueDiscount != 0 || w == "off" || w == "less" || w == "cheaper"
	})
	if !named || d.words.cues&cueDiscount == 0 && s.score(d.words.left) == 0 {
		return Derivation{}, false
	}
	p := &prices[0]
	return d.result(p.String()+" - "+s.String(), p.Low*(1-s.Low), &p.Value)
}
