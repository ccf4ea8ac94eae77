package values

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/language"
	"github.com/ragfaith/ragfaith/internal/lexicon"
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
		if d := r.at(n.next + 2).num; n.next == i+1 && r.isMixed(i) { // 2 1/2
			n.num, n.step, n.written, n.next = n.num+r.at(n.next).num/d, 1/d, true, n.next+3
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

// isMixed reports whether a space and a fraction such as 1/2 follow the integer at token i.
func (r *reader) isMixed(i int) bool {
	const maxDenominator = 16
	n, d := r.at(i+1), r.at(i+3)
	return r.at(i).class&(decimal|thousands) == 0 && n.class&digits != 0 && n.start == r.at(i).end+1 && r.text[n.start-1] == ' ' && r.is(i+2, "/") &&
		r.joined(i+1) && r.joined(i+2) && d.class&digits != 0 && n.num > 0 && n.num < d.num && d.num <= maxDenominator && !r.is(i+4, "/")
}

// isSpacedGroup reports whether a comma, a space and three digits follow the integer at
// token i, as in the "10, 000" of a text that was split into words and joined.
func (r *reader) isSpacedGroup(i int) bool {
	t, group := r.at(i), r.at(i+2)
	return t.class&decimal == 0 && t.end-t.start <= 3 && t.num >= 1 && r.is(i+1, ",") && !r.joined(i+1) && group.class&digits != 0 &&
		group.class&decimal == 0 && group.end-group.start == 3 && (!r.is(i-1, ",") || !r.has(i-2, digits)) &&
		(!r.is(i+3, ",", "and", "or") || !r.has(i+4, digits)) && // not a list of numbers
		(!r.has(i-1, currency) || group.num == 0 || !r.has(i+3, word) || r.has(i+3, stop|scale)) // "€139, 280 g"
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
	return t.class&digits != 0 && t.start == r.at(i-1).end+1 && r.text[t.start-1] == ' ' && lexicon.IsGroup(r.text[t.start:t.end])
}

// addHalf adds "and a half", "and a quarter" or "and three quarters" in units of the last step.
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
	if !r.has(i, stop) || !r.is(i, "and") {
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

// startsDecimal reports whether the full stop at i starts a number such as .5, and does
// not end a sentence or belong to a name or an ellipsis.
func startsDecimal(text string, i int) bool {
	if i+1 == len(text) || !isDigit(text[i+1]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return i == 0 || unicode.In(before, unicode.White_Space, unicode.S, unicode.Ps, unicode.Pd)
}

// digits reads the number in digits at i. Commas, narrow spaces, apostrophes and several full stops
// may separate groups of three digits; a full stop or comma before other digits is a
// decimal point. An ordinal suffix belongs to the number.
func (r *reader) digits(i int) int {
	const maxWeight = 1e300 // more decimals would overflow
	text := r.text
	num, weight, class := 0.0, 1.0, digits
	j, n, groups := i, 0, 0
	separator := byte(0)
	if text[i] == '.' {
		class |= decimal
		j++
	}
	for ; j < len(text); j++ {
		c := text[j]
		if c-'0' <= 9 {
			if n++; weight >= maxWeight {
				continue
			}
			num = num*10 + float64(c-'0')
			if class&decimal != 0 {
				weight *= 10
			}
			continue
		}
		size := 1
		if c == 0xC2 || c == 0xE2 {
			if size = spaceLen(text[j:]); size > 0 {
				c = ' '
			}
		}
		if strings.HasPrefix(text[j:], "’") {
			c, size = '\'', len("’")
		}
		if class&decimal != 0 || c != ',' && c != '.' && c != ' ' && c != '\'' {
			break
		}
		rest := text[j+max(size, 1):]
		if c == ' ' && size < 2 {
			if !strings.HasPrefix(rest, "000") { // 530 000
				break
			}
			size = 1
		}
		if rest == "" || rest[0]-'0' > 9 {
			break
		}
		three := lexicon.IsGroup(rest) && (groups > 0 || n <= 3)
		if three && (separator == c || separator == 0 && (c != '.' || hasMoreGroups(rest[3:]) || len(rest) > 4 && rest[3] == ',' && isDigit(rest[4]) && isDecimalComma(rest[4:]))) {
			separator = c
			groups++
			j += size - 1
			continue
		}
		if c == ' ' || c == '\'' || separator == c || i > 0 && text[i-1] == ':' || lexicon.IsDotted(text, i, rest) || c == ',' && (!isDecimalComma(rest) || i > 1 && text[i-1] == ',' && isDigit(text[i-2])) {
			break
		}
		if three && text[i] != '0' {
			class |= thousands
		}
		class |= decimal
	}
	num /= weight
	if j < len(text) && text[j]|0x20 == 'e' {
		if e, end := exponent(text, j+1); end > 0 {
			num, class, j = num*e, class&^thousands|decimal, end
		}
	}
	t := token{start: i, end: j, class: class, num: num}
	if j+2 <= len(text) && class&decimal == 0 && (j+2 == len(text) || !isASCIILetter(text[j+2])) {
		switch text[j : j+2] {
		case "st", "nd", "rd", "th":
			t.class = ordinal
			t.end = j + 2
		}
	}
	r.add(t)
	return t.end
}

// exponent returns the power of ten of the exponent at i, after the e of 2e-5, and its end, or 0.
func exponent(text string, i int) (power float64, end int) {
	const maxDigits = 2
	k := i
	if k < len(text) && (text[k] == '-' || text[k] == '+') {
		k++
	}
	end = k
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if end == k || end > k+maxDigits || end < len(text) && (isASCIILetter(text[end]) || text[end] == '-') {
		return 0, 0
	}
	n, _ := strconv.Atoi(text[i:end]) // digits with a sign
	return math.Pow10(n), end
}

// isDecimalComma reports whether a comma before rest, which starts with a digit, is a
// decimal point: 3,5 and 12,50 but not 1,2,3.
func isDecimalComma(rest string) bool {
	n := 1
	for n < len(rest) && n < 3 && rest[n]-'0' <= 9 {
		n++
	}
	return n < 3 && (n == len(rest) || rest[n] != ',' || n+1 == len(rest) || rest[n+1]-'0' > 9)
}

// hasDecimalComma reports whether the text is in a language in Latin script other than
// English. Those have a decimal comma, so the full stop of 250.000 separates thousands.
func (r *reader) hasDecimalComma() bool {
	const maxRead = 1 << 12
	if !r.languageRead {
		var p language.Profile
		p.Add(r.text[:min(len(r.text), maxRead)])
		r.languageRead, r.decimalComma = true, p.HasDecimalComma()
	}
	return r.decimalComma
}

func hasMoreGroups(s string) bool { return len(s) > 3 && s[0] == '.' && lexicon.IsGroup(s[1:]) }

// lastDigit returns the weight of the last significant digit of a number in digits:
// 1000 for 78,000, 0.1 for 3.9, 1 for 1905.
func lastDigit(s string, num float64) float64 {
	if i := max(strings.IndexByte(s, 'e'), strings.IndexByte(s, 'E')); i > 0 {
		power, _ := exponent(s, i+1)
		return power * lastDigit(s[:i], num/power)
	}
	s = strings.TrimRight(s, "sthndr")
	if i := strings.LastIndexAny(s, ".,"); i >= 0 && num != math.Trunc(num) {
		return math.Pow(10, -float64(len(s)-i-1))
	}
	step := 1.0
	if num < 1e15 {
		for n := int64(num); n >= 10 && n%10 == 0; n /= 10 {
			step *= 10
		}
	}
	return step
}

// spaceLen returns the length of the no-break or narrow space at the start of s, or 0.
func spaceLen(s string) int {
	switch {
	case strings.HasPrefix(s, "\u00a0"):
		return 2
	case strings.HasPrefix(s, "\u202f"), strings.HasPrefix(s, "\u2009"), strings.HasPrefix(s, "\u3000"):
		return 3
	}
	return 0
}
