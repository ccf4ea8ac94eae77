package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A model is the language model of a run, or a stub in a dry run.
type model struct {
	llm.Completer
	prompts  *prompt.Set
	stack    *llm.Stack
	cache    *llm.Cache     // nil if disabled
	embedder llm.Embedder   // nil without a semantic cache
	local    *localEmbedder // the embedder if it is a local model, or nil
	embedURL string         // URL of the embedding server without secrets, or "" for a local model
	window   int            // context window in tokens that the server reports, or 0
	price    *[2]float64    // USD per million prompt and completion tokens, or nil if unknown

	reasoning      int  // expected tokens per request; set in a dry run only
	reasoningKnown bool // false if the model may reason for longer
}

// Complete implements llm.Completer. Its duration is limited by --timeout and --retries
// and does not count towards --row-timeout.
func (m *model) Complete(ctx context.Context, r *llm.Request) (*llm.Reply, error) {
	defer eval.Waiting(ctx)()
	return m.Completer.Complete(ctx, r)
}

// close closes connections and the cache. Errors of the cache never fail a run.
func (m *model) close() {
	if m == nil {
		return
	}
	m.stack.Close()
	if m.local != nil {
		_ = m.local.close()
	}
	if m.cache != nil {
		_ = m.cache.Close()
	}
}

// usageLine returns the requests, tokens and cost of the run on one line.
func (m *model) usageLine() string {
	u := m.stack.Meter.Total()
	line := fmt.Sprintf("usage: %s, %d cached, %d prompt tokens, %d completion tokens",
		report.Count(u.Requests, "request", "requests"), u.CachedRequests, u.PromptTokens, u.CompletionTokens)
	if u.Estimated {
		line += " (estimated: the server does not report its counts)"
	}
	if m.price != nil {
		usd, _ := m.stack.Cost()
		line += fmt.Sprintf(", $%.4f", usd)
	}
	return line
}

// spent returns the requests, tokens and cost of the run for the summary.
func (m *model) spent() *report.SummarySpent {
	s := &report.SummarySpent{
		Usage: m.stack.Meter.Total(), USD: math.NaN(), PromptLimit: m.stack.Limit(), Concurrency: m.stack.Concurrency(),
	}
	if m.price != nil {
		s.USD, _ = m.stack.Cost()
	}
	for _, d := range m.stack.Client.Downgrades() {
		s.Downgrades = append(s.Downgrades, report.SummaryDowngrade{From: d.From, To: d.To, Status: d.Status})
	}
	return s
}

// loadRetries is the number of retries while a server loads its model: with the delays of
// llm.Retry, about a minute and a half.
const loadRetries = 8

// newModel returns the model selected by the options, without sending a request. In a dry
// run, the model never sends requests and needs no key.
func (r *run) newModel(ctx context.Context) (*model, error) {
	o, sys, c := r.options, r.sys, r.console
	l := &o.LLM
	prompts, err := prompt.Load(l.Prompts)
	if err != nil {
		return nil, err
	}
	key, err := sys.key("api-key-env", l.KeyVariable, l.KeyRequired)
	if err != nil {
		return nil, err
	}
	client := llm.Config{BaseURL: l.BaseURL, Model: l.Model, APIKey: key, Timeout: l.Timeout, ReasoningTimeout: l.ReasoningTimeout}
	if err := l.extend(&client, sys, o.DryRun); err != nil {
		return nil, err
	}
	if key == "" && l.BaseURL == "" && !client.Headers.ReplaceKey() && !o.DryRun {
		const other = "use --base-url for another server, or --judge auto for a judge that needs no key"
		if l.KeyVariable == "" {
			return nil, errors.New("no key for the OpenAI API: --api-key-env is empty; " + other)
		}
		return nil, fmt.Errorf("no key for the OpenAI API: set %s; %s", l.KeyVariable, other)
	}
	window := 0
	switch {
	case l.Server == nil:
	case o.DryRun:
		client.Model = cmp.Or(l.Model, l.Server.Name)
	default:
		if client.Model, window, err = r.askServer(ctx, client); err != nil {
			return nil, err
		}
	}
	options := llm.Options{
		Client: client, Clock: sys.Clock, Concurrency: o.Concurrency, Retries: l.Retries, RPM: l.RPM, TPM: l.TPM,
		MaxCost: l.MaxCost, MaxTokens: l.MaxTokens, Price: l.Price, MaxOutputTokens: l.MaxOutputTokens,
	}
	if l.ReasoningEffort != EffortAuto {
		options.Client.ReasoningEffort = l.ReasoningEffort
	}
	if _, _, known := llm.Price(client.Model); l.MaxCost > 0 && l.Price == nil && !known && llm.IsNear(l.BaseURL) {
		options.Price = new([2]float64)
		r.warn(fmt.Errorf("--max-cost: the price of %s is assumed to be 0, since its server is local; set it with --price", client.Model))
	}
	if !o.Quiet {
		options.Notify = func(text string) { c.Printf("%s", text) }
	}
	if o.Verbose {
		options.OnRetry = func(err error, wait time.Duration) {
			c.Printf("retrying in %v: %v", wait.Round(time.Millisecond), err)
		}
	}
	if !o.DryRun && !l.NoCache {
		dir, err := sys.ReplyCache(l.Cache)
		if err != nil {
			return nil, err
		}
		options.Cache = llm.OpenCache(ctx, dir, options.Clock, r.warn)
	}
	stack, err := llm.New(options)
	if err != nil {
		if options.Cache != nil {
			_ = options.Cache.Close()
		}
		return nil, &exit.UsageError{Err: err}
	}
	m := &model{Completer: stack, prompts: prompts, stack: stack, cache: options.Cache, price: options.Price, window: window}
	if in, out, ok := llm.Price(client.Model); ok && m.price == nil {
		m.price = &[2]float64{in, out}
	}
	if o.DryRun {
		m.reasoning, m.reasoningKnown = stack.Reasoning()
		m.Completer = &simulator{stack.Tokens, maxSimulatedItems, m.reasoning, l.MaxOutputTokens}
		return m, nil
	}
	switch {
	case !o.usesSemanticCache():
	case l.EmbedsLocally():
		m.local, err = o.openEmbedder(sys) //nolint:contextcheck // opening takes milliseconds
		m.embedder = m.local
	default:
		m.embedder, m.embedURL, err = o.newEmbedder(sys, stack)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// askServer asks the server that --judge names for its models. It returns the name of the
// model to use and its context window in tokens, or 0 if that is set or unknown.
func (r *run) askServer(ctx context.Context, config llm.Config) (model string, window int, err error) {
	l := &r.options.LLM
	config.Model = l.Server.Name // not sent
	client, err := llm.NewClient(config)
	if err != nil {
		return "", 0, &exit.UsageError{Err: err}
	}
	defer client.Close()
	// llama.cpp answers 503 while it loads the model.
	notify := func(err error, _ time.Duration) { r.notef("waiting for %s: %v", l.Server.Title, err) }
	var models []llm.ServedModel
	var down *llm.NetworkError
	err = llm.Retry(ctx, r.sys.Clock, loadRetries, notify, func(ctx context.Context) error {
		var err error
		if models, err = llm.ListModels(ctx, client.Ask); errors.As(err, &down) {
			return nil
		}
		return err
	})
	if down != nil {
		return "", 0, fmt.Errorf("--judge %s: %s is not running at %s: start it with %s (%w)", l.Server.Name, l.Server.Title, client.Endpoint(), l.Server.Start, down)
	}
	if err != nil {
		return "", 0, fmt.Errorf("--judge %s: list the models at %s: %w", l.Server.Name, client.Endpoint(), err)
	}
	m, err := l.chooseModel(models)
	if err != nil {
		return "", 0, fmt.Errorf("--judge %s: %s", l.Server.Name, client.Redact(err.Error()))
	}
	if l.MaxContextTokens == 0 && r.options.Judge == JudgeLLM {
		window = l.Server.Window(ctx, client.Ask, m)
	}
	return m.Name, window, nil
}

// chooseModel returns the model that the options name, or the only one of the server.
func (l *LLMOptions) chooseModel(models []llm.ServedModel) (llm.ServedModel, error) {
	var names []string
	for _, m := range models {
		if m.Name == l.Model || l.Server.Name == "ollama" && m.Name == l.Model+":latest" {
			return m, nil
		}
		names = append(names, report.Printable(m.Name))
	}
	const maxShown = 8
	list := report.FirstOf(names[:min(len(names), maxShown)], len(names))
	getHint := ""
	if l.Server.Get != "" && l.Model != "" {
		getHint = fmt.Sprintf("; get it with %q", l.Server.Get+" "+l.Model)
	}
	switch {
	case l.Model == "" && len(models) == 1:
		return models[0], nil
	case len(models) == 0:
		return llm.ServedModel{}, fmt.Errorf("%s has no model%s", l.Server.Title, getHint)
	case l.Model == "":
		return llm.ServedModel{}, fmt.Errorf("%s has several models, choose one with --judge %s/MODEL: %s", l.Server.Title, l.Server.Name, list)
	}
	return llm.ServedModel{}, fmt.Errorf("%s has no model %s%s; it has: %s", l.Server.Title, l.Model, getHint, list)
}

// extend adds the values of --header and --extra-body to a client. A dry run does not need
// the variables that headers name.
func (l *LLMOptions) extend(c *llm.Config, sys *System, dryRun bool) (err error) {
	lookup := sys.LookupEnv
	if dryRun {
		lookup = func(string) (string, bool) { return "x", true }
	}
	if c.Headers, err = llm.ParseHeaders(l.Headers, lookup); err != nil {
		return exit.Usagef("--header %w", err)
	}
	if c.ExtraBody, err = llm.ParseExtraBody(l.ExtraBody); err != nil {
		return exit.Usagef("--extra-body: %w", err)
	}
	return nil
}

// A remoteEmbedder uses an embedding server. Waiting for it does not count towards --row-timeout.
type remoteEmbedder struct{ llm.Embedder }

// Embed implements llm.Embedder.
func (e remoteEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	defer eval.Waiting(ctx)()
	return e.Embedder.Embed(ctx, texts)
}

// newEmbedder returns a client for --embed-base-url, and its URL without secrets.
func (o *Options) newEmbedder(sys *System, stack *llm.Stack) (llm.Embedder, string, error) {
	l := &o.LLM
	config := llm.Config{Model: l.EmbedModel}
	if l.EmbedBaseURL != l.BaseURL { // otherwise the server and key are those of --base-url
		config.BaseURL = l.EmbedBaseURL
	}
	key, err := sys.key("embed-api-key-env", l.EmbedKeyVariable, l.EmbedKeyRequired)
	if err != nil {
		return nil, "", err
	}
	config.APIKey = key
	e, endpoint, err := stack.Embedder(config)
	if err != nil {
		return nil, "", &exit.UsageError{Err: fmt.Errorf("--embed-model: %w", err)}
	}
	return remoteEmbedder{e}, endpoint, nil
}
