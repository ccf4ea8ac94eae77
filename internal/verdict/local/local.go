// Package local implements the judges that run a model on this machine. A CrossEncoder
// classifies whether a passage supports a claim, a TokenClassifier marks the parts of an
// answer that the contexts do not support.
package local

import (
	"cmp"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// DefaultThreshold is the minimum probability of a supported claim, and the minimum
// probability with which a TokenClassifier marks a token of an unsupported claim.
const DefaultThreshold = 0.5

// A Model reads pairs of texts. *encoder.Model implements it.
type Model interface {
	// Info returns the meaning of the model's labels and its limits.
	Info() encoder.Info
	// Count returns the number of tokens of text, without special tokens.
	Count(text string) int
	// Specials returns the number of special tokens in a pair.
	Specials() int
}

// Options configure both kinds of judges.
type Options struct {
	// Threshold is the minimum probability of a supported claim, 0 to 1.
	Threshold float64
	// Sentences calls yield with the byte offsets of each sentence of a text. Long contexts
	// are split between sentences. Required.
	Sentences func(text string, yield func(start, end int))
	// Quoter selects evidence because the model returns none. Required.
	Quoter verdict.Judge
}

// A budget is what a model can read at once, in tokens.
type budget struct {
	limit      int // with special tokens; 0 if unlimited
	free       int // without special tokens
	minContext int // that a claim must leave for the contexts
}

// newBudget returns the budget for a layout's limit. If that is 0, the limit is the one in
// the model's files.
func newBudget(m Model, limit int) budget {
	info := m.Info()
	limit = cmp.Or(limit, info.MaxTokens, info.Window)
	return budget{limit, limit - m.Specials(), max(1, limit/8)}
}

// checkClaim returns an error if a claim of n tokens leaves too little for the contexts.
func (b budget) checkClaim(n int) error {
	if b.free-n < b.minContext {
		return fmt.Errorf("a claim of %d tokens leaves no room for the contexts: the model reads %d", n, b.limit)
	}
	return nil
}
