package main

import (
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/local"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// Values of --claims and --judge that select a language model. Without either, a run
// sends no requests.
const (
	claimsLLM = "llm"
	judgeLLM  = "llm"
)

// Values of --claims that need no language model, besides the default.
const (
	claimsAnswer = "answer" // the whole answer is one claim
	claimsClause = "clause" // sentences are split into clauses
)

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
			name: "prescreen", arg: "JUDGE", value: flagvalue.OneOf(&l.prescreen, prescreenNone, prescreenNone, judgeLexical),
			help: "judge that decides clear claims: none or lexical",
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
