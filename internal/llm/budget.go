package llm

import (
	"context"
	"errors"
	"sync"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Budget stops a run before the request that could pass its limits: what is
// spent, the prompt and the whole room for the reply must fit. Requests in flight
// count with that estimate until they end, and then with what the server says; a
// request that only those in flight leave no room for waits for them. From the
// first refusal on every call returns a *BudgetError. A timed-out try counts with
// its prompt, for the server may bill it.
type Budget struct {
	maxUSD    float64
	maxTokens int

	mu      sync.Mutex
	spent   spending
	held    spending
	flying  int
	stopped *BudgetError
	freed   chan struct{} // closed and made anew when a request ends
}

type spending struct{ usd, tokens float64 }

// NewBudget takes limits in USD and in tokens; 0 is none.
func NewBudget(maxUSD float64, maxTokens int) *Budget {
	return &Budget{maxUSD: maxUSD, maxTokens: maxTokens, freed: make(chan struct{})}
}

// Spent is what has been used: USD and tokens.
func (b *Budget) Spent() (usd float64, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.usd, int(min(b.spent.tokens, 1<<62))
}

// At is the layer for a model with these prices, in USD per million tokens. The
// layers of one Budget share its limits.
func (b *Budget) At(in, out float64) Layer { return &priced{b, in / 1e6, out / 1e6} }

type priced struct {
	b       *Budget
	in, out float64 // USD per token
}

func (p *priced) cost(prompt, reply int) spending {
	return spending{float64(prompt)*p.in + float64(reply)*p.out, float64(prompt) + float64(reply)}
}

// Around implements Layer.
func (p *priced) Around(ctx context.Context, size func() Size, send Send) (usage.Usage, error) {
	b := p.b
	if b.maxUSD <= 0 && b.maxTokens <= 0 {
		u, err := send(ctx)
		b.settle(spending{}, p.cost(u.PromptTokens, u.CompletionTokens), false)
		return u, err
	}
	s := size()
	hold := p.cost(s.Prompt, s.Room)
	if err := b.take(ctx, hold); err != nil {
		return usage.Usage{}, err
	}
	u, err := send(ctx)
	prompt, reply := u.PromptTokens, u.CompletionTokens
	if prompt == 0 && (err == nil || billable(err)) {
		prompt = s.Prompt // a server that counts nothing, or a try that it may bill
	}
	b.settle(hold, p.cost(prompt, reply), true)
	return u, err
}

// take holds what a request may cost, or waits for those in flight.
func (b *Budget) take(ctx context.Context, hold spending) error {
	for {
		b.mu.Lock()
		if b.stopped != nil {
			defer b.mu.Unlock()
			return b.stopped
		}
		alone := b.over(spending{b.spent.usd + hold.usd, b.spent.tokens + hold.tokens})
		now := b.over(spending{b.spent.usd + b.held.usd + hold.usd, b.spent.tokens + b.held.tokens + hold.tokens})
		if alone != nil {
			b.stopped = alone
			close(b.freed)
			b.freed = make(chan struct{})
			defer b.mu.Unlock()
			return alone
		}
		if now == nil {
			b.held.usd += hold.usd
			b.held.tokens += hold.tokens
			b.flying++
			b.mu.Unlock()
			return nil
		}
		freed := b.freed
		b.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *Budget) over(s spending) *BudgetError {
	if b.maxUSD > 0 && s.usd > b.maxUSD {
		return &BudgetError{What: "USD", Limit: b.maxUSD, Spent: b.spent.usd}
	}
	if b.maxTokens > 0 && s.tokens > float64(b.maxTokens) {
		return &BudgetError{What: "tokens", Limit: float64(b.maxTokens), Spent: b.spent.tokens}
	}
	return nil
}

func (b *Budget) settle(hold, cost spending, flew bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent.usd += cost.usd
	b.spent.tokens += cost.tokens
	if !flew {
		return
	}
	b.flying--
	b.held.usd -= hold.usd
	b.held.tokens -= hold.tokens
	if b.flying == 0 {
		b.held = spending{} // sums of fractions leave dust
	}
	close(b.freed)
	b.freed = make(chan struct{})
}

func billable(err error) bool {
	_, ok := errors.AsType[*TimeoutError](err)
	return ok
}
