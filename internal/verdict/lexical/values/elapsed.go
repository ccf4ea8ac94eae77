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
	for _, kind := range [...]Kind{Clock, Date} {
		cs := candidates(d.passages, func(s *Value) bool {
			return s.Kind == kind && s.Unit != weekdayUnit && !math.IsInf(s.Low, 0) && !math.IsInf(s.High, 0)
		})
		if len(cs) == 2 && !joinedInTime(d.passages, &cs[0], &cs[1]) {
			continue
		}
		if len(cs) != 2 {
			i := best(cs, d.words.left, d.words.right)
			if i < 0 {
				continue
			}
			j := partner(cs, i, d.words.left, d.words.right)
			if j < 0 {
				continue
			}
			cs = []candidate{cs[min(i, j)], cs[max(i, j)]}
		}
		a, b := &cs[0].Value, &cs[1].Value
		if kind == Clock {
			minutes := math.Mod(b.Low-a.Low+24*60, 24*60)
			return d.time(a, b, minutes*60)
		}
		if a.Unit != b.Unit {
			continue
		}
		if a.Low > b.Low {
			a, b = b, a
		}
		return d.time(a, b, between(a, b, d.v.calendar))
	}
	return Derivation{}, false
}

// joinedInTime reports whether two dates are in one sentence or follow each other in the
// same passage, or two times are the start and end of one event: "19:00 to 21:00".
func joinedInTime(passages []Text, a, b *candidate) bool {
	if a.passage != b.passage {
		return false
	}
	between := passages[a.passage].Text[a.End:b.Start]
	if a.Kind == Date {
		return len(between) <= maxSentence
	}
	switch strings.TrimSpace(between) {
	case "to", "until", "till", "-", "–", "and", "bis":
		return true
	}
	return false
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
			s := items[0]
			for _, item := range items[1:] {
				s += ", " + item
			}
			n := len(items)
			return Derivation{Text: s + " = " + decimals(float64(n), 0) + " " + word, Holds: float64(n) == d.v.Low}, true
		}
	}
	return Derivation{}, false
}
