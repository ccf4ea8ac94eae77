package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// A dry run sends all rows through the real stages, with a simulator instead of the server
// and the cache. Requests and prompt tokens are therefore exact, including context windows,
// votes and custom prompts; completion tokens are estimated.

const (
	// filler is the text of simulated replies. It contains only function words, which
	// extraction accepts in statements even if the answer lacks them.
	filler = "it is as he or she has it in the box and we all can see it by the sea as it is"
	// maxSimulatedItems limits the claims or sentences of a simulated reply.
	maxSimulatedItems = 64
	simulatedTruths   = 10 // facts that a model finds in the contexts of a row
)

// A simulator is an llm.Completer that returns valid placeholder replies.
type simulator struct {
	tokens    *llm.Tokens
	maxItems  int // maximum claims or sentences per reply
	reasoning int // reasoning tokens per reply
	limit     int // maximum output tokens of a reply; 0 for none
}

// reasoningNote describes what the estimate of completion tokens rests on.
func (m *model) reasoningNote() string {
	switch {
	case m.reasoning > 0:
		return fmt.Sprintf("estimate: %d reasoning tokens per request, typical of reasoning models", m.reasoning)
	case !m.reasoningKnown:
		return "estimate, if the model does not reason"
	}
	return "estimate"
}

// Complete returns a reply in the requested format, with as many items as the request
// accepts: one for each claim that it asks for, or up to a limit.
func (s *simulator) Complete(ctx context.Context, q *llm.Request) (*llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.Schema == nil {
		return s.text(q)
	}
	var accepted json.RawMessage
	for n := 1; n <= s.maxItems; n++ {
		reply := simulatedReply(q.Schema.Name, n)
		if q.Schema.Accept(reply) == nil {
			accepted = reply
		} else if accepted != nil {
			break
		}
	}
	if accepted == nil {
		return nil, errors.New("request with an unknown reply format")
	}
	return &llm.Reply{JSON: accepted, Usage: s.usage(q, string(accepted))}, nil
}

// text returns a reply to a prompt of a published model. It supports nothing.
func (s *simulator) text(q *llm.Request) (*llm.Reply, error) {
	for _, reply := range []string{"No", "<score> yes </score>", `{"REASONING": ["` + strings.Repeat(filler+". ", 6) + `"], "SCORE": "FAIL"}`} {
		if q.Accept(reply) == nil {
			return &llm.Reply{Text: reply, Usage: s.usage(q, reply)}, nil
		}
	}
	return nil, errors.New("request with an unknown reply format")
}

// usage returns the usage of a request and its reply.
func (s *simulator) usage(q *llm.Request, reply string) usage.Usage {
	completion := s.tokens.Text(reply) + s.reasoning
	if s.limit > 0 {
		completion = min(completion, s.limit)
	}
	return usage.Usage{Requests: 1, PromptTokens: s.tokens.Request(q).Prompt, CompletionTokens: completion}
}

// simulatedReply returns a reply with n items. All are unsupported, so that a judge
// sends every group of contexts.
func simulatedReply(schema string, n int) json.RawMessage {
	list, element := "verdicts", `{"claim_id":ID,"chunk_ids":[0],"quote":"`+filler+`","reason":"`+filler+`","verdict":"not_mentioned"}`
	switch schema {
	case "binary_verdicts":
		element = `{"statement_id":ID,"reason":"` + filler + `","verdict":0}`
	case "statements":
		list, element = "statements", `{"sentence_id":ID,"statement":"`+filler+`"}`
	case "answer_statements":
		list, element = "statements", `"`+filler+`"`
	case "contradiction_verdicts":
		element = `{"claim_id":ID,"reason":"` + filler + `","verdict":"no"}`
	case "truths":
		n, list, element = simulatedTruths, "truths", `"`+filler+`"`
	case "checked_statements":
		list, element = "statements", `{"sentence_id":ID,"text":"`+filler+`","reasoning":"`+filler+`","chunk_ids":[0],"is_supported":false}`
	}
	items := make([]string, n)
	for i := range items {
		items[i] = strings.ReplaceAll(element, "ID", strconv.Itoa(i))
	}
	return json.RawMessage(`{"` + list + `":[` + strings.Join(items, ",") + "]}")
}

// simulatedStatements is an extractor that counts the usage of a request for statements
// but returns the sentences of the answer, since a model's statements are unknown.
type simulatedStatements struct {
	extractllm.Extractor
	simulator
}

// Extract implements eval.Extractor.
func (x simulatedStatements) Extract(ctx context.Context, question, answer string) (extract.Extraction, error) {
	e, err := extract.Sentences{Lang: x.Lang}.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 {
		return e, err
	}
	x.maxItems = len(e.Claims)
	x.Model = &x.simulator
	statements, err := x.Extractor.Extract(ctx, question, answer)
	e.Usage = statements.Usage
	return e, err
}

// An estimate is an eval.Sink that adds up the requests and tokens of a run.
type estimate struct {
	rows, noClaims, failed, claims int
	decided                        int // claims that --prescreen decides
	usage                          usage.Usage
}

// Write adds r to the estimate.
func (e *estimate) Write(r *result.Row) error {
	e.rows++
	switch r.Status {
	case result.NoClaims:
		e.noClaims++
	case result.Failed:
		e.failed++
	case result.Scored, result.UnjudgedRow, result.SkippedRow:
	}
	e.claims += len(r.Claims)
	for i := range r.Claims {
		if r.Claims[i].Prescreened {
			e.decided++
		}
	}
	e.usage = e.usage.Add(r.Usage)
	return nil
}

// print writes one statistic per line. m is nil for a run without a language model.
func (e *estimate) print(w io.Writer, o *Options, m *model) error {
	var b strings.Builder
	line := func(name, value, note string) {
		if note != "" {
			note = "  (" + note + ")"
		}
		fmt.Fprintf(&b, "%-18s%10s%s\n", name, value, note)
	}
	claims, exact := "", ""
	if o.Claims == ClaimsLLM {
		claims = "sentences; a model may split them into more claims"
	}
	if m != nil && !m.stack.Tokens.Exact() {
		exact = "estimate: unknown tokenizer"
	}
	line("rows", strconv.Itoa(e.rows), fmt.Sprintf("%d without claims, %d that can't be scored", e.noClaims, e.failed))
	line("claims", strconv.Itoa(e.claims), claims)
	if o.Prescreens() {
		line("decided offline", strconv.Itoa(e.decided), "without "+report.Percent(*o.LLM.Audit, 1)+" for the audit")
	}
	line("requests", strconv.Itoa(e.usage.Requests), "")
	line("prompt tokens", strconv.Itoa(e.usage.PromptTokens), exact)
	if m == nil {
		line("completion tokens", "0", "")
		line("cost", "$0", "nothing is sent")
	} else {
		note := m.reasoningNote()
		if n := o.LLM.MaxOutputTokens; n > 0 {
			note += fmt.Sprintf("; at most %d per request", n)
		}
		line("completion tokens", strconv.Itoa(e.usage.CompletionTokens), note)
		cost, note := "unknown", "the price of "+m.stack.Client.Model()+" is unknown; set it with --price"
		if m.price != nil {
			usd := (float64(e.usage.PromptTokens)*m.price[0] + float64(e.usage.CompletionTokens)*m.price[1]) / 1e6
			note = fmt.Sprintf("$%v and $%v per million tokens", m.price[0], m.price[1])
			if o.LLM.Price == nil {
				note += ", as of " + llm.PricesDate()
			}
			if o.UsesBatch() {
				usd *= llm.BatchFactor()
				note += fmt.Sprintf("; × %v in a batch", llm.BatchFactor())
			}
			cost = fmt.Sprintf("$%.4f", usd)
		}
		line("cost", cost, note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// dryRun estimates the requests, tokens and cost of the run and prints them.
func (r *run) dryRun(ctx context.Context, input dataset.Options) error {
	o := r.options
	if o.Prescreens() {
		if err := r.checkBounds(); err != nil {
			return err
		}
	}
	set, err := dataset.Open(o.Datasets, input)
	if err != nil {
		return err
	}
	defer set.Close()
	p := r.pipeline
	p.Nearest, p.DeriveCited = nil, false
	if o.usesBuiltin() {
		p.Judge = noopJudge{}
	}
	if x, ok := p.Extractor.(extractllm.Extractor); ok {
		p.Extractor = simulatedStatements{x, simulator{tokens: r.model.stack.Tokens, reasoning: r.model.reasoning, limit: o.LLM.MaxOutputTokens}}
	}
	failures := o.newFailureLog(r.console)
	var est estimate
	if err := p.Run(ctx, o.Rows.Apply(set.Rows()), eval.Sinks{&est, failures}); err != nil {
		return err
	}
	failures.Close()
	return est.print(r.streams.Stdout, o, r.model)
}
