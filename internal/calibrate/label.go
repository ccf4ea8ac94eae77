package calibrate

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Label is the human label of a row.
type Label struct {
	Value float64 // 1 for faithful and 0 for unfaithful, or a rating; higher is more faithful
	Word  bool    // the label is a word such as yes
}

// ErrNoLabel reports that a row has no label.
var ErrNoLabel = errors.New("no label")

// ParseLabel parses a number or a word that means faithful or unfaithful, in any case. It
// returns ErrNoLabel for missing values (empty, null, NaN, none, NA).
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
	// ParseFloat also accepts 0x1p-2 and 1_000.
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(x, 0) || strings.ContainsAny(word, "x_in") {
		return Label{}, fmt.Errorf("unknown label %q: want a number, true or false, yes or no, faithful or unfaithful", abbreviate(text))
	}
	return Label{Value: x}, nil
}

// abbreviate truncates a text for a message.
func abbreviate(text string) string {
	const maxLength = 40
	n := 0
	for i := range text {
		if n++; n > maxLength {
			return text[:i] + "..."
		}
	}
	return text
}

// A Kind is a kind of labels.
type Kind string

// The kinds of labels.
const (
	Verdicts Kind = "verdicts" // faithful or unfaithful
	Ratings  Kind = "ratings"  // numbers on a scale
)
