package llm

import (
	"context"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A BatchCostError is a batch that was not submitted because it could pass a limit.
type BatchCostError struct {
	Requests           int
	What               string // "USD" or "tokens"
	Most, Limit, Spent float64
}

func (e *BatchCostError) Error() string {
	most, limit, spent := fmt.Sprintf("%.0f tokens", e.Most), fmt.Sprintf("the limit of %.0f tokens", e.Limit), fmt.Sprintf("%.0f", e.Spent)
	if e.What == "USD" {
		most, limit, spent = fmt.Sprintf("$%.4f", e.Most), fmt.Sprintf("the limit of $%.4g", e.Limit), fmt.Sprintf("$%.4f", e.Spent)
	}
	return fmt.Sprintf("a batch of %s was not submitted: with replies as long as they may be it takes %s, %s is spent, and %s could be passed",
		count(e.Requests, "request"), most, spent, limit)
}

// affordable holds the most that parts can cost against the limits: a batch can't
// be stopped when the money is spent.
func (b *Batch) affordable(parts []*batchPart) error {
	var all usage.Usage
	n := 0
	for _, p := range parts {
		all = all.Add(usage.Usage{PromptTokens: p.PromptTokens, CompletionTokens: p.ReplyTokens})
		n += p.Requests
	}
	in, out := b.prices()
	cost := func(u usage.Usage) float64 {
		return (float64(u.PromptTokens)*in + float64(u.CompletionTokens)*out) / 1e6
	}
	spent := b.state.spent()
	if limit := b.stack.o.MaxCost; limit > 0 && cost(spent)+cost(all) > limit {
		return &BatchCostError{n, "USD", cost(all), limit, cost(spent)}
	}
	if limit := b.stack.o.MaxTokens; limit > 0 && spent.Tokens()+all.Tokens() > limit {
		return &BatchCostError{n, "tokens", float64(all.Tokens()), float64(limit), float64(spent.Tokens())}
	}
	return nil
}

// charge counts what the batches cost as spent.
func (b *Batch) charge(ctx context.Context) error {
	spent := b.state.spent()
	if spent.Tokens() == 0 {
		return nil
	}
	in, out := b.prices()
	_, err := b.stack.Budget.At(in, out).Around(ctx, func() Size { return Size{} }, func(context.Context) (usage.Usage, error) {
		return spent, nil
	})
	return err
}

// prices are those of a batch, in USD per million tokens; 0 where they are not
// known.
func (b *Batch) prices() (in, out float64) {
	in, out, _ = b.stack.o.price()
	return in * BatchFactor(), out * BatchFactor()
}
