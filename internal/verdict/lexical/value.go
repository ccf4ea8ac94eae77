package lexical

import (
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A kind says what a value is.
type kind uint8

const (
	number kind = iota
	date        // day, month and year, as far as written
	decade      // 1960s: year is its first
)

// A value is a number or a date of a text, compared by what it means and not by
// how it is written.
type value struct {
	kind             kind
	num              float64 // number: in the unit as written, scale words included
	unit             int     // index into Lexicon.Units, 0 none
	year, month, day int     // date; 0 where not written
	swap             bool    // date: day and month may be the other way round
	ordinal          bool
	hedged           bool // about 3,000
	least            bool // more than 3,000
	soft             bool // one to three in words, which a text may also say otherwise
	digits           int  // significant digits as written, for hedged ones
	first, last      int  // tokens, inclusive
	start, end       int  // bytes in the text
}

// values appends the numbers and dates among tokens to dst, limit of them at
// the most.
func values(dst []value, limit int, l *lexicon.Lexicon, text string, tokens []lexicon.Token) []value {
	for i := 0; i < len(tokens) && limit > 0; limit-- {
		for i < len(tokens) && tokens[i].Class&(lexicon.Number|lexicon.Numeral|lexicon.Month|lexicon.Ordinal) == 0 {
			i++
		}
		if i == len(tokens) {
			break
		}
		if i > 0 && tokens[i-1].Is(lexicon.Label) && gap(text, tokens[i-1], tokens[i]) == " " {
			i++
			continue
		}
		v, n := dateAt(text, tokens, i)
		if n == 0 {
			v, n = numberAt(l, text, tokens, i)
		}
		if n == 0 {
			i++
			continue
		}
		v.first, v.last = i, i+n-1
		v.start, v.end = valueStart(text, int(tokens[i].Start)), int(tokens[v.last].End)
		if v.end < len(text) && text[v.end] == '%' {
			v.end++
		}
		dst = append(dst, v)
		i += n
	}
	return dst
}

// spacedThousands returns the number that "10, 000" is in text that was cut
// into words and joined again, if the values a and b look like that.
func spacedThousands(text string, tokens []lexicon.Token, a, b *value) (value, bool) {
	if a.kind != number || b.kind != number || a.last+1 != b.first || a.first != a.last || a.num >= 1000 || b.end-b.start < 3 {
		return value{}, false
	}
	t, u := tokens[a.last], tokens[b.first]
	if gap(text, t, u) != ", " || u.End-u.Start != 3 || !u.Is(lexicon.Number) || t.End-t.Start > 3 {
		return value{}, false
	}
	v := *b
	v.num = a.num*1000*(b.num/max(u.Value, 1)) + b.num
	if u.Value == 0 {
		v.num = a.num * 1000
	}
	v.unit, v.first, v.start = max(a.unit, b.unit), a.first, a.start
	return v, true
}

// valueStart moves the start of a number over the currency mark before it.
func valueStart(text string, start int) int {
	for _, c := range [...]string{"$", "€", "£", "¥"} {
		if strings.HasSuffix(text[:start], c) {
			return start - len(c)
		}
	}
	return start
}

// gap returns what lies between two tokens; of two that overlap, as those of
// scripts without spaces do, something that no rule asks for.
func gap(text string, a, b lexicon.Token) string {
	if a.End > b.Start {
		return "overlap"
	}
	return text[a.End:b.Start]
}

// near reports whether only spaces and at most one comma, stop or hyphen lie
// between two tokens.
func near(text string, a, b lexicon.Token) bool {
	g := strings.TrimLeft(gap(text, a, b), " \u00a0")
	if g != "" && strings.IndexByte(",.-", g[0]) >= 0 {
		g = g[1:]
	}
	return strings.TrimLeft(g, " \u00a0") == "" && b.Start-a.End <= 4
}

func whole(t lexicon.Token, lo, hi float64) bool {
	return t.Is(lexicon.Number) && t.Value >= lo && t.Value <= hi && t.Value == math.Trunc(t.Value)
}

func isYear(t lexicon.Token) bool {
	return whole(t, 1000, 2199) && t.End-t.Start == 4 && !t.Is(lexicon.Ordinal)
}

// dateAt reads a date that begins at token i and returns how many tokens it
// takes, 0 for none. A year alone is a number.
func dateAt(text string, ts []lexicon.Token, i int) (value, int) {
	t := ts[i]
	rest := ts[i+1:]
	switch {
	case t.Is(lexicon.Month) && !t.Is(lexicon.Stop) || t.Is(lexicon.Month|lexicon.Capital):
		if len(rest) == 0 || !near(text, t, rest[0]) {
			return value{}, 0
		}
		v := value{kind: date, month: int(t.Value)}
		if isYear(rest[0]) {
			v.year = int(rest[0].Value)
			return v, 2
		}
		if !whole(rest[0], 1, 31) {
			return value{}, 0
		}
		v.day = int(rest[0].Value)
		if len(rest) > 1 && isYear(rest[1]) && near(text, rest[0], rest[1]) {
			v.year = int(rest[1].Value)
			return v, 3
		}
		return v, 2
	case whole(t, 1, 31) && len(rest) > 0 && rest[0].Is(lexicon.Month) && near(text, t, rest[0]),
		whole(t, 1, 31) && len(rest) > 1 && rest[1].Is(lexicon.Month) && text[rest[0].Start:rest[0].End] == "of":
		n := 2
		if !rest[0].Is(lexicon.Month) {
			n = 3
		}
		m := ts[i+n-1]
		if m.Is(lexicon.Stop) && !m.Is(lexicon.Capital) { // may
			return value{}, 0
		}
		v := value{kind: date, day: int(t.Value), month: int(m.Value)}
		if i+n < len(ts) && isYear(ts[i+n]) && near(text, m, ts[i+n]) {
			v.year = int(ts[i+n].Value)
			n++
		}
		return v, n
	case len(rest) > 1 && t.Is(lexicon.Number):
		return numericDate(text, t, rest[0], rest[1])
	}
	return value{}, 0
}

// numericDate reads 1967-01-15, 15.01.1967 and 1/15/1967.
func numericDate(text string, a, b, c lexicon.Token) (value, int) {
	sep := gap(text, a, b)
	if sep != gap(text, b, c) || sep != "-" && sep != "/" && sep != "." {
		return value{}, 0
	}
	switch {
	case isYear(a) && whole(b, 1, 12) && whole(c, 1, 31):
		return value{kind: date, year: int(a.Value), month: int(b.Value), day: int(c.Value)}, 3
	case isYear(c) && whole(a, 1, 31) && whole(b, 1, 31) && (a.Value <= 12 || b.Value <= 12):
		v := value{kind: date, year: int(c.Value), day: int(a.Value), month: int(b.Value)}
		if b.Value > 12 {
			v.day, v.month = v.month, v.day
		} else {
			v.swap = a.Value <= 12 && sep == "/"
		}
		return v, 3
	}
	return value{}, 0
}

// numberAt reads a number that begins at token i, in digits or words, with its
// scale and its unit.
func numberAt(l *lexicon.Lexicon, text string, ts []lexicon.Token, i int) (value, int) {
	t := ts[i]
	v := value{kind: number, num: t.Value, ordinal: t.Is(lexicon.Ordinal), digits: significant(text[t.Start:t.End])}
	if i > 0 {
		v.hedged = ts[i-1].Is(lexicon.Hedge)
		v.least = ts[i-1].Is(lexicon.AtLeast) || i > 1 && text[ts[i-1].Start:ts[i-1].End] == "than" && moreThan(text, ts[i-2]) ||
			i > 1 && text[ts[i-1].Start:ts[i-1].End] == "least"
	}
	n := 1
	switch {
	case t.Is(lexicon.Number):
		if i > 0 && t.Start > 0 && text[t.Start-1] == '-' && (t.Start == 1 || text[t.Start-2] == ' ' || text[t.Start-2] == '(') {
			v.num = -v.num
		}
		if int(t.End) < len(text) && text[t.End] == 's' && isYear(t) && t.Value == 10*math.Trunc(t.Value/10) {
			v.kind, v.year = decade, int(t.Value)
			return v, 1
		}
		if int(t.End) < len(text) && text[t.End] == '%' {
			v.unit = unitOf(l, "percent")
			return v, 1
		}
	case t.Is(lexicon.Ordinal):
		return v, 1
	default:
		if v.num, n = numerals(text, ts, i); n == 0 {
			return value{}, 0
		}
		v.soft = v.num <= 3
	}
	if i+n < len(ts) && ts[i+n].Is(lexicon.Scale) && scaleFollows(text, ts[i+n-1], ts[i+n]) {
		v.num *= ts[i+n].Value
		v.soft = false
		n++
	}
	switch {
	case i+n < len(ts) && ts[i+n].Is(lexicon.Unit) && unitFollows(gap(text, ts[i+n-1], ts[i+n])):
		v.unit = int(ts[i+n].Value)
		n++
	case t.Start > 0:
		v.unit = currency(l, text[:t.Start])
	}
	return v, n
}

func moreThan(text string, t lexicon.Token) bool {
	switch strings.ToLower(text[t.Start:t.End]) {
	case "more", "greater", "higher", "longer", "older":
		return true
	}
	return false
}

// scaleFollows tells "3 million" and "3m" from "3 m tall": a scale of one or
// two letters stands right after the digits.
func scaleFollows(text string, a, b lexicon.Token) bool {
	g := gap(text, a, b)
	if b.End-b.Start <= 2 {
		return g == ""
	}
	return g == " " || g == "-" || g == "\u00a0"
}

func unitFollows(g string) bool {
	return g == "" || g == " " || g == "-" || g == "\u00a0" || g == " (" || g == "\u202f"
}

// numerals reads a number in words: twenty-one, three thousand two hundred.
func numerals(text string, ts []lexicon.Token, i int) (float64, int) {
	total, part := 0.0, 0.0
	n := 0
	for ; i+n < len(ts); n++ {
		t := ts[i+n]
		if n > 0 {
			switch gap(text, ts[i+n-1], t) {
			case " ", "-", ", ":
			default:
				return total + part, n
			}
		}
		switch {
		case t.Is(lexicon.Numeral) && n > 0 && !(t.Value < 10 && int(part)%100 >= 20 && int(part)%10 == 0 || int(part)%100 == 0):
			return total + part, n // "two three": two numbers
		case t.Is(lexicon.Numeral):
			part += t.Value
		case t.Is(lexicon.Scale) && n > 0 && t.Value == 100 && t.End-t.Start > 2:
			part *= 100
		case t.Is(lexicon.Scale) && n > 0 && t.End-t.Start > 2:
			total += part * t.Value
			part = 0
		default:
			return total + part, n
		}
	}
	return total + part, n
}

func currency(l *lexicon.Lexicon, before string) int {
	for _, c := range [...][2]string{{"$", "dollar"}, {"€", "euro"}, {"£", "gbp"}, {"¥", "yen"}} {
		if strings.HasSuffix(before, c[0]) || strings.HasSuffix(before, c[0]+" ") {
			return unitOf(l, c[1])
		}
	}
	return 0
}

func unitOf(l *lexicon.Lexicon, name string) int {
	for i := range l.Units {
		if l.Units[i].Name == name {
			return i
		}
	}
	return 0
}

// significant counts the digits of a number as written, without trailing zeros
// before the point: 78,000 has 2.
func significant(s string) int {
	d := strings.TrimLeft(strings.Map(func(r rune) rune {
		if r == '.' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s), "0.")
	if !strings.Contains(d, ".") {
		d = strings.TrimRight(d, "0")
	}
	return max(1, len(strings.ReplaceAll(d, ".", "")))
}

// holds reports whether context value d gives what claim value c says, and how
// surely, 0 to 1. years holds the other years of the context.
func (c *value) holds(d *value, l *lexicon.Lexicon) float64 {
	switch {
	case c.kind == date && d.kind == date:
		return c.holdsDate(d)
	case c.kind == date:
		return 0
	case c.kind == decade:
		if d.kind == decade && c.year == d.year || d.kind == date && d.year/10*10 == c.year ||
			d.kind == number && d.unit == 0 && math.Trunc(d.num/10)*10 == float64(c.year) {
			return 1
		}
		return 0
	case c.ordinal && l.Units[c.unit].Name == "century" && c.inCentury(d):
		return 1
	case d.kind == date: // a year alone
		if c.unit == 0 && d.year != 0 && c.num == float64(d.year) || c.ordinal && c.num == float64(d.day) {
			return 1
		}
		return 0
	case d.kind == decade:
		return 0
	}
	return c.holdsNumber(d, l)
}

// inCentury reports whether d is a year of the century c, the 16th say.
func (c *value) inCentury(d *value) bool {
	year := float64(d.year)
	if d.kind == number && d.unit == 0 {
		year = d.num
	}
	return year > 100*(c.num-1) && year <= 100*c.num
}

func (c *value) holdsDate(d *value) float64 {
	same := func(a, b int) bool { return a == 0 || a == b }
	lacking := func(a, b int) bool { return a != 0 && b == 0 }
	for _, x := range [2]value{*d, {year: d.year, month: d.day, day: d.month}} {
		if (same(c.year, x.year) || lacking(c.year, x.year)) && same(c.month, x.month) &&
			(same(c.day, x.day) || lacking(c.day, x.day)) {
			if lacking(c.year, x.year) || lacking(c.day, x.day) {
				return 0.5
			}
			return 1
		}
		if !d.swap && !c.swap {
			break
		}
	}
	return 0
}

func (c *value) holdsNumber(d *value, l *lexicon.Lexicon) float64 {
	a, b := c.num, d.num
	certain := 1.0
	u, w := &l.Units[c.unit], &l.Units[d.unit]
	tolerance := 1e-9
	switch {
	case c.unit == d.unit:
	case c.unit != 0 && d.unit != 0 && u.Dimension == w.Dimension:
		a, b = a*u.Factor, b*w.Factor
		tolerance = rounding(c.num, c.digits)
	case c.unit == 0 || d.unit == 0:
		certain = 0.9
	default:
		return 0
	}
	switch {
	case close(a, b, tolerance):
		return certain
	case c.hedged && close(a, b, math.Max(rounding(c.num, c.digits), 0.02)), d.hedged && c.hedged && close(a, b, 0.05):
		return 0.9 * certain
	case c.least && b > a && b <= 1.5*a:
		return 0.9 * certain
	}
	return 0
}

func close(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

// rounding is the relative error of x, written with n significant digits: half
// a unit of the last of them.
func rounding(x float64, n int) float64 {
	if x == 0 {
		return 0
	}
	x = math.Abs(x)
	return 0.5 * math.Pow(10, math.Floor(math.Log10(x))-float64(min(n, 9)-1)) / x
}

// likeness ranks context values by how near they come to a claim's value that
// is not there, 0 for another kind of thing.
func (c *value) likeness(d *value, l *lexicon.Lexicon) float64 {
	if c.kind == date && d.kind == date {
		s := 0.1
		for _, x := range [...][2]int{{c.year, d.year}, {c.month, d.month}, {c.day, d.day}} {
			if x[0] != 0 && x[0] == x[1] {
				s += 0.3
			}
		}
		return s
	}
	if c.kind != number || d.kind != number || c.ordinal != d.ordinal {
		return 0
	}
	if c.unit != d.unit && l.Units[c.unit].Dimension != l.Units[d.unit].Dimension {
		return 0
	}
	s := 0.2
	if c.unit == d.unit && c.unit != 0 {
		s = 0.6
	}
	a, b := math.Abs(c.num*l.Units[c.unit].Factor), math.Abs(d.num*l.Units[d.unit].Factor)
	if lo, hi := math.Min(a, b), math.Max(a, b); hi > 0 {
		s += 0.3 * lo / hi
	}
	return s
}

// String spells a date in full and a number as the text has it.
func (c *value) string(text string) string {
	if c.kind != date || c.swap {
		return text[c.start:c.end]
	}
	var b strings.Builder
	if c.day != 0 {
		b.WriteString(strconv.Itoa(c.day) + " ")
	}
	b.WriteString(monthName(c.month))
	if c.year != 0 {
		b.WriteString(" " + strconv.Itoa(c.year))
	}
	return b.String()
}

func monthName(m int) string {
	return [...]string{
		"", "January", "February", "March", "April", "May", "June", "July",
		"August", "September", "October", "November", "December",
	}[m]
}
