// Package llm implements the judge that uses a language model.
//
// Usually a row takes one request with numbered claims and chunks, and the reply is checked against
// it. Claims with no verdict, or with several, are retried, and finally sent in a request for a
// single word. Quotes and chunk ids are used only if they match the chunks. A row either gets
// exactly one verdict for each claim or fails.
package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// Settings identifies everything that affects verdicts, apart from the model
// and the texts: the versions of the prompts, strictness, votes and threshold. It is part
// of the keys of stored verdicts, hence the fixed seed.
func (j *Judge) Settings() string {
	s := fmt.Sprintf("%s %s strict=%t votes=%d seed=0", j.opts.Prompts.Version(layoutOf(j.opts.Style).prompt), j.opts.Prompts.Version(prompt.JudgeWord), j.opts.Strict, j.opts.Votes)
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
	return verdict.Judgement{Verdicts: j.tallyAll(votes, task.Claims), Marks: marks, Usage: used}, nil
}

// judgeAll judges every claim against every chunk.
func (r *rowJudge) judgeAll(ctx context.Context, pieces []piece) error {
	order := indexes(len(r.task.Claims))
	if r.vote > 0 {
		rng := rand.New(rand.NewPCG(uint64(r.vote), uint64(len(order)))) //nolint:gosec // not security-sensitive
		rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	}
	groups := [][]piece{pieces}
	if r.judge.opts.EachChunk {
		groups = slices.Collect(slices.Chunk(pieces, 1))
	}
	return llm.ForEach(slices.Chunk(order, claimsPerCall), func(claims []int) error {
		return llm.ForEach(slices.Values(groups), func(group []piece) error { return r.judgeInGroups(ctx, group, claims) })
	})
}

// judgeInGroups judges claims against pieces, in as many groups as the context window requires.
func (r *rowJudge) judgeInGroups(ctx context.Context, pieces []piece, claims []int) error {
	window, detected := r.judge.window()
	if r.window = window; window == 0 {
		return r.judgeGroup(ctx, pieces, claims)
	}
	bare, err := r.request(nil, claims, 0)
	if err != nil {
		return err
	}
	switch room := r.judge.room(bare); {
	case room >= minWindow:
		return r.judgeEach(ctx, pack(pieces, room, r.judge.size), claims)
	case len(claims) > 1:
		return llm.SplitInHalf(claims, func(half []int) error { return r.judgeInGroups(ctx, pieces, half) })
	}
	return &llm.ContextLengthError{
		Limit: window, Message: "a claim and the instructions leave no room for the contexts", Silent: detected,
	}
}

// judgeEach judges claims against groups of pieces, until each claim is supported. Facts that do not
// contradict a claim decide nothing about those of other groups.
func (r *rowJudge) judgeEach(ctx context.Context, groups [][]piece, claims []int) error {
	if len(groups) > 1 {
		r.mark(verdict.MarkGrouped)
	}
	for _, g := range groups {
		claims = slices.DeleteFunc(slices.Clone(claims), func(c int) bool {
			return r.judge.opts.Style != DeepEval && r.findings[c].known && r.findings[c].score >= r.judge.Threshold()
		})
		if len(claims) == 0 {
			return nil
		}
		if err := r.judgeGroup(ctx, g, claims); err != nil {
			return err
		}
	}
	return nil
}

// judgeGroup judges claims against pieces, in one request unless the server rejects it as too long.
func (r *rowJudge) judgeGroup(ctx context.Context, pieces []piece, claims []int) error {
	err := r.ask(ctx, pieces, claims)
	tooLong, ok := errors.AsType[*llm.ContextLengthError](err)
	if !ok {
		return err
	}
	if window, _ := r.judge.window(); window != r.window {
		return r.judgeInGroups(ctx, pieces, claims) // a smaller window has been detected
	}
	if halves := halve(pieces); halves != nil {
		return r.judgeEach(ctx, halves, claims)
	}
	if len(claims) > 1 {
		return llm.SplitInHalf(claims, func(half []int) error { return r.judgeGroup(ctx, pieces, half) })
	}
	return tooLong
}

// tallyAll returns the verdicts on claims.
func (j *Judge) tallyAll(votes [][]finding, claims []extract.Claim) []verdict.Verdict {
	return convert(claims, func(i int, c extract.Claim) verdict.Verdict {
		v := j.tally(votes, i)
		v.ClaimID = c.ID
		return v
	})
}

// tally combines the votes on claim i into a verdict. The score is the mean of the scores of the
// votes: without log probabilities, the share of votes for support. A claim with a score below the
// threshold is contradicted if there are more votes for contradicted than for not mentioned. Reason
// and evidence are those of the first vote with the resulting label. Chunk ids are collected from
// all votes with that label.
func (j *Judge) tally(votes [][]finding, i int) verdict.Verdict {
	var count [verdict.Supported + 1]int
	v := verdict.Verdict{Graded: true}
	sum := 0.0
	for _, vote := range votes {
		count[vote[i].label]++
		sum += vote[i].score
		v.Graded = v.Graded && vote[i].graded
	}
	if v.Score = sum / float64(len(votes)); v.Graded {
		v.Score = math.Round(v.Score*scoreSteps) / scoreSteps
	}
	switch {
	case v.Score >= j.Threshold():
		v.Label = verdict.Supported
	case count[verdict.Contradicted] > count[verdict.NotMentioned]:
		v.Label = verdict.Contradicted
	}
	for _, vote := range slices.Backward(votes) {
		if f := vote[i]; f.label == v.Label {
			v.Reason, v.Evidence = f.reason, f.evidence
			v.ChunkIDs = append(v.ChunkIDs, f.chunks...)
		}
	}
	v.ChunkIDs = ascending(slices.Clip(v.ChunkIDs))
	if count[v.Label] == 0 { // the threshold decides otherwise than the model
		f := votes[0][i]
		v.Reason = fmt.Sprintf("the probability of support is %.2f, and the threshold %v: %s", v.Score, j.Threshold(), f.reason)
	}
	n := len(votes)
	if v.Graded || n > 1 {
		v.Confidence = v.Certainty()
	}
	if n > 1 {
		v.Reason = fmt.Sprintf("%d of %d votes for support: %s", count[verdict.Supported], n, v.Reason)
	}
	return v
}

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
	// Votes is the number of times that each claim is judged, with different seeds and orders. It
	// must be odd; the default is 1. The score of a claim is the mean of the votes.
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
	claimsPerCall    = 20  // maximum number of claims in a request
	maxAttempts      = 3   // attempts to get a verdict in JSON
	seedStride       = 100 // distance between the seeds of consecutive votes
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

// window returns the token limit of a request with its reply, or 0 if unlimited. detected is set if
// the limit was inferred from the behavior of the server.
func (j *Judge) window() (tokens int, detected bool) {
	window, limit := j.opts.MaxContextTokens, 0
	if j.opts.Limit != nil {
		limit = j.opts.Limit()
	}
	if limit > 0 && (window == 0 || limit < window) {
		return limit, true
	}
	return window, false
}

// room returns the number of tokens in the window for adding chunks to bare.
func (j *Judge) room(bare *llm.Request) int {
	window, detected := j.window()
	room := window - bare.MaxTokens - messageTokens
	if detected {
		room = window - llm.ExpectedReplyTokens(bare) - messageTokens
		if bare.Schema != nil {
			room -= j.opts.Tokens(string(bare.Schema.JSON))
		}
	}
	for _, m := range bare.Messages {
		room -= j.opts.Tokens(m.Text)
	}
	return room
}

// size returns the approximate tokens of a chunk in a request.
func (j *Judge) size(s string) int {
	n := j.opts.Tokens(s)
	return n + n/16 + chunkOverhead/3
}
