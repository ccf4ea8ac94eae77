package llm

import (
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Budget ends a run before a request that could exceed its limits on cost or
// tokens. Each request reserves the cost of its prompt and its longest possible
// reply, and is charged its actual usage when it completes. A request that
// exceeds the limits only because of reservations waits for other requests to
// complete. After the first request that does not fit, every call returns a
// *BudgetError. A request that timed out is charged for its prompt, since the
// server may bill it.
type Budget struct {
	maxUSD    float64
	maxTokens int

	mu       sync.Mutex
	spent    amount
	reserved amount
	inFlight int
	stopped  *BudgetError
	changed  chan struct{} // closed and replaced when a request completes
}

type amount struct{ usd, tokens float64 }

func (s amount) add(t amount) amount { return amount{s.usd + t.usd, s.tokens + t.tokens} }

// NewBudget returns a budget with limits in USD and in tokens, where 0 means
// unlimited.
func NewBudget(maxUSD float64, maxTokens int) *Budget {
	return &Budget{maxUSD: maxUSD, maxTokens: maxTokens, changed: make(chan struct{})}
}

// Spent returns the USD and tokens spent so far.
func (b *Budget) Spent() (usd float64, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.usd, int(min(b.spent.tokens, 1<<62))
}

// A price is in USD per prompt and reply token.
type price struct{ in, out float64 }

func (p price) cost(prompt, reply int) amount {
	return amount{float64(prompt)*p.in + float64(reply)*p.out, float64(prompt) + float64(reply)}
}

func (b *Budget) isLimited() bool { return b.maxUSD > 0 || b.maxTokens > 0 }

// reserve sets aside the estimated cost of a request, waiting for other
// requests to complete if necessary.
func (b *Budget) reserve(ctx context.Context, cost amount) error {
	for {
		b.mu.Lock()
		if b.stopped == nil {
			if b.stopped = b.exceeded(b.spent.add(cost)); b.stopped != nil {
				b.broadcast()
			}
		}
		if b.stopped != nil {
			defer b.mu.Unlock()
			return b.stopped
		}
		if b.exceeded(b.spent.add(b.reserved).add(cost)) == nil {
			b.reserved = b.reserved.add(cost)
			b.inFlight++
			b.mu.Unlock()
			return nil
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// charge adds what was spent without a reservation.
func (b *Budget) charge(cost amount) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = b.spent.add(cost)
}

// exceeded returns an error if s exceeds a limit, or nil. b.mu must be held.
func (b *Budget) exceeded(s amount) *BudgetError {
	if b.maxUSD > 0 && s.usd > b.maxUSD {
		return &BudgetError{Unit: "USD", Limit: b.maxUSD, Spent: b.spent.usd}
	}
	if b.maxTokens > 0 && s.tokens > float64(b.maxTokens) {
		return &BudgetError{Unit: "tokens", Limit: float64(b.maxTokens), Spent: b.spent.tokens}
	}
	return nil
}

// settle replaces a reservation with the actual cost of the request.
func (b *Budget) settle(reserved, cost amount) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = b.spent.add(cost)
	b.inFlight--
	b.reserved = b.reserved.add(amount{-reserved.usd, -reserved.tokens})
	if b.inFlight == 0 {
		b.reserved = amount{} // discard rounding errors
	}
	b.broadcast()
}

// broadcast wakes all callers of reserve. b.mu must be held.
func (b *Budget) broadcast() {
	close(b.changed)
	b.changed = make(chan struct{})
}

//go:embed prices.json
var priceTable []byte

type prices struct {
	Date   string                `json:"noted"`
	Batch  float64               `json:"batch"`
	Models map[string][2]float64 `json:"models"`
}

func readPrices() (p prices) {
	_ = json.Unmarshal(priceTable, &p) // tests ensure that it is valid
	return p
}

// PricesDate returns the date of the built-in price list.
func PricesDate() string { return readPrices().Date }

// BatchFactor returns the price of batch tokens relative to Price.
func BatchFactor() float64 { return readPrices().Batch }

// PricedModels returns the model names in the price list, sorted.
func PricedModels() []string { return slices.Sorted(maps.Keys(readPrices().Models)) }

// Price returns the list price of a model in USD per million prompt and reply
// tokens. It ignores everything up to the last slash of the name and uses the
// longest listed name that is followed by the end, a dash, a colon or an @, so
// dated versions match. Meta's open models are listed at the price of one large
// provider.
func Price(model string) (in, out float64, ok bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	best := ""
	models := readPrices().Models
	for candidate := range models {
		rest, matches := strings.CutPrefix(name, candidate)
		if matches && len(candidate) > len(best) && (rest == "" || strings.ContainsRune("-:@", rune(rest[0]))) {
			best = candidate
		}
	}
	p, ok := models[best]
	return p[0], p[1], ok
}
