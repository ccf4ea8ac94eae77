package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// Config says which model is asked, and where.
type Config struct {
	BaseURL         string // empty for OpenAI's own; Azure's forms are known by their look
	Model           string
	APIKey          string // may be empty
	AzureAPIVersion string // makes any base URL an Azure one; empty for Azure's usual
	Org             string // sent as OpenAI-Organization
	Timeout         time.Duration
	// HTTPClient brings its own transport; nil for one that takes proxies from the
	// environment. Redirects to other hosts are never followed.
	HTTPClient *http.Client
}

// String shows no key, and so does every other way of printing a Config.
func (c Config) String() string { return fmt.Sprintf("llm.Config{%s at %s}", c.Model, c.shown()) }

// shown is the base URL without a password or a query.
func (c Config) shown() string {
	e, err := newEndpoint(c.BaseURL, c.AzureAPIVersion)
	if err != nil {
		return "an unusable base URL"
	}
	return e.name
}

// GoString is String.
func (c Config) GoString() string { return c.String() }

// MarshalJSON writes a Config without its key.
func (c Config) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"base_url": c.shown(), "model": c.Model, "timeout": c.Timeout.String()})
}

// minOutputTokens is the least room for a reply that is worth a request, in tokens.
const minOutputTokens = 256

// maxFormAttempts is how many forms of a request are tried. Six parameters, two formats
// and two names of the room are fewer; a server may find fault without end.
const maxFormAttempts = 16

// A Client asks one model of one server. A call sends one request, and more only if
// the server refuses its form: JSON by schema, then JSON mode, then the schema in
// the prompt alone; and without the parameters that the model does not take. What
// the server takes is remembered. Nothing else is retried here.
type Client struct {
	api     *openai.Client
	wire    *wire
	at      endpoint
	model   string
	timeout time.Duration
	tokens  *Tokens

	mu         sync.Mutex
	form       form
	formStats       // of form
	noGuess    bool // no form helped where the server did not say what it refuses
	downgrades []Downgrade
	notify     func(Downgrade) // may be nil
	turn       chan struct{}   // holds a token while a call finds the form that the server takes
}

// NewClient checks c; nothing is sent. It fails for a base URL that is none and
// for a missing model.
func NewClient(c Config) (*Client, error) {
	if c.Model == "" {
		return nil, errors.New("no model is named")
	}
	at, err := newEndpoint(c.BaseURL, c.AzureAPIVersion)
	if err != nil {
		return nil, err
	}
	header := ""
	if at.azure {
		header = c.APIKey
	}
	w := newWire(c.HTTPClient, []string{c.APIKey, at.secret}, header)
	cfg := openai.DefaultConfig(c.APIKey)
	if at.azure {
		cfg = openai.DefaultAzureConfig(c.APIKey, at.base)
		cfg.AzureModelMapperFunc = func(model string) string {
			if at.deployment != "" {
				return at.deployment
			}
			return model
		}
	}
	cfg.BaseURL, cfg.APIType, cfg.APIVersion, cfg.OrgID, cfg.HTTPClient = at.base, at.kind, at.version, c.Org, w
	return &Client{
		api: openai.NewClientWithConfig(cfg), wire: w, at: at, model: c.Model, timeout: c.Timeout,
		tokens: NewTokens(c.Model), turn: make(chan struct{}, 1),
	}, nil
}

// Endpoint is the base URL, without secrets.
func (c *Client) Endpoint() string { return c.at.name }

// Model is the model's name.
func (c *Client) Model() string { return c.model }

// String is the model and the endpoint.
func (c *Client) String() string { return c.model + " at " + c.at.name }

// GoString is String, so that %#v shows no key either.
func (c *Client) GoString() string { return c.String() }

// Close lets go of idle connections.
func (c *Client) Close() { c.wire.CloseIdleConnections() }

// Complete asks once. Its errors are *ParseError, *LengthError, *RefusalError,
// *ContextLengthError, *StatusError, *NetworkError, *TimeoutError and the
// context's; UsageOf tells what they cost.
func (c *Client) Complete(ctx context.Context, r *Request) (*Reply, error) {
	n := negotiation{c: c, schema: r.Schema != nil}
	defer n.end()
	f, err := n.begin(ctx)
	if err != nil {
		return nil, err
	}
	var used usage.Usage
	var doubt error // what the server said before a guess
	for {
		res, sent, err := c.send(ctx, r, f)
		used.Requests += sent
		if err == nil {
			n.succeed(f)
			used = used.Add(c.replyUsage(r, res))
			return c.read(r, f, res, used)
		}
		final, room := classify(err)
		if used.Requests >= maxFormAttempts {
			return nil, withUsage(final, used)
		}
		if room >= minOutputTokens && (f.maxOutput == 0 || room < f.maxOutput) && r.MaxTokens > room {
			short := *r
			short.MaxTokens = room
			r = &short
			continue
		}
		if f.bounded(r) && refusesForm(final) {
			f.noBounds = true // bounds are less often known than schemas
			continue
		}
		next, guess, ok := adapt(f, r.Schema != nil, final)
		switch {
		case !ok:
		case sent == 0: // go-openai refused it, which is certain
			f = next
			continue
		default:
			if next, ok, err = n.refused(ctx, f, next, guess, final); err != nil {
				return nil, withUsage(err, used)
			}
		}
		if !ok {
			if doubt != nil && !Transient(final) {
				n.guessedWrong()
				final = doubt
			}
			return nil, withUsage(final, used)
		}
		if guess && doubt == nil {
			doubt = final
		} else if !guess {
			doubt = nil
		}
		f = next
	}
}

// send makes one request; sent is 0 if go-openai would not let it go.
func (c *Client) send(ctx context.Context, r *Request, f form) (res openai.ChatCompletionResponse, sent int, err error) {
	try := ctx
	if c.timeout > 0 {
		var cancel context.CancelFunc
		try, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	res, err = c.api.CreateChatCompletion(try, c.request(r, f))
	switch {
	case err == nil:
		return res, 1, nil
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated),
		errors.Is(err, openai.ErrReasoningModelLimitationsOther),
		errors.Is(err, openai.ErrReasoningSamplingUnsupported),
		errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return res, 0, err
	}
	return res, 1, c.failure(ctx, err)
}

// failure names the errors of one try: the caller's own end, the end of the try's
// time, an answer that go-openai can't read.
func (c *Client) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &TimeoutError{After: c.timeout}
	}
	if _, ok := errors.AsType[*StatusError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*NetworkError](err); ok {
		return err
	}
	return &StatusError{Status: http.StatusOK, Message: "what it sent is not a reply: " + c.wire.transport(err)}
}

func (c *Client) request(r *Request, f form) openai.ChatCompletionRequest {
	q := openai.ChatCompletionRequest{Model: c.model, Messages: messages(r, f)}
	switch room := f.outputTokens(r); f.tokenParam {
	case maxTokens:
		q.MaxTokens = room //nolint:staticcheck // the name that most servers know
	case maxCompletionTokens:
		q.MaxCompletionTokens = room
	case noMaxTokens:
	}
	if !f.noTemperature {
		q.Temperature = max(float32(r.Temperature), math.SmallestNonzeroFloat32)
	}
	if r.Seed != 0 && !f.noSeed {
		q.Seed = &r.Seed
	}
	if r.Schema == nil {
		return q
	}
	switch f.format {
	case bySchema:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: r.Schema.Name, Schema: f.schema(r), Strict: true},
		}
	case byMode:
		q.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	case byPrompt:
	}
	return q
}

// messages tells the schema to a model that is not sent it otherwise, at the end
// of what the system says: the texts that are judged stay the last word, and the
// front of the prompt is the same in every request.
func messages(r *Request, f form) []openai.ChatCompletionMessage {
	told := r.Messages
	if r.Schema != nil && (f.format != bySchema || f.schemaInPrompt) {
		told = withSystem(told, "Reply with one JSON value and nothing else. It must satisfy this JSON Schema:\n"+string(f.schema(r)))
	}
	out := make([]openai.ChatCompletionMessage, 0, len(told))
	system := ""
	for _, m := range told {
		text := m.Text
		if f.noSystem && m.Role == System {
			system += text + "\n\n"
			continue
		}
		out = append(out, openai.ChatCompletionMessage{Role: string(m.Role), Content: system + text})
		system = ""
	}
	if system != "" {
		out = append(out, openai.ChatCompletionMessage{Role: string(User), Content: strings.TrimSpace(system)})
	}
	return out
}

// withSystem adds a paragraph to the first system message, or makes one.
func withSystem(ms []Message, text string) []Message {
	if len(ms) == 0 || ms[0].Role != System {
		return append([]Message{{System, text}}, ms...)
	}
	out := append([]Message(nil), ms...)
	out[0].Text += "\n\n" + text
	return out
}

// read takes the reply out of an answer, without the key. The key is removed from
// what was read, so that it can't change how a reply is read.
func (c *Client) read(r *Request, f form, res openai.ChatCompletionResponse, used usage.Usage) (*Reply, error) {
	reply, err := c.readReply(r, f, res, used)
	if reply != nil {
		reply.Text, reply.JSON = c.wire.fromReply(reply.Text), c.wire.fromJSON(reply.JSON)
	}
	if e, ok := errors.AsType[*ParseError](err); ok {
		e.Reason, e.Text, e.Partial = c.wire.fromError(e.Reason), c.wire.fromError(e.Text), c.wire.fromJSON(e.Partial)
	}
	if e, ok := errors.AsType[*RefusalError](err); ok {
		e.Message = c.wire.fromError(e.Message)
	}
	return reply, err
}

func (c *Client) readReply(r *Request, f form, res openai.ChatCompletionResponse, used usage.Usage) (*Reply, error) {
	if len(res.Choices) == 0 {
		return nil, withUsage(&ParseError{Reason: "the answer has no choices"}, used)
	}
	choice := res.Choices[0]
	text := messageText(choice.Message)
	switch {
	case choice.Message.Refusal != "":
		return nil, withUsage(&RefusalError{Reason: "refusal", Message: shorten(choice.Message.Refusal, 300)}, used)
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return nil, withUsage(&RefusalError{Reason: "content_filter"}, used)
	}
	thought := hasReasoning(text) || choice.Message.ReasoningContent != "" ||
		res.Usage.CompletionTokensDetails != nil && res.Usage.CompletionTokensDetails.ReasoningTokens > 0
	reply := &Reply{Text: text, Usage: used, reasoned: thought}
	full := truncated(string(choice.FinishReason))
	tooShort := func() error {
		answer, begun := Answer(text)
		begun = begun && strings.TrimSpace(answer) != ""
		return withUsage(&LengthError{
			Limit: f.outputTokens(r), Reasoning: !begun, reasoned: thought,
			prose: begun && !thought && r.Schema != nil && !startsWithJSON(answer),
		}, used)
	}
	if r.Schema == nil {
		if full && (r.Accept == nil || !isFinalAnswer(text)) {
			return nil, tooShort()
		}
		if r.Accept != nil {
			if err := r.Accept(text); err != nil {
				return nil, withUsage(&ParseError{Reason: err.Error(), Text: text}, used)
			}
		}
		return reply, nil
	}
	if full {
		// Output tokens that end after the last brace do no harm.
		if answer, ok := Answer(text); ok {
			reply.JSON = parseWhole(answer, r.Schema)
		}
		if reply.JSON == nil {
			reply.JSON = parseWhole(text, r.Schema)
		}
		if reply.JSON == nil {
			return nil, tooShort()
		}
		c.saw(f, nil)
		return reply, nil
	}
	v, err := parse(text, r.Schema, func(raw string) bool { return inUserMessage(raw, r.Messages) })
	c.saw(f, err)
	if err != nil {
		return nil, withUsage(err, used)
	}
	reply.JSON = v
	return reply, nil
}

// said is a message's text, in whichever of its fields it stands.
func messageText(m openai.ChatCompletionMessage) string {
	var b strings.Builder
	b.WriteString(m.Content)
	for _, p := range m.MultiContent {
		b.WriteString(p.Text)
	}
	if b.Len() == 0 && len(m.ToolCalls) > 0 {
		return m.ToolCalls[0].Function.Arguments
	}
	return b.String()
}

// inUserMessage says that raw stands in what the model was given as data.
func inUserMessage(raw string, ms []Message) bool {
	for _, m := range ms {
		if m.Role == User && strings.Contains(m.Text, raw) {
			return true
		}
	}
	return false
}
