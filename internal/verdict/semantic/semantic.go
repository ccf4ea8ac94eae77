// Package semantic reuses verdicts: a claim that says the same as one that was
// judged before, over the same contexts, takes its verdict.
//
// Likeness of embeddings alone would make "14 March" and "20 March" the same, or
// a statement and its negation. So a [Guard] first compares the words of the two
// claims, and only those that it lets through are compared by their embeddings.
package semantic

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// DefaultThreshold is the cosine from which two claims are alike.
const DefaultThreshold = 0.85

// A Judger is the judge that is asked for what is not known.
type Judger interface {
	Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error)
}

// A Store keeps JSON values by namespace and key. *llm.Cache is one. It is
// called from many goroutines, and what it fails to keep is judged again.
type Store interface {
	Put(ctx context.Context, space, key string, value json.RawMessage)
	List(ctx context.Context, space string) []llm.Item
}

// Options are the settings of a Judge.
type Options struct {
	Judge    Judger       // required
	Embedder llm.Embedder // required
	Store    Store        // required
	// Key names all that a verdict depends on beside the texts: endpoint, model,
	// version of the prompt, settings. Verdicts are shared only under one key.
	Key string
	// Waiting, where it is set, is called before a row waits for others with the
	// same contexts, with the row's context, and what it returns after that.
	Waiting func(ctx context.Context) (resume func())
	// Threshold is the cosine from which two claims are alike, above 0 to 1;
	// DefaultThreshold.
	Threshold float64
}

// A Judge may be used by many goroutines. Rows with the same contexts go one
// after the other, so that the second finds what the first left.
//
// Which of two like claims is judged, and which reuses the verdict, depends on
// which row comes first. Where that must not depend on the concurrency, fill the
// store in an earlier run or use one worker.
type Judge struct {
	opts  Options
	guard *Guard
	locks locks
}

// New returns a judge, or an error where the options make none.
func New(opts Options) (*Judge, error) {
	if opts.Judge == nil || opts.Embedder == nil || opts.Store == nil {
		return nil, errors.New("a semantic cache needs a judge, an embedder and a store")
	}
	if opts.Threshold == 0 {
		opts.Threshold = DefaultThreshold
	}
	if !(opts.Threshold > 0 && opts.Threshold <= 1) {
		return nil, fmt.Errorf("semantic threshold: want a cosine above 0, up to 1, got %v", opts.Threshold)
	}
	g, err := NewGuard()
	if err != nil {
		return nil, err
	}
	return &Judge{opts: opts, guard: g, locks: locks{held: map[string]*lock{}}}, nil
}

// Judge returns a verdict for each claim, in the order of the claims. One that
// was made for another claim has Reused set. Only the others cost the judge's
// usage; that of the embeddings is counted too, and nothing is embedded unless
// the guard finds a claim to compare with. Errors are those of the judge and of
// the embedder.
func (j *Judge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	space := j.space(task.Contexts)
	release, err := j.take(ctx, space)
	if err != nil {
		return verdict.Judgement{}, err
	}
	defer release()
	var known []record
	for _, it := range j.opts.Store.List(ctx, space) {
		if r, ok := readRecord(it.Value, len(task.Contexts)); ok {
			known = append(known, r)
		}
	}
	var out verdict.Judgement
	hits, usage, err := j.alike(ctx, task, known)
	out.Usage = usage
	if err != nil {
		return out, err
	}
	j.withWhatTheyLeanOn(task.Claims, hits)
	rest := task
	rest.Claims = nil
	asked := map[int]int{} // places of claims by their ids
	for i, c := range task.Claims {
		if hits[i] == nil {
			rest.Claims = append(rest.Claims, c)
			asked[c.ID] = i
			continue
		}
		out.Verdicts = append(out.Verdicts, hits[i].reuse(c.ID))
	}
	if len(rest.Claims) == 0 {
		return out, nil
	}
	fresh, err := j.opts.Judge.Judge(ctx, rest)
	out.Usage = out.Usage.Add(fresh.Usage)
	if err != nil {
		return verdict.Judgement{Usage: out.Usage}, err
	}
	for _, v := range fresh.Verdicts {
		out.Verdicts = append(out.Verdicts, v)
		i, ok := asked[v.ClaimID]
		if !ok {
			continue // the caller will find it
		}
		text, before := task.Claims[i].Judged(), j.before(task, i)
		if value, err := json.Marshal(recordOf(text, before, task.Question, v)); err == nil {
			j.opts.Store.Put(ctx, space, hash(append([]string{task.Question, text}, before...)...), value)
		}
	}
	return sorted(out, task.Claims), nil
}

// take waits for the rows with the same contexts that came before.
func (j *Judge) take(ctx context.Context, space string) (release func(), err error) {
	if j.opts.Waiting != nil {
		defer j.opts.Waiting(ctx)()
	}
	return j.locks.take(ctx, space)
}

// What may come before a claim that leans on it, for its verdict to be reused.
const (
	mostBefore      = 32
	mostBeforeBytes = 8 << 10
)

// before is what claim i leans on: the question and all that is claimed before
// it. It is nil where the claim leans on nothing, or on too much.
func (j *Judge) before(task verdict.Task, i int) []string {
	if i > mostBefore || !j.guard.Leans(task.Claims[i].Judged()) {
		return nil
	}
	texts := []string{task.Question}
	size := 0
	for _, c := range task.Claims[:i] {
		texts = append(texts, c.Judged())
		size += len(c.Judged())
	}
	if size > mostBeforeBytes {
		return nil
	}
	return texts
}

// withWhatTheyLeanOn takes back the hits before a claim that is judged and leans
// on them: alone the judge could not tell what it speaks of.
func (j *Judge) withWhatTheyLeanOn(claims []extract.Claim, hits []*hit) {
	for i := len(claims) - 1; i >= 0; i-- {
		if hits[i] == nil && j.guard.Leans(claims[i].Judged()) {
			clear(hits[:i])
			return
		}
	}
}

// sorted puts verdicts in the order of the claims that they are for.
func sorted(j verdict.Judgement, claims []extract.Claim) verdict.Judgement {
	place := make(map[int]int, len(claims))
	for i, c := range claims {
		place[c.ID] = i
	}
	at := func(v verdict.Verdict) int {
		if i, ok := place[v.ClaimID]; ok {
			return i
		}
		return len(claims)
	}
	for i := 1; i < len(j.Verdicts); i++ {
		for k := i; k > 0 && at(j.Verdicts[k]) < at(j.Verdicts[k-1]); k-- {
			j.Verdicts[k], j.Verdicts[k-1] = j.Verdicts[k-1], j.Verdicts[k]
		}
	}
	return j
}

// A hit is a record that a claim takes its verdict from.
type hit struct {
	record
	cosine float64
}

// alike finds for each claim of the task the known one that is most like it, nil
// where there is none that is alike enough.
func (j *Judge) alike(ctx context.Context, task verdict.Task, known []record) ([]*hit, usage.Usage, error) {
	hits := make([]*hit, len(task.Claims))
	candidates := make([][]int, len(task.Claims))
	var texts []string
	place := map[string]int{}
	want := func(s string) {
		if _, ok := place[s]; !ok {
			place[s] = len(texts)
			texts = append(texts, s)
		}
	}
	for i, c := range task.Claims {
		if err := ctx.Err(); err != nil {
			return nil, usage.Usage{}, err
		}
		before := j.before(task, i)
		for k := range known {
			if j.guard.DifferAfter(c.Judged(), before, known[k].Claim, known[k].Before, known[k].Question == task.Question) != "" {
				continue
			}
			if known[k].Claim == c.Judged() {
				if hits[i] == nil {
					hits[i] = &hit{known[k], 1}
				}
				continue
			}
			candidates[i] = append(candidates[i], k)
		}
		if hits[i] != nil {
			candidates[i] = nil
			continue
		}
		for _, k := range candidates[i] {
			want(c.Judged())
			want(known[k].Claim)
		}
	}
	if len(texts) == 0 {
		return hits, usage.Usage{}, nil
	}
	vectors, usage, err := j.opts.Embedder.Embed(ctx, texts)
	if _, long := errors.AsType[*llm.ContextLengthError](err); long {
		return hits, usage, nil // a text has no vector: its claim is judged
	}
	if err != nil {
		return nil, usage, fmt.Errorf("embedding claims for the semantic cache: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, usage, fmt.Errorf("embedding claims for the semantic cache: %d vectors for %d texts", len(vectors), len(texts))
	}
	for i, c := range task.Claims {
		for _, k := range candidates[i] {
			cos := cosine(vectors[place[c.Judged()]], vectors[place[known[k].Claim]])
			if cos >= j.opts.Threshold && (hits[i] == nil || cos > hits[i].cosine) {
				hits[i] = &hit{known[k], cos}
			}
		}
	}
	return hits, usage, nil
}

// cosine is that of the angle between two vectors; -1 where there is none, so
// that nothing counts as alike.
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

// space is the namespace of verdicts over contexts. Contexts are told apart by
// their bounds too, since verdicts name them by number.
func (j *Judge) space(contexts []string) string {
	return "semantic/2/" + hash(append([]string{j.opts.Key}, contexts...)...)
}

func hash(texts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, t := range texts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(t)))
		h.Write(n[:])
		h.Write([]byte(t))
	}
	return hex.EncodeToString(h.Sum(nil))
}
