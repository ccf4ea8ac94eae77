package values

import "strings"

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
		v = Value{Kind: Ordinal, Low: t.num, High: t.num, Step: 1, Noun: r.noun(i + 1), Loose: !isDigit(r.text[t.start]) && t.num <= 3}
		return v, i, i + 1
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
		v.negate()
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
		if v.High >= 0 && (r.isNegative(from) || r.isAccounted(from, next)) {
			v.negate()
		}
		v.setUnit(u)
	} else if u, k := r.unitAt(r.afterOf(next)); k > 0 {
		v.setUnit(u)
		next = r.compound(&v, u, k)
		if u.dimension == temperature && r.is(next, "below") && r.is(next+1, "zero") && v.Low > 0 && u.name != "°F" {
			v.negate()
			next += 2
		}
	} else if r.has(i, digits) && r.joined(next-1) && r.has(next, word) && !r.has(next, ideogram) {
		return Value{}, 0, 0 // 4o, 1e6
	} else if next == i+1 && r.is(i, "one") && !r.startsNoun(next) || t.class&lone != 0 || r.is(i-1, "no", "the", "this", "that", "each", "every", "another") && r.is(i, "one") {
		return Value{}, 0, 0
	}
	if v.Kind == Number && v.Low < 150 && r.statesAge(from-1, next) {
		u, _ := durationUnit("year")
		v.setUnit(u)
	}
	v.Loose = v.Loose || t.class&lone != 0
	return v, from, next
}

// statesAge reports whether the words before and after a number make it an age in years.
func (r *reader) statesAge(before, after int) bool {
	return r.is(before, "turned", "aged") || r.is(before, "of") && r.is(before-1, "age") || r.is(before, "was", "is", "were", "be") && r.is(after, "when")
}

// compound adds smaller units after the unit u of v, such as the 30 minutes in "2 hours
// 30 minutes" or the half in "an hour and a half". It returns the next token.
func (r *reader) compound(v *Value, u unit, next int) int {
	if u.kind != Duration && u.dimension != length && u.dimension != mass && u.dimension != volume {
		return next
	}
	if f, k := r.andFraction(next); k > 0 {
		v.Low += f * u.factor
		v.High = v.Low
		v.Step = f * u.factor
		return k
	}
	for range 3 {
		k := next
		if r.is(k, "and", ",") {
			k++
		}
		if !r.has(k, digits|numeral) {
			return next
		}
		n := r.numberAt(k)
		w, after := r.unitAt(n.next)
		if after == 0 || w.kind != u.kind || w.dimension != u.dimension || w.factor >= u.factor || n.num*w.factor >= u.factor*1.0001 {
			return next
		}
		v.Low += n.num * w.factor
		v.High, v.Step = v.Low, n.step*w.factor
		u, next = w, after
	}
	return next
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
// negative, as in accounts, rather than set it apart: "a loss of ($40)".
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

// timesAt parses the "twice" of "twice a day" and "twice daily" at token i.
func (r *reader) timesAt(i int) (v Value, from, next int) {
	num, period := r.at(i).num, r.periodAt(i+1)
	if period == "" && r.is(i+1, "a", "per", "every", "each") && isPeriod(r.str(i+2)) {
		period = r.str(i + 2)
	}
	if period == "" {
		return Value{}, 0, 0
	}
	return Value{Low: num, High: num, Step: 1, Noun: "times", Per: period}, i, i + 1
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

// periodBefore returns the period that an adjective in the phrase before token i names, as in
// "the annual fee is", or "".
func (r *reader) periodBefore(i int) string {
	const maxDistance = 10
	for k := i - 1; k > i-maxDistance && r.has(k, word); k-- {
		if period := r.periodAt(k); period != "" {
			return period
		}
	}
	return ""
}

// periodAt returns the period that the adverb or adjective at token i names, or "".
func (r *reader) periodAt(i int) string {
	switch strings.ToLower(r.str(i)) {
	case "hourly":
		return "hour"
	case "daily":
		return "day"
	case "weekly":
		return "week"
	case "monthly":
		return "month"
	case "yearly", "annual", "annually":
		return "year"
	}
	return ""
}

// isPeriod reports whether w is a period of time such as "month".
func isPeriod(w string) bool {
	_, ok := durationUnit(w)
	return ok || w == "night" || w == "person"
}
