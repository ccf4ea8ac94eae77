package tokenizer

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

var errScore = errors.New("the score is out of range")

// parseScore reads a number as serde_json 1.0 does without its option
// float_roundtrip: the digits are one integer, which is rounded, and is then
// multiplied with or divided by a power of ten, which rounds again. The last bit
// may be another than the nearest one, a quarter of the scores of T5 are so, and
// it decides between ways to divide a word that are equally likely.
func parseScore(s string) (float64, error) {
	rest, negative := strings.CutPrefix(s, "-")
	var digits uint64
	exponent := 0
	// take reads digits, and returns how many there are behind those that fit.
	take := func() (taken, dropped int) {
		for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			d := uint64(rest[0] - '0')
			if dropped > 0 || digits > (math.MaxUint64-d)/10 {
				dropped++
			} else {
				digits = digits*10 + d
				taken++
			}
			rest = rest[1:]
		}
		return taken, dropped
	}
	_, dropped := take()
	exponent += dropped
	whole := true
	if after, ok := strings.CutPrefix(rest, "."); ok {
		rest, whole = after, false
		taken, _ := take()
		exponent -= taken
	}
	if rest != "" {
		n, err := strconv.Atoi(rest[1:])
		if err != nil || n > math.MaxInt32 || n < -math.MaxInt32 {
			return 0, errScore
		}
		exponent, whole = exponent+n, false
	}
	f := float64(digits)
	if !whole || dropped > 0 {
		var err error
		if f, err = scale(f, exponent); err != nil {
			return 0, err
		}
	}
	if negative {
		f = -f
	}
	return f, nil
}

// scale multiplies with a power of ten.
func scale(f float64, exponent int) (float64, error) {
	for exponent < -308 && f != 0 {
		f /= 1e308
		exponent += 308
	}
	if f == 0 {
		return 0, nil
	}
	if exponent > 308 {
		return 0, errScore
	}
	// math.Pow10 isn't exact to the last bit for all of them.
	power, err := strconv.ParseFloat("1e"+strconv.Itoa(max(exponent, -exponent)), 64)
	if err != nil {
		return 0, errScore
	}
	if exponent < 0 {
		return f / power, nil
	}
	f *= power
	if math.IsInf(f, 0) {
		return 0, errScore
	}
	return f, nil
}
