package embedded

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder"
)

// weights is the model of this version of the program; MODEL_CARD.md beside it
// says what it is.
//
//go:embed model/grounding.safetensors
var weights []byte

// Open opens a model file for a Judge, and its formula. Without a path it is the
// one in the binary. Errors are those of encoder.OpenGrounding, and that the file
// has no formula that can be used.
func Open(path string, o encoder.Options) (*encoder.Grounding, Formula, error) {
	g, err := open(path, o)
	if err != nil {
		return nil, Formula{}, err
	}
	f, err := ParseFormula(g.Verdict())
	if err != nil {
		if path != "" {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return nil, Formula{}, errors.Join(err, g.Close())
	}
	return g, f, nil
}

func open(path string, o encoder.Options) (*encoder.Grounding, error) {
	if path == "" {
		return encoder.ParseGrounding(weights, o)
	}
	return encoder.OpenGrounding(path, o)
}
