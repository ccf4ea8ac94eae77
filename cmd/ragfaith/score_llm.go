package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/local"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// Values of --claims and --judge that select a language model. Without either, a run
// sends no requests.
const (
	claimsLLM = "llm"
	judgeLLM  = "llm"
)

// claimsAnswer is the value of --claims that makes the whole answer one claim.
const claimsAnswer = "answer"

// llmOptions are the options of "ragfaith score" for a language model.
type llmOptions struct {
	model, baseURL, keyVariable string
	headers                     []string
	extraBody, clientCert       string
	server                      *local.Server // named by --judge; may be nil
	window                      int           // context window that server reports, or 0

	timeout           time.Duration
	retries, rpm, tpm int
	maxCost           float64
	maxTokens         int
	price             *[2]float64

	prompts          string
	strict           bool
	votes            int
	maxContextTokens int
	maxOutputTokens  int
	reasoningEffort  string

	cache     string
	noCache   bool
	prescreen string   // the offline judge, or prescreenNone
	audit     *float64 // share of its verdicts that the model checks

	semanticCache     bool
	semanticThreshold *float64
	embedModel        string
	embedBaseURL      string
	embedKeyVariable  string

	batch     bool
	batchPoll time.Duration
}

// effortAuto is the value of --reasoning-effort that leaves the effort to the model.
const effortAuto = "auto"

const (
	defaultTimeout = time.Minute
	// slowTimeout is the timeout for a model that reasons, and for a server on this machine:
	// without a GPU, a long prompt takes minutes, and a large model one to load.
	slowTimeout    = 10 * time.Minute
	defaultRetries = 5
	defaultPoll    = 30 * time.Second
	defaultAudit   = 0.05
)

// flags sets the defaults and returns the flags.
func (l *llmOptions) flags() []flagSpec {
	*l = llmOptions{model: "gpt-4o-mini", keyVariable: "OPENAI_API_KEY", embedModel: embedLocal, semanticThreshold: new(semantic.DefaultThreshold), audit: new(defaultAudit)}
	return []flagSpec{
		{name: "model", arg: "NAME", value: &l.model, help: "model name"},
		{name: "base-url", arg: "URL", value: &l.baseURL, help: "OpenAI-compatible server (default: the OpenAI API)"},
		{name: "api-key-env", arg: "VARIABLE", value: &l.keyVariable, help: "environment variable with the API key"},
		{name: "header", arg: "'NAME: VALUE'", value: &l.headers, help: "add a request header; $VARIABLE is replaced; repeatable"},
		{name: "extra-body", arg: "JSON", value: flagvalue.Text(&l.extraBody, checkExtraBody), help: "object to add to chat requests, such as {\"top_p\":0.9}"},
		{name: "client-cert", arg: "FILE", value: &l.clientCert, path: filePath, exts: []string{"pem"}, help: "PEM file with a client certificate and its private key"},
		{name: "timeout", arg: "DURATION", value: flagvalue.Duration(&l.timeout, defaultTimeout, time.Millisecond), help: "timeout for one request; 10m if the model reasons or is local"},
		{name: "retries", arg: "N", value: flagvalue.Int(&l.retries, defaultRetries, 0), help: "retry transient failures up to N times"},
		{name: "rpm", arg: "N", value: flagvalue.Int(&l.rpm, 0, 0), help: "maximum requests per minute; 0 for no limit"},
		{name: "tpm", arg: "N", value: flagvalue.Int(&l.tpm, 0, 0), help: "maximum tokens per minute; 0 for no limit"},
		{name: "max-cost", arg: "USD", value: flagvalue.Dollars(&l.maxCost), help: "stop before the run costs more than USD; 0 for no limit"},
		{name: "max-total-tokens", arg: "N", value: flagvalue.Int(&l.maxTokens, 0, 0), help: "stop before the run uses more than N tokens; 0 for no limit"},
		{name: "price", arg: "IN,OUT", value: flagvalue.Prices(&l.price), help: "USD per million prompt and completion tokens"},
		{name: "batch", value: &l.batch, help: "use the server's batch API: cheaper, but takes up to a day"},
		{name: "batch-poll", arg: "DURATION", value: flagvalue.Duration(&l.batchPoll, defaultPoll, time.Millisecond), help: "batch polling interval"},
		{name: "prompts", arg: "DIR", value: &l.prompts, path: dirPath, help: "use the prompts in DIR (\"ragfaith prompts export\")"},
		{name: "strict", value: &l.strict, help: "accept explicit statements only, no inference"},
		{name: "votes", arg: "N", value: flagvalue.Int(&l.votes, 1, 1), help: "judge each claim N times (odd) and average the scores"},
		{
			name: "prescreen", arg: "JUDGE", value: flagvalue.OneOf(&l.prescreen, prescreenNone, prescreenNone, judgeLexical, judgeEmbedded),
			help: "judge that decides clear claims: none, lexical or embedded",
		},
		{name: "audit", arg: "SHARE", value: flagvalue.Proportion(&l.audit), help: "share of the decided claims to send anyway, as a check"},
		{name: "max-context-tokens", arg: "N", value: flagvalue.Int(&l.maxContextTokens, 0, 0), help: "context window in tokens; 0 to detect it"},
		{name: "max-output-tokens", arg: "N", value: flagvalue.Int(&l.maxOutputTokens, 0, 0), help: "maximum output tokens per request; 0 to adapt to the model"},
		{name: "reasoning-effort", arg: "LEVEL", value: flagvalue.OneOf(&l.reasoningEffort, effortAuto, append([]string{effortAuto}, llm.Efforts()...)...), help: "reasoning effort, such as none, low or high"},
		cacheFlag(&l.cache),
		{name: "no-cache", value: &l.noCache, help: "do not read or write the reply cache"},
		{name: "semantic-cache", value: &l.semanticCache, help: "reuse verdicts of claims with the same meaning and contexts"},
		{name: "semantic-threshold", arg: "COSINE", value: flagvalue.Fraction(&l.semanticThreshold), help: "minimum cosine similarity to reuse a verdict"},
		{name: "embed-model", arg: "NAME", value: &l.embedModel, help: "embedding model: local (built in), or a name or DIR"},
		{name: "embed-base-url", arg: "URL", value: &l.embedBaseURL, help: "embedding server (default: --base-url)"},
		{name: "embed-api-key-env", arg: "VARIABLE", value: &l.embedKeyVariable, help: "environment variable with the key of --embed-base-url"},
	}
}

// usesLLM reports whether the run uses a language model.
func (o *scoreOptions) usesLLM() bool { return o.claims == claimsLLM || o.judge == judgeLLM }

// checkLLM returns an error for invalid combinations of options. An option without
// effect is an error on the command line only: in the environment or a config file it
// may be meant for other runs.
func (o *scoreOptions) checkLLM() error {
	if unused := o.explicitFlags(languageModelGroup); len(unused) > 0 && !o.usesLLM() {
		return usagef("%s: no language model is used without --judge llm, --claims llm or a --profile", strings.Join(unused, ", "))
	}
	if o.judge != judgeLLM {
		for _, name := range []string{"votes", "max-context-tokens", "semantic-cache", "prescreen"} {
			if o.explicit(name) {
				return usagef("--%s needs --judge llm", name)
			}
		}
	}
	if !o.usesLLM() {
		return nil
	}
	l := &o.llm
	switch {
	case l.votes%2 == 0:
		return usagef("--votes %d: want an odd number", l.votes)
	case l.noCache && o.explicit("cache"):
		return usagef("--cache and --no-cache cannot be used together")
	case strings.TrimSpace(l.model) == "" && l.server == nil:
		return usagef("--model: want the name of a model")
	}
	if l.semanticCache && o.judge == judgeLLM {
		switch {
		case l.embedModel == "":
			return usagef("--embed-model: want the name of a model")
		case l.embedModel == embedLocal && l.embedBaseURL != "":
			return usagef("--embed-model local is built in: --embed-base-url has no effect")
		case *l.semanticThreshold == 0:
			return usagef("--semantic-threshold: want a cosine above 0")
		}
	}
	if l.batch && l.semanticCache && o.judge == judgeLLM {
		return usagef("--semantic-cache can't be used with --batch: a verdict can be reused only after an earlier one is known")
	}
	if !l.batch && o.explicit("batch-poll") {
		return usagef("--batch-poll needs --batch")
	}
	if o.explicit("audit") && !o.prescreens() {
		return usagef("--audit needs --prescreen")
	}
	if o.prescreens() && o.threshold != nil {
		return usagef("--threshold can't be used with --prescreen, whose verdicts are for 0.5")
	}
	if err := o.checkPublished(); err != nil {
		return err
	}
	if o.combined() {
		const why = "can't be used with --profile rag-evals, which finds and judges claims in one request"
		switch {
		case l.votes > 1:
			return usagef("--votes %s", why)
		case l.semanticCache:
			return usagef("--semantic-cache %s", why)
		case o.prescreens():
			return usagef("--prescreen %s", why)
		case o.evidence != "chunks":
			return usagef("--evidence %s %s", o.evidence, why)
		}
	}
	return nil
}

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

	reasoning      llm.Reasoning // expected; set in a dry run only
	reasoningKnown bool          // false if the model may reason for longer
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
		options.OnLimit = func(tokens, missed int) {
			c.Printf("warning: the server reads at most %d tokens of a request and silently drops the rest: "+
				"longer rows are judged in parts, with more requests; a larger context window avoids that (Ollama: OLLAMA_CONTEXT_LENGTH)", tokens)
			if missed > 0 {
				c.Printf("warning: %d earlier requests were truncated, and their rows may have wrong scores: score them again with --max-context-tokens %d", missed, tokens)
			}
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
		o.simulate(ctx, m, sys, options)
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
		_ = m.local.Close()
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
		Usage: result.Usage(m.stack.Meter.Total()), USD: report.NullNumber(), PromptLimit: m.stack.Limit(), Concurrency: m.stack.Concurrency(),
	}
	if m.price != nil {
		usd, _ := m.stack.Cost()
		s.USD = report.Number(usd)
	}
	for _, d := range m.stack.Client.Downgrades() {
		s.Downgrades = append(s.Downgrades, report.SummaryDowngrade{From: d.From, To: d.To, Status: d.Status})
	}
	return s
}
