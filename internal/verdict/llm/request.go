package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	baseTokens     = 400 // output tokens of a reply, excluding claims
	tokensPerClaim = 160 // output tokens per claim
)

// ask gets a finding for each of claims against pieces. Claims without a usable verdict are
// retried, first together with a schema that contains a property for each, then separately. Claims
// that still have no verdict are sent in requests for a single word. A claim whose reply is
// truncated when sent alone skips the remaining attempts: ReplyRetry has already doubled its output
// tokens, so the reply is runaway generation.
func (r *rowJudge) ask(ctx context.Context, pieces []piece, claims []int) error {
	if l := layoutOf(r.judge.opts.Style); l.read != nil {
		return llm.ForEach(slices.Values(claims), func(c int) error {
			err := r.askClaim(ctx, l, pieces, c)
			if _, unreadable := errors.AsType[*llm.ParseError](err); unreadable {
				return fmt.Errorf("%s: no verdict: %w", r.claimIDs([]int{c}), err)
			}
			return err
		})
	}
	remaining, runaway, reason := claims, []int(nil), error(nil)
	for attempt := range maxAttempts {
		batchSize := claimsPerCall
		if attempt == maxAttempts-1 {
			batchSize = 1
		}
		var next []int
		for batch := range slices.Chunk(remaining, batchSize) {
			missing, cause, err := r.askOnce(ctx, pieces, batch, attempt)
			if err != nil {
				return err
			}
			if len(missing) == 0 {
				continue
			}
			reason = cause
			if _, truncated := errors.AsType[*llm.LengthError](cause); truncated && len(batch) == 1 {
				runaway = append(runaway, missing...)
			} else {
				next = append(next, missing...)
			}
		}
		if remaining = next; len(remaining) == 0 {
			break
		}
	}
	remaining = append(runaway, remaining...)
	if r.judge.opts.Style == DeepEval && len(remaining) > 0 { // one word would mean something else
		return fmt.Errorf("%s: no verdict: %w", r.claimIDs(remaining), reason)
	}
	return r.askForWords(ctx, pieces, remaining, reason)
}

// askForWords requests a single word for each of claims after all other attempts failed with
// reason. Small models that can't write JSON can still answer yes or no.
func (r *rowJudge) askForWords(ctx context.Context, pieces []piece, claims []int, reason error) error {
	return llm.ForEach(slices.Values(indexes(len(claims))), func(i int) error {
		err := r.askClaim(ctx, wordLayout(r.judge.opts.Style), pieces, claims[i])
		_, unreadable := errors.AsType[*llm.ParseError](err)
		_, truncated := errors.AsType[*llm.LengthError](err)
		switch {
		case unreadable || truncated:
			return fmt.Errorf("%s: no verdict: %w; and asked for one word: %w", r.claimIDs(claims[i:]), reason, err)
		case err == nil:
			r.mark(verdict.MarkOneWord)
		}
		return err
	})
}

// askOnce sends one request and adds its findings. It returns the claims
// without a usable verdict, and the reason.
func (r *rowJudge) askOnce(ctx context.Context, pieces []piece, claims []int, attempt int) (missing []int, reason, err error) {
	req, err := r.request(pieces, claims, attempt)
	if err != nil {
		return nil, nil, err
	}
	reply, err := r.complete(ctx, req)
	parseErr, unreadable := errors.AsType[*llm.ParseError](err)
	switch {
	case err == nil:
	case llm.IsTruncated(err) && len(claims) > 1:
		return nil, nil, llm.SplitInHalf(claims, func(half []int) error { return r.ask(ctx, pieces, half) })
	case unreadable && parseErr.NoAnswer:
		return nil, nil, err // fewer claims would not help
	case llm.IsUnusable(err):
		return claims, err, nil
	default:
		return nil, nil, err
	}
	answers, ordered, reason := reconcile(reply.JSON, len(claims), r.judge.opts.Style)
	gradeAnswers(ordered, reply, "verdict", layoutOf(r.judge.opts.Style).words)
	if reason == nil && r.judge.logprobsRequired {
		reason = errUngraded // if it is
	}
	for i, c := range claims {
		if answers[i] == nil || r.judge.logprobsRequired && !answers[i].graded {
			missing = append(missing, c)
			continue
		}
		r.findings[c].add(answers[i].finding(pieces, r.task.Contexts))
	}
	if reply.Downgraded && len(missing) < len(claims) {
		r.mark(verdict.MarkDowngraded)
	}
	return missing, reason, nil
}

// request returns the request for claims and pieces, which are numbered by
// their index in these slices.
func (r *rowJudge) request(pieces []piece, claims []int, attempt int) (*llm.Request, error) {
	o := &r.judge.opts
	l := layoutOf(o.Style)
	if l.read != nil {
		return r.layoutRequest(l, pieces, r.longest(claims), attempt)
	}
	schema := schemaOf(o.Style, len(claims), attempt)
	req, err := extractllm.Request(o.Prompts, l.prompt, r.promptData(pieces, claims), schema, baseTokens+tokensPerClaim*len(claims))
	if err != nil {
		return nil, err
	}
	r.judge.requestLogprobs(req, func(reply *llm.Reply) [][2]int { return valueSpans(reply, "verdict") })
	req.Vary(r.vote*seedStride + attempt)
	return req, nil
}

const (
	truthsSchema = `{"type":"object","properties":{"truths":{"type":"array","items":{"type":"string"}}},"required":["truths"],"additionalProperties":false}`
	truthsTokens = 2048 // output tokens of a request for truths
)

// truths returns the facts that pieces state, according to the model. It asks about as
// many pieces at once as the context window holds.
func (r *rowJudge) truths(ctx context.Context, pieces []piece) (facts []piece, err error) {
	req, err := r.truthsRequest(nil)
	if err != nil {
		return nil, err
	}
	groups := [][]piece{pieces}
	if window, _ := r.judge.window(); window > 0 {
		groups = pack(pieces, max(r.judge.room(req), minWindow), r.judge.size)
	}
	for len(groups) > 0 {
		group := groups[0]
		groups = groups[1:]
		if req, err = r.truthsRequest(group); err != nil {
			return nil, err
		}
		reply, err := r.complete(ctx, req)
		if err != nil {
			halves := halve(group)
			if !llm.IsTooLong(err) || halves == nil {
				return nil, err
			}
			groups = append(halves, groups...)
			continue
		}
		if reply.Downgraded {
			r.mark(verdict.MarkDowngraded)
		}
		list, err := readTruths(reply.JSON)
		if err != nil {
			return nil, &llm.ParseError{Reason: err.Error(), Text: reply.Text}
		}
		for _, text := range list {
			facts = append(facts, piece{text: text})
		}
	}
	return facts, nil
}

func (r *rowJudge) truthsRequest(pieces []piece) (*llm.Request, error) {
	schema := &llm.Schema{Name: "truths", JSON: json.RawMessage(truthsSchema), Accept: func(raw json.RawMessage) error {
		_, err := readTruths(raw)
		return err
	}}
	return extractllm.Request(r.judge.opts.Prompts, prompt.DeepEvalTruths, prompt.Data{Contexts: items(pieces)}, schema, truthsTokens)
}

// readTruths parses a list of facts, which may be empty.
func readTruths(raw json.RawMessage) ([]string, error) {
	var reply struct {
		Truths *[]string `json:"truths"`
	}
	if json.Unmarshal(raw, &reply) != nil || reply.Truths == nil {
		return nil, errors.New("it has no list \"truths\"")
	}
	var list []string
	for _, text := range *reply.Truths {
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, text)
		}
	}
	return list, nil
}
