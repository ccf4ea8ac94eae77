package values

import "math"

// bounded applies the words around the value v of the tokens from to next-1: hedges
// (about 20), bounds (at least 20, 20 or more), ranges (5-7 days), the noun and the rate.
func (r *reader) bounded(v Value, from, next int) (Value, int) {
	v.Start = r.at(from).start
	if v.Kind != Date && v.Kind != Clock && v.Kind != Ordinal && v.Kind != Multiple {
		next = r.upper(&v, from, next)
	}
	if v.Kind == Number && v.Noun == "" {
		after := next
		if r.is(next, "+") && r.joined(next-1) {
			after++
		} else if r.is(next, "or") && r.is(next+1, "more", "fewer", "less") {
			after += 2
		} else if r.is(next, "-") && r.joined(next) {
			after++
		}
		v.Noun, _ = r.noun(after)
	}
	v.End = r.at(next - 1).end
	r.per(&v, next)
	if v.Low != v.High && v.Kind != Date {
		return v, next // a range
	}
	r.before(&v, from-1)
	return v, r.after(&v, next)
}

// per sets the unit of a rate after token i.
func (r *reader) per(v *Value, i int) {
	if v.Kind == Date || v.Kind == Clock || v.Kind == Ordinal || v.Kind == Share {
		return
	}
	for k := i; k < i+4; k++ {
		switch {
		case r.is(k, "per", "a", "an", "each", "every", "/", "pro", "par"):
			if r.has(k+1, word) && !r.has(k+1, stop&^lone) && (r.has(k+1, lone) || r.is(k, "per", "/") || isPeriod(r.str(k+1))) {
				v.Per = r.str(k + 1)
			}
			return
		case !r.has(k, word) || r.has(k, stop):
			return
		}
	}
}

// isPeriod reports whether w is a period of time such as "month".
func isPeriod(w string) bool {
	_, ok := durationUnit(w)
	return ok || w == "night" || w == "person"
}

// upper parses the upper end of a range whose lower end is v. Ranges of dates and times
// are two values, because both ends are often stated on their own.
func (r *reader) upper(v *Value, from, next int) int {
	k := next + 1
	switch {
	case r.isHyphen(next):
	case r.is(next, "to", "bis", "à", "a"):
		if r.is(from-1, "from") && r.changes(from-2) {
			return next
		}
	case r.is(next, "and") && r.is(from-1, "between"), r.is(next, "or") && v.Kind == Number && r.is(from-1, "either"):
	default:
		return next
	}
	if !r.has(k, digits|numeral|currency) {
		return next
	}
	if r.has(k, currency) {
		k++
	}
	w, _, n := r.amountAt(k)
	if n == 0 || w.Low != w.High {
		return next
	}
	if v.Kind == Number && w.Kind != Number && w.Kind != Ordinal && v.Unit == "" {
		u, ok := unitOf(w.Unit)
		if !ok {
			u, ok = unitOf(unitName(w.Unit))
		}
		if !ok {
			return next
		}
		v.setUnit(u)
	} else if v.Unit != "" && w.Unit == "" && v.Kind == Money {
		w.Low *= 1
	}
	if v.Kind != w.Kind && !(v.Kind == Money && w.Kind == Number) || w.Low <= v.Low {
		return next
	}
	v.High, v.written = w.Low, v.written || w.written
	return n
}

// unitName returns the lower-case name under which unitOf knows a unit.
func unitName(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c-'A' < 26 {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// changes reports whether one of the four words up to token i is a verb of change, as in
// "rose from 5 to 7".
func (r *reader) changes(i int) bool {
	for k := i; k > i-5; k-- {
		if r.is(k, "rose", "rises", "risen", "rise", "fell", "falls", "fall", "fallen", "grew", "grows", "grown", "growth", "increased", "increases",
			"increase", "decreased", "decreases", "decrease", "dropped", "drops", "drop", "declined", "decline", "cut", "raised",
			"lowered", "reduced", "climbed", "jumped", "moved", "went", "changed", "extended", "shortened", "expanded", "up", "down") {
			return true
		}
	}
	return false
}

// before applies the words that end at token i, before a value.
func (r *reader) before(v *Value, i int) {
	if r.is(i, "a", "an", "the", "every", "these") && (v.word || r.is(i-1, "than", "about", "nearly", "almost", "least", "most", "over")) {
		i--
	}
	if v.Kind == Date && v.Unit == weekdayUnit || v.Kind == Ordinal {
		return
	}
	low, high := v.Low, v.High
	atLeast := func(open bool) { v.Low, v.High, v.Open = low, math.Inf(1), open }
	atMost := func(open bool) { v.Low, v.High, v.Open = math.Inf(-1), high, open }
	if v.Kind == Date {
		switch {
		case v.Unit != "":
		case r.is(i, "before") || r.is(i, "to") && r.is(i-1, "prior"):
			v.Low, v.High, v.Open = math.Inf(-1), low, true
		case r.is(i, "after"):
			v.Low, v.High, v.Open = high, math.Inf(1), true
		case r.is(i, "around", "about", "circa", "ca", "c"):
			v.Approx, v.Step = true, 365*3
		}
		return
	}
	about := func(lean int8) { v.Approx, v.lean = true, lean }
	switch {
	case r.is(i, "than"):
		no := r.is(i-2, "no", "not", "nicht", "pas")
		switch {
		case r.is(i-1, "more", "greater", "higher", "longer", "older", "larger", "heavier", "rather", "bigger", "faster", "taller"):
			switch {
			case r.is(i-1, "rather"):
			case no:
				atMost(false)
			case r.is(i-2, "little", "slightly"):
				about(1)
			default:
				atLeast(true)
			}
		case r.is(i-1, "less", "fewer", "lower", "younger", "smaller", "shorter", "lighter", "cheaper"):
			switch {
			case no:
				atLeast(false)
			case r.is(i-2, "little", "slightly"):
				about(-1)
			default:
				atMost(true)
			}
		}
	case r.is(i, "least") && r.is(i-1, "at"), r.is(i, "minimum", "mindestens", "wenigstens", "minimal", "≥", "至少"),
		r.is(i, "of") && r.is(i-1, "minimum"), r.is(i, "moins", "menos") && r.is(i-1, "au", "al", "lo"):
		atLeast(false)
	case r.is(i, "over", "above", "exceeding", "exceeds", "exceeded", "beyond", "topped", ">", "über"), r.is(i, "of") && r.is(i-1, "excess", "upwards"):
		switch {
		case r.is(i, "over") && r.is(i-1, "just", "little", "slightly"):
			about(1)
		case r.is(i-1, "not") && r.is(i, "exceeding"):
			atMost(false)
		default:
			atLeast(true)
		}
	case r.is(i, "exceed") && r.is(i-1, "not"), r.is(i, "most") && r.is(i-1, "at"), r.is(i, "to") && r.is(i-1, "up"), r.is(i, "maximum", "maximal", "höchstens", "≤", "within"),
		r.is(i, "of") && r.is(i-1, "maximum"), r.is(i, "zu") && r.is(i-1, "bis"), r.is(i, "hasta", "plus", "máximo") && !r.is(i, "plus"),
		r.is(i, "plus") && r.is(i-1, "au"), r.is(i, "à") && r.is(i-1, "jusqu"), r.is(i, "jusqu'à", "max"):
		atMost(false)
	case r.is(i, "under", "below", "<"):
		if r.is(i-1, "just") {
			about(-1)
		} else {
			atMost(true)
		}
	case r.is(i, "als", "de", "que"):
		switch {
		case r.is(i-1, "mehr", "plus", "más", "mais"):
			atLeast(true)
		case r.is(i-1, "weniger", "moins", "menos"):
			atMost(true)
		}
	case r.is(i, "nearly", "almost", "fast", "presque", "casi"):
		about(-1)
	case r.is(i, "about", "around", "approximately", "approx", "roughly", "some", "circa", "ca", "estimated", "~", "≈", "etwa", "rund",
		"ungefähr", "environ", "aproximadamente", "unos", "unas", "约", "約"), r.is(i, "to") && r.is(i-1, "close"), r.is(i, ".") && r.is(i-1, "approx", "ca"):
		about(0)
	}
}

// after applies the words at token i, after a value and its noun. It returns the next
// token.
func (r *reader) after(v *Value, i int) int {
	if v.Kind == Date || v.Kind == Clock || v.Kind == Ordinal || !v.Exact() {
		return i
	}
	end := i
	if r.is(i, "+") && r.joined(i-1) {
		v.High = math.Inf(1)
		v.End = r.at(i).end
		return i + 1
	}
	if v.Noun != "" {
		for end < r.n && r.at(end).start < v.End {
			end++
		}
		for k := end; k < end+3 && r.has(k, word) && !r.has(k, stop); k++ {
			if isPlural(r.str(k)) {
				end = k + 1
				break
			}
		}
	}
	for _, k := range [...]int{i, end} {
		switch {
		case r.is(k, "or") && r.is(k+1, "more", "older", "above", "over", "higher", "greater", "longer", "later"), r.is(k, "and") && r.is(k+1, "over", "above", "older"):
			v.High = math.Inf(1)
		case r.is(k, "or") && r.is(k+1, "less", "fewer", "younger", "below", "under", "lower", "shorter"), r.is(k, "and") && r.is(k+1, "under", "younger"):
			v.Low = math.Inf(-1)
		case r.is(k, "or") && r.is(k+1, "so"):
			v.Approx = true
		case r.is(k, "at") && r.is(k+1, "least") && !r.has(k+2, word|digits):
			v.High = math.Inf(1)
		case r.is(k, "at") && r.is(k+1, "most") && !r.has(k+2, word|digits):
			v.Low = math.Inf(-1)
		default:
			continue
		}
		return k + 2
	}
	return i
}
