package app

import (
	"context"
	"fmt"
	"math"
	"strconv"

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
