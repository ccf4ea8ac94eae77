package values

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A number is a number in digits or words without its unit.
type number struct {
	num, step float64
	next      int  // token after it
	written   bool // with a scale word or decimals
	other     float64
}

// numberAt parses the number that starts at token i, such as 3,000, "3.9 million",
// "twenty-one", "two and a half" or "dozen". next is 0 if there is none.
func (r *reader) numberAt(i int) number {
	t := r.at(i)
	n := number{next: i + 1}
	switch {
	case t.class&digits != 0:
		n.num, n.step = t.num, lastDigit(r.text[t.start:t.end], t.num)
		n.written = t.class&decimal != 0
		if t.class&thousands != 0 {
			if n.other = math.Round(1000 * t.num); r.hasDecimalComma() {
				n = number{num: n.other, step: lastDigit("", n.other), next: i + 1}
			}
		}
		if r.isSpacedGroup(i) {
			n.other, n.num, n.next = r.at(i+2).num, 1000*n.num+r.at(i+2).num, i+3
			n.step = lastDigit("", n.num)
		}
		r.addGroups(&n, i)
		if f := r.at(i + 1); f.class&decimal != 0 && r.text[f.start] >= utf8.RuneSelf { // 2½
			n.num += f.num
			n.next++
		}
	case t.class&numeral != 0:
		n.num, n.next = r.numerals(i)
		n.step = 1
	case t.class&(scale|dozen) != 0 && t.end-t.start > 2 && r.is(i-1, "a", "an"):
		n.num, n.step = t.num, 1
	default:
		return number{}
	}
	n.addHalf(r)
	for r.has(n.next, scale|dozen) && r.scaleJoins(n.next) {
		if r.has(n.next, ideogram) && r.has(n.next+1, digits) && r.joined(n.next) && r.has(n.next+2, ideogram) && r.has(n.next+2, scale) && r.at(n.next+2).num < r.at(n.next).num {
			n.num = n.num*r.at(n.next).num + r.at(n.next+1).num*r.at(n.next+2).num // 2億5000万
			n.step, n.written, n.other = r.at(n.next+2).num, true, 0
			n.next += 3
			continue
		}
		f := r.at(n.next).num
		n.num, n.step, n.other = n.num*f, n.step*f, 0
		n.written = n.written || f >= 1e6
		n.next++
	}
	n.addHalf(r)
	return n
}

// isSpacedGroup reports whether a comma, a space and three digits follow the integer at
// token i, as in the "10, 000" of a text that was split into words and joined.
func (r *reader) isSpacedGroup(i int) bool {
	t, group := r.at(i), r.at(i+2)
	return t.class&decimal == 0 && t.end-t.start <= 3 && t.num >= 1 && r.is(i+1, ",") && !r.joined(i+1) && group.class&digits != 0 &&
		group.class&decimal == 0 && group.end-group.start == 3 && (!r.is(i-1, ",") || !r.has(i-2, digits)) &&
		(!r.is(i+3, ",", "and", "or") || !r.has(i+4, digits)) // not a list of numbers
}

// addGroups adds the groups of three digits that spaces separate from the integer at token i,
// as in 1 250 000. A number may also end before the first group: after a name or a label, as in
// "May 5 200 people", and before a measured thing, as in "5 100 g bags".
func (r *reader) addGroups(n *number, i int) {
	t, next := r.at(i), i+1
	if !r.startsGroup(next) {
		return
	}
	width := strings.IndexByte(r.text[t.start:t.end]+" ", ' ') // before the 000 of a token
	if width > 3 || t.class&(decimal|thousands) != 0 || t.num < 1 || r.has(i-1, digits|month|lone) {
		return
	}
	capital := r.has(i-1, word) && !r.has(i-1, stop) && r.text[r.at(i-1).start] < 'a'
	if capital && i > 1 && !r.is(i-2, ".", "\n") {
		return
	}
	num := t.num
	for ; r.startsGroup(next); next++ {
		factor := 1000.0
		for ; factor <= min(r.at(next).num, math.MaxFloat64); factor *= 1000 { // 250 000 is one token
		}
		num = num*factor + r.at(next).num
	}
	if r.has(next, digits) {
		return
	}
	if u, k := r.unitAt(next); next == i+2 && k > 0 && u.kind == Measure && r.has(k, word) && isPlural(r.str(k)) {
		return
	}
	last := r.at(next - 1)
	n.num, n.step, n.written, n.next = num, lastDigit(r.text[last.start:last.end], num), last.class&decimal != 0, next
	if capital && next == i+2 { // "Nearly 1 500 people", "Apollo 11 200 people"
		n.other = last.num
	}
}

// startsGroup reports whether token i starts with exactly three digits, one space after the
// number before it.
func (r *reader) startsGroup(i int) bool {
	t := r.at(i)
	return t.class&digits != 0 && t.start == r.at(i-1).end+1 && r.text[t.start-1] == ' ' && isGroup(r.text[t.start:t.end])
}

// addHalf adds "and a half", "and a quarter" or "and three quarters" in units of the
// last step.
func (n *number) addHalf(r *reader) {
	if f, next := r.andFraction(n.next); next > 0 && !r.is(next, "of") {
		n.num += f * n.step
		n.step *= f
		n.next = next
	}
}

// andFraction parses "and a half", "and a quarter", "and two thirds" at token i.
func (r *reader) andFraction(i int) (float64, int) {
	if r.is(i, "-") && r.is(i+1, "and") && r.is(i+2, "-") && r.is(i+3, "a") && r.is(i+4, "-") && r.is(i+5, "half") {
		return 0.5, i + 6
	}
	if !r.is(i, "and") {
		return 0, 0
	}
	switch {
	case r.is(i+1, "a", "one") && (r.has(i+2, fraction) || r.is(i+2, "third")):
		if d := r.at(i + 2).num; r.text[r.at(i+2).end-1] != 's' {
			return 1 / d, i + 3
		}
	case r.has(i+1, numeral) && r.has(i+2, fraction) && r.at(i+1).num < r.at(i+2).num:
		return r.at(i+1).num / r.at(i+2).num, i + 3
	}
	return 0, 0
}

// scaleJoins reports whether the scale word at token i belongs to the number before it.
// A scale of one letter must directly follow the digits: 3m, but not 3 m or 3m tall.
func (r *reader) scaleJoins(i int) bool {
	t := r.at(i)
	if t.end-t.start > 2 || r.is(i, "bn", "mn", "tn") {
		return true
	}
	if !r.joined(i-1) || !r.has(i-1, digits) {
		return r.is(i, "m", "b") && r.has(i-1, digits) && r.has(i-2, currency)
	}
	return !r.is(i, "m") || r.has(i-2, currency) || r.has(i+1, word) && !r.has(i+1, stop) &&
		!r.is(i+1, "tall", "long", "wide", "high", "deep", "sprint", "race", "run")
}

// numerals parses a number in words, such as "three thousand two hundred and five".
func (r *reader) numerals(i int) (float64, int) {
	total, part := 0.0, 0.0
	n := 0
	for k := i; n < 12; n++ {
		t := r.at(k)
		afterScale := n > 0 && r.has(k-1, scale)
		switch {
		case n > 0 && r.is(k, "-") && r.joined(k-1) && r.joined(k) && r.has(k+1, numeral|scale|dozen):
			k++
			continue
		case afterScale && r.is(k, "and") && r.has(k+1, numeral) && r.at(k-1).num >= 100:
			k++
			continue
		case t.class&numeral != 0 && (n == 0 || t.num < 10 && int(part)%100 >= 20 && int(part)%10 == 0 || int(part)%100 == 0):
			part += t.num
		case t.class&scale != 0 && t.num == 100 && n > 0 && part > 0:
			part *= 100
		case t.class&scale != 0 && n > 0 && part > 0 && t.end-t.start > 2:
			total += part * t.num
			part = 0
		default:
			return total + part, k
		}
		k++
	}
	return total + part, i + n
}

// amountAt parses the number, share, measure, duration or amount of money at token i.
func (r *reader) amountAt(i int) (v Value, from, next int) {
	if v, from, next = r.fractionAt(i); next > 0 {
		return v, from, next
	}
	t := r.at(i)
	from = i
	var n number
	switch {
	case t.class&lone != 0:
		if !r.startsDuration(i - 1) {
			return Value{}, 0, 0
		}
		n = number{num: 1, step: 1, next: i}
		from--
	case t.class&ordinal != 0:
		return r.ordinalAt(i)
	case t.class&times != 0:
		return r.timesAt(i)
	case t.class&(digits|numeral|scale|dozen) != 0:
		if n = r.numberAt(i); n.next == 0 {
			return Value{}, 0, 0
		}
		if r.is(i-1, "a", "an") && t.class&(scale|dozen) != 0 {
			from--
		}
	default:
		return Value{}, 0, 0
	}
	v = Value{Low: n.num, High: n.num, Step: n.step, written: n.written, other: n.other}
	if t.class&digits != 0 {
		r.setLabel(&v, i, &n)
		switch {
		case v.label == whole:
			return v, from, n.next
		case r.isLabel(i, &n):
			return Value{}, 0, 0
		}
	}
	v.Loose = t.class&numeral != 0 && n.num <= 3
	if from > 0 && r.isNegative(from) {
		from--
		v.Low, v.High = -n.num, -n.num
	}
	next = n.next
	if u, ok := r.currencyBefore(from); ok {
		from--
		if r.has(from, currency) && r.joined(from-1) {
			if w, ok := currencyOf(strings.ToLower(r.str(from-1)) + "$"); ok && r.str(from) == "$" {
				u = w
				from--
			}
		}
		if !v.isNegative() && (r.isNegative(from) || r.isAccounted(from, next)) {
			v.Low, v.High = -n.num, -n.num
		}
		v.setUnit(u)
	} else if u, k := r.unitAt(r.afterOf(next)); k > 0 {
		v.setUnit(u)
		next = r.compound(&v, u, k)
		if u.dimension == temperature && r.is(next, "below") && r.is(next+1, "zero") && v.Low > 0 && u.name != "°F" {
			v.Low, v.High, next = -v.Low, -v.High, next+2
		}
	} else if r.has(i, digits) && r.joined(next-1) && r.has(next, word) && !r.has(next, ideogram) {
		return Value{}, 0, 0 // 4o, 1e6
	} else if next == i+1 && r.is(i, "one") && !r.startsNoun(next) || t.class&lone != 0 || r.is(i-1, "no", "the", "this", "that", "each", "every", "another") && r.is(i, "one") {
		return Value{}, 0, 0
	}
	if v.Kind == Number && v.Low < 150 && (r.is(from-1, "turned") || r.is(next, "when") && r.is(from-1, "was", "is", "were", "be", "turned") || r.is(from-1, "aged") || r.is(from-1, "of") && r.is(from-2, "age")) {
		u, _ := durationUnit("year")
		v.setUnit(u)
	}
	v.Loose = v.Loose || t.class&lone != 0
	return v, from, next
}

// afterOf returns the token after "of" in "a couple of days", or i.
func (r *reader) afterOf(i int) int {
	if r.has(i-1, dozen) && r.is(i, "of") {
		return i + 1
	}
	return i
}

// setLabel sets the text and the label of the number n at token i. A number with several
// full stops, such as an address, is one value.
func (r *reader) setLabel(v *Value, i int, n *number) {
	t := r.at(i)
	v.text = r.text[t.start:t.end]
	if n.next == i+1 && (!r.joined(i-1) || r.has(i-1, word)) {
		for r.is(n.next, ".") && r.joined(n.next-1) && r.joined(n.next) && r.has(n.next+1, digits) {
			n.next += 2
			v.text, v.label, v.written = r.text[t.start:r.at(n.next-1).end], whole, true
		}
	}
	const minCode, minLong = 3, 16 // digits
	switch {
	case v.label > 0:
	case t.class&decimal != 0 && strings.IndexByte(v.text, '.') > 0:
		if r.isLabel(i, n) {
			v.label, v.written = whole, true
		} else if w := r.str(i - 1); t.class&thousands == 0 && r.has(i-1, word) && !r.has(i-1, stop|month) && w != strings.ToLower(w) && w != strings.ToUpper(w) && w != "pH" {
			v.label = half
		}
	case len(v.text) >= minLong || len(v.text) >= minCode && v.text[0] == '0':
		if strings.Trim(v.text, "0123456789") == "" {
			v.label, v.written = whole, true
		}
	}
}

// isLabel reports whether the number labels a passage or a step, or is part of a name or
// version such as 2.3.1, A4 or "Terminal 3".
func (r *reader) isLabel(i int, n *number) bool {
	if r.joined(i-1) && (r.has(i-1, word) && !r.has(i-1, ideogram) && !r.is(i-1, "CHF", "EUR", "USD", "GBP") || r.is(i-1, ".", "#", "_") && r.at(i-1).start > 0 && r.text[r.at(i-1).start-1] > ' ') {
		return true
	}
	if r.is(n.next, "s") && r.isAge(i-1) {
		return true
	}
	if r.isHyphen(i-1) && r.joined(i-1) && r.joined(i-2) && r.has(i-2, word) && !r.has(i-2, numeral|lone) {
		return true // COVID-19
	}
	if r.joined(n.next-1) && r.is(n.next, ".") && r.joined(n.next) && r.has(n.next+1, digits) {
		return true
	}
	return r.is(i-1, "passage", "document", "chunk", "context", "source", "section", "step", "chapter", "page", "figure", "table", "article", "no", "number", "version", "release", "level", "grade", "class", "room", "route", "terminal", "gate", "phase")
}

// isNegative reports whether the token before i makes the number negative.
func (r *reader) isNegative(i int) bool {
	if r.is(i-1, "minus") {
		return true
	}
	return r.is(i-1, "-", "−") && r.joined(i-1) && !r.joined(i-2) && (i < 2 || !r.has(i-2, digits))
}

// isAccounted reports whether brackets around the amount from token from up to next make it
// negative, as in accounts, and do not set it apart: "a loss of ($40)".
func (r *reader) isAccounted(from, next int) bool {
	return r.is(from-1, "(") && r.joined(from-1) && r.is(next, ")") && r.joined(next-1) && (from < 2 || r.is(from-2, "|", "of", "is", "was", "were", "to", "at", "by", "from", ":", "="))
}

// startsDuration reports whether the token i is the article of a duration such as "an
// hour" and not of a rate such as "twice a day".
func (r *reader) startsDuration(i int) bool {
	if !r.is(i, "a", "an") || r.is(i-1, "than") && r.is(i+2, "before", "earlier") {
		return false
	}
	if i == 0 || r.is(i+2, "long", "ago", "later", "earlier") || r.is(i+2, "-") && r.is(i+3, "long") {
		return true
	}
	return r.is(i-1, "for", "in", "within", "after", "every", "take", "takes", "took", "last", "lasts", "lasted", "of", "than",
		"about", "around", "nearly", "almost", "least", "most", "over", "under", "is", "was", "by", "half", "to")
}

// currencyBefore returns the currency before token i: a sign, or a code such as EUR.
func (r *reader) currencyBefore(i int) (unit, bool) {
	if i <= 0 {
		return unit{}, false
	}
	s := r.str(i - 1)
	if r.has(i-1, currency) || len(s) == 3 && s[0] < 'a' && strings.ToUpper(s) == s {
		return currencyOf(strings.ToLower(s))
	}
	return unit{}, false
}

// setUnit converts the bounds and the step from unit u to its base unit.
func (v *Value) setUnit(u unit) {
	v.Kind, v.Unit, v.dimension, v.factor, v.calendar, v.Loose, v.label = u.kind, u.name, u.dimension, u.factor, u.calendar, false, 0
	offset := 0.0
	if u.name == "°F" {
		offset = -32
	}
	v.Low, v.High, v.Step = (v.Low+offset)*u.factor, (v.High+offset)*u.factor, v.Step*u.factor
	v.other *= u.factor
}

// ordinalAt parses "third", "12th" or "twenty-first" at token i.
func (r *reader) ordinalAt(i int) (v Value, from, next int) {
	t := r.at(i)
	from, next = i, i+1
	v = Value{Kind: Ordinal, Low: t.num, High: t.num, Step: 1, Loose: !isDigit(r.text[t.start]) && t.num <= 3}
	v.Noun = r.noun(next)
	return v, from, next
}

// timesAt parses the "twice" of "twice a day" and "twice daily" at token i.
func (r *reader) timesAt(i int) (v Value, from, next int) {
	num, period := r.at(i).num, r.period(i+1)
	if period == "" && r.is(i+1, "a", "per", "every", "each") && isPeriod(r.str(i+2)) {
		period = r.str(i + 2)
	}
	if period == "" {
		return Value{}, 0, 0
	}
	return Value{Low: num, High: num, Step: 1, Noun: "times", Per: period}, i, i + 1
}

func isDigit(c byte) bool { return c-'0' <= 9 }
