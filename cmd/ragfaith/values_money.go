package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// span is a time that is not below a bound.
type span struct {
	to  *time.Duration
	min time.Duration
}

func atLeastDuration(to *time.Duration, usual, least time.Duration) span {
	*to = usual
	return span{to, least}
}

func (s span) String() string {
	if s.to == nil {
		return ""
	}
	text := s.to.String()
	for _, zero := range []string{"m0s", "h0m"} { // 1h rather than 1h0m0s
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
func (s span) Type() string { return "duration" }
func (s span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < s.min {
		return errors.New("want a time such as 30s or 5m")
	}
	*s.to = d
	return nil
}

// dollars is an amount of money.
type dollars struct{ to *float64 }

func (d dollars) String() string {
	if d.to == nil {
		return "0"
	}
	return strconv.FormatFloat(*d.to, 'g', -1, 64)
}
func (d dollars) Type() string { return "USD" }
func (d dollars) Set(s string) error {
	x, err := amount(strings.TrimPrefix(s, "$"))
	if err != nil {
		return err
	}
	*d.to = x
	return nil
}

// prices are those of a million tokens of prompt and of reply.
type prices struct{ to **[2]float64 }

func (p prices) String() string {
	if p.to == nil || *p.to == nil {
		return ""
	}
	return fmt.Sprintf("%v,%v", (*p.to)[0], (*p.to)[1])
}
func (p prices) Type() string { return "IN,OUT" }
func (p prices) Set(s string) error {
	first, second, ok := strings.Cut(s, ",")
	in, err := amount(first)
	out, err2 := amount(second)
	if !ok || err != nil || err2 != nil {
		return errors.New("want IN,OUT in USD per million tokens, such as 0.15,0.60")
	}
	*p.to = &[2]float64{in, out}
	return nil
}

func amount(s string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, errors.New("want an amount of USD, such as 1.50")
	}
	return x, nil
}
