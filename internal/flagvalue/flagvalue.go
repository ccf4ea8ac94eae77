// Package flagvalue parses the values of flags: sizes, shares, prices and so on. It
// rejects invalid values wherever they come from, and describes valid ones in JSON
// Schema.
package flagvalue

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A Value is a pflag.Value that stores what it parses in a variable.
type Value struct {
	kind   string
	format func() string
	set    func(text string) error
	schema map[string]any
	words  []string
}

// String formats the current value, "" for none.
func (v *Value) String() string { return v.format() }

// Type returns the name of the type.
func (v *Value) Type() string { return v.kind }

// Set parses text.
func (v *Value) Set(text string) error { return v.set(text) }

// Schema returns the JSON Schema of valid values in a config file.
func (v *Value) Schema() map[string]any { return v.schema }

// Words returns the valid values if they can be listed.
func (v *Value) Words() []string { return v.words }

// OneOf accepts one of the known words.
func OneOf(to *string, def string, known ...string) *Value {
	*to = def
	return &Value{
		kind:   "string",
		format: func() string { return *to },
		set: func(text string) error {
			if err := CheckWord(text, known, strings.Join(known, ", ")); err != nil {
				return err
			}
			*to = text
			return nil
		},
		schema: map[string]any{"enum": literals(known)},
		words:  known,
	}
}

// Text accepts text that passes check.
func Text(to *string, check func(text string) error) *Value {
	return &Value{
		kind:   "string",
		format: func() string { return *to },
		set: func(text string) error {
			err := check(text)
			if err == nil {
				*to = text
			}
			return err
		},
		schema: map[string]any{"type": "string"},
	}
}

// literals returns words with the types that YAML gives them: 0, 1 and null are not
// strings.
func literals(words []string) []any {
	var all []any
	for _, w := range words {
		all = append(all, w)
		var v any
		if json.Unmarshal([]byte(w), &v) == nil {
			all = append(all, v)
		}
	}
	return all
}

// CheckWord returns an error if word is not known. It suggests a similar word, and
// contains a list of what is known.
func CheckWord(word string, known []string, list string) error {
	if slices.Contains(known, word) {
		return nil
	}
	if similar := Nearest(word, known); similar != "" {
		return fmt.Errorf("unknown %q, did you mean %s? (known: %s)", word, similar, list)
	}
	return fmt.Errorf("unknown %q (known: %s)", word, list)
}

// Fraction accepts a number from 0 to 1. *to is nil if none is set.
func Fraction(to **float64) *Value {
	return optionalFloat(to, func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= 1) { // also true for NaN
			return 0, errors.New("want a number from 0 to 1")
		}
		return x, nil
	}, map[string]any{"type": "number", "minimum": 0, "maximum": 1})
}

// Proportion accepts a fraction that may be in percent.
func Proportion(to **float64) *Value {
	return optionalFloat(to, func(text string) (float64, error) {
		number, inPercent := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if inPercent {
			x /= 100
		}
		if err != nil || !(x >= 0 && x <= 1) { // also true for NaN
			return 0, errors.New("want a share such as 20% or 0.2")
		}
		return x, nil
	}, map[string]any{"type": []string{"number", "string"}, "pattern": `^[0-9]+(\.[0-9]+)?%$`, "minimum": 0, "maximum": 1})
}

// Float accepts a finite number. *to is nil if none is set.
func Float(to **float64) *Value {
	return optionalFloat(to, func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return 0, errors.New("want a number")
		}
		return x, nil
	}, map[string]any{"type": "number"})
}

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
	return &Value{
		kind:   "N or N%",
		format: func() string { return to.String() },
		set: func(text string) error {
			if strings.HasSuffix(text, "%") {
				var share *float64
				if err := Proportion(&share).Set(text); err != nil {
					return errors.New("want a count or a share such as 1%")
				}
				*to = Limit{Share: share}
				return nil
			}
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return errors.New("want a count or a share such as 1%")
			}
			*to = Limit{N: n}
			return nil
		},
		schema: map[string]any{"type": []string{"integer", "string"}, "pattern": `^[0-9]+(\.[0-9]+)?%$`, "minimum": 0},
	}
}

func optionalFloat(to **float64, parse func(text string) (float64, error), schema map[string]any) *Value {
	return &Value{
		kind: "float",
		format: func() string {
			if *to == nil {
				return ""
			}
			return formatFloat(**to)
		},
		set: func(text string) error {
			x, err := parse(text)
			if err == nil {
				*to = &x
			}
			return err
		},
		schema: schema,
	}
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Int accepts an integer from minimum.
func Int(to *int, def, minimum int) *Value {
	*to = def
	return &Value{
		kind:   "int",
		format: func() string { return strconv.Itoa(*to) },
		set: func(text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < minimum {
				return fmt.Errorf("want a whole number from %d", minimum)
			}
			*to = n
			return nil
		},
		schema: map[string]any{"type": "integer", "minimum": minimum},
	}
}

// Count accepts an integer from 0. *to is nil if none is set.
func Count(to **int) *Value {
	return &Value{
		kind: "int",
		format: func() string {
			if *to == nil {
				return ""
			}
			return strconv.Itoa(**to)
		},
		set: func(text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return errors.New("want a whole number from 0")
			}
			*to = &n
			return nil
		},
		schema: map[string]any{"type": "integer", "minimum": 0},
	}
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
		schema: map[string]any{"type": "string", "pattern": "^[1-9][0-9]*/[1-9][0-9]*$"},
	}
}

// Duration accepts a duration from minimum.
func Duration(to *time.Duration, def, minimum time.Duration) *Value {
	*to = def
	return &Value{
		kind: "duration",
		format: func() string {
			text := to.String()
			for _, zero := range []string{"m0s", "h0m"} { // 1h instead of 1h0m0s
				if strings.HasSuffix(text, zero) {
					text = text[:len(text)-2]
				}
			}
			return text
		},
		set: func(text string) error {
			d, err := time.ParseDuration(text)
			if err != nil || d < minimum {
				return errors.New("want a duration such as 30s or 5m")
			}
			*to = d
			return nil
		},
		schema: map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`},
	}
}

// Language accepts a tag of one of the known languages, such as de or de-AT, "" and und
// for none, and private tags (x-).
func Language(to *string, known []string) *Value {
	return &Value{
		kind:   "language",
		format: func() string { return *to },
		set: func(text string) error {
			for _, r := range text {
				if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' {
					return fmt.Errorf("%q is not a language tag such as de or de-AT", text)
				}
			}
			tag := text
			if i := strings.IndexAny(text, "-_"); i >= 0 {
				tag = text[:i]
			}
			if tag = strings.ToLower(tag); !slices.Contains(known, tag) && !slices.Contains([]string{"", "und", "x"}, tag) {
				return fmt.Errorf("unknown language %q (known: %s); without it, the language is detected", tag, strings.Join(known, ", "))
			}
			*to = text
			return nil
		},
		schema: map[string]any{"type": "string"},
	}
}

// Delimiter accepts one ASCII character that can separate fields, or tab. *to is 0 if
// none is set.
func Delimiter(to *byte) *Value {
	return &Value{
		kind: "delimiter",
		format: func() string {
			switch *to {
			case 0:
				return ""
			case '\t':
				return "tab"
			}
			return string(rune(*to))
		},
		set: func(text string) error {
			switch {
			case text == "":
				*to = 0
			case text == "tab" || text == `\t`:
				*to = '\t'
			case len(text) == 1 && text[0] < utf8.RuneSelf && !strings.ContainsAny(text, "\x00\"\r\n"):
				*to = text[0]
			default:
				return fmt.Errorf("%q is not a delimiter: want one ASCII character, such as ; or |, or tab", text)
			}
			return nil
		},
		schema: map[string]any{"type": "string"},
	}
}
