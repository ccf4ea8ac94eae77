package llm

import (
	"context"
	"errors"
	"fmt"
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
	// OnConcurrency is called when the limit is lowered for the first time because the
	// server does not keep up. It may be nil.
	OnConcurrency func(limit int)
	// OnThrottled is called once, when 429s make the run wait for a noticeable time. It may
	// be nil.
	OnThrottled func(error)

	RPM, TPM  int     // requests and tokens per minute; 0 means unlimited
	MaxCost   float64 // USD; 0 means unlimited
	MaxTokens int     // 0 means unlimited
	// Price is the price in USD per million prompt and reply tokens. It defaults to the
	// list price, and is required with MaxCost if that is unknown.
	Price *[2]float64

	Cache   *Cache // optional
	OnRetry func(err error, wait time.Duration)
	// OnLimit is called once if the server silently truncates prompts that exceed its
	// context window. tokens is the size of the window and missed the number of earlier
	// replies to truncated prompts. It may be nil.
	OnLimit func(tokens, missed int)
	// OnDowngrade is called when the server rejects a JSON format. It may be nil.
	OnDowngrade func(Downgrade)
	// OnEffortRefused is called once if the server refuses the reasoning effort, which is
	// then omitted. It may be nil.
	OnEffortRefused func(error)
}

// A Stack is a Client with all its decorators. From the outermost to the innermost:
//
//	originalUsage  reports the original cost of cached replies
//	Meter          adds up the usage of all calls, including failed ones
//	Cache          a hit costs nothing and does not wait, not even for an open breaker
//	ReplyRetry     retries requests whose reply was truncated or unreadable
//	WindowDetector turns replies to a silently truncated prompt into errors
//	requestLimit   fits requests to the server's limit of tokens per minute
//	Retry          resends after transient errors
//	Breaker        sees every attempt, so that a dead server ends the run instead of a
//	               single row, and wakes callers that sleep in Retry and RateLimiter
//	Budget         reserves the cost of an attempt before it waits for RateLimiter
//	RateLimiter    limits requests in flight and per minute; waits last, so that requests
//	               are sent immediately afterwards
//	Client         sends
type Stack struct {
	Completer
	Client      *Client
	Meter       *Meter
	Breaker     *Breaker
	Budget      *Budget
	RateLimiter *RateLimiter
	Tokens      *Tokens

	opts    Options
	window  *WindowDetector
	retry   *ReplyRetry
	online  Completer // requestLimit and everything below
	clients []*Client
}

// Close closes idle connections. The cache stays open: it belongs to the caller.
func (s *Stack) Close() {
	for _, c := range s.clients {
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
	c.notify, c.notifyEffort = o.OnDowngrade, o.OnEffortRefused
	s := &Stack{Client: c, Meter: &Meter{}, Breaker: NewBreaker(o.Clock), Budget: NewBudget(o.MaxCost, o.MaxTokens), Tokens: c.tokens, opts: o, clients: []*Client{c}}
	s.RateLimiter = NewRateLimiter(o.RPM, o.TPM, s.Breaker.Clock(o.Clock))
	s.RateLimiter.onThrottled = o.OnThrottled
	if o.Concurrency > 0 {
		s.RateLimiter.slots = newSlots(o.Concurrency, o.Client.Timeout, s.Breaker, o.OnConcurrency)
	}
	layers, err := s.layers(o)
	if err != nil {
		return nil, err
	}
	s.online = &requestLimit{next: Wrap(c, s.Tokens.Text, layers...), tokens: s.Tokens.Text}
	s.Completer = s.wrap(s.online, false)
	return s, nil
}

// wrap adds the decorators above Retry to next. fixed is
// ReplyRetry.Deterministic.
func (s *Stack) wrap(next Completer, fixed bool) Completer {
	s.window = NewWindowDetector(next, s.Tokens.Text, s.opts.OnLimit)
	s.retry = s.replyRetry(s.window, fixed)
	next = s.retry
	if s.opts.Cache != nil {
		next = s.opts.Cache.Completer(next, s.Client.Endpoint(), s.Client.ModelKey())
	}
	return originalUsage{Wrap(next, nil, s.Meter)}
}

// replyRetry returns a ReplyRetry for the model of s, which learns from earlier
// runs how much the model reasons.
func (s *Stack) replyRetry(next Completer, fixed bool) *ReplyRetry {
	o := &s.opts
	p := &ReplyRetry{Next: next, MaxOutputTokens: o.MaxOutputTokens, Deterministic: fixed}
	if _, ok := familyOf(o.Client.Model); ok && o.Client.ReasoningEffort != "none" {
		p.Allowance = min(max(minAllowance, allowanceFactor*typicalReasoning(o.Client.ReasoningEffort)), maxReasoning)
	}
	p.Probe = p.Allowance == 0 && !answersDirectly(o.Client.Model)
	if o.Cache != nil {
		key := sha256Hex(s.Client.Endpoint() + "\x00" + s.Client.ModelKey())
		p.Load = func(ctx context.Context) Reasoning { return o.Cache.loadReasoning(ctx, key) }
		p.Save = func(ctx context.Context, r Reasoning) { o.Cache.saveReasoning(ctx, key, r) }
	}
	return p
}

// Reasoning returns the reasoning to expect of the model: as measured in earlier
// runs, or with Replies 0 as typical of models with such a name. known is false
// if the model may reason, but nothing is known about it.
func (s *Stack) Reasoning(ctx context.Context) (r Reasoning, known bool) {
	p := s.replyRetry(nil, false)
	if p.Load != nil {
		r = p.Load(ctx)
	}
	if r.Replies == 0 && p.Allowance > 0 {
		r.Mean = typicalReasoning(s.opts.Client.ReasoningEffort)
	}
	return r, r.Replies > 0 || !p.Probe
}

// layers returns the layers from Retry to RateLimiter, with the price of o's
// model.
func (s *Stack) layers(o Options) ([]Layer, error) {
	in, out, known := o.price()
	if o.MaxCost > 0 && !known {
		return nil, fmt.Errorf("unknown price for model %q: set its price or remove the cost limit", o.Client.Model)
	}
	return []Layer{
		&Retry{Retries: o.Retries, Clock: s.Breaker.Clock(o.Clock), Notify: o.OnRetry},
		s.Breaker, s.Budget.Layer(in, out), s.RateLimiter,
	}, nil
}

// price returns the model's price in USD per million tokens.
func (o Options) price() (in, out float64, known bool) {
	if o.Price != nil {
		return o.Price[0], o.Price[1], true
	}
	return Price(o.Client.Model)
}

// Embedder returns an embedding model with the same decorators, which shares
// the meter, budget and cache of s. On another server it has its own breaker
// and rate limiter. Endpoint, key and timeout default to those of s. Headers and
// certificate are those of s on the same host, and none on others. The returned
// endpoint contains no secrets. Embedder must be called before s is used.
func (s *Stack) Embedder(c Config) (e Embedder, endpoint string, err error) {
	ownKey := c.APIKey != ""
	if c.BaseURL == "" {
		c.BaseURL = s.opts.Client.BaseURL
		if c.APIKey == "" {
			c.APIKey = s.opts.Client.APIKey
		}
	}
	if sameHost(c.BaseURL, s.opts.Client.BaseURL) {
		if c.Headers, c.Certificate = s.opts.Client.Headers, s.opts.Client.Certificate; ownKey {
			c.Headers = c.Headers.withoutKey()
		}
	}
	if c.Timeout == 0 {
		c.Timeout = s.opts.Client.Timeout
	}
	if c.HTTPClient == nil {
		c.HTTPClient = s.opts.Client.HTTPClient
	}
	client, err := NewClient(c)
	if err != nil {
		return nil, "", err
	}
	s.clients = append(s.clients, client)
	o, own := s.opts, *s
	o.Client, o.Price = c, nil
	if client.Endpoint() != s.Client.Endpoint() {
		own.Breaker = NewBreaker(o.Clock)
		own.RateLimiter = NewRateLimiter(0, 0, own.Breaker.Clock(o.Clock))
	}
	layers, err := own.layers(o)
	if err != nil {
		return nil, "", err
	}
	e = &BatchedEmbedder{Next: WrapEmbedder(client, NewTokens(c.Model).Text, layers...)}
	if o.Cache != nil {
		e = o.Cache.Embedder(e, client.Endpoint(), c.Model)
	}
	return WrapEmbedder(e, nil, s.Meter), client.Endpoint(), nil
}

// hopelessRows is the number of failed rows after which a run without any usable reply
// ends.
const hopelessRows = 8

// Hopeless counts rows that failed because a reply can't be used. It returns true from the
// eighth such row on, if no reply of the run could be used, cached ones included. err is the
// error of the row.
func (s *Stack) Hopeless(err error) bool {
	unusable := isA[*ParseError](err) || isA[*LengthError](err)
	return unusable && s.Meter.Total().CachedRequests == 0 && s.retry.budget.failRow() >= hopelessRows
}

// Limit returns the context window at which the server silently truncates, in
// tokens of prompt and reply, or 0 if none was detected.
func (s *Stack) Limit() int { return s.window.Limit() }

// Concurrency returns the lowest limit on requests in flight so far, or 0 if it was never
// lowered.
func (s *Stack) Concurrency() int {
	if s.RateLimiter.slots == nil {
		return 0
	}
	return s.RateLimiter.slots.reached()
}

// Cost returns the amount spent so far, in USD at known prices and in tokens.
func (s *Stack) Cost() (usd float64, tokens int) { return s.Budget.Spent() }
