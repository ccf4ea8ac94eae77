package embedded

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder"
)

// weights is the included model, described in MODEL_CARD.md beside it.
//
//go:embed model/grounding.safetensors
var weights []byte

// Open opens a model file with its formula, or the included model if path is
// empty. It fails if encoder.OpenGrounding does, or if the file contains no
// valid formula.
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
