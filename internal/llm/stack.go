package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Options configure a Stack.
type Options struct {
	Client Config
	Clock  Clock

	Retries         int // number of retries after the first attempt
	MaxOutputTokens int // upper bound for retries of truncated replies; defaults to 16384, or 65536 with reasoning

	// Concurrency is the maximum number of requests in flight. The actual limit adapts to
	// the server. 0 means unlimited.
	Concurrency int

	RPM, TPM  int     // requests and tokens per minute; 0 means unlimited
	MaxCost   float64 // USD; 0 means unlimited
	MaxTokens int     // 0 means unlimited
	// Price is the price in USD per million prompt and reply tokens. It defaults to the
	// list price, and is required with MaxCost if that is unknown.
	Price *[2]float64

	Cache   *Cache // optional
	OnRetry func(err error, wait time.Duration)
	// Notify is called once with each thing that users should know about the server, such as
	// what it does not support. It may be nil.
	Notify func(text string)
}

// A Stack asks a language model. From the outermost to the innermost, a request passes:
//
//	Meter          adds up the usage of all calls, including failed ones
//	Cache          a hit costs nothing and does not wait, not even for an open breaker
//	ReplyRetry     retries requests whose reply was truncated or unreadable
//	WindowDetector turns replies to a silently truncated prompt into errors
//	Client         sends, as its sender allows
type Stack struct {
	Completer
	Client *Client
	Meter  *Meter
	Tokens *Tokens

	opts      Options
	window    *WindowDetector
	retry     *ReplyRetry
	embedders []*Client
}

// Close closes idle connections. The cache stays open: it belongs to the caller.
func (s *Stack) Close() {
	for _, c := range append(s.embedders, s.Client) {
		c.Close()
	}
}

// New returns a Stack without contacting the server. It fails if NewClient
// fails, or if there is a MaxCost but no known price.
func New(o Options) (*Stack, error) {
	if o.Clock == nil {
		return nil, errors.New("no clock")
	}
	c, err := NewClient(o.Client)
	if err != nil {
		return nil, err
	}
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	c.notify = o.Notify
	if c.price, err = o.price(); err != nil {
		return nil, err
	}
	c.sender = newSender(o)
	s := &Stack{Client: c, Meter: &Meter{}, Tokens: c.tokens, opts: o}
	s.Completer = s.wrap(c, false)
	return s, nil
}

// newSender returns a sender with the limits of o.
func newSender(o Options) *sender {
	s := &sender{
		monitor: &monitor{changed: make(chan struct{})}, clock: o.Clock, retries: o.Retries, onRetry: o.OnRetry, notify: o.Notify,
		breaker: &breaker{}, budget: &budget{maxUSD: o.MaxCost, maxTokens: o.MaxTokens}, slots: newSlots(cmp.Or(o.Concurrency, math.MaxInt)),
		rate: newRateLimiter(o.RPM), deadlines: deadlines{inFlight: map[*deadline]struct{}{}},
	}
	if o.TPM > 0 {
		s.tokens = &tokenLimiter{limit: float64(o.TPM), reserved: map[*reservation]struct{}{}}
	}
	return s
}

// wrap adds the decorators above the Client to next. fixed is ReplyRetry.Deterministic.
func (s *Stack) wrap(next Completer, fixed bool) Completer {
	s.window = NewWindowDetector(next, s.Tokens.Text, func(tokens int) {
		s.opts.Notify(fmt.Sprintf("warning: the server reads at most %d tokens of a request and silently drops the rest: "+
			"longer rows are judged in parts, with more requests; a larger context window avoids that (Ollama: OLLAMA_CONTEXT_LENGTH)", tokens))
	})
	s.retry = s.replyRetry(s.window, fixed)
	next = s.retry
	if s.opts.Cache != nil {
		next = s.opts.Cache.Completer(next, s.Client.Endpoint(), s.Client.ModelKey())
	}
	return &metered{next, s.Meter}
}

// replyRetry returns a ReplyRetry for the model of s.
func (s *Stack) replyRetry(next Completer, fixed bool) *ReplyRetry {
	o := &s.opts
	p := &ReplyRetry{Next: next, MaxOutputTokens: o.MaxOutputTokens, Deterministic: fixed}
	if _, ok := familyOf(o.Client.Model); ok && o.Client.ReasoningEffort != "none" {
		p.Allowance = min(max(minAllowance, allowanceFactor*typicalReasoning(o.Client.ReasoningEffort)), maxReasoning)
	}
	return p
}

// Reasoning returns the reasoning tokens per request that are typical of models with the
// name of the model. known is false if the model may reason, but nothing is known about it.
func (s *Stack) Reasoning() (tokens int, known bool) {
	if s.retry.Allowance > 0 {
		tokens = typicalReasoning(s.opts.Client.ReasoningEffort)
	}
	return tokens, tokens > 0 || answersDirectly(s.opts.Client.Model)
}

// price returns the price of the model, or an error if it is unknown but required.
func (o Options) price() (price, error) {
	in, out, known := Price(o.Client.Model)
	if o.Price != nil {
		in, out, known = o.Price[0], o.Price[1], true
	}
	if o.MaxCost > 0 && !known {
		return price{}, fmt.Errorf("unknown price for model %q: set its price or remove the cost limit", o.Client.Model)
	}
	return price{in / 1e6, out / 1e6}, nil
}

// Embedder returns an embedding model, which shares the budget, meter and cache of s. On another
// server it has its own breaker, and the limits per minute and on concurrency don't apply to it.
// Endpoint, key and timeout default to those of s. Headers are those of s on the same host, and none
// on others. The returned endpoint contains no secrets. Embedder must be called before s is used.
func (s *Stack) Embedder(c Config) (e Embedder, endpoint string, err error) {
	ownKey := c.APIKey != ""
	if c.BaseURL == "" {
		c.BaseURL, c.APIKey = s.opts.Client.BaseURL, cmp.Or(c.APIKey, s.opts.Client.APIKey)
	}
	if sameHost(c.BaseURL, s.opts.Client.BaseURL) {
		if c.Headers = s.opts.Client.Headers; ownKey {
			c.Headers = c.Headers.withoutKey()
		}
	}
	c.Timeout = cmp.Or(c.Timeout, s.opts.Client.Timeout)
	client, err := NewClient(c)
	if err != nil {
		return nil, "", err
	}
	o := s.opts
	o.Client, o.Price = c, nil
	if client.price, err = o.price(); err != nil {
		return nil, "", err
	}
	client.sender = s.Client.sender
	if client.Endpoint() != s.Client.Endpoint() {
		o.RPM, o.TPM, o.Concurrency, o.Notify = 0, 0, 0, func(string) {}
		client.sender = newSender(o)
		client.sender.monitor, client.sender.budget = s.Client.sender.monitor, s.Client.sender.budget
	}
	s.embedders = append(s.embedders, client)
	return &embedder{client, o.Cache, s.Meter}, client.Endpoint(), nil
}

// hopelessRows is the number of failed rows after which a run without any usable reply ends.
const hopelessRows = 8

// Hopeless counts rows that failed because a reply can't be used. It returns true from the
// eighth such row on, if no reply of the run could be used, cached ones included. err is the
// error of the row.
func (s *Stack) Hopeless(err error) bool {
	unusable := isA[*ParseError](err) || isA[*LengthError](err)
	return unusable && s.Meter.Total().CachedRequests == 0 && s.retry.failRow() >= hopelessRows
}

// Limit returns the context window at which the server silently truncates, in
// tokens of prompt and reply, or 0 if none was detected.
func (s *Stack) Limit() int { return s.window.Limit() }

// Concurrency returns the lowest limit on requests in flight so far, or 0 if it was never lowered.
func (s *Stack) Concurrency() int {
	m := s.Client.sender
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.slots.reached()
}

// Cost returns the amount spent so far, in USD at known prices and in tokens.
func (s *Stack) Cost() (usd float64, tokens int) {
	m := s.Client.sender
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.budget.spent.usd, int(min(m.budget.spent.tokens, 1<<62))
}

// metered meters the calls of a Completer. It reports the original cost of cached replies:
// the usage of a row then does not depend on whether it, another row or an earlier run paid
// for the reply.
type metered struct {
	next  Completer
	meter *Meter
}

// Complete implements Completer.
func (m *metered) Complete(ctx context.Context, r *Request) (*Reply, error) {
	reply, err := m.next.Complete(ctx, r)
	if err != nil {
		m.meter.add(UsageOf(err))
		return nil, err
	}
	m.meter.add(reply.Usage)
	if reply.Cached {
		out := *reply
		out.Usage = reply.OriginalUsage
		return &out, nil
	}
	return reply, nil
}
