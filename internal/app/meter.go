package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/encoder"
)

// measuredTime is how long a dry run measures the speed of a local model.
const measuredTime = time.Second

// A meter measures the speed of a local model on the pairs of a dry run. It computes
// some and counts all.
type meter struct {
	now func() time.Time

	mu            sync.Mutex
	pairs, tokens int
	measured      int           // tokens of the pairs that were computed
	spent         time.Duration // time to compute these
}

// add counts the pairs of a call of m, and calls compute for them, one at a time, while
// that is to be measured.
func (t *meter) add(m *encoder.Model, pairs []encoder.Pair, compute func([]encoder.Pair) error) error {
	for i := range pairs {
		tokens, err := m.Length(pairs[i])
		if err != nil {
			return err
		}
		if err := t.addPair(tokens, func() error { return compute(pairs[i : i+1]) }); err != nil {
			return err
		}
	}
	return nil
}

func (t *meter) addPair(tokens int, compute func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs++
	t.tokens += tokens
	if t.spent >= measuredTime {
		return nil
	}
	if t.measured == 0 { // the first pass reads the weights from disk
		if err := compute(); err != nil {
			return err
		}
	}
	start := t.now()
	err := compute()
	t.spent += t.now().Sub(start)
	t.measured += tokens
	return err
}

// estimate returns how long all pairs would take, and describes what that rests on.
func (t *meter) estimate() (time.Duration, string) {
	if t.measured == 0 {
		return 0, ""
	}
	perToken := t.spent.Seconds() / float64(t.measured)
	note := fmt.Sprintf("estimate: %d tokens at %.0f per second, measured here", t.tokens, 1/perToken)
	return clampSeconds(perToken * float64(t.tokens)), note
}

// Classify implements local.CrossEncoderModel. In a dry run, all logits are 0.
func (m *localModel) Classify(ctx context.Context, pairs []encoder.Pair) ([][]float32, error) {
	if m.meter == nil {
		return m.Model.Classify(ctx, pairs)
	}
	err := m.meter.add(m.Model, pairs, func(pair []encoder.Pair) error {
		_, err := m.Model.Classify(ctx, pair)
		return err
	})
	logits := make([][]float32, len(pairs))
	for i := range logits {
		logits[i] = make([]float32, len(m.Info().Labels))
	}
	return logits, err
}

// Tokens implements local.TokenClassifierModel. In a dry run, there are no tokens.
func (m *localModel) Tokens(ctx context.Context, pairs []encoder.Pair) ([]encoder.Tagged, error) {
	if m.meter == nil {
		return m.Model.Tokens(ctx, pairs)
	}
	err := m.meter.add(m.Model, pairs, func(pair []encoder.Pair) error {
		_, err := m.Model.Tokens(ctx, pair)
		return err
	})
	return make([]encoder.Tagged, len(pairs)), err
}
