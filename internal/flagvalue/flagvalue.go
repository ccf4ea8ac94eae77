// Package flagvalue parses the values of flags: words, numbers, shares, sizes, prices and so
// on, wherever they come from: the command line, the environment or a config file.
package flagvalue

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// A Value is a pflag.Value that stores what it parses in a variable.
type Value struct {
	kind   string
	format func() string
	set    func(text string) error
	words  []string
}

// String formats the current value, "" for none.
func (v *Value) String() string { return v.format() }

// Type returns the name of the type.
func (v *Value) Type() string { return v.kind }

// Set parses text.
func (v *Value) Set(text string) error { return v.set(text) }

// Words returns the valid values if they can be listed.
func (v *Value) Words() []string { return v.words }

// New returns a Value of a kind, such as "string", that stores in *to what parse returns.
func New[T any](to *T, kind string, parse func(text string) (T, error), format func(T) string) *Value {
	return &Value{
		kind:   kind,
		format: func() string { return format(*to) },
		set: func(text string) error {
			x, err := parse(text)
			if err == nil {
				*to = x
			}
			return err
		},
	}
}

// optional is like New for a variable that is nil until a value is set.
func optional[T any](to **T, kind string, parse func(text string) (T, error), format func(T) string) *Value {
	return New(to, kind, func(text string) (*T, error) {
		x, err := parse(text)
		return &x, err
	}, func(x *T) string {
		if x == nil {
			return ""
		}
		return format(*x)
	})
}

// checked is a Value for text that passes check.
func checked(to *string, kind string, check func(text string) error) *Value {
	return New(to, kind, func(text string) (string, error) { return text, check(text) }, func(text string) string { return text })
}

// Text accepts text that passes check.
func Text(to *string, check func(text string) error) *Value { return checked(to, "string", check) }

// OneOf accepts one of the known words.
func OneOf(to *string, def string, known ...string) *Value {
	*to = def
	v := Text(to, func(text string) error {
		if !slices.Contains(known, text) {
			return fmt.Errorf("unknown %q (known: %s)", text, strings.Join(known, ", "))
		}
		return nil
	})
	v.words = known
	return v
}

// Fraction accepts a number from 0 to 1. *to is nil if none is set.
func Fraction(to **float64) *Value {
	return between(to, 0, 1, "want a number from 0 to 1")
}

// Proportion accepts a fraction that may be in percent.
func Proportion(to **float64) *Value { return optional(to, "float", parseProportion, formatFloat) }

func parseProportion(text string) (float64, error) {
	const want = "want a share such as 20% or 0.2"
	if number, inPercent := strings.CutSuffix(text, "%"); inPercent {
		x, err := parseFloat(strings.TrimSpace(number), 0, 100, want)
		return x / 100, err
	}
	return parseFloat(strings.TrimSpace(text), 0, 1, want)
}

// Float accepts a finite number. *to is nil if none is set.
func Float(to **float64) *Value {
	return between(to, -math.MaxFloat64, math.MaxFloat64, "want a number")
}

func between(to **float64, least, most float64, want string) *Value {
	return optional(to, "float", func(text string) (float64, error) { return parseFloat(text, least, most, want) }, formatFloat)
}

// parseFloat parses a number from least to most.
func parseFloat(text string, least, most float64, want string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= least && x <= most) { // also true for NaN
		return 0, errors.New(want)
	}
	return x, nil
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// A Limit is a maximum count: N, or a share of a total.
type Limit struct {
	N     int
	Share *float64 // nil if N applies
}

// String returns the limit as CountOrShare accepts it.
func (l Limit) String() string {
	if l.Share == nil {
		return strconv.Itoa(l.N)
	}
	return formatFloat(math.Round(*l.Share*1e12)/1e10) + "%" // 0.07 * 100 is not 7
}

// CountOrShare accepts a count or a percentage.
func CountOrShare(to *Limit) *Value {
	return New(to, "N or N%", func(text string) (Limit, error) {
		const want = "want a count or a share such as 1%"
		if !strings.HasSuffix(text, "%") {
			n, err := parseInt(text, 0, want)
			return Limit{N: n}, err
		}
		share, err := parseProportion(text)
		if err != nil {
			err = errors.New(want)
		}
		return Limit{Share: &share}, err
	}, Limit.String)
}

// Int accepts an integer from minimum.
func Int(to *int, def, minimum int) *Value {
	*to = def
	return New(to, "int", func(text string) (int, error) {
		return parseInt(text, minimum, fmt.Sprintf("want a whole number from %d", minimum))
	}, strconv.Itoa)
}

// Count accepts an integer from 0. *to is nil if none is set.
func Count(to **int) *Value {
	return optional(to, "int", func(text string) (int, error) {
		return parseInt(text, 0, "want a whole number from 0")
	}, strconv.Itoa)
}

func parseInt(text string, minimum int, want string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < minimum {
		return 0, errors.New(want)
	}
	return n, nil
}

// Shard accepts I/N: shard i of n, from 1.
func Shard(i, n *int) *Value {
	return &Value{
		kind:   "I/N",
		format: func() string { return fmt.Sprintf("%d/%d", *i, *n) },
		set: func(text string) error {
			left, right, _ := strings.Cut(text, "/")
			index, err := strconv.Atoi(left)
			count, err2 := strconv.Atoi(right)
			if err != nil || err2 != nil || index < 1 || index > count {
				return errors.New("want I/N with I from 1 to N, such as 2/8")
			}
			*i, *n = index, count
			return nil
		},
	}
}

// Duration accepts a duration from minimum.
func Duration(to *time.Duration, def, minimum time.Duration) *Value {
	*to = def
	return New(to, "duration", func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < minimum {
			err = errors.New("want a duration such as 30s or 5m")
		}
		return d, err
	}, time.Duration.String)
}

// Size accepts a number of bytes, with an optional unit such as kB or MiB.
func Size(to *int) *Value {
	return New(to, "size", func(text string) (int, error) {
		n, err := humanize.ParseBytes(text)
		if err != nil || n < 1 || n > math.MaxInt {
			return 0, errors.New("want a number of bytes, such as 64MiB")
		}
		return int(n), nil
	}, func(n int) string {
		text := strings.ReplaceAll(humanize.IBytes(uint64(n)), " ", "")
		if exact, err := humanize.ParseBytes(text); err != nil || exact != uint64(n) {
			return strconv.Itoa(n) + "B"
		}
		return text
	})
}

// Dollars accepts an amount of USD.
func Dollars(to *float64) *Value {
	return New(to, "USD", func(text string) (float64, error) { return parseAmount(strings.TrimPrefix(text, "$")) }, formatFloat)
}

// Prices accepts IN,OUT: USD per million prompt and completion tokens. *to is nil for none.
func Prices(to **[2]float64) *Value {
	return optional(to, "IN,OUT", func(text string) ([2]float64, error) {
		left, right, ok := strings.Cut(text, ",")
		in, err := parseAmount(left)
		out, err2 := parseAmount(right)
		if !ok || err != nil || err2 != nil {
			return [2]float64{}, errors.New("want IN,OUT in USD per million tokens, such as 0.15,0.60")
		}
		return [2]float64{in, out}, nil
	}, func(p [2]float64) string { return fmt.Sprintf("%v,%v", p[0], p[1]) })
}

func parseAmount(text string) (float64, error) {
	return parseFloat(strings.TrimSpace(text), 0, math.MaxFloat64, "want an amount of USD, such as 1.50")
}

// Language accepts a tag of a known language, such as de-AT, "" and und for none, and private tags.
func Language(to *string, known []string) *Value {
	return checked(to, "language", func(text string) error {
		for _, r := range text {
			if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' {
				return fmt.Errorf("%q is not a language tag such as de or de-AT", text)
			}
		}
		tag, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(text), "_", "-"), "-")
		if !slices.Contains(known, tag) && !slices.Contains([]string{"", "und", "x"}, tag) {
			return fmt.Errorf("unknown language %q (known: %s); without it, the language is detected", tag, strings.Join(known, ", "))
		}
		return nil
	})
}

// Delimiter accepts an ASCII character that can separate fields, or tab. *to is 0 for none.
func Delimiter(to *byte) *Value {
	return New(to, "delimiter", func(text string) (byte, error) {
		switch {
		case text == "":
			return 0, nil
		case text == "tab" || text == `\t`:
			return '\t', nil
		case len(text) == 1 && text[0] < utf8.RuneSelf && !strings.ContainsAny(text, "\x00\"\r\n"):
			return text[0], nil
		}
		return 0, fmt.Errorf("%q is not a delimiter: want one ASCII character, such as ; or |, or tab", text)
	}, func(c byte) string {
		switch c {
		case 0:
			return ""
		case '\t':
			return "tab"
		}
		return string(rune(c))
	})
}
