package values

import (
	"math"
	"strings"
)

// bounded applies the words around the value v of the tokens from to next-1: hedges
// (about 20), bounds (at least 20, 20 or more), ranges (5-7 days), the noun and the rate.
func (r *reader) bounded(v Value, from, next int) (Value, int) {
	if v.Kind != Date && v.Kind != Clock && v.Kind != Ordinal && v.label < whole {
		next = r.upper(&v, from, next)
	}
	if v.Kind == Number && v.Noun == "" {
		after := next
		if r.is(next, "+") && r.joined(next-1) {
			after++
		} else if r.is(next, "or") && r.is(next+1, "more", "fewer", "less") {
			after += 2
		}
		v.Noun = r.noun(after)
	}
	v.Start, v.End = r.at(from).start, r.at(next-1).end
	r.per(&v, next)
	if v.Per == "" && v.Kind == Money {
		v.Per = r.periodBefore(from)
	}
	v.at = [2]float64{v.Low, v.High}
	v.side = r.side(&v, from-1)
	if v.Low != v.High && v.Kind != Date {
		return v, next // a range
	}
	r.before(&v, from-1)
	v.limited = v.Kind != Date && (v.isBound() || v.lean != 0)
	return v, r.after(&v, next)
}

// upper parses the upper end of a range whose lower end is v. Ranges of dates and times
// are two values, because both ends are often stated on their own.
func (r *reader) upper(v *Value, from, next int) int {
	k := next + 1
	switch r.lower(next) {
	case "-", "–", "—", "‑", "−", "~", "〜":
	case "to", "bis", "à", "a":
		if r.is(from-1, "from") && r.changes(from-2) {
			if r.has(next+1, digits|numeral) && v.Kind == Number && v.Noun == "" {
				if u, n := r.unitAt(r.numberAt(next + 1).next); n > 0 {
					v.setUnit(u) // "rose from 5 to 7 percent" has two values
				}
			}
			return next
		}
	case "and":
		if !r.is(from-1, "between") {
			return next
		}
	case "or":
		if v.Kind != Number || !r.is(from-1, "either") {
			return next
		}
	default:
		return next
	}
	if !r.has(k, digits|numeral|currency) {
		return next
	}
	if r.has(k, currency) {
		k++
	}
	if w, _, n := r.clockAt(k); n > 0 && v.Kind == Number && v.Low <= 12 && r.hasAMPM(k) {
		minutes := math.Mod(v.Low*60, halfDay)
		if minutes+halfDay < w.Low {
			minutes += halfDay
		}
		*v = clock(minutes) // the 9 in "9 to 5 pm"
		return next
	}
	w, _, n := r.amountAt(k)
	if n == 0 || w.Low != w.High {
		return next
	}
	if x := r.numberAt(k); x.written && r.has(k, digits|numeral) && !r.has(next-1, scale) && x.step > v.Step { // 2 to 3 million
		if f := r.at(x.next - 1); f.class&scale != 0 {
			v.Low, v.High, v.Step, v.other = v.Low*f.num, v.High*f.num, v.Step*f.num, 0
		}
	}
	if v.Kind == Number && w.Kind != Number && w.Kind != Ordinal && v.Unit == "" {
		v.setUnit(unit{name: w.Unit, kind: w.Kind, dimension: w.dimension, factor: w.factor, calendar: w.calendar})
	}
	if w.Kind == Number && v.Kind == Duration && r.is(from-1, "aged") {
		w.Kind, w.Low = v.Kind, w.Low*v.factor
	}
	if v.Kind != w.Kind && (v.Kind != Money || w.Kind != Number) || w.Low <= v.Low {
		return next
	}
	v.High, v.written, v.label = w.Low, v.written || w.written, 0
	return n
}

// hasAMPM reports whether am or pm follows the time at token i.
func (r *reader) hasAMPM(i int) bool {
	return r.amPM(i+1) > 0 || r.is(i+1, ":") && r.amPM(i+3) > 0
}

// before applies the words that end at token i, before a value.
func (r *reader) before(v *Value, i int) {
	switch r.lower(i) {
	case "a", "an", "the", "every", "these":
		if v.word || r.is(i-1, "than", "about", "nearly", "almost", "least", "most", "over") {
			i--
		}
	}
	if r.is(i, ".") && r.is(i-1, "max", "min") {
		i--
	}
	v.Not = r.excludes(i)
	if v.Kind == Date && v.Unit == weekdayUnit || v.Kind == Ordinal {
		return
	}
	low, high := v.Low, v.High
	if v.Kind == Date {
		switch w := r.lower(i); {
		case v.Unit != "":
		case w == "before" || w == "to" && r.is(i-1, "prior"):
			v.Low, v.High, v.Open = math.Inf(-1), low, true
		case w == "after":
			v.Low, v.High, v.Open = high, math.Inf(1), true
		case w == "around" || w == "about" || w == "circa" || w == "ca" || w == "c":
			v.Approx, v.Step = true, 365*3
		}
		return
	}
	switch h := r.hedgeAt(i); h {
	case unhedged:
	case atLeast, above:
		v.High, v.Open = math.Inf(1), h == above
	case atMost, below:
		v.Low, v.High, v.Open = math.Inf(-1), high, h == below
	case justBelow, about, justAbove:
		v.Approx, v.lean = true, int8(h)-int8(about)
	}
}

// hedgeAt returns the hedge that ends at token i.
func (r *reader) hedgeAt(i int) hedge {
	if !r.has(i, hedgeEnd) {
		return unhedged
	}
	last := r.lower(i)
	found, start := unhedged, i
	for _, p := range load().hedges[last] {
		k, n := i, len(p.words)-1
		for n > 0 && r.is(k-1, p.words[n-1]) {
			k, n = k-1, n-1
		}
		if n == 0 && k <= start {
			found, start = p.hedge, k
		}
	}
	isThan := last == "than"
	switch {
	case isThan && (r.has(start-1, digits|numeral) || r.has(start-2, digits|numeral)):
		return unhedged // "5 euros cheaper than two singles"
	case found != above && found != below:
		return found
	case (isThan || strings.HasPrefix(last, "exceed")) && r.negated(start-1): // no more than
		if found == above {
			return atMost
		}
		return atLeast
	case !r.is(start-1, "just", "little", "slightly"):
		return found
	case found == above:
		return justAbove
	}
	return justBelow
}

// side returns the side of a limit on which the words that end at token i put the value v:
// -1 before or up to it, 1 after or from it, or 0. It is doubled in a negated clause: "not
// before 9 am" and "after 9 am" are not opposites.
func (r *reader) side(v *Value, i int) int8 {
	if r.is(i, "the") {
		i--
	}
	switch w := r.lower(i); {
	case w == "than" && r.is(i-1, "later") && r.is(i-2, "no", "not"):
		return -1
	case w == "than" && r.is(i-1, "earlier") && r.is(i-2, "no", "not"):
		return 1
	case w == "by" && v.Kind != Date && v.Kind != Clock && r.changes(i-1):
		return 1 // not "to"
	case !r.has(i, limit),
		w == "by" && v.Kind != Date && v.Kind != Clock,
		w == "to" && (r.is(i-1, "up") || !r.changes(i-1) && !r.isFrom(i-1)):
		return 0
	case r.negated(i - 1):
		return 2 * int8(r.at(i).num)
	}
	return int8(r.at(i).num)
}

// isFrom reports whether one of the words up to token i starts a range: "from 5 kg to".
func (r *reader) isFrom(i int) bool {
	const maxWords = 6
	for k := i; k > i-maxWords; k-- {
		if r.is(k, "from") {
			return true
		}
	}
	return false
}

// excludes reports whether the words that end at token i say that the value after them is
// not the right one.
func (r *reader) excludes(i int) bool {
	switch r.lower(i) {
	case "not", "≠", "nicht":
		return true
	case "but":
		return r.is(i-1, "anything")
	case "from":
		return r.is(i-1, "far")
	case "than":
		return r.is(i-1, "other")
	case "like":
		return r.is(i-1, "nothing")
	case "near":
		return r.is(i-1, "nowhere")
	}
	return false
}

// negated reports whether one of the words of the clause up to token i is a negation:
// "no limit is cut by more than 10%", but not "nobody doubts that it is more than 10%".
func (r *reader) negated(i int) bool {
	for k := i; k > i-8 && r.has(k, word) && !r.is(k, "that"); k-- {
		if r.has(k, negation) {
			return true
		}
	}
	return false
}

// after applies the words at token i, after a value and its noun. It returns the next token.
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
		for end < len(r.toks) && r.at(end).start < v.End {
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
		case !r.has(k, stop): // neither "or", "and" nor "at"
			continue
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
