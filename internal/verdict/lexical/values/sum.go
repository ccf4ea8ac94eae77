package values

import (
	"math"
	"slices"
	"strings"
)

// maxTerms is the maximum number of terms of a sum.
const maxTerms = 12

// sum adds the values that the claim names, or all values of the unit that are stated
// together.
func (d *derivation) sum() (Derivation, bool) {
	lower := strings.ToLower(d.claim.Text)
	asked := d.words.cues&cueSum != 0 || strings.Contains(lower, "in all") || strings.Contains(lower, " between them")
	joint := d.words.cues&(cueEach|cueGap) == 0 && strings.Contains(d.claim.Text[:d.v.Start], " and ")
	if !asked && !strings.Contains(lower, " and ") {
		return Derivation{}, false
	}
	cs := oneColumn(candidates(d.passages, d.alike), d.v.Unit)
	if len(cs) < 2 && d.v.Kind == Number && d.v.Noun != "" && asked {
		cs, d.general = d.kinds(), true
	}
	named := cs[:0:0]
	for _, c := range cs {
		if c.score(d.words.left) > 0 {
			named = append(named, c)
		}
	}
	var wrong Derivation
	found := false
	first := cover(named, d.words.left)
	for i, set := range [...][]candidate{d.span(cs, first, lower), first, named, cs} {
		if len(set) < 2 || len(set) > maxTerms || i > 1 && !d.together(set) {
			continue
		}
		total, text := addUp(set)
		r, ok := d.result(text, total, &set[0].Value)
		if ok && r.Holds {
			return r, true
		}
		clear := i == 0 || i == 1 && (asked || joint) || asked && len(set) == len(cs) && (len(cs) == 2 || d.together(cs))
		if ok && clear && !found {
			wrong, found = r, true
		}
		if i > 0 && !asked { // "the lamp and the shade cost $60": only what the claim names
			break
		}
	}
	return wrong, found
}

// span returns the values that the claim delimits: those of a table column "from May to
// July", or "the first two" of those that are stated together. ends are the values of the
// rows that the claim names.
func (d *derivation) span(cs, ends []candidate, lower string) []candidate {
	if len(ends) == 2 && ends[0].cell.heading.end > 0 && strings.Contains(lower, "from ") && strings.Contains(lower, " to ") {
		i := slices.IndexFunc(cs, func(c candidate) bool { return c.Start == ends[0].Start })
		k := slices.IndexFunc(cs, func(c candidate) bool { return c.Start == ends[1].Start })
		return cs[i : k+1]
	}
	for i := range d.claim.Values {
		n := &d.claim.Values[i]
		count := n.Low / factorOf(n.Unit)
		if i == d.i || n.Kind != Number && n.Kind != Duration || count < 2 || count > float64(len(cs)) || count != math.Trunc(count) || !d.together(cs) {
			continue
		}
		switch before := strings.ToLower(d.claim.Text[:n.Start]); {
		case strings.HasSuffix(before, "the first "):
			d.used = append(d.used, i)
			return cs[:int(count)]
		case strings.HasSuffix(before, "the last "):
			d.used = append(d.used, i)
			return cs[len(cs)-int(count):]
		}
	}
	return nil
}

// together reports whether the claim names what each value belongs to, or all stand in one
// sentence, list or column that shares a word with the claim, unless that has few words.
func (d *derivation) together(set []candidate) bool {
	if len(d.words.topic) == 0 {
		return true // "Together they weigh 2 kg"
	}
	named := func(c *candidate) bool { return c.score(d.words.topic) > 0 }
	all, one := named(&set[0]), len(d.words.topic) < 3 || slices.ContainsFunc(set, func(c candidate) bool { return named(&c) })
	for i := 1; i < len(set); i++ {
		a, b := &set[i-1], &set[i]
		all = all && named(b)
		one = one && a.passage == b.passage && a.cell.heading == b.cell.heading &&
			(a.cell.heading.end > 0 || isList(d.passages[a.passage].Text[a.End:b.Start]))
	}
	return all || one
}

// isList reports whether the text between two values does not end a sentence, except
// before another item of a list.
func isList(gap string) bool {
	for i := range gap {
		if isEnd(gap, i) && gap[i] != ';' && (gap[i] != '\n' || i+1 == len(gap) || strings.IndexByte("-*•123456789 ", gap[i+1]) < 0) {
			return false
		}
	}
	return true
}

// oneColumn returns the values outside tables and, of those in tables, the columns in the
// claimed unit if there are others.
func oneColumn(cs []candidate, unit string) []candidate {
	same := slices.ContainsFunc(cs, func(c candidate) bool { return c.cell.heading.end > 0 && c.Unit == unit })
	return slices.DeleteFunc(slices.Clone(cs), func(c candidate) bool { return same && c.cell.heading.end > 0 && c.Unit != unit })
}

// kinds returns the numbers of a sentence that count different things: 14 ferries and 8
// tugs are 22 ships in all. The sentence must share a word with the claim.
func (d *derivation) kinds() []candidate {
	cs := candidates(d.passages, func(s *Value) bool { return s.Kind == Number && s.Exact() && isPlural(head1(s.Noun)) })
	for i := 0; i < len(cs); {
		j := i + 1
		for j < len(cs) && cs[j].passage == cs[i].passage && isList(d.passages[cs[i].passage].Text[cs[j-1].End:cs[j].Start]) {
			j++
		}
		set := cs[i:j]
		i = j
		if len(set) > 1 && slices.ContainsFunc(set, func(c candidate) bool { return c.score(d.words.left) > 0 }) {
			return set
		}
	}
	return nil
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
