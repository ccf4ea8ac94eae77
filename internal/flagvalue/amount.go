package flagvalue

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size accepts a number of bytes, with an optional unit: k, M or G for powers of 1024.
func Size(to *int) *Value {
	return &Value{
		kind:   "size",
		format: func() string { return formatSize(*to) },
		set: func(text string) error {
			n, err := parseSize(text)
			if err == nil {
				*to = n
			}
			return err
		},
		schema: map[string]any{
			"type": []string{"integer", "string"}, "pattern": "^[1-9][0-9]*([KkMmGg]?[Ii]?[Bb]|[KkMmGg])?$", "minimum": 1,
		},
	}
}

func formatSize(n int) string {
	unit := ""
	for _, u := range []string{"KiB", "MiB", "GiB"} {
		if n > 0 && n%1024 == 0 {
			n, unit = n/1024, u
		}
	}
	return strconv.Itoa(n) + unit
}

func parseSize(text string) (int, error) {
	digits := strings.TrimRight(text, "iBbKkMmGg")
	n, err := strconv.ParseInt(digits, 10, 64)
	factor := int64(1)
	switch strings.ToUpper(text[len(digits):]) {
	case "", "B":
	case "K", "KB", "KIB":
		factor = 1 << 10
	case "M", "MB", "MIB":
		factor = 1 << 20
	case "G", "GB", "GIB":
		factor = 1 << 30
	default:
		err = errors.New("unknown unit")
	}
	if err != nil || n < 1 || n > math.MaxInt/factor {
		return 0, errors.New("want a number of bytes, such as 64MiB")
	}
	return int(n * factor), nil
}

// Dollars accepts an amount of USD.
func Dollars(to *float64) *Value {
	return &Value{
		kind:   "USD",
		format: func() string { return formatFloat(*to) },
		set: func(text string) error {
			x, err := parseAmount(strings.TrimPrefix(text, "$"))
			if err == nil {
				*to = x
			}
			return err
		},
		schema: map[string]any{"type": "number", "minimum": 0},
	}
}

// Prices accepts IN,OUT: USD per million prompt and completion tokens. *to is nil if none
// are set.
func Prices(to **[2]float64) *Value {
	return &Value{
		kind: "IN,OUT",
		format: func() string {
			if *to == nil {
				return ""
			}
			return fmt.Sprintf("%v,%v", (*to)[0], (*to)[1])
		},
		set: func(text string) error {
			left, right, ok := strings.Cut(text, ",")
			in, err := parseAmount(left)
			out, err2 := parseAmount(right)
			if !ok || err != nil || err2 != nil {
				return errors.New("want IN,OUT in USD per million tokens, such as 0.15,0.60")
			}
			*to = &[2]float64{in, out}
			return nil
		},
		schema: map[string]any{"type": "string", "pattern": "^[0-9.]+, *[0-9.]+$"},
	}
}

func parseAmount(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, errors.New("want an amount of USD, such as 1.50")
	}
	return x, nil
}
