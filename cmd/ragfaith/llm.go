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
	defaultTimeout = time.Minute
	defaultRetries = 5
	defaultPoll    = 30 * time.Second
)

func (l *llmOptions) flags() []flagSpec {
	*l = llmOptions{model: "gpt-4o-mini", keyVariable: "OPENAI_API_KEY", embedModel: embedLocal, semanticThreshold: new(semantic.DefaultThreshold)}
	return []flagSpec{
		{name: "model", arg: "NAME", value: &l.model, help: "model name"},
		{name: "base-url", arg: "URL", value: &l.baseURL, help: "OpenAI-compatible server (default: the OpenAI API)"},
		{name: "api-key-env", arg: "VARIABLE", value: &l.keyVariable, help: "environment variable with the API key"},
		{name: "timeout", arg: "DURATION", value: atLeastDuration(&l.timeout, defaultTimeout, time.Millisecond), help: "timeout for one request"},
		{name: "retries", arg: "N", value: atLeast(&l.retries, defaultRetries, 0), help: "retry transient failures up to N times"},
		{name: "rpm", arg: "N", value: atLeast(&l.rpm, 0, 0), help: "maximum requests per minute; 0 for no limit"},
		{name: "tpm", arg: "N", value: atLeast(&l.tpm, 0, 0), help: "maximum tokens per minute; 0 for no limit"},
		{name: "max-cost", arg: "USD", value: dollars{&l.maxCost}, help: "stop before the run costs more than USD; 0 for no limit"},
		{name: "max-total-tokens", arg: "N", value: atLeast(&l.maxTokens, 0, 0), help: "stop before the run uses more than N tokens; 0 for no limit"},
		{name: "price", arg: "IN,OUT", value: prices{&l.price}, help: "USD per million prompt and completion tokens"},
		{name: "batch", value: &l.batch, help: "use the server's batch API: cheaper, but takes up to a day"},
		{name: "batch-poll", arg: "DURATION", value: atLeastDuration(&l.batchPoll, defaultPoll, time.Millisecond), help: "batch polling interval"},
		{name: "prompts", arg: "DIR", value: &l.prompts, path: dirPath, help: "use the prompts in DIR (\"ragfaith prompts export\")"},
		{name: "strict", value: &l.strict, help: "accept explicit statements only, no inference"},
		{name: "votes", arg: "N", value: atLeast(&l.votes, 1, 1), help: "judge each claim N times (odd); the majority decides"},
		{name: "max-context-tokens", arg: "N", value: atLeast(&l.maxContextTokens, 0, 0), help: "context window in tokens; 0 to detect it"},
		cacheFlag(&l.cache),
		{name: "no-cache", value: &l.noCache, help: "do not read or write the reply cache"},
		{name: "semantic-cache", value: &l.semanticCache, help: "reuse verdicts of claims with the same meaning and contexts"},
		{name: "semantic-threshold", arg: "COSINE", value: fraction{&l.semanticThreshold}, help: "minimum cosine similarity to reuse a verdict"},
		{name: "embed-model", arg: "NAME", value: &l.embedModel, help: "embedding model: local (built in), or a name or DIR"},
		{name: "embed-base-url", arg: "URL", value: &l.embedBaseURL, help: "embedding server (default: --base-url)"},
		{name: "embed-api-key-env", arg: "VARIABLE", value: &l.embedKeyVariable, help: "environment variable with the key of --embed-base-url"},
	}
}

// asks reports whether the run sends anything.
func (o *scoreOptions) asks() bool { return o.claims == withLLM || o.judge == withLLM }

// checkLLM finds flags that do not go together. A flag that would have no effect
// is a mistake on the command line; in the environment or a file it may be there
// for other runs.
func (o *scoreOptions) checkLLM() error {
	var idle []string
	if !o.asks() {
		idle = o.typedFlags(languageModelFlags)
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

// typedFlags returns the flags of a group that were given on the command line.
func (o *scoreOptions) typedFlags(group string) []string {
	var names []string
	if o.flags != nil {
		o.flags.VisitAll(func(f *pflag.Flag) {
			if annotation(f, groupKey) == group && o.typed(f.Name) {
				names = append(names, "--"+f.Name)
			}
		})
	}
	return names
}

func typed(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && len(f.Annotations[sourceKey]) == 0
}
