package main

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// withLLM is the extractor or the judge that asks a language model. Nothing is
// sent by a run that has neither.
const withLLM = "llm"

// llmOptions are the flags of "ragfaith score" for a language model.
type llmOptions struct {
	model, baseURL, keyVariable string

	timeout           time.Duration
	retries, rpm, tpm int
	maxCost           float64
	maxTokens         int
	price             *[2]float64

	prompts          string
	strict           bool
	votes            int
	maxContextTokens int

	cache             string
	noCache           bool
	semanticCache     bool
	semanticThreshold *float64
	embedModel        string
	embedBaseURL      string
	embedKeyVariable  string

	batch     bool
	batchPoll time.Duration
}

const (
	usualTimeout = time.Minute
	usualRetries = 5
	usualPoll    = 30 * time.Second
)

func (l *llmOptions) flags() *pflag.FlagSet {
	fs := newFlagSet()
	fs.StringVar(&l.model, "model", "gpt-4o-mini", "`name` of the model")
	fs.StringVar(&l.baseURL, "base-url", "", "`URL` of an OpenAI-compatible server, such as http://localhost:8080/v1 (default: the OpenAI API)")
	fs.StringVar(&l.keyVariable, "api-key-env", "OPENAI_API_KEY", "environment `variable` that holds the key; a server that needs none works without")
	fs.Var(atLeastDuration(&l.timeout, usualTimeout, time.Millisecond), "timeout", "give up a try after this `time`")
	fs.Var(atLeast(&l.retries, usualRetries, 0), "retries", "send again `N` times what failed for reasons that pass")
	fs.Var(atLeast(&l.rpm, 0, 0), "rpm", "at most `N` requests a minute; 0 is no limit")
	fs.Var(atLeast(&l.tpm, 0, 0), "tpm", "at most `N` tokens a minute; 0 is no limit")
	fs.Var(dollars{&l.maxCost}, "max-cost", "end the run before it costs more than this, in `USD`; 0 is no limit")
	fs.Var(atLeast(&l.maxTokens, 0, 0), "max-tokens", "end the run before it takes more than `N` tokens; 0 is no limit")
	fs.Var(prices{&l.price}, "price", "USD per million tokens of prompt and of reply, as `IN,OUT` (default: that of the model, where it is known)")
	fs.BoolVar(&l.batch, "batch", false, "send the requests as batches, at half the price and within a day or so; --resume goes on with one that was submitted")
	fs.Var(atLeastDuration(&l.batchPoll, usualPoll, time.Millisecond), "batch-poll", "`time` between two questions how far a batch is")
	fs.StringVar(&l.prompts, "prompts", "", "`folder` with prompts in the place of those built in; see \"ragfaith prompts export\"")
	fs.BoolVar(&l.strict, "strict", false, "only what the contexts state supports a claim, what follows from them does not")
	fs.Var(atLeast(&l.votes, 1, 1), "votes", "judge every claim `N` times, an odd number; the majority decides")
	fs.Var(atLeast(&l.maxContextTokens, 0, 0), "max-context-tokens", "the model takes `N` tokens, prompt and reply together; 0 waits for the server to say so")
	fs.StringVar(&l.cache, "cache", "", "`folder` of the cache of replies (default: ragfaith in the user's cache folder)")
	fs.BoolVar(&l.noCache, "no-cache", false, "neither take replies from a cache nor keep them")
	fs.BoolVar(&l.semanticCache, "semantic-cache", false, "take a verdict from a claim that says the same of the same contexts")
	usual := semantic.DefaultThreshold
	l.semanticThreshold = &usual
	fs.Var(fraction{&l.semanticThreshold}, "semantic-threshold", "least `cosine` of two claims that say the same")
	fs.StringVar(&l.embedModel, "embed-model", embedLocal, "`name` of the model that says which claims are alike: local is in the binary; another on this machine by its short name or folder; else one of the server")
	fs.StringVar(&l.embedBaseURL, "embed-base-url", "", "`URL` of its server (default: --base-url)")
	fs.StringVar(&l.embedKeyVariable, "embed-api-key-env", "", "environment `variable` that holds the key of --embed-base-url")
	return fs
}

// asks reports whether the run sends anything.
func (o *scoreOptions) asks() bool { return o.claims == withLLM || o.judge == withLLM }

// checkLLM finds flags that do not go together. A flag that would have no effect
// is a mistake on the command line; in the environment or a file it may be there
// for other runs.
func (o *scoreOptions) checkLLM() error {
	var idle []string
	if !o.asks() && o.language != nil {
		o.language.VisitAll(func(f *pflag.Flag) {
			if o.typed(f.Name) {
				idle = append(idle, "--"+f.Name)
			}
		})
	}
	if len(idle) > 0 {
		return usagef("%s: no language model is asked without --judge llm, --claims llm or a --profile", strings.Join(idle, ", "))
	}
	if o.judge != withLLM {
		for _, name := range []string{"votes", "max-context-tokens", "semantic-cache"} {
			if o.typed(name) {
				return usagef("--%s needs --judge llm", name)
			}
		}
	}
	if !o.asks() {
		return nil
	}
	l := &o.llm
	switch {
	case o.judge == withLLM && o.typed("threshold"):
		return usagef("--threshold does not go with --judge llm: the model's verdict decides, or the majority of --votes")
	case l.votes%2 == 0:
		return usagef("--votes %d: want an odd number", l.votes)
	case l.noCache && o.typed("cache"):
		return usagef("--cache and --no-cache exclude each other")
	case strings.TrimSpace(l.model) == "":
		return usagef("--model: want the name of a model")
	}
	if l.semanticCache && o.judge == withLLM {
		switch {
		case l.embedModel == "":
			return usagef("--embed-model: want the name of a model")
		case l.embedModel == embedLocal && l.embedBaseURL != "":
			return usagef("--embed-model local is in the binary: it has no --embed-base-url")
		case *l.semanticThreshold == 0:
			return usagef("--semantic-threshold: want a cosine above 0")
		}
	}
	if l.batch && l.semanticCache && o.judge == withLLM {
		return usagef("--semantic-cache does not go with --batch: whether a verdict can be reused is known only when the one before it is there")
	}
	if !l.batch && o.typed("batch-poll") {
		return usagef("--batch-poll needs --batch")
	}
	if o.combined() {
		const why = "does not go with --profile rag-evals, which finds and judges claims in one request"
		switch {
		case l.votes > 1:
			return usagef("--votes %s", why)
		case l.semanticCache:
			return usagef("--semantic-cache %s", why)
		case o.evidence != "chunks":
			return usagef("--evidence %s %s", o.evidence, why)
		}
	}
	return nil
}

// typed reports whether a flag was given on the command line.
func (o *scoreOptions) typed(name string) bool { return o.flags != nil && typed(o.flags, name) }

func typed(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && len(f.Annotations[sourceKey]) == 0
}
