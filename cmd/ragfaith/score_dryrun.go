package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A dry run sends all rows through the real stages, with a simulator instead of the
// server. Requests and prompt tokens are therefore exact, including context windows,
// votes and custom prompts; completion tokens are estimated. The cache is not used.

const (
	// The assumed speed of OpenAI's smaller models.
	requestLatency  = 500 * time.Millisecond
	tokensPerSecond = 80
	// filler is a sentence of a simulated reply. It consists of words that a statement
	// may add to its answer without counting as invented.
	filler = "it is as he or she has it in the box and we all can see it by the sea as it is"
	// maxSimulatedItems is the maximum number of claims or sentences in a request.
	maxSimulatedItems = 64
)

// A simulator is an llm.Completer that returns well-formed replies without content.
type simulator struct {
	tokens   *llm.Tokens
	maxItems int // maximum number of claims or sentences in a request
}

// Complete returns a reply in the requested format, with as many items as the request
// accepts.
func (s *simulator) Complete(ctx context.Context, q *llm.Request) (*llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for n := s.maxItems; n > 0; n-- {
		reply := simulatedReply(q.Schema.Name, n)
		if q.Schema.Accept(reply) == nil {
			return &llm.Reply{JSON: reply, Usage: usage.Usage{
				Requests: 1, PromptTokens: s.tokens.Request(q).Prompt, CompletionTokens: s.tokens.Text(string(reply)),
			}}, nil
		}
	}
	return nil, errors.New("request with an unknown reply format")
}

// simulatedReply returns a reply of n items, all unsupported, so that every group of
// contexts is asked about.
func simulatedReply(schema string, n int) json.RawMessage {
	list, element := "verdicts", `{"claim_id":ID,"chunk_ids":[0],"quote":"`+filler+`","reason":"`+filler+`","verdict":"not_mentioned"}`
	switch schema {
	case "binary_verdicts":
		element = `{"statement_id":ID,"reason":"` + filler + `","verdict":0}`
	case "statements":
		list, element = "statements", `{"sentence_id":ID,"statement":"`+filler+`"}`
	case "answer_statements":
		list, element = "statements", `"`+filler+`"`
	case "checked_statements":
		list, element = "statements", `{"sentence_id":ID,"text":"`+filler+`","reasoning":"`+filler+`","chunk_ids":[0],"is_supported":false}`
	}
	var b strings.Builder
	b.WriteString(`{"` + list + `":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(element, "ID", strconv.Itoa(i)))
	}
	b.WriteString("]}")
	return json.RawMessage(b.String())
}

// simulatedStatements asks for the statements of an answer, but returns its sentences,
// because the statements of a model are unknown.
type simulatedStatements struct {
	extractllm.Extractor
	tokens *llm.Tokens
}

// Extract implements eval.Extractor.
func (x simulatedStatements) Extract(ctx context.Context, question, answer string) (extract.Extraction, error) {
	e, err := extract.Sentences{Lang: x.Lang}.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 {
		return e, err
	}
	x.Model = &simulator{x.tokens, len(e.Claims)}
	statements, err := x.Extractor.Extract(ctx, question, answer)
	e.Usage = statements.Usage
	return e, err
}

// unjudged is a judge that supports nothing and costs nothing. It holds the verdicts on
// the first claims, which are the same for every row.
type unjudged []verdict.Verdict

func newUnjudged() unjudged { return unjudged{}.verdicts(64) }

// verdicts returns the verdicts on n claims.
func (u unjudged) verdicts(n int) unjudged {
	for i := len(u); i < n; i++ {
		u = append(u, verdict.Verdict{ClaimID: i})
	}
	return u[:n:n]
}

// Judge implements eval.Judge.
func (u unjudged) Judge(_ context.Context, task verdict.Task) (verdict.Judgement, error) {
	return verdict.Judgement{Verdicts: u.verdicts(len(task.Claims))}, nil
}

// simulated returns the stages of a dry run.
func (s stages) simulated(o *scoreOptions, m *model) stages {
	if o.judge != judgeLLM {
		s.judge = newUnjudged()
	}
	if x, ok := s.extractor.(extractllm.Extractor); ok {
		s.extractor = simulatedStatements{x, m.stack.Tokens}
	}
	return s
}

// A forecast counts what a run would take. It is an eval.Sink.
type forecast struct {
	rows, noClaims, failed, claims int
	usage                          usage.Usage
}

// Write counts r.
func (f *forecast) Write(r *result.Row) error {
	f.rows++
	switch r.Status {
	case result.NoClaims:
		f.noClaims++
	case result.Failed:
		f.failed++
	case result.Scored:
	}
	f.claims += len(r.Claims)
	f.usage.Requests += r.Usage.Requests
	f.usage.PromptTokens += r.Usage.PromptTokens
	f.usage.CompletionTokens += r.Usage.CompletionTokens
	return nil
}

// print writes the forecast, one figure per line. m is nil if nothing would be sent.
func (f *forecast) print(w io.Writer, o *scoreOptions, m *model) error {
	var b strings.Builder
	line := func(name, figure, note string) {
		if note != "" {
			note = "  (" + note + ")"
		}
		fmt.Fprintf(&b, "%-18s%10s%s\n", name, figure, note)
	}
	claims, exact := "", ""
	if o.claims == claimsLLM {
		claims = "sentences; a model may split them into more claims"
	}
	if m != nil && !m.stack.Tokens.Exact() {
		exact = "about: the model's tokenizer is unknown"
	}
	line("rows", strconv.Itoa(f.rows), fmt.Sprintf("%d without claims, %d that can't be scored", f.noClaims, f.failed))
	line("claims", strconv.Itoa(f.claims), claims)
	line("requests", strconv.Itoa(f.usage.Requests), "")
	line("prompt tokens", strconv.Itoa(f.usage.PromptTokens), exact)
	if m == nil {
		line("completion tokens", "0", "")
		line("cost", "$0", "nothing is sent")
	} else {
		line("completion tokens", strconv.Itoa(f.usage.CompletionTokens), "about")
		cost, note := "unknown", "the price of "+m.stack.Client.Model()+" is unknown; set it with --price"
		if m.price != nil {
			usd := (float64(f.usage.PromptTokens)*m.price[0] + float64(f.usage.CompletionTokens)*m.price[1]) / 1e6
			note = fmt.Sprintf("$%v and $%v per million tokens", m.price[0], m.price[1])
			if o.llm.price == nil {
				note += ", as of " + llm.PricesDate()
			}
			if o.batched() {
				usd *= llm.BatchFactor()
				note += fmt.Sprintf("; × %v in a batch", llm.BatchFactor())
			}
			cost = "$" + strconv.FormatFloat(usd, 'f', 4, 64)
		}
		line("cost", cost, note)
		took, why := f.duration(o)
		if o.batched() {
			took, why = o.batchDuration()
		}
		line("time", took.Round(time.Second).String(), why)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// duration estimates how long the run would take, and returns what limits it.
func (f *forecast) duration(o *scoreOptions) (time.Duration, string) {
	work := time.Duration(f.usage.Requests)*requestLatency + time.Duration(f.usage.CompletionTokens)*time.Second/tokensPerSecond
	took := work / time.Duration(max(1, min(o.concurrency, f.rows)))
	why := fmt.Sprintf("about, with %d rows at once, %v per request and %d tokens per second", o.concurrency, requestLatency, tokensPerSecond)
	if o.llm.rpm > 0 {
		if d := time.Duration(f.usage.Requests) * time.Minute / time.Duration(o.llm.rpm); d > took {
			took, why = d, fmt.Sprintf("at %d requests per minute", o.llm.rpm)
		}
	}
	if o.llm.tpm > 0 {
		tokens := f.usage.PromptTokens + f.usage.CompletionTokens
		if d := time.Duration(tokens) * time.Minute / time.Duration(o.llm.tpm); d > took {
			took, why = d, fmt.Sprintf("at %d tokens per minute", o.llm.tpm)
		}
	}
	return took, why
}

// dryRun counts what the run would do, and prints it.
func (r *scoreRun) dryRun(ctx context.Context, input dataset.Options) error {
	o := r.options
	set, err := dataset.Open(r.paths, input)
	if err != nil {
		return err
	}
	defer set.Close()
	s := r.stages.simulated(o, r.model)
	p := eval.Pipeline{
		Extractor: s.extractor, Judge: s.judge, Combined: s.combined, Workers: o.concurrency, Window: o.window(true), NoClaims: o.noClaimsScore(),
		Refusals: s.refusals, JudgeRefusals: o.judge == judgeLLM,
	}
	failures := o.newFailureLog(r.console)
	var f forecast
	if err := p.Run(ctx, o.selection().Of(set.Rows()), sinks{&f, failures}); err != nil {
		return err
	}
	failures.Close()
	return f.print(r.stdout.w, o, r.model)
}
