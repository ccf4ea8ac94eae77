package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

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

// indexes returns 0 to n-1.
func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// judgeInGroups judges claims against pieces, in as many groups as the context
// window requires.
func (r *rowJudge) judgeInGroups(ctx context.Context, pieces []piece, claims []int) error {
	window, detected := r.judge.window()
	if r.window = window; window == 0 {
		return r.judgeGroup(ctx, pieces, claims)
	}
	room, err := r.room(claims)
	if err != nil {
		return err
	}
	switch {
	case room >= minWindow:
		return r.judgeEach(ctx, pack(pieces, room, r.judge.size), claims)
	case len(claims) > 1:
		return llm.SplitInHalf(claims, func(half []int) error { return r.judgeInGroups(ctx, pieces, half) })
	}
	return &llm.ContextLengthError{
		Limit: window, Message: "a claim and the instructions leave no room for the contexts", Silent: detected,
	}
}

// judgeEach judges claims against groups of pieces, until each claim is
// supported.
func (r *rowJudge) judgeEach(ctx context.Context, groups [][]piece, claims []int) error {
	if len(groups) > 1 {
		r.mark(verdict.MarkGrouped)
	}
	for _, g := range groups {
		if claims = r.unsupported(claims); len(claims) == 0 {
			return nil
		}
		if err := r.judgeGroup(ctx, g, claims); err != nil {
			return err
		}
	}
	return nil
}

// judgeGroup judges claims against pieces, in one request unless the server
// rejects it as too long.
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

// window returns the token limit of a request with its reply, or 0 if
// unlimited. detected is set if the limit was inferred from the behavior of the
// server.
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

func (r *rowJudge) mark(name string) { r.marks = verdict.AddMarks(r.marks, name) }

// room returns the number of tokens available for chunks in a request with
// claims.
func (r *rowJudge) room(claims []int) (int, error) {
	bare, err := r.request(nil, claims, 0)
	if err != nil {
		return 0, err
	}
	return r.judge.room(bare), nil
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

// unsupported returns the claims that no group has supported so far.
func (r *rowJudge) unsupported(claims []int) []int {
	return slices.DeleteFunc(slices.Clone(claims), func(c int) bool {
		return r.findings[c].known && r.findings[c].score >= r.judge.Threshold()
	})
}

// tally combines the votes on claim i into a verdict. The score is the mean of
// the scores of the votes: without log probabilities, the share of votes for
// support. A claim with a score below the threshold is contradicted if there are
// more votes for contradicted than for not mentioned. Reason and evidence are
// those of the first vote with the resulting label. Chunk ids are collected from
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
