package llm

import (
	_ "embed"
	"encoding/json"
	"strings"
	"time"
)

// A budget ends a run before a request that could exceed its limits on cost or tokens. Each request
// reserves the cost of its prompt and its longest possible reply, and is charged its actual usage
// when it completes. A request that exceeds the limits only because of reservations waits for other
// requests to complete. After the first request that does not fit, every call returns a
// *BudgetError. A request that timed out is charged for its prompt, since the server may bill it.
type budget struct {
	maxUSD    float64 // 0 means no limit
	maxTokens int     // 0 means no limit

	spent    amount
	reserved amount
	inFlight int
	stopped  *BudgetError
}

type amount struct{ usd, tokens float64 }

func (s amount) add(t amount) amount { return amount{s.usd + t.usd, s.tokens + t.tokens} }

// A price is in USD per prompt and reply token.
type price struct{ in, out float64 }

func (p price) cost(prompt, reply int) amount {
	return amount{float64(prompt)*p.in + float64(reply)*p.out, float64(prompt) + float64(reply)}
}

func (b *budget) isLimited() bool { return b.maxUSD > 0 || b.maxTokens > 0 }

// delay returns 0 if a request of an estimated cost may be sent.
func (b *budget) delay(cost amount) (time.Duration, error) {
	if b.stopped == nil {
		b.stopped = b.exceeded(b.spent.add(cost))
	}
	switch {
	case b.stopped != nil:
		return 0, b.stopped
	case b.exceeded(b.spent.add(b.reserved).add(cost)) != nil:
		return untilChange, nil //nolint:nilerr // the end of another request frees what it reserved
	}
	return 0, nil
}

// reserve sets aside the estimated cost of a request.
func (b *budget) reserve(cost amount) {
	b.reserved = b.reserved.add(cost)
	b.inFlight++
}

// exceeded returns an error if s exceeds a limit, or nil.
func (b *budget) exceeded(s amount) *BudgetError {
	if b.maxUSD > 0 && s.usd > b.maxUSD {
		return &BudgetError{Unit: "USD", Limit: b.maxUSD, Spent: b.spent.usd}
	}
	if b.maxTokens > 0 && s.tokens > float64(b.maxTokens) {
		return &BudgetError{Unit: "tokens", Limit: float64(b.maxTokens), Spent: b.spent.tokens}
	}
	return nil
}

// settle replaces a reservation with the actual cost of the request.
func (b *budget) settle(reserved, cost amount) {
	b.spent = b.spent.add(cost)
	b.inFlight--
	b.reserved = b.reserved.add(amount{-reserved.usd, -reserved.tokens})
	if b.inFlight == 0 {
		b.reserved = amount{} // discard rounding errors
	}
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

// Price returns the list price of a model in USD per million prompt and reply tokens. It ignores
// everything up to the last slash of the name and uses the longest listed name that is followed by
// the end, a dash, a colon or an @, so dated versions match. Meta's open models are listed at the
// price of one large provider.
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
