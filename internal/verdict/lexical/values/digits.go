package values

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/language"
)

// startsDecimal reports whether the full stop at i starts a number such as .5, and does
// not end a sentence or belong to a name or an ellipsis.
func startsDecimal(text string, i int) bool {
	if i+1 == len(text) || !isDigit(text[i+1]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return i == 0 || unicode.In(before, unicode.White_Space, unicode.S, unicode.Ps, unicode.Pd)
}

// digits reads the number in digits at i. Commas, narrow spaces and several full stops
// may separate groups of three digits; a full stop or comma before other digits is a
// decimal point. An ordinal suffix belongs to the number.
func (r *reader) digits(i int) int {
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
			num = num*10 + float64(c-'0')
			if class&decimal != 0 {
				weight *= 10
			}
			n++
			continue
		}
		size := 1
		if c == 0xC2 || c == 0xE2 {
			if size = spaceLen(text[j:]); size > 0 {
				c = ' '
			}
		}
		if class&decimal != 0 || c != ',' && c != '.' && c != ' ' {
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
		three := isGroup(rest) && (groups > 0 || n <= 3)
		if three && (separator == c || separator == 0 && (c != '.' || hasMoreGroups(rest[3:]) || len(rest) > 4 && rest[3] == ',' && isDigit(rest[4]) && isDecimalComma(rest[4:]))) {
			separator = c
			groups++
			j += size - 1
			continue
		}
		if c == ' ' || separator == c || isDotted(text, i, rest) || c == ',' && (!isDecimalComma(rest) || i > 1 && text[i-1] == ',' && isDigit(text[i-2])) {
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

// exponent returns the power of ten of the exponent at i, after the e of 2e-5, and its end,
// or 0.
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

// isGroup reports whether s starts with exactly three digits.
func isGroup(s string) bool {
	return len(s) >= 3 && s[0]-'0' <= 9 && s[1]-'0' <= 9 && s[2]-'0' <= 9 && (len(s) == 3 || s[3]-'0' > 9)
}

// hasDecimalComma reports whether the text is in a language in Latin script other than
// English. Those have a decimal comma, so that the full stop of 250.000 separates thousands.
func (r *reader) hasDecimalComma() bool {
	const maxRead = 1 << 12
	if !r.languageRead {
		var p language.Profile
		p.Add(r.text[:min(len(r.text), maxRead)])
		r.languageRead, r.decimalComma = true, p.HasDecimalComma()
	}
	return r.decimalComma
}

func hasMoreGroups(s string) bool { return len(s) > 3 && s[0] == '.' && isGroup(s[1:]) }

// isDotted reports whether a number at i followed by a full stop and rest is part of a
// dotted sequence, such as 31.12.1999 or 1.2.3.
func isDotted(text string, i int, rest string) bool {
	if i > 1 && text[i-1] == '.' && text[i-2]-'0' <= 9 {
		return true
	}
	k := 0
	for k < len(rest) && k < 20 && rest[k]-'0' <= 9 {
		k++
	}
	return k+1 < len(rest) && rest[k] == '.' && rest[k+1]-'0' <= 9
}

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
