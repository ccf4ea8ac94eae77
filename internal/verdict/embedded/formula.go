package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Signals are the inputs of a Formula for one claim.
type Signals struct {
	// Words is the score of the lexical judge, 0 to 1.
	Words float64
	// Support and Contradiction are the natural log-odds, by the model, that the contexts
	// support and contradict the claim: the maximum over all windows.
	Support, Contradiction float64
	// Worst is the log-odds that the least supported token of the claim is unsupported:
	// the minimum over all windows.
	Worst float64
	// Settled is set if a context contains the claim verbatim, so the model is not run.
	// Unread is set if there is no window to read. In both cases the log-odds are 0.
	Settled, Unread bool
}

// A Formula computes the probability of support from signals. Its parameters
// were fitted on pairs held out from training the model (training/fit.py).
type Formula struct {
	// The log-odds of support are Bias + Words·logit(words) + Support·support −
	// Contradiction·max(contradiction, 0) − Worst·worst, with words clamped to [Margin,
	// 1−Margin] and the model's log-odds to ±Max. The factors are not negative, so more
	// support never lowers the score.
	Bias          float64 `json:"bias"`
	Words         float64 `json:"words"`
	Support       float64 `json:"support"`
	Contradiction float64 `json:"contradiction"`
	Worst         float64 `json:"worst"`
	Margin        float64 `json:"margin"`
	Max           float64 `json:"most"`
	// Windows is the maximum number of windows per claim, Room their length in tokens,
	// and Packed the length of a packed window in tokens.
	Windows int `json:"windows"`
	Room    int `json:"room"`
	Packed  int `json:"packed"`
}

// ParseFormula parses a formula in JSON and validates its parameters.
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
	case f.Margin <= 0 || f.Margin >= 0.5 || f.Max <= 0:
		return f, errors.New("the model's formula of the verdict has no limits")
	case f.Windows < 1 || f.Windows > 64 || f.Room < 16 || f.Room > maxRoom || f.Packed < 0 || f.Packed > maxRoom:
		return f, errors.New("the model's formula of the verdict has no windows that the model can read")
	}
	return f, nil
}

// maxRoom is the length in tokens of the longest window that these models read.
const maxRoom = 256

// probability returns the probability of support.
func (f *Formula) probability(s Signals) float64 {
	if s.Settled {
		return s.Words
	}
	w := min(max(s.Words, f.Margin), 1-f.Margin)
	x := f.Bias + f.Words*math.Log(w/(1-w))
	if !s.Unread {
		clamp := func(odds, low float64) float64 { return min(max(odds, low), f.Max) }
		x += f.Support*clamp(s.Support, -f.Max) - f.Contradiction*clamp(s.Contradiction, 0) - f.Worst*clamp(s.Worst, -f.Max)
	}
	return 1 / (1 + math.Exp(-x))
}
