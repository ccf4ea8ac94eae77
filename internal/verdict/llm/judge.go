// Package llm implements the judge that uses a language model.
//
// Usually a row takes one request with numbered claims and chunks, and the
// reply is checked against it. Claims with no verdict, or with several, are
// retried, and finally sent in a request for a single word. Quotes and chunk
// ids are used only if they match the chunks. A row either gets exactly one
// verdict for each claim or fails.
package llm

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A Style selects the form of the prompt.
type Style uint8

const (
	// Chunks presents numbered chunks and requests one of three verdicts with chunk ids,
	// a quote and a reason.
	Chunks Style = iota
	// Ragas presents the contexts joined by newlines and requests 1 or 0 and a reason.
	Ragas
	// MiniCheck uses the layout of Bespoke-MiniCheck, with one claim per request.
	MiniCheck
	// Lynx uses the layout of Patronus Lynx, with one claim per request.
	Lynx
	// Guardian uses the layout of Granite Guardian 4.1, with one claim per request.
	Guardian
	// DeepEval extracts facts from the contexts and supports every claim that they do not
	// contradict.
	DeepEval
)

// Options configure a Judge. Fields that are not required have defaults.
type Options struct {
	Model   llm.Completer // required
	Prompts *prompt.Set   // required
	Style   Style
	// EachChunk judges claims against every context separately, and keeps the highest score.
	// Only styles with one claim per request support it.
	EachChunk bool
	Strict    bool // accept explicit statements only, no inference
	// Votes is the number of times that each claim is judged, with different seeds and
	// orders. It must be odd; the default is 1. The score of a claim is the mean of the
	// votes.
	Votes int
	// Threshold is the minimum score of a supported claim, and requires log probabilities.
	// If it is nil, the default is 0.5, and a server without them scores 1 or 0.
	Threshold *float64
	// MaxContextTokens limits the tokens of prompt and reply together. Contexts that do
	// not fit are judged in groups. If it is 0, contexts are grouped only after the server
	// reports that a prompt is too long.
	MaxContextTokens int
	// Limit returns the number of tokens of a prompt and its reply above which the server
	// silently truncates, or 0 if unknown. It may change during a run, and may be nil.
	Limit func() int
	// Tokens estimates the tokens of a text; the default is llm.EstimateTokens.
	Tokens func(string) int
}

const (
	claimsPerCall    = 20 // maximum number of claims in a request
	defaultThreshold = 0.5
)

// A Judge is safe for concurrent use.
type Judge struct {
	opts             Options
	logprobsRequired bool
}

// New returns a judge.
func New(opts Options) *Judge {
	if opts.Votes == 0 {
		opts.Votes = 1
	}
	required := opts.Threshold != nil
	if !required {
		opts.Threshold = new(defaultThreshold)
	}
	if opts.Tokens == nil {
		opts.Tokens = llm.EstimateTokens
	}
	return &Judge{opts, required}
}

// Threshold returns the minimum score of a supported claim.
func (j *Judge) Threshold() float64 { return *j.opts.Threshold }

// Settings identifies everything that affects verdicts, apart from the model
// and the texts: the versions of the prompts, strictness, votes and threshold. It is part
// of the keys of stored verdicts, hence the fixed seed.
func (j *Judge) Settings() string {
	s := fmt.Sprintf("%s %s strict=%t votes=%d seed=0", j.opts.Prompts.Version(j.prompt()), j.opts.Prompts.Version(prompt.JudgeWord), j.opts.Strict, j.opts.Votes)
	if j.opts.EachChunk {
		s += " each chunk"
	}
	if j.opts.Style == DeepEval {
		s += " " + j.opts.Prompts.Version(prompt.DeepEvalTruths)
	}
	if j.logprobsRequired {
		s += fmt.Sprintf(" threshold=%v", j.Threshold())
	}
	return s
}

func (j *Judge) prompt() prompt.Name {
	switch l := layoutOf(j.opts.Style); {
	case l != nil:
		return l.prompt
	case j.opts.Style == Ragas:
		return prompt.RagasJudge
	case j.opts.Style == DeepEval:
		return prompt.DeepEvalJudge
	}
	return prompt.Judge
}

// Judge returns a verdict for each claim of the task, in order. Its errors are those of
// the model, such as *llm.RefusalError, and one that names the claims for which no attempt
// returned a usable verdict. The usage covers all requests, also in case of an error.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	pieces := wholeChunks(task.Contexts)
	votes := make([][]finding, j.opts.Votes)
	var used usage.Usage
	var marks []string
	if j.opts.Style == DeepEval {
		r := &rowJudge{judge: j, task: task}
		facts, err := r.truths(ctx, pieces)
		if used, marks = r.usage, r.marks; err != nil {
			return verdict.Judgement{Usage: used}, err
		}
		pieces = facts
	}
	err := llm.ForEach(slices.Values(indexes(len(votes))), func(vote int) error {
		r := &rowJudge{judge: j, task: task, vote: vote, findings: make([]finding, len(task.Claims))}
		err := r.judgeAll(ctx, pieces)
		used = used.Add(r.usage)
		votes[vote], marks = r.findings, verdict.AddMarks(marks, r.marks...)
		return err
	})
	if err != nil {
		return verdict.Judgement{Usage: used}, err
	}
	vs := make([]verdict.Verdict, len(task.Claims))
	for i, c := range task.Claims {
		vs[i] = j.tally(votes, i)
		vs[i].ClaimID = c.ID
	}
	return verdict.Judgement{Verdicts: vs, Marks: marks, Usage: used}, nil
}
