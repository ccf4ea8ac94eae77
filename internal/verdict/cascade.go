package verdict

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// A Cascade asks a language model only about the claims that an offline judge does not decide.
// The offline judge decides a claim if its confidence reaches a calibrated bound. A random
// sample of rows is sent to the model anyway, to measure how often both judges agree. It is
// safe for concurrent use if both judges are.
type Cascade struct {
	Offline, Model Judge
	// Offline decides the claims that it supports with at least the confidence Supported, and
	// those that it does not support with at least the confidence Unsupported. NaN means none.
	// A claim that Offline leaves unjudged has no confidence, so it is never decided.
	Supported, Unsupported float64
	// Audit is the share of tasks, from 0 to 1, whose decided claims are sent to the model
	// too. The model's verdict then counts.
	Audit float64
	// Seed selects the audited tasks, together with their texts. The selection does not
	// depend on the order of tasks.
	Seed uint64
	// NeedsContext reports whether a claim refers to something that it does not name. The
	// model then also judges the claims before it, which may name it.
	NeedsContext func(claim string) bool
}

// Judge returns the verdicts of both judges, in any order. Those of the offline judge have
// Prescreened set, and those of the model on decided claims have Audited set. Judge returns
// an error if one of the judges does. The usage is that of both.
func (j *Cascade) Judge(ctx context.Context, task Task) (Judgement, error) {
	out, err := j.Offline.Judge(ctx, task)
	if err != nil {
		return out, err
	}
	decided := j.decided(task, out.Verdicts)
	out.Verdicts = nil
	audited := len(decided) > 0 && j.audits(task)
	rest := task
	rest.Claims = nil
	for _, c := range task.Claims {
		v, ok := decided[c.ID]
		if ok && !audited {
			v.Prescreened = true
			out.Verdicts = append(out.Verdicts, v)
		} else {
			rest.Claims = append(rest.Claims, c)
		}
	}
	if len(rest.Claims) == 0 {
		return out, nil
	}
	judged, err := j.Model.Judge(ctx, rest)
	out.Usage, out.Marks = out.Usage.Add(judged.Usage), judged.Marks
	if err != nil {
		return Judgement{Marks: out.Marks, Usage: out.Usage}, err
	}
	for _, v := range judged.Verdicts {
		if offline, ok := decided[v.ClaimID]; ok {
			v.Audited = &offline.Label
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

// decided returns the verdicts of the offline judge that stand, by the id of the claim.
func (j *Cascade) decided(task Task, verdicts []Verdict) map[int]Verdict {
	decided := make(map[int]Verdict, len(verdicts))
	for _, v := range verdicts {
		bound := j.Unsupported
		if v.Label == Supported {
			bound = j.Supported
		}
		if math.Round(v.Confidence*1e6)/1e6 >= bound { // as in the results that the bounds were fitted to
			decided[v.ClaimID] = v
		}
	}
	for i := len(task.Claims) - 1; i > 0; i-- {
		c := &task.Claims[i]
		if _, ok := decided[c.ID]; !ok && j.NeedsContext(c.Judged()) {
			for _, before := range task.Claims[:i] {
				delete(decided, before.ID)
			}
			break
		}
	}
	return decided
}

// audits reports whether the decided claims of a task are sent to the model.
func (j *Cascade) audits(task Task) bool {
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
	writeInt(j.Seed)
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
	return float64(x)/(1<<digits) < j.Audit
}
