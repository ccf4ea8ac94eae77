package llm

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// An answer is the verdict on one claim in a reply.
type answer struct {
	label   verdict.Label
	reason  string
	chunks  []int // unchecked indexes of pieces
	quote   string
	score   float64 // probability of support, if graded
	graded  bool
	ofFacts bool // made from facts, so that chunk ids and quotes do not refer to contexts
}

// A finding is the current result for a claim. The zero value means that there
// is no result yet.
type finding struct {
	known    bool
	label    verdict.Label
	score    float64 // probability of support, on the side of label; otherwise 1 or 0
	graded   bool    // score was computed from log probabilities
	reason   string
	chunks   []int // chunks that support the claim
	evidence []verdict.Evidence
}

// add merges the result for another group of chunks. Support in any group takes
// precedence over a contradiction, and a contradiction over no mention. If the
// labels are equal, the first result is kept. The score is the higher one.
func (f *finding) add(g finding) {
	best := f
	if !f.known || g.score > f.score {
		best = &g
	}
	score, graded := best.score, best.graded
	if !f.known || g.label > f.label {
		*f = g
	}
	f.score, f.graded = score, graded
}

// finding validates an answer against the pieces that were sent. It drops
// unknown chunk ids and quotes that do not occur in the pieces.
func (a *answer) finding(pieces []piece, contexts []string) finding {
	f := finding{known: true, label: a.label, reason: a.reason, score: a.score, graded: a.graded}
	if !a.graded && a.label == verdict.Supported {
		f.score = 1
	}
	if f.reason == "" {
		f.reason = "the model gave no reason"
	}
	if a.label == verdict.NotMentioned || a.ofFacts {
		return f
	}
	var named, shown []int
	for _, p := range pieces {
		shown = append(shown, p.chunk)
	}
	for _, id := range a.chunks {
		if id < len(pieces) {
			named = append(named, pieces[id].chunk)
		}
	}
	named, shown = ascending(named), ascending(shown)
	if len(named) == 0 && len(shown) == 1 {
		named = shown
	}
	candidates := named
	if len(candidates) == 0 {
		candidates = shown
	}
	for _, c := range candidates {
		if start, end, ok := find(contexts[c], a.quote); ok {
			f.evidence = []verdict.Evidence{verdict.NewEvidence(contexts, c, start, end)}
			if len(named) == 0 {
				named = []int{c}
			}
			break
		}
	}
	if a.label == verdict.Supported {
		f.chunks = named
	}
	return f
}

func ascending(ids []int) []int {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// A rowJudge judges the claims of a task once, for a single vote.
type rowJudge struct {
	judge    *Judge
	task     verdict.Task
	vote     int
	usage    usage.Usage
	marks    []string  // as in verdict.Judgement
	findings []finding // by claim index
	window   int       // context window used for grouping chunks, or 0 if unlimited
}

// indexes returns 0 to n-1.
func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func (r *rowJudge) mark(name string) { r.marks = verdict.AddMarks(r.marks, name) }

func (r *rowJudge) complete(ctx context.Context, req *llm.Request) (*llm.Reply, error) {
	reply, err := r.judge.opts.Model.Complete(ctx, req)
	if err != nil {
		r.usage = r.usage.Add(llm.UsageOf(err))
		return nil, err
	}
	r.usage = r.usage.Add(reply.Usage)
	return reply, nil
}

// render returns a request with a prompt and the schema of its reply.
func (r *rowJudge) render(name prompt.Name, d prompt.Data, schema *llm.Schema, maxTokens int) (*llm.Request, error) {
	text, err := r.judge.opts.Prompts.Render(name, d)
	if err != nil {
		return nil, err
	}
	return &llm.Request{Messages: llm.Messages(text.System, text.User), Schema: schema, MaxTokens: maxTokens, Prompt: text.Version}, nil
}

// claimIDs formats the ids of claims for an error message.
func (r *rowJudge) claimIDs(claims []int) string {
	const maxShown = 5
	var ids []string
	for _, c := range claims[:min(len(claims), maxShown)] {
		ids = append(ids, strconv.Itoa(r.task.Claims[c].ID))
	}
	text := "claim " + strings.Join(ids, ", ")
	if more := len(claims) - len(ids); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
