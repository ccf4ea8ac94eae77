package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/report"
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

// requestTimeouts returns the timeouts of a request to a model that is not known to reason
// and, unless --timeout sets both, of one that is.
func (o *scoreOptions) requestTimeouts() (timeout, reasoning time.Duration) {
	l := &o.llm
	switch {
	case o.flags != nil && o.flags.Changed("timeout"):
		return l.timeout, 0
	case isLocalServer(l.baseURL) || l.server != nil:
		return slowTimeout, slowTimeout
	}
	return l.timeout, slowTimeout
}

// newModel returns the model selected by the options, without sending a request. In a dry
// run, the model never sends requests and needs no key.
func (o *scoreOptions) newModel(ctx context.Context, sys system, c *console.Console, dryRun bool) (*model, error) {
	l := &o.llm
	prompts, err := prompt.Load(l.prompts)
	if err != nil {
		return nil, err
	}
	key, err := o.key(sys, "api-key-env", l.keyVariable)
	if err != nil {
		return nil, err
	}
	client := llm.Config{BaseURL: l.baseURL, Model: l.model, APIKey: key}
	client.Timeout, client.ReasoningTimeout = o.requestTimeouts()
	if err := l.extend(&client, sys, dryRun); err != nil {
		return nil, err
	}
	if key == "" && l.baseURL == "" && !client.Headers.ReplaceKey() && !dryRun {
		hint := o.foundServers(ctx, sys)
		if l.keyVariable == "" {
			return nil, errors.New("no key for the OpenAI API: --api-key-env is empty; use --base-url for another server" + hint)
		}
		return nil, fmt.Errorf("no key for the OpenAI API: set %s, or use --base-url for another server%s", l.keyVariable, hint)
	}
	if l.server != nil {
		if dryRun {
			client.Model = cmp.Or(l.model, l.server.Name)
		} else if err := o.askServer(ctx, sys, c, &client); err != nil {
			return nil, err
		}
	}
	options := llm.Options{
		Client: client, Clock: sys.Clock, Concurrency: o.concurrency, Retries: l.retries, RPM: l.rpm, TPM: l.tpm,
		MaxCost: l.maxCost, MaxTokens: l.maxTokens, Price: l.price, MaxOutputTokens: l.maxOutputTokens,
	}
	if l.reasoningEffort != effortAuto {
		options.Client.ReasoningEffort = l.reasoningEffort
	}
	if _, _, known := llm.Price(client.Model); l.maxCost > 0 && l.price == nil && !known && isLocalServer(l.baseURL) {
		options.Price = new([2]float64)
		c.Printf("warning: --max-cost: the price of %s is assumed to be 0, since its server is local; set it with --price", client.Model)
	}
	if !o.quiet {
		options.OnConcurrency = func(limit int) {
			if limit == 1 {
				c.Printf("the server answers one request at a time; sending 1 at once")
			} else {
				c.Printf("the server does not keep up with %d requests at once; sending %d", o.concurrency, limit)
			}
		}
		options.OnThrottled = func(err error) { c.Printf("waiting: %v", err) }
		options.OnDowngrade = func(d llm.Downgrade) { c.Printf("warning: %s", d) }
		options.OnEffortRefused = func(err error) {
			c.Printf("warning: the model refuses --reasoning-effort %s (%v); it is left out for the rest of the run", l.reasoningEffort, err)
		}
	}
	if o.verbose {
		options.OnThrottled = nil // each wait is reported
		options.OnRetry = func(err error, wait time.Duration) {
			c.Printf("retrying in %v: %v", wait.Round(time.Millisecond), err)
		}
	}
	if !o.quiet {
		options.OnLimit = func(tokens int) {
			c.Printf("warning: the server reads at most %d tokens of a request and silently drops the rest: "+
				"longer rows are judged in parts, with more requests; a larger context window avoids that (Ollama: OLLAMA_CONTEXT_LENGTH)", tokens)
		}
	}
	// Validate the options before opening the cache, so that an error creates no file.
	stack, err := llm.New(options)
	if err != nil {
		return nil, &usageError{err}
	}
	m := &model{Completer: stack, prompts: prompts, stack: stack, price: options.Price}
	if in, out, ok := llm.Price(client.Model); ok && m.price == nil {
		m.price = &[2]float64{in, out}
	}
	if dryRun {
		o.simulate(m)
		return m, nil
	}
	if l.semanticCache && o.judge == judgeLLM && l.embedsLocally() {
		if m.local, err = o.openEmbedder(sys); err != nil { //nolint:contextcheck // opening takes milliseconds
			m.close()
			return nil, err
		}
		m.embedder = m.local
	}
	if !l.noCache {
		dir, err := cacheDir(l.cache, sys)
		if err != nil {
			return nil, err
		}
		stack.Close()
		options.Cache = llm.OpenCache(ctx, dir, options.Clock, func(err error) {
			if !o.quiet {
				c.Printf("warning: %v", err)
			}
		})
		m.cache = options.Cache
		if stack, err = llm.New(options); err != nil {
			m.close()
			return nil, err
		}
		m.Completer, m.stack = stack, stack
	}
	if l.semanticCache && o.judge == judgeLLM && m.local == nil {
		if m.embedder, m.embedURL, err = o.newEmbedder(sys, stack); err != nil {
			m.close()
			return nil, err
		}
	}
	return m, nil
}

// key returns the API key stored in the environment variable that a flag names.
func (o *scoreOptions) key(sys system, flag, variable string) (string, error) {
	if variable == "" {
		return "", nil
	}
	key, _ := sys.LookupEnv(variable)
	key = strings.TrimSpace(key)
	if key == "" && o.explicit(flag) {
		return "", usagef("--%s: %s is not set in the environment", flag, variable)
	}
	return key, nil
}

// cacheDir returns the directory of the reply cache.
func cacheDir(given string, sys system) (string, error) {
	if given != "" {
		return given, nil
	}
	if sys.CacheDir == nil {
		return "", errors.New("no user cache directory: use --cache DIR or --no-cache")
	}
	dir, err := sys.CacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: use --cache DIR or --no-cache", err)
	}
	return filepath.Join(dir, "ragfaith"), nil
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
	line := fmt.Sprintf("usage: %d requests, %d cached, %d prompt tokens, %d completion tokens",
		u.Requests, u.CachedRequests, u.PromptTokens, u.CompletionTokens)
	if u.Estimated {
		line += " (estimated: the server does not report its counts)"
	}
	if m.price != nil {
		usd, _ := m.stack.Cost()
		line += ", $" + strconv.FormatFloat(usd, 'f', 4, 64)
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
