package llm

import (
	"errors"
	"fmt"
	"time"
)

// Options are a run's settings for one server.
type Options struct {
	Client Config
	Clock  Clock

	Retries int           // after the first try; 0 is none
	WaitCap time.Duration // the longest wait that the server may ask for; 0 for a minute
	MaxRoom int           // output tokens that a truncated reply may grow to; 0 for 16384, and 65536 with reasoning

	RPM, TPM  int     // per minute; 0 for no limit
	MaxCost   float64 // USD; 0 for no limit
	MaxTokens int     // 0 for no limit
	// Price is in USD per million tokens of prompt and of reply. Where it is nil, and
	// there is a MaxCost, the model must be one that Price knows.
	Price *[2]float64

	Cache   *Cache // nil for none
	OnRetry func(err error, wait time.Duration)
	// OnLimit is called once if the server drops what does not fit its context window
	// without an error, with the tokens that it reads and the number of replies before
	// that were to a part of their prompt; it may be nil.
	OnLimit func(tokens, missed int)
	// OnDowngrade is called when the server turns out to refuse the way in which
	// JSON is asked for; may be nil.
	OnDowngrade func(Downgrade)
}

// A Stack is a Client in all its decorators, and the handles to them. They stand
// so, the outermost first:
//
//	replayed gives what a cache answered the usage that it had when it was made
//	meter    counts what each call cost in all, failed calls too
//	cache    a hit costs nothing and waits for nothing: not even for an open breaker
//	reask    a reply truncated or unreadable is asked for again; each try goes through all below
//	windowed a reply to a part of a prompt is an error: the server dropped the rest
//	retry    what fails for now is sent again; each try goes through all below
//	breaker  sees each try, so that a dead server ends the run and not just a row;
//	         wakes those who wait in retry and pace
//	budget   holds what a try may cost before it waits for its turn
//	pace     the last to wait: what leaves it is sent at once
//	client   sends
type Stack struct {
	Completer
	Client  *Client
	Meter   *Meter
	Breaker *Breaker
	Budget  *Budget
	Pace    *Pace
	Tokens  *Tokens

	o       Options
	window  *Windowed
	online  Completer // retry and all below
	clients []*Client
}

// Close lets go of idle connections. The cache stays open: it is the caller's.
func (s *Stack) Close() {
	for _, c := range s.clients {
		c.Close()
	}
}

// New puts a Stack together; nothing is sent. It fails as NewClient does, and for
// a MaxCost without a price.
func New(o Options) (*Stack, error) {
	if o.Clock == nil {
		return nil, errors.New("no clock")
	}
	c, err := NewClient(o.Client)
	if err != nil {
		return nil, err
	}
	c.notify = o.OnDowngrade
	s := &Stack{Client: c, Meter: &Meter{}, Breaker: NewBreaker(o.Clock), Budget: NewBudget(o.MaxCost, o.MaxTokens), Tokens: c.tokens, o: o, clients: []*Client{c}}
	s.Pace = NewPace(o.RPM, o.TPM, s.Breaker.Clock(o.Clock))
	layers, err := s.layers(o)
	if err != nil {
		return nil, err
	}
	s.online = Layered(c, s.Tokens.Text, layers...)
	s.Completer = s.over(s.online, false)
	return s, nil
}

// over puts what stands above retry over next. fixed is Reask.Fixed.
func (s *Stack) over(next Completer, fixed bool) Completer {
	s.window = NewWindowed(next, s.Tokens.Text, s.o.OnLimit)
	next = &Reask{Next: s.window, MaxRoom: s.o.MaxRoom, Fixed: fixed}
	if s.o.Cache != nil {
		next = s.o.Cache.Completer(next, s.Client.Endpoint(), s.Client.Model())
	}
	return replayed{Layered(next, nil, s.Meter)}
}

// layers are retry to pace, with the price of o's model.
func (s *Stack) layers(o Options) ([]Layer, error) {
	in, out, known := o.price()
	if o.MaxCost > 0 && !known {
		return nil, fmt.Errorf("no price is known for the model %q: give its price, or no limit of cost", o.Client.Model)
	}
	return []Layer{
		&Retry{Retries: o.Retries, Cap: o.WaitCap, Clock: s.Breaker.Clock(o.Clock), Notify: o.OnRetry},
		s.Breaker, s.Budget.At(in, out), s.Pace,
	}, nil
}

// price is the model's, in USD per million tokens.
func (o Options) price() (in, out float64, known bool) {
	if o.Price != nil {
		return o.Price[0], o.Price[1], true
	}
	return Price(o.Client.Model)
}

// Embedder is an embedding model in the same decorators, with the stack's meter,
// budget and cache; it is made before the stack is used. On another server it has
// a breaker and a pace of its own. What c leaves out of endpoint, key and timeout
// is the stack's. The endpoint is returned without secrets.
func (s *Stack) Embedder(c Config) (e Embedder, endpoint string, err error) {
	if c.BaseURL == "" {
		c.BaseURL, c.AzureAPIVersion = s.o.Client.BaseURL, s.o.Client.AzureAPIVersion
		if c.APIKey == "" {
			c.APIKey = s.o.Client.APIKey
		}
	}
	if c.Timeout == 0 {
		c.Timeout = s.o.Client.Timeout
	}
	if c.HTTPClient == nil {
		c.HTTPClient = s.o.Client.HTTPClient
	}
	client, err := NewClient(c)
	if err != nil {
		return nil, "", err
	}
	s.clients = append(s.clients, client)
	o, own := s.o, *s
	o.Client, o.Price = c, nil
	if client.Endpoint() != s.Client.Endpoint() {
		own.Breaker = NewBreaker(o.Clock)
		own.Pace = NewPace(0, 0, own.Breaker.Clock(o.Clock))
	}
	layers, err := own.layers(o)
	if err != nil {
		return nil, "", err
	}
	e = &Batched{Next: LayeredEmbedder(client, NewTokens(c.Model).Text, layers...)}
	if o.Cache != nil {
		e = o.Cache.Embedder(e, client.Endpoint(), c.Model)
	}
	return LayeredEmbedder(e, nil, s.Meter), client.Endpoint(), nil
}

// Limit is how many tokens of a prompt and its reply the server was found to read
// before it drops text without an error; 0 for none found.
func (s *Stack) Limit() int { return s.window.Limit() }

// Cost is what has been spent by the prices known, in USD, and the tokens that
// were counted.
func (s *Stack) Cost() (usd float64, tokens int) { return s.Budget.Spent() }
