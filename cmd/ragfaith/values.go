package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// Each type of flag validates its value in Set, wherever the value comes from.

// A choice is one of a list of words.
type choice struct {
	to    *string
	known []string
}

func oneOf(to *string, def string, known ...string) *choice {
	*to = def
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
	if similar := nearest(s, c.known); similar != "" {
		return fmt.Errorf("unknown %q, did you mean %s? (known: %s)", s, similar, strings.Join(c.known, ", "))
	}
	return fmt.Errorf("unknown %q (known: %s)", s, strings.Join(c.known, ", "))
}

// orList joins alternatives for the help: "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// A fraction is an optional number from 0 to 1.
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
	if err != nil || !(x >= 0 && x <= 1) { // also true for NaN
		return errors.New("want a number from 0 to 1")
	}
	*f.to = &x
	return nil
}

// A proportion is a fraction that may be in percent.
type proportion struct{ fraction }

func (p proportion) Set(s string) error {
	number, inPercent := strings.CutSuffix(s, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if inPercent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) { // also true for NaN
		return errors.New("want a share such as 20% or 0.2")
	}
	*p.to = &x
	return nil
}

// An integer is a whole number with a minimum.
type integer struct {
	to  *int
	min int
}

func atLeast(to *int, def, minimum int) integer {
	*to = def
	return integer{to, minimum}
}

func (n integer) String() string {
	if n.to == nil {
		return "0"
	}
	return strconv.Itoa(*n.to)
}
func (n integer) Type() string { return "int" }
func (n integer) Set(s string) error {
	x, err := strconv.Atoi(s)
	if err != nil || x < n.min {
		return fmt.Errorf("want a whole number from %d", n.min)
	}
	*n.to = x
	return nil
}

// A share is part i of n.
type share struct{ i, n *int }

func (s share) String() string {
	if s.i == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", *s.i, *s.n)
}
func (s share) Type() string { return "I/N" }
func (s share) Set(text string) error {
	left, right, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if err != nil || err2 != nil || i < 1 || i > n {
		return errors.New("want I/N with I from 1 to N, such as 2/8")
	}
	*s.i, *s.n = i, n
	return nil
}

// A size is a number of bytes, with an optional unit.
type size struct{ to *int }

// sizeUnits are the letters of the powers of 1024.
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

// A duration is a time with a minimum.
type duration struct {
	to  *time.Duration
	min time.Duration
}

func atLeastDuration(to *time.Duration, def, minimum time.Duration) duration {
	*to = def
	return duration{to, minimum}
}

func (d duration) String() string {
	if d.to == nil {
		return ""
	}
	text := d.to.String()
	for _, zero := range []string{"m0s", "h0m"} { // 1h instead of 1h0m0s
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
func (d duration) Type() string { return "duration" }
func (d duration) Set(text string) error {
	x, err := time.ParseDuration(text)
	if err != nil || x < d.min {
		return errors.New("want a duration such as 30s or 5m")
	}
	*d.to = x
	return nil
}

// dollars is an amount of USD.
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

// prices are USD per million prompt and completion tokens.
type prices struct{ to **[2]float64 }

func (p prices) String() string {
	if p.to == nil || *p.to == nil {
		return ""
	}
	return fmt.Sprintf("%v,%v", (*p.to)[0], (*p.to)[1])
}
func (p prices) Type() string { return "IN,OUT" }
func (p prices) Set(s string) error {
	left, right, ok := strings.Cut(s, ",")
	in, err := amount(left)
	out, err2 := amount(right)
	if !ok || err != nil || err2 != nil {
		return errors.New("want IN,OUT in USD per million tokens, such as 0.15,0.60")
	}
	*p.to = &[2]float64{in, out}
	return nil
}

// amount parses an amount of USD.
func amount(s string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, errors.New("want an amount of USD, such as 1.50")
	}
	return x, nil
}

// A rating is an optional number.
type rating struct{ to **float64 }

func (r rating) String() string {
	if r.to == nil || *r.to == nil {
		return ""
	}
	return strconv.FormatFloat(**r.to, 'g', -1, 64)
}
func (r rating) Type() string { return "float" }
func (r rating) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x-x != 0 { // infinite or NaN
		return errors.New("want a number")
	}
	*r.to = &x
	return nil
}

// A tag is a language tag, such as de or de-AT.
type tag struct{ to *string }

func (t tag) String() string {
	if t.to == nil {
		return ""
	}
	return *t.to
}
func (t tag) Type() string { return "language" }
func (t tag) Set(s string) error {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return fmt.Errorf("%q is not a language tag such as de or de-AT", s)
		}
	}
	*t.to = s
	return nil
}

// A judgeName is the value of --judge: a known name or the directory of a model.
type judgeName struct{ to *string }

func (j judgeName) String() string {
	if j.to == nil {
		return ""
	}
	return *j.to
}
func (j judgeName) Type() string { return "string" }

// Set accepts what may be a judge. Whether a model exists is checked when the model
// directory is known.
func (j judgeName) Set(s string) error {
	if s == "" {
		return errors.New("want lexical, embedded, llm, hhem, or a model")
	}
	known := judgeNames()
	if _, err := os.Stat(s); err != nil && !slices.Contains(known, s) && !strings.ContainsAny(s, `/\`) {
		if similar := nearest(s, known); similar != "" {
			return fmt.Errorf("unknown %q, did you mean %s? (known: %s, or the directory of a model)", s, similar, strings.Join(known, ", "))
		}
		return fmt.Errorf("unknown %q (known: %s, or the directory of a model)", s, strings.Join(known, ", "))
	}
	*j.to = s
	return nil
}

// judgeNames returns the known names of judges.
func judgeNames() []string {
	return append([]string{withLexical, withEmbedded, withLLM, withHHEM}, shortNames()...)
}

// A deviceName is the value of --device.
type deviceName struct{ to *ort.Device }

func (d deviceName) String() string {
	if d.to == nil {
		return ""
	}
	return d.to.String()
}
func (d deviceName) Type() string { return "string" }
func (d deviceName) Set(s string) (err error) {
	*d.to, err = ort.ParseDevice(s)
	return err
}

// nearest returns the name that word is most likely a misspelling of, or "" if none is
// similar.
func nearest(word string, names []string) string {
	best, bestDistance := "", len(word)/2+1
	for _, name := range names {
		if d := distance(word, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// distance returns the Levenshtein distance in bytes: how many bytes must be inserted,
// removed or replaced to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := corner
			if a[i] != b[j] {
				replace++
			}
			corner = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
