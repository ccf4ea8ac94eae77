// Package cascade asks a language model only about the claims that an offline judge does
// not decide.
//
// The offline judge decides a claim if its confidence reaches a calibrated bound. A random
// sample of rows is sent to the model anyway, to measure how often both judges agree.
package cascade

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// Options configure a Judge. Offline and Model are required.
type Options struct {
	Offline, Model verdict.Judge
	// Offline decides the claims that it supports with at least the confidence Supported, and
	// those that it does not support with at least the confidence Unsupported. NaN for none.
	// A claim that Offline leaves unjudged has no confidence, so it is never decided.
	Supported, Unsupported float64
	// Audit is the share of tasks, from 0 to 1, whose decided claims are sent to the model
	// too. The model's verdict then counts.
	Audit float64
	// Seed selects the audited tasks, together with their texts. The selection does not
	// depend on the order of tasks.
	Seed uint64
	// NeedsContext reports whether a claim refers to something that it does not name. The
	// model then also judges the claims before it, which may name it. It may be nil.
	NeedsContext func(claim string) bool
	// Ask reports whether the model must judge a claim regardless of its score. It may be nil.
	Ask func(question string, claim *extract.Claim) bool
}

// A Judge is safe for concurrent use if its judges are.
type Judge struct{ opts Options }

// New returns a judge, or an error if an option is missing or out of range.
func New(opts Options) (*Judge, error) {
	switch {
	case opts.Offline == nil || opts.Model == nil:
		return nil, errors.New("a cascade needs an offline judge and a model")
	case math.IsNaN(opts.Supported) && math.IsNaN(opts.Unsupported):
		return nil, errors.New("a cascade needs a bound")
	case opts.Supported <= 0 || opts.Unsupported <= 0: // false for NaN
		return nil, fmt.Errorf("bounds of a cascade: want confidences above 0, got %v and %v", opts.Supported, opts.Unsupported)
	case !(opts.Audit >= 0 && opts.Audit <= 1):
		return nil, fmt.Errorf("audited share: want 0 to 1, got %v", opts.Audit)
	}
	return &Judge{opts}, nil
}

// Judge returns a verdict for each claim, in the order of the claims. Those of the offline
// judge have Prescreened set, and those of the model on decided claims have Audited set.
// Judge returns an error if one of the judges does. The usage is that of both.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	out, err := j.opts.Offline.Judge(ctx, task)
	if err != nil {
		return out, err
	}
	decided := j.decided(task, out.Verdicts)
	out.Verdicts = nil
	audited := len(decided) > 0 && j.audits(task)
	rest := task
	rest.Claims = nil
	for _, c := range task.Claims {
		if _, ok := decided[c.ID]; !ok || audited {
			rest.Claims = append(rest.Claims, c)
		}
	}
	fromModel := make(map[int]verdict.Verdict, len(rest.Claims))
	if len(rest.Claims) > 0 {
		judged, err := j.opts.Model.Judge(ctx, rest)
		out.Usage, out.Marks = out.Usage.Add(judged.Usage), judged.Marks
		if err != nil {
			return out, err
		}
		for _, v := range judged.Verdicts {
			if _, duplicate := fromModel[v.ClaimID]; duplicate {
				return out, fmt.Errorf("claim %d has more than one verdict", v.ClaimID)
			}
			fromModel[v.ClaimID] = v
		}
	}
	for _, c := range task.Claims {
		offline, isDecided := decided[c.ID]
		v, asked := fromModel[c.ID]
		switch {
		case asked && isDecided:
			v.Audited = &offline.Label
		case isDecided && !audited:
			v = offline
			v.Prescreened = true
		case !asked:
			return out, fmt.Errorf("claim %d has no verdict", c.ID)
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

// decided returns the verdicts of the offline judge that stand, by the id of the claim.
func (j *Judge) decided(task verdict.Task, verdicts []verdict.Verdict) map[int]verdict.Verdict {
	decided := make(map[int]verdict.Verdict, len(verdicts))
	for _, v := range verdicts {
		bound := j.opts.Unsupported
		if v.Label == verdict.Supported {
			bound = j.opts.Supported
		}
		if math.Round(v.Confidence*1e6)/1e6 >= bound { // as in the results that the bounds were fitted to
			decided[v.ClaimID] = v
		}
	}
	for i := range task.Claims {
		if c := &task.Claims[i]; j.opts.Ask != nil && j.opts.Ask(task.Question, c) {
			delete(decided, c.ID)
		}
	}
	if j.opts.NeedsContext == nil {
		return decided
	}
	for i := len(task.Claims) - 1; i > 0; i-- {
		c := &task.Claims[i]
		if _, ok := decided[c.ID]; !ok && j.opts.NeedsContext(c.Judged()) {
			for _, before := range task.Claims[:i] {
				delete(decided, before.ID)
			}
			break
		}
	}
	return decided
}

// audits reports whether the decided claims of a task are sent to the model.
func (j *Judge) audits(task verdict.Task) bool {
	h := sha256.New()
	var n [8]byte
	writeInt := func(x uint64) {
		binary.LittleEndian.PutUint64(n[:], x)
		h.Write(n[:])
	}
	write := func(text string) {
		writeInt(uint64(len(text)))
		h.Write([]byte(text))
	}
	writeInt(j.opts.Seed)
	write(task.Question)
	writeInt(uint64(len(task.Contexts)))
	for _, c := range task.Contexts {
		write(c)
	}
	for i := range task.Claims {
		write(task.Claims[i].Judged())
	}
	const digits = 53 // bits of a float64 below 1
	x := binary.LittleEndian.Uint64(h.Sum(nil)) >> (64 - digits)
	return float64(x)/(1<<digits) < j.opts.Audit
}
