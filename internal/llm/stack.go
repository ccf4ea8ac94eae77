package llm

import (
	"errors"
	"fmt"
	"time"
)

// Options configure a Stack.
type Options struct {
	Client Config
	Clock  Clock

	Retries         int           // after the first attempt
	MaxWait         time.Duration // longest wait that the server may ask for; 0 means a minute
	MaxOutputTokens int           // limit when a truncated reply is requested again; 0 means 16384, or 65536 with reasoning

	RPM, TPM  int     // per minute; 0 means no limit
	MaxCost   float64 // USD; 0 means no limit
	MaxTokens int     // 0 means no limit
	// Price is in USD per million tokens of prompt and of reply. If it is nil and
	// MaxCost is set, the function Price must know the model.
	Price *[2]float64

	Cache   *Cache // may be nil
	OnRetry func(err error, wait time.Duration)
	// OnLimit is called once if the server silently truncates prompts that exceed its
	// context window, with the number of tokens that it reads and the number of earlier
	// replies that were to a truncated prompt. It may be nil.
	OnLimit func(tokens, missed int)
	// OnDowngrade is called when the server rejects the way in which JSON is
	// requested. It may be nil.
	OnDowngrade func(Downgrade)
}

// A Stack is a Client with all its decorators. From the outermost to the innermost:
//
//	originalUsage  reports for a cached reply what it cost originally
//	Meter          sums up the usage of every call, also of failed ones
//	Cache          a hit costs nothing and does not wait, not even for an open breaker
//	ReplyRetry          repeats requests whose reply was truncated or unreadable
//	WindowDetector turns replies to a silently truncated prompt into errors
//	Retry          resends after transient errors
//	Breaker        sees every attempt, so that a dead server ends the run and not just
//	               a row, and wakes callers that sleep in Retry and RateLimiter
//	Budget         reserves the cost of an attempt before it waits for RateLimiter
//	RateLimiter    waits last: what leaves it is sent immediately
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
	online  Completer // Retry and everything below
	clients []*Client
}

// Close closes idle connections. The cache stays open: it belongs to the caller.
func (s *Stack) Close() {
	for _, c := range s.clients {
		c.Close()
	}
}

// New returns a Stack; it sends nothing. It fails as NewClient does, and if there is
// a MaxCost but no known price.
func New(o Options) (*Stack, error) {
	if o.Clock == nil {
		return nil, errors.New("no clock")
	}
	c, err := NewClient(o.Client)
	if err != nil {
		return nil, err
	}
	c.notify = o.OnDowngrade
	s := &Stack{Client: c, Meter: &Meter{}, Breaker: NewBreaker(o.Clock), Budget: NewBudget(o.MaxCost, o.MaxTokens), Tokens: c.tokens, opts: o, clients: []*Client{c}}
	s.RateLimiter = NewRateLimiter(o.RPM, o.TPM, s.Breaker.Clock(o.Clock))
	layers, err := s.layers(o)
	if err != nil {
		return nil, err
	}
	s.online = Wrap(c, s.Tokens.Text, layers...)
	s.Completer = s.wrap(s.online, false)
	return s, nil
}

// wrap adds the decorators above Retry to next. fixed is ReplyRetry.Fixed.
func (s *Stack) wrap(next Completer, fixed bool) Completer {
	s.window = NewWindowDetector(next, s.Tokens.Text, s.opts.OnLimit)
	next = &ReplyRetry{Next: s.window, MaxOutputTokens: s.opts.MaxOutputTokens, Deterministic: fixed}
	if s.opts.Cache != nil {
		next = s.opts.Cache.Completer(next, s.Client.Endpoint(), s.Client.Model())
	}
	return originalUsage{Wrap(next, nil, s.Meter)}
}

// layers returns the layers from Retry to RateLimiter, with the price of o's model.
func (s *Stack) layers(o Options) ([]Layer, error) {
	in, out, known := o.price()
	if o.MaxCost > 0 && !known {
		return nil, fmt.Errorf("unknown price for model %q: set its price or remove the cost limit", o.Client.Model)
	}
	return []Layer{
		&Retry{Retries: o.Retries, MaxWait: o.MaxWait, Clock: s.Breaker.Clock(o.Clock), Notify: o.OnRetry},
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

// Embedder returns an embedding model with the same decorators, sharing the stack's
// meter, budget and cache. Call it before the stack is used. On another server it
// has its own breaker and pace. Endpoint, key and timeout default to those of the
// stack. The returned endpoint contains no secrets.
func (s *Stack) Embedder(c Config) (e Embedder, endpoint string, err error) {
	if c.BaseURL == "" {
		c.BaseURL, c.AzureAPIVersion = s.opts.Client.BaseURL, s.opts.Client.AzureAPIVersion
		if c.APIKey == "" {
			c.APIKey = s.opts.Client.APIKey
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

// Limit returns the number of tokens of a prompt and its reply above which the server
// silently truncates, or 0 if no such limit was detected.
func (s *Stack) Limit() int { return s.window.Limit() }

// Cost returns what has been spent, in USD by the known prices and in tokens.
func (s *Stack) Cost() (usd float64, tokens int) { return s.Budget.Spent() }
