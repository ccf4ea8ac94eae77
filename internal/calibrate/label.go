package calibrate

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Label is what people said of a row.
type Label struct {
	// Value is a rating, the higher the more faithful; of a verdict it is 1 for
	// faithful and 0 for not.
	Value float64
	// Word says that it was a word such as yes, and not a number.
	Word bool
}

// ErrNoLabel says that a row has no label.
var ErrNoLabel = errors.New("no label")

// ParseLabel reads a label: a number, or one of the words for yes and no, in
// small or capital letters. A missing one (nothing, null, NaN, none, NA) is
// ErrNoLabel.
func ParseLabel(text string) (Label, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	switch word {
	case "", "null", "none", "nan", "na", "n/a", "<na>":
		return Label{}, ErrNoLabel
	case "true", "yes", "y", "faithful", "supported", "grounded", "consistent", "pass":
		return Label{Value: 1, Word: true}, nil
	case "false", "no", "n", "unfaithful", "not faithful", "not_faithful", "unsupported", "not supported", "not_supported",
		"ungrounded", "inconsistent", "hallucinated", "hallucination", "fail":
		return Label{Value: 0, Word: true}, nil
	}
	// ParseFloat alone would take 0x1p-2 and 1_000, which no person writes.
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(x, 0) || strings.ContainsAny(word, "x_in") {
		return Label{}, fmt.Errorf("unknown label %q: want a number, true or false, yes or no, faithful or unfaithful", shortened(text))
	}
	return Label{Value: x}, nil
}

// shortened returns as much of a text as a message shows.
func shortened(text string) string {
	const most = 40
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "..."
		}
	}
	return text
}

// A Kind is what labels are.
type Kind string

// The kinds of labels.
const (
	// Verdicts say of a row that it is faithful or not.
	Verdicts Kind = "verdicts"
	// Ratings are numbers on a scale.
	Ratings Kind = "ratings"
)
