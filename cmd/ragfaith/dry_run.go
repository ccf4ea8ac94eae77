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

// A dry run takes all rows through the real stages, with a rehearsal in the
// place of the server. So requests, and the tokens of their prompts, are counted
// and not guessed: windows, votes and changed prompts are in them. Replies are
// guessed at. Nothing is taken from a cache.

const (
	// What a request takes, of OpenAI's smaller models: an assumption.
	waitPerRequest  = 500 * time.Millisecond
	tokensPerSecond = 80
	// filler stands for a sentence of a reply. It has only words that a statement
	// may have without being taken for invented.
	filler = "it is as he or she has it in the box and we all can see it by the sea as it is"
	// mostRehearsed is the most claims or sentences that a request has.
	mostRehearsed = 64
)

// rehearsal answers as a language model would, but for what it says. It is an
// llm.Completer.
type rehearsal struct {
	tokens *llm.Tokens
	most   int // claims or sentences of a request, at most
}

// Complete makes a reply of the kind that is asked for, on as many claims as the
// request has.
func (r *rehearsal) Complete(ctx context.Context, q *llm.Request) (*llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for n := r.most; n > 0; n-- {
		said := replyTo(q.Schema.Name, n)
		if q.Schema.Accept(said) == nil {
			return &llm.Reply{JSON: said, Usage: usage.Usage{
				Requests: 1, PromptTokens: r.tokens.Request(q).Prompt, CompletionTokens: r.tokens.Text(string(said)),
			}}, nil
		}
	}
	return nil, errors.New("a request of an unknown kind")
}

// replyTo is a reply of n elements, each without support, so that contexts that
// come in groups are all asked about.
func replyTo(schema string, n int) json.RawMessage {
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

// rehearsedStatements asks for the statements of an answer, and goes on with its
// sentences: what a model makes of them is not known.
type rehearsedStatements struct {
	extractllm.Extractor
	tokens *llm.Tokens
}

// Extract implements eval.Extractor.
func (x rehearsedStatements) Extract(ctx context.Context, question, answer string) (extract.Extraction, error) {
	e, err := extract.Sentences{Lang: x.Lang}.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 {
		return e, err
	}
	x.Model = &rehearsal{x.tokens, len(e.Claims)}
	said, err := x.Extractor.Extract(ctx, question, answer)
	e.Usage = said.Usage
	return e, err
}

// unjudged is the judge that says nothing and costs nothing. It holds the
// verdicts on the first claims, which are those of any row.
type unjudged []verdict.Verdict

func newUnjudged() unjudged { return unjudged{}.on(64) }

// on is the verdicts on n claims.
func (u unjudged) on(n int) unjudged {
	for i := len(u); i < n; i++ {
		u = append(u, verdict.Verdict{ClaimID: i})
	}
	return u[:n:n]
}

// Judge implements eval.Judge.
func (u unjudged) Judge(_ context.Context, task verdict.Task) (verdict.Judgement, error) {
	return verdict.Judgement{Verdicts: u.on(len(task.Claims))}, nil
}

// rehearsed are the stages of a dry run.
func (s stages) rehearsed(o *scoreOptions, m *model) stages {
	if o.judge != withLLM {
		s.judge = newUnjudged()
	}
	if x, ok := s.extractor.(extractllm.Extractor); ok {
		s.extractor = rehearsedStatements{x, m.stack.Tokens}
	}
	return s
}

// forecast adds up what a run would take. It is an eval.Sink.
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

// print writes the forecast, a figure a line. m is nil where nothing would be
// sent.
func (f *forecast) print(w io.Writer, o *scoreOptions, m *model) error {
	var b strings.Builder
	line := func(name, figure, note string) {
		if note != "" {
			note = "  (" + note + ")"
		}
		fmt.Fprintf(&b, "%-18s%10s%s\n", name, figure, note)
	}
	claims, exact := "", ""
	if o.claims == withLLM {
		claims = "sentences; a model may make more claims of them"
	}
	if m != nil && !m.stack.Tokens.Exact() {
		exact = "about: the model's vocabulary is not known"
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
		cost, note := "unknown", "no price is known for "+m.stack.Client.Model()+"; --price gives one"
		if m.price != nil {
			usd := (float64(f.usage.PromptTokens)*m.price[0] + float64(f.usage.CompletionTokens)*m.price[1]) / 1e6
			note = fmt.Sprintf("$%v and $%v per million tokens", m.price[0], m.price[1])
			if o.llm.price == nil {
				note += ", noted " + llm.PricesNoted()
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

// duration guesses how long the run would take, and says by what.
func (f *forecast) duration(o *scoreOptions) (time.Duration, string) {
	work := time.Duration(f.usage.Requests)*waitPerRequest + time.Duration(f.usage.CompletionTokens)*time.Second/tokensPerSecond
	took := work / time.Duration(max(1, min(o.concurrency, f.rows)))
	why := fmt.Sprintf("about, with %d rows at once, %v a request and %d tokens a second", o.concurrency, waitPerRequest, tokensPerSecond)
	if o.llm.rpm > 0 {
		if d := time.Duration(f.usage.Requests) * time.Minute / time.Duration(o.llm.rpm); d > took {
			took, why = d, fmt.Sprintf("at %d requests a minute", o.llm.rpm)
		}
	}
	if o.llm.tpm > 0 {
		tokens := f.usage.PromptTokens + f.usage.CompletionTokens
		if d := time.Duration(tokens) * time.Minute / time.Duration(o.llm.tpm); d > took {
			took, why = d, fmt.Sprintf("at %d tokens a minute", o.llm.tpm)
		}
	}
	return took, why
}

// rehearse counts what the run would do, and prints it.
func (o *scoreOptions) rehearse(ctx context.Context, set *dataset.Set, s stages, m *model, c *console, stdout io.Writer) error {
	s = s.rehearsed(o, m)
	p := eval.Pipeline{
		Extractor: s.extractor, Judge: s.judge, Combined: s.combined, Workers: o.concurrency, Window: o.window(true), NoClaims: o.noClaimsScore(),
		Refusals: s.refusals, JudgeRefusals: o.judge == withLLM,
	}
	failed := failures{console: c, most: shownFailures}
	switch {
	case o.quiet:
		failed.most = 0
	case o.verbose:
		failed.most = -1
	}
	var f forecast
	if err := p.Run(ctx, o.selection().Of(set.Rows()), tee{&f, &failed}); err != nil {
		return err
	}
	failed.end()
	return f.print(stdout, o, m)
}
