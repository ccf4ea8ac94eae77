package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Signals are what is known of a claim before the verdict.
type Signals struct {
	// Words is the score of the lexical judge, 0 to 1.
	Words float64
	// Support and Contradiction are the model's log-odds, natural, that the contexts
	// support the claim and that they say otherwise: the highest of all windows read.
	Support, Contradiction float64
	// Worst is the log-odds that the claim's least supported token has no support, in
	// the window where it is lowest.
	Worst float64
	// Settled says that a context has the claim word for word, so that the model was
	// not asked; Unread that there was no window to read. Both leave the log-odds 0.
	Settled, Unread bool
}

// A Formula turns signals into a probability of support. Its numbers were fitted
// on pairs held back from the training of the model they lie beside
// (training/fit.py).
type Formula struct {
	// The log-odds of support are Bias + Words·logit(words) + Support·support −
	// Contradiction·max(contradiction, 0) − Worst·worst, with words pulled in from 0
	// and 1 by Margin and the model's log-odds cut at ±Most. The factors are not
	// negative, so that a claim with more support never scores lower.
	Bias          float64 `json:"bias"`
	Words         float64 `json:"words"`
	Support       float64 `json:"support"`
	Contradiction float64 `json:"contradiction"`
	Worst         float64 `json:"worst"`
	Margin        float64 `json:"margin"`
	Most          float64 `json:"most"`
	// Windows is how many windows of the contexts a claim is read with, Room their
	// tokens, and Packed those of a window of the sentences that cover it best.
	Windows int `json:"windows"`
	Room    int `json:"room"`
	Packed  int `json:"packed"`
}

// ParseFormula reads a formula as JSON and checks its numbers.
func ParseFormula(text string) (Formula, error) {
	var f Formula
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return f, fmt.Errorf("the model's formula of the verdict: %w", err)
	}
	for _, x := range []float64{f.Bias, f.Words, f.Support, f.Contradiction, f.Worst} {
		if math.IsNaN(x) || math.Abs(x) > 100 {
			return f, errors.New("the model's formula of the verdict has a factor out of range")
		}
	}
	switch {
	case f.Words < 0 || f.Support < 0 || f.Contradiction < 0 || f.Worst < 0:
		return f, errors.New("the model's formula of the verdict has a negative factor")
	case f.Margin <= 0 || f.Margin >= 0.5 || f.Most <= 0:
		return f, errors.New("the model's formula of the verdict has no limits")
	case f.Windows < 1 || f.Windows > 64 || f.Room < 16 || f.Room > maxRoom || f.Packed < 0 || f.Packed > maxRoom:
		return f, errors.New("the model's formula of the verdict has no windows that the model can read")
	}
	return f, nil
}

// maxRoom is the longest window, in tokens, that a model of this kind reads.
const maxRoom = 256

// probability of support.
func (f *Formula) probability(s Signals) float64 {
	if s.Settled {
		return s.Words
	}
	w := min(max(s.Words, f.Margin), 1-f.Margin)
	x := f.Bias + f.Words*math.Log(w/(1-w))
	if !s.Unread {
		cut := func(odds, least float64) float64 { return min(max(odds, least), f.Most) }
		x += f.Support*cut(s.Support, -f.Most) - f.Contradiction*cut(s.Contradiction, 0) - f.Worst*cut(s.Worst, -f.Most)
	}
	return 1 / (1 + math.Exp(-x))
}
