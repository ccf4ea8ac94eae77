package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

// A model is the language model of a run, or the rehearsal of one.
type model struct {
	llm.Completer
	prompts  *prompt.Set
	stack    *llm.Stack
	cache    *llm.Cache     // nil for none
	embedder llm.Embedder   // nil for none
	local    *localEmbedder // the embedder, where it is a model on this machine
	embedsAt string         // the server of the embedder, without secrets; "" for this machine
	price    *[2]float64    // USD per million tokens of prompt and of reply; nil where unknown
}

// Complete implements llm.Completer. What a row waits here is bounded by
// --timeout and --retries, and not counted for --row-timeout.
func (m *model) Complete(ctx context.Context, r *llm.Request) (*llm.Reply, error) {
	defer eval.Waiting(ctx)()
	return m.Completer.Complete(ctx, r)
}

// newModel makes what asks the language model, and sends nothing. With rehearse
// it will never send anything: it needs no key and opens no cache.
func (o *scoreOptions) newModel(ctx context.Context, sys system, c *console, rehearse bool) (*model, error) {
	l := &o.llm
	prompts, err := prompt.Load(l.prompts)
	if err != nil {
		return nil, err
	}
	key, err := o.key(sys, "api-key-env", l.keyVariable)
	if err != nil {
		return nil, err
	}
	if key == "" && l.baseURL == "" && !rehearse {
		if l.keyVariable == "" {
			return nil, errors.New("no key for the OpenAI API: --api-key-env names no variable; name another server with --base-url")
		}
		return nil, fmt.Errorf("no key for the OpenAI API: set %s, or name another server with --base-url", l.keyVariable)
	}
	options := llm.Options{
		Client: llm.Config{BaseURL: l.baseURL, Model: l.model, APIKey: key, Timeout: l.timeout},
		Clock:  sys.Clock, Retries: l.retries, RPM: l.rpm, TPM: l.tpm,
		MaxCost: l.maxCost, MaxTokens: l.maxTokens, Price: l.price,
	}
	if !o.quiet {
		options.OnDowngrade = func(d llm.Downgrade) { c.say("warning: %s", d) }
	}
	if o.verbose {
		options.OnRetry = func(err error, wait time.Duration) {
			c.say("sending again in %v: %v", wait.Round(time.Millisecond), err)
		}
	}
	if !o.quiet {
		options.OnLimit = func(tokens, missed int) {
			c.say("warning: the server reads at most %d tokens of a request and silently drops the rest: "+
				"rows that do not fit are judged in parts, with more requests; a larger context window avoids that (Ollama: OLLAMA_CONTEXT_LENGTH)", tokens)
			if missed > 0 {
				c.say("warning: it did so with %d requests before that was found, whose rows may have wrong scores: score them again with --max-context-tokens %d", missed, tokens)
			}
		}
	}
	// Made once without the cache, so that a mistake leaves no file behind.
	stack, err := llm.New(options)
	if err != nil {
		return nil, &usageError{err}
	}
	m := &model{Completer: stack, prompts: prompts, stack: stack, price: l.price}
	if in, out, ok := llm.Price(l.model); ok && m.price == nil {
		m.price = &[2]float64{in, out}
	}
	if rehearse {
		m.Completer = &rehearsal{tokens: stack.Tokens, most: mostRehearsed}
		return m, nil
	}
	if l.semanticCache && o.judge == withLLM && l.embedsHere() {
		if m.local, err = o.openEmbedder(sys); err != nil { //nolint:contextcheck // it takes milliseconds
			m.close()
			return nil, err
		}
		m.embedder = m.local
	}
	if !l.noCache {
		folder, err := cacheFolder(l.cache, sys)
		if err != nil {
			return nil, err
		}
		stack.Close()
		options.Cache = llm.OpenCache(ctx, folder, options.Clock, func(err error) {
			if !o.quiet {
				c.say("warning: %v", err)
			}
		})
		m.cache = options.Cache
		if stack, err = llm.New(options); err != nil {
			m.close()
			return nil, err
		}
		m.Completer, m.stack = stack, stack
	}
	if l.semanticCache && o.judge == withLLM && m.local == nil {
		if m.embedder, m.embedsAt, err = o.newEmbedder(sys, stack); err != nil {
			m.close()
			return nil, err
		}
	}
	return m, nil
}

// newEmbedder makes what asks the server of --embed-base-url, and names that
// without secrets.
func (o *scoreOptions) newEmbedder(sys system, stack *llm.Stack) (llm.Embedder, string, error) {
	l := &o.llm
	config := llm.Config{Model: l.embedModel}
	if l.embedBaseURL != l.baseURL { // else it is all the same, with its key
		config.BaseURL = l.embedBaseURL
	}
	key, err := o.key(sys, "embed-api-key-env", l.embedKeyVariable)
	if err != nil {
		return nil, "", err
	}
	config.APIKey = key
	e, endpoint, err := stack.Embedder(config)
	if err != nil {
		return nil, "", &usageError{fmt.Errorf("--embed-model: %w", err)}
	}
	return waitingEmbedder{e}, endpoint, nil
}

// key reads a key from the variable that a flag names.
func (o *scoreOptions) key(sys system, flag, variable string) (string, error) {
	if variable == "" {
		return "", nil
	}
	key, _ := sys.LookupEnv(variable)
	key = strings.TrimSpace(key)
	if key == "" && o.typed(flag) {
		return "", usagef("--%s: there is no %s in the environment", flag, variable)
	}
	return key, nil
}

// cacheFolder is the folder of the cache of replies.
func cacheFolder(given string, sys system) (string, error) {
	if given != "" {
		return given, nil
	}
	if sys.CacheDir == nil {
		return "", errors.New("there is no folder for caches: name one with --cache, or none with --no-cache")
	}
	folder, err := sys.CacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: name a folder with --cache, or none with --no-cache", err)
	}
	return filepath.Join(folder, "ragfaith"), nil
}

// close lets go of connections and of the cache, whose writing never fails a run.
func (m *model) close() {
	if m == nil {
		return
	}
	m.stack.Close()
	if m.local != nil {
		_ = m.local.Close()
	}
	if m.cache != nil {
		_ = m.cache.Close()
	}
}

// spent is what the run cost, on one line.
func (m *model) spent() string {
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
