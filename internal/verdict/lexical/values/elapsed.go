package values

import (
	"math"
	"strings"
)

// elapsed computes the time between two dates or times of day: 1914 to 1918 are four
// years.
func (d *derivation) elapsed() (Derivation, bool) {
	if d.v.Kind != Duration || d.words.cues&(cueElapsed|cueThan) == 0 {
		return Derivation{}, false
	}
	if r, ok := d.age(); ok {
		return r, ok
	}
	if r, ok := d.ownDates(); ok {
		return r, ok
	}
	if r, ok := d.hours(); ok {
		return r, ok
	}
	cs := candidates(d.passages, isDay)
	if len(cs) == 2 && (!joinedDates(cs) || !d.about(cs)) {
		return Derivation{}, false
	}
	if len(cs) != 2 {
		i := best(cs, d.words.left, d.words.right)
		if i < 0 {
			return Derivation{}, false
		}
		j := partner(cs, i, d.words.left, d.words.right)
		if j < 0 {
			return Derivation{}, false
		}
		cs = []candidate{cs[min(i, j)], cs[max(i, j)]}
	}
	return d.dates(&cs[0].Value, &cs[1].Value)
}

// isDay reports whether a value is a date or period that time can be counted from.
func isDay(s *Value) bool {
	return s.Kind == Date && s.Unit != weekdayUnit && !math.IsInf(s.Low, 0) && !math.IsInf(s.High, 0)
}

// dates returns the time between two dates.
func (d *derivation) dates(a, b *Value) (Derivation, bool) {
	if a.Unit != b.Unit {
		return Derivation{}, false
	}
	if a.Low > b.Low {
		a, b = b, a
	}
	r, ok := d.time(a, b, between(a, b, d.v.calendar))
	if !r.Holds && a.Exact() && b.Exact() { // the last day may count too
		next := *b
		next.Low, next.High = b.Low+1, b.High+1
		if x, ok := d.time(a, b, between(a, &next, d.v.calendar)); ok && x.Holds {
			return x, ok
		}
	}
	return r, ok
}

// ownDates uses two dates of the claim itself: "from 1923 to 1930, seven years".
func (d *derivation) ownDates() (Derivation, bool) {
	var days []*Value
	for i := range d.claim.Values {
		if v := &d.claim.Values[i]; isDay(v) {
			days = append(days, v)
		}
	}
	if len(days) != 2 {
		return Derivation{}, false
	}
	return d.dates(days[0], days[1])
}

// later computes a year from a stated one and a duration: "in 2010 and again three years
// later" is 2013.
func (d *derivation) later() (Derivation, bool) {
	if !d.v.IsYear() {
		return Derivation{}, false
	}
	for _, p := range d.passages {
		for i := 1; i < len(p.Values); i++ {
			n, from := &p.Values[i], &p.Values[i-1]
			if n.Kind != Duration || !n.calendar || !n.Exact() || !isDay(from) || from.Unit != "" || n.Start-from.End > maxSentence/2 {
				continue
			}
			sign := 0.0
			eachWord(p.Text, n.End, min(len(p.Text), n.End+8), func(w string, _ int) {
				switch w {
				case "later", "after":
					sign = 1
				case "earlier", "before":
					sign = -1
				}
			})
			years := n.Low / secondsPerYear
			if sign == 0 || years != math.Trunc(years) {
				continue
			}
			y, _, _ := civil(from.Low)
			z := period(y+int(sign*years), 1, y+int(sign*years), 12)
			text := yearString(y) + " + " + n.String() + " = " + z.String()
			if sign < 0 {
				text = yearString(y) + " - " + n.String() + " = " + z.String()
			}
			if Compare(&d.v, &z) == Equal {
				return Derivation{Text: text, Holds: true}, true
			}
			named, topic := false, wordsOf(d.claim.Text, d.v.Start, d.v.End).topic // what the later year is about
			eachWord(p.Text, from.End, n.Start, func(w string, _ int) { named = named || !isFunctionWord(w) && contains(topic, stem(w)) })
			if named {
				return Derivation{Text: text + ", not " + d.v.String()}, true
			}
		}
	}
	return Derivation{}, false
}

// hours uses the start and end of an event on one day. Of several events, the one with
// the most words of the claim counts.
func (d *derivation) hours() (Derivation, bool) {
	cs := candidates(d.passages, func(s *Value) bool { return s.Kind == Clock })
	found, top, tie := -1, 0, false
	for i := 1; i < len(cs); i++ {
		if !joinedTimes(d.passages, &cs[i-1], &cs[i]) {
			continue
		}
		switch n := 1 + cs[i-1].score(d.words.left) + cs[i].score(d.words.left); {
		case n > top:
			found, top, tie = i, n, false
		case n == top:
			tie = true
		}
	}
	if found < 0 || tie || top == 1 && len(d.words.left) > 0 {
		return Derivation{}, false
	}
	a, b := &cs[found-1].Value, &cs[found].Value
	return d.time(a, b, 60*math.Mod(b.Low-a.Low+24*60, 24*60))
}

// joinedTimes reports whether two times are the start and end of one event: "19:00 to
// 21:00", "leaves at 10:30 and arrives at 12:45".
func joinedTimes(passages []Text, a, b *candidate) bool {
	if a.passage != b.passage {
		return false
	}
	between := passages[a.passage].Text[a.End:b.Start]
	if hasEnd(between) || len(between) > 60 {
		return false
	}
	found := false
	eachWord(between, 0, len(between), func(w string, _ int) {
		switch w {
		case "to", "until", "till", "bis", "ends", "ended", "end", "arrives", "arrived", "arrival", "closes", "closed", "finishes", "finished", "lands", "landed", "returns":
			found = true
		}
	})
	return found || strings.Trim(between, " -–") == "" || strings.TrimSpace(between) == "and"
}

// about reports whether the words around two dates occur in the claim, or the claim has
// none that could.
func (d *derivation) about(cs []candidate) bool {
	return cs[0].score(d.words.left)+cs[0].score(d.words.right)+cs[1].score(d.words.left)+cs[1].score(d.words.right) > 0 || len(d.words.left) == 0
}

// age computes the age at a date that the claim names, from a stated year of birth,
// foundation or opening: born in 1900, so 34 years old in 1934.
func (d *derivation) age() (Derivation, bool) {
	if d.v.Unit != "year" || !strings.Contains(d.claim.Text, "old") && !strings.Contains(d.claim.Text, "aged ") && !strings.Contains(d.claim.Text, "turned ") {
		return Derivation{}, false
	}
	var at *Value
	for i := range d.claim.Values {
		if v := &d.claim.Values[i]; v.Kind == Date && v.Unit == "" && !v.isBound() {
			if at != nil {
				return Derivation{}, false
			}
			at = v
		}
	}
	if at == nil {
		return Derivation{}, false
	}
	births := candidates(d.passages, func(s *Value) bool { return s.Kind == Date && s.Unit == "" && !s.isBound() && s.High < at.Low })
	for i := range births {
		for _, w := range [...]string{"born", "birth", "found", "open", "built", "established"} {
			if contains(births[i].label, stem(w)) {
				b := &births[i].Value
				r, ok := d.time(b, at, between(b, at, true))
				if x := d.v.Low/secondsPerYear - between(b, at, true)/secondsPerYear; ok && !r.Holds && x == -1 && (!b.Exact() || !at.Exact()) {
					return Derivation{}, false // the birthday may be later in the year
				}
				return r, ok
			}
		}
	}
	return Derivation{}, false
}

// joinedDates reports whether two dates are close to each other in one passage.
func joinedDates(cs []candidate) bool {
	return cs[0].passage == cs[1].passage && cs[1].Start-cs[0].End <= maxSentence
}

// between returns the seconds between two dates. Durations in months and years are full
// months, or the difference of the years if a date is only a year.
func between(a, b *Value, calendar bool) float64 {
	if !calendar {
		return (b.Low - a.Low) * 86400
	}
	low, high := a.Low, b.Low
	if a.Unit == yearless {
		low, high = low+day(0, 1, 1), high+day(0, 1, 1)
	}
	y1, m1, d1 := civil(low)
	y2, m2, d2 := civil(high)
	if a.High-a.Low > 31 || b.High-b.Low > 31 {
		return float64(y2-y1) * secondsPerYear
	}
	months := 12*(y2-y1) + m2 - m1
	if a.Exact() && b.Exact() && d2 < d1 {
		months--
	}
	return float64(months) * secondsPerMonth
}

// time compares the claimed duration with a number of seconds. Full years or months are
// enough if the claim is in them.
func (d *derivation) time(a, b *Value, seconds float64) (Derivation, bool) {
	u, _ := unitOf(d.v.Unit)
	n := seconds / u.factor
	if d.v.calendar {
		n = math.Floor(n + 1e-6)
	}
	r, ok := d.result(a.String()+" to "+b.String(), n*u.factor, &d.v)
	return r, ok && n > 0
}

// maxListText is the maximum length of a passage in which lists are looked for. Passages
// are statements, or a list with its lead.
const maxListText = 1 << 14

// list counts the items of a list that follows the noun of the claimed number: "offices in
// Berlin, Lyon and Turin" are three offices.
func (d *derivation) list() (Derivation, bool) {
	if d.v.Kind != Number || d.v.Noun == "" || !d.v.Exact() {
		return Derivation{}, false
	}
	noun := head(d.v.Noun)
	word := d.v.Noun[strings.LastIndexByte(d.v.Noun, ' ')+1:]
	for p := range d.passages {
		text := d.passages[p].Text
		if len(text) > maxListText {
			continue
		}
		var after int
		eachWord(text, 0, len(text), func(w string, at int) {
			if after == 0 && stem(w) == noun && isPlural(w) {
				after = at + len(w)
			}
		})
		if after == 0 {
			continue
		}
		if items := listItems(text, after); len(items) >= 2 {
			n := len(items)
			return Derivation{Text: strings.Join(items, ", ") + " = " + decimals(float64(n), 0) + " " + word, Holds: float64(n) == d.v.Low}, true
		}
	}
	return Derivation{}, false
}
