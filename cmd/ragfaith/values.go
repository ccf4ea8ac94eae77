package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The values of flags check themselves, so that a bad one is found wherever it
// came from, and before any work.

// choice is one of a few words.
type choice struct {
	to    *string
	known []string
}

func oneOf(to *string, usual string, known ...string) *choice {
	*to = usual
	return &choice{to, known}
}

func (c *choice) String() string {
	if c.to == nil {
		return ""
	}
	return *c.to
}
func (c *choice) Type() string { return "string" }
func (c *choice) Set(s string) error {
	if slices.Contains(c.known, s) {
		*c.to = s
		return nil
	}
	if near := nearest(s, c.known); near != "" {
		return fmt.Errorf("unknown %q, did you mean %s? (known: %s)", s, near, strings.Join(c.known, ", "))
	}
	return fmt.Errorf("unknown %q (known: %s)", s, strings.Join(c.known, ", "))
}

// orList joins alternatives for the help: "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// fraction is a number from 0 to 1 that need not be given.
type fraction struct{ to **float64 }

func (f fraction) String() string {
	if f.to == nil || *f.to == nil {
		return ""
	}
	return strconv.FormatFloat(**f.to, 'g', -1, 64)
}
func (f fraction) Type() string { return "float" }
func (f fraction) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= 1) { // so written, it catches NaN
		return errors.New("want a number from 0 to 1")
	}
	*f.to = &x
	return nil
}

// proportion is a share of rows, as a fraction or in percent.
type proportion struct{ fraction }

func (p proportion) Set(s string) error {
	number, inPercent := strings.CutSuffix(s, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if inPercent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) { // so written, it catches NaN
		return errors.New("want a share such as 20% or 0.2")
	}
	*p.to = &x
	return nil
}

// whole is a whole number that is not below a bound.
type whole struct {
	to  *int
	min int
}

func atLeast(to *int, usual, least int) whole {
	*to = usual
	return whole{to, least}
}

func (w whole) String() string {
	if w.to == nil {
		return "0"
	}
	return strconv.Itoa(*w.to)
}
func (w whole) Type() string { return "int" }
func (w whole) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < w.min {
		return fmt.Errorf("want a whole number from %d", w.min)
	}
	*w.to = n
	return nil
}

// share is the i-th of n parts.
type share struct{ i, n *int }

func (s share) String() string {
	if s.i == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", *s.i, *s.n)
}
func (s share) Type() string { return "I/N" }
func (s share) Set(text string) error {
	first, second, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || i < 1 || i > n {
		return errors.New("want I/N with I from 1 to N, such as 2/8")
	}
	*s.i, *s.n = i, n
	return nil
}

// size is a number of bytes, with or without a unit.
type size struct{ to *int }

// sizeUnits are powers of 1024, each with the letter that stands for it.
const sizeUnits = "KMG"

func (s size) String() string {
	if s.to == nil {
		return ""
	}
	n, unit := *s.to, ""
	for i := 0; i < len(sizeUnits) && n > 0 && n%1024 == 0; i++ {
		n, unit = n/1024, sizeUnits[i:i+1]+"iB"
	}
	return strconv.Itoa(n) + unit
}
func (s size) Type() string { return "size" }
func (s size) Set(text string) error {
	digits := strings.TrimRight(text, "iBbKkMmGg")
	n, err := strconv.ParseInt(digits, 10, 64)
	factor := int64(1)
	switch unit := strings.ToUpper(text[len(digits):]); unit {
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
		return errors.New("want a number of bytes, such as 64MiB")
	}
	*s.to = int(n * factor)
	return nil
}
