// Package semantic implements a semantic cache of verdicts: a claim reuses the verdict
// of an equivalent claim on the same contexts.
//
// Embedding similarity alone would equate "14 March" and "20 March", or a statement and
// its negation. So the cache first compares the words of two claims, and computes
// embeddings only if the words are equivalent.
package semantic

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// DefaultThreshold is a good value of Options.Threshold.
const DefaultThreshold = 0.85

// Options configure a Judge.
type Options struct {
	Judge    verdict.Judge // required; returns verdicts in the order of the claims
	Embedder llm.Embedder  // required
	Store    *llm.Cache    // required; may drop values, whose claims are then judged as usual
	// Key identifies everything else that verdicts depend on: endpoint, model, prompt
	// version and options. Verdicts are reused only under the same key.
	Key string
	// Waiting, if set, is called before a row waits for other rows with the same
	// contexts. It returns a function that is called after the wait.
	Waiting func(ctx context.Context) (resume func())
	// Threshold is the minimum cosine similarity of equivalent claims, above 0 and at most 1.
	Threshold float64
}

// A Judge is a judge with a semantic cache. It is safe for concurrent use. Rows with the same
// contexts are judged sequentially, so that later rows can reuse the verdicts of earlier ones.
//
// The order of the rows determines which of two equivalent claims is judged and which one reuses
// the verdict. For reproducible results, fill the store in an earlier run or use one worker.
type Judge struct {
	opts  Options
	guard *guard
	locks [256]chan struct{} // held while rows with the same contexts, by their hash, are judged
}

// New returns a judge, or an error if the embedded lexicon is corrupt.
func New(opts Options) (*Judge, error) {
	lex, err := lexicon.Load()
	j := &Judge{opts: opts, guard: &guard{lex}}
	for i := range j.locks {
		j.locks[i] = make(chan struct{}, 1)
	}
	return j, err
}

// Judge returns a verdict for each claim, in the order of the claims. Reused verdicts have Reused
// set. The usage includes embedding requests, which are made only if the words of a known claim
// match. Judge returns an error if the underlying judge or the embedder fails, or ctx is done.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	space := j.space(task.Contexts)
	unlock, err := j.lock(ctx, space)
	if err != nil {
		return verdict.Judgement{}, err
	}
	defer unlock()
	var known []record
	for _, value := range j.opts.Store.List(ctx, space) {
		if r, ok := readRecord(value, len(task.Contexts)); ok {
			known = append(known, r)
		}
	}
	var out verdict.Judgement
	hits, usage, err := j.lookUp(ctx, task, known)
	out.Usage = usage
	if err != nil {
		return out, err
	}
	dropHitsNeededAsContext(task.Claims, hits)
	rest := task
	rest.Claims = nil
	for i, c := range task.Claims {
		if hits[i] == nil {
			rest.Claims = append(rest.Claims, c)
		}
	}
	var judged verdict.Judgement
	if len(rest.Claims) > 0 {
		judged, err = j.opts.Judge.Judge(ctx, rest)
		out.Usage, out.Marks = out.Usage.Add(judged.Usage), judged.Marks
		if err != nil {
			return verdict.Judgement{Usage: out.Usage}, err
		}
	}
	n := 0
	for i, c := range task.Claims {
		if hits[i] != nil {
			hits[i].ClaimID = c.ID
			out.Verdicts = append(out.Verdicts, *hits[i])
			continue
		}
		v := judged.Verdicts[n]
		n++
		out.Verdicts = append(out.Verdicts, v)
		v.Unsupported = nil // ranges of this claim
		text, before := c.Judged(), claimsBefore(task, i)
		if value, err := json.Marshal(record{text, before, task.Question, v}); err == nil {
			j.opts.Store.Put(ctx, space, hash(append([]string{task.Question, text}, before...)...), value)
		}
	}
	return out, nil
}

// lock waits until no other row with the same contexts is being judged.
func (j *Judge) lock(ctx context.Context, space string) (unlock func(), err error) {
	if j.opts.Waiting != nil {
		defer j.opts.Waiting(ctx)()
	}
	lock := j.locks[crc32.ChecksumIEEE([]byte(space))%uint32(len(j.locks))]
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// maxBefore limits the bytes of the claims before one that needs context.
const maxBefore = 8 << 10

// claimsBefore returns the question and the claims before claim i if the claim needs
// context. Otherwise, or if they are too long, it returns nil.
func claimsBefore(task verdict.Task, i int) []string {
	if !NeedsContext(task.Claims[i].Judged()) {
		return nil
	}
	texts, size := []string{task.Question}, 0
	for _, c := range task.Claims[:i] {
		if size += len(c.Judged()); size > maxBefore {
			return nil
		}
		texts = append(texts, c.Judged())
	}
	return texts
}

// dropHitsNeededAsContext removes the hits before the last claim that must be judged and
// needs context, because the judge must see the preceding claims too.
func dropHitsNeededAsContext(claims []extract.Claim, hits []*verdict.Verdict) {
	for i := len(claims) - 1; i >= 0; i-- {
		if hits[i] == nil && NeedsContext(claims[i].Judged()) {
			clear(hits[:i])
			return
		}
	}
}

// reuse returns the verdict of a record for a claim whose embedding has the given cosine.
func (r *record) reuse(cosine float64) *verdict.Verdict {
	v := r.Verdict
	v.Reused = &verdict.Reused{By: "semantic", Statement: r.Claim, Cosine: cosine}
	return &v
}

// lookUp returns the verdict on the most similar known claim for each claim of the task, or
// nil if no known claim is equivalent.
func (j *Judge) lookUp(ctx context.Context, task verdict.Task, known []record) ([]*verdict.Verdict, usage.Usage, error) {
	hits := make([]*verdict.Verdict, len(task.Claims))
	candidates := make([][]*record, len(task.Claims))
	words := make([][]word, len(known))
	for n := range known {
		words[n] = split(known[n].Claim)
	}
	var texts []string // of each claim with candidates, followed by those of the candidates
	for i, c := range task.Claims {
		if err := ctx.Err(); err != nil {
			return nil, usage.Usage{}, err
		}
		text, before := c.Judged(), claimsBefore(task, i)
		own := split(text)
		for n := range known {
			r := &known[n]
			if j.guard.equivalent(own, before, words[n], r.Before, r.Question == task.Question) {
				candidates[i] = append(candidates[i], r)
			}
		}
		same := slices.IndexFunc(candidates[i], func(r *record) bool { return r.Claim == text })
		if same >= 0 {
			hits[i], candidates[i] = candidates[i][same].reuse(1), nil
		}
		if len(candidates[i]) > 0 {
			texts = append(texts, text)
		}
		for _, r := range candidates[i] {
			texts = append(texts, r.Claim)
		}
	}
	if len(texts) == 0 {
		return hits, usage.Usage{}, nil
	}
	vectors, usage, err := j.opts.Embedder.Embed(ctx, texts)
	if _, ok := errors.AsType[*llm.ContextLengthError](err); ok {
		return hits, usage, nil // claims without an exact match are judged
	}
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	if err != nil {
		return nil, usage, fmt.Errorf("embedding claims for the semantic cache: %w", err)
	}
	for i, list := range candidates {
		if len(list) == 0 {
			continue
		}
		for n, r := range list {
			cos := cosine(vectors[0], vectors[n+1])
			if cos >= j.opts.Threshold && (hits[i] == nil || cos > hits[i].Reused.Cosine) {
				hits[i] = r.reuse(cos)
			}
		}
		vectors = vectors[len(list)+1:]
	}
	return hits, usage, nil
}

// cosine returns the cosine similarity of two vectors, or -1 if it is undefined.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return -1
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	c := ab / math.Sqrt(aa*bb)
	if math.IsNaN(c) {
		return -1
	}
	return min(c, 1)
}

// space returns the namespace for verdicts on contexts. It depends on the order and the
// boundaries of the contexts, because verdicts refer to them by number.
func (j *Judge) space(contexts []string) string {
	return "semantic/3/" + hash(append([]string{j.opts.Key}, contexts...)...)
}

func hash(texts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", texts)))
}

// A record is a stored verdict and its claim.
type record struct {
	Claim    string
	Before   []string // see claimsBefore
	Question string
	Verdict  verdict.Verdict
}

// readRecord parses a record, and reports whether it is a valid verdict on n contexts.
func readRecord(raw json.RawMessage, n int) (record, bool) {
	var r record
	if json.Unmarshal(raw, &r) != nil || r.Claim == "" {
		return record{}, false
	}
	v := &r.Verdict
	invalid := func(chunk int) bool { return chunk < 0 || chunk >= n }
	if v.Label > verdict.Supported || !(v.Score >= 0 && v.Score <= 1 && v.Confidence >= 0 && v.Confidence <= 1) ||
		slices.ContainsFunc(v.ChunkIDs, invalid) || slices.ContainsFunc(v.Evidence, func(e verdict.Evidence) bool { return invalid(e.Chunk) }) {
		return record{}, false
	}
	return r, true
}
