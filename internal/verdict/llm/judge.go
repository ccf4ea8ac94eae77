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
