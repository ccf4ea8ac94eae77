package semantic

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// bagOfWords embeds a text by the hashes of its words, so that texts with the same words
// are similar whatever they mean.
type bagOfWords struct {
	mu    sync.Mutex
	texts int
	err   error
	short bool
}

func (e *bagOfWords) Embed(_ context.Context, texts []string) ([][]float32, usage.Usage, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return nil, usage.Usage{Requests: 1}, e.err
	}
	e.texts += len(texts)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = bag(t)
	}
	if e.short {
		out = out[1:]
	}
	return out, usage.Usage{Requests: 1, PromptTokens: len(texts)}, nil
}

func bag(text string) []float32 {
	v := make([]float32, 512)
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(w))
		v[h.Sum32()%512]++
	}
	return v
}

// fakeJudge supports claims that the first context contains, and records all claims.
type fakeJudge struct {
	mu     sync.Mutex
	claims []string
	err    error
}

func (c *fakeJudge) Judge(_ context.Context, k verdict.Task) (verdict.Judgement, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := verdict.Judgement{Usage: usage.Usage{Requests: 1}}
	if c.err != nil {
		return out, c.err
	}
	for _, cl := range k.Claims {
		c.claims = append(c.claims, cl.Text)
		v := verdict.Verdict{ClaimID: cl.ID, Reason: "judged " + cl.Text}
		if strings.Contains(k.Contexts[0], cl.Text) {
			v.Label, v.Score, v.ChunkIDs = verdict.Supported, 1, []int{0}
			v.Evidence = []verdict.Evidence{{Chunk: 0, Start: 0, End: 1, Quote: k.Contexts[0][:1]}}
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

func newJudge(t testing.TB, opts Options) (*Judge, *fakeJudge, *bagOfWords) {
	t.Helper()
	c, e := &fakeJudge{}, &bagOfWords{}
	opts.Judge, opts.Embedder = c, e
	if opts.Store == nil {
		opts.Store = &Memory{}
	}
	j, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return j, c, e
}

func task(question string, contexts []string, claims ...string) verdict.Task {
	k := verdict.Task{Question: question, Contexts: contexts}
	for i, c := range claims {
		k.Claims = append(k.Claims, extract.Claim{ID: i, Text: c})
	}
	return k
}

func judge(t testing.TB, j *Judge, k verdict.Task) verdict.Judgement {
	t.Helper()
	out, err := j.Judge(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out.Verdicts {
		if v.ClaimID != k.Claims[i].ID {
			t.Errorf("verdict %d: got claim ID %d, want %d", i, v.ClaimID, k.Claims[i].ID)
		}
	}
	if len(out.Verdicts) != len(k.Claims) {
		t.Fatalf("got %d verdicts, want %d", len(out.Verdicts), len(k.Claims))
	}
	return out
}

var ulm = []string{"Einstein was born on 14 March 1879 in Ulm."}

func TestSameClaimReusesVerdict(t *testing.T) {
	store := &Memory{}
	j, c, e := newJudge(t, Options{Store: store, Key: "k"})
	first := judge(t, j, task("q", ulm, "Einstein was born on 14 March 1879 in Ulm.", "Einstein was born on 20 March 1879 in Ulm."))
	if first.Verdicts[0].Reused != nil || first.Verdicts[0].Label != verdict.Supported || e.texts != 0 {
		t.Errorf("got %+v and %d texts embedded, want a new supported verdict and none", first.Verdicts[0], e.texts)
	}
	got := judge(t, j, task("q", ulm,
		"Einstein was born on 14 March 1880 in Ulm.", "Einstein was born in Ulm in 1879.", "Einstein was born on 14 March 1879 in Ulm", "Einstein was born on 14 March 1879 in Ulm."))
	want := &verdict.Reused{By: "semantic", Statement: "Einstein was born on 14 March 1879 in Ulm.", Cosine: 1}
	for i, v := range got.Verdicts {
		if (v.Reused != nil) != (i >= 2) {
			t.Errorf("claim %d: got reused %+v, want reused: %v", i, v.Reused, i >= 2)
		}
		if i < 2 {
			continue
		}
		wantV := first.Verdicts[0]
		wantV.ClaimID, wantV.Reused = i, want
		if d := cmp.Diff(wantV, v); d != "" {
			t.Error(d)
		}
	}
	if len(c.claims) != 4 || got.Usage.Requests != 2 {
		t.Errorf("got %d claims judged and %d requests, want 4 and 2", len(c.claims), got.Usage.Requests)
	}
	// The store outlives the judge, but the key and the contexts must be the same.
	j, c, _ = newJudge(t, Options{Store: store, Key: "k"})
	if got := judge(t, j, task("q", ulm, "Einstein was born in Ulm on March 14, 1879.")); got.Verdicts[0].Reused == nil || len(c.claims) != 0 {
		t.Errorf("got %d claims judged by a second judge, want none", len(c.claims))
	}
	for _, other := range []struct {
		key      string
		contexts []string
	}{{"other", ulm}, {"k", []string{ulm[0], "x"}}, {"k", []string{ulm[0] + " "}}} {
		j, c, _ := newJudge(t, Options{Store: store, Key: other.key})
		if judge(t, j, task("q", other.contexts, "Einstein was born on 14 March 1879 in Ulm.")); len(c.claims) != 1 {
			t.Errorf("%+v: got %d claims judged, want 1", other, len(c.claims))
		}
	}
}

func TestReuseDependsOnThreshold(t *testing.T) {
	j, c, e := newJudge(t, Options{Threshold: 0.95})
	judge(t, j, task("q", []string{"c"}, "The company purchased the rights."))
	got := judge(t, j, task("q", []string{"c"}, "The company bought the rights."))
	if got.Verdicts[0].Reused != nil || e.texts != 2 || len(c.claims) != 2 {
		t.Errorf("got %+v, want a new verdict", got.Verdicts[0])
	}
	j, c, _ = newJudge(t, Options{Threshold: 0.5})
	judge(t, j, task("q", []string{"c"}, "The company purchased the rights."))
	got = judge(t, j, task("q", []string{"c"}, "The company bought the rights."))
	if r := got.Verdicts[0].Reused; r == nil || r.Cosine < 0.5 || r.Cosine > 0.95 || len(c.claims) != 1 {
		t.Errorf("got %+v, want a cosine from 0.5 to 0.95", r)
	}
}

func TestErrorsAreReturnedAndNotStored(t *testing.T) {
	bad := errors.New("bad")
	j, c, e := newJudge(t, Options{})
	c.err = bad
	if out, err := j.Judge(t.Context(), task("q", []string{"c"}, "Dogs chase cats.")); !errors.Is(err, bad) || out.Verdicts != nil || out.Usage.Requests != 1 {
		t.Errorf("got %+v, %v, want 1 request and %v", out, err, bad)
	}
	c.err = nil
	judge(t, j, task("q", []string{"c"}, "The company purchased the rights."))
	e.err = bad
	if out, err := j.Judge(t.Context(), task("q", []string{"c"}, "The company bought the rights.")); !errors.Is(err, bad) || out.Usage.Requests != 1 {
		t.Errorf("got %+v, %v, want 1 request and %v", out, err, bad)
	}
	e.err, e.short = nil, true
	if _, err := j.Judge(t.Context(), task("q", []string{"c"}, "The company bought the rights.")); err == nil {
		t.Error("missing vector: got no error")
	}
}

func TestInvalidRecordsAreIgnored(t *testing.T) {
	store := &Memory{}
	j, c, _ := newJudge(t, Options{Store: store})
	space := j.space([]string{"c"})
	for key, value := range map[string]string{
		"a": `7`, "b": `{"claim":"Dogs chase cats."`, "c": `{"claim":"Dogs chase cats.","label":9,"score":1}`,
		"d": `{"claim":"Dogs chase cats.","label":2,"score":7}`, "e": `{"claim":"Dogs chase cats.","label":2,"score":1,"chunk_ids":[4]}`,
		"f": `{"claim":"Dogs chase cats.","label":2,"score":1,"evidence":[{"Chunk":-1}]}`, "g": `{}`,
	} {
		store.Put(t.Context(), space, key, json.RawMessage(value))
	}
	if got := judge(t, j, task("", []string{"c"}, "Dogs chase cats.")); got.Verdicts[0].Reused != nil || len(c.claims) != 1 {
		t.Errorf("got %+v, want a new verdict", got.Verdicts[0])
	}
}

func TestConcurrentRowsJudgeClaimOnce(t *testing.T) {
	j, c, _ := newJudge(t, Options{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := j.Judge(t.Context(), task("q", []string{"c"}, "Dogs chase cats.")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(c.claims) != 1 || len(j.locks.locks) != 0 {
		t.Errorf("got %d claims judged and %d locks left, want 1 and 0", len(c.claims), len(j.locks.locks))
	}
	unlock, err := j.locks.lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.locks.lock(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	unlock()
	if n := len(j.locks.locks); n != 0 {
		t.Errorf("got %d locks left, want 0", n)
	}
}

func TestWaitingIsCalledWhileRowWaits(t *testing.T) {
	var waiting atomic.Int64
	waits := make(chan struct{}, 8)
	j, _, _ := newJudge(t, Options{Waiting: func(context.Context) func() {
		waiting.Add(1)
		waits <- struct{}{}
		return func() { waiting.Add(-1) }
	}})
	k := task("q", []string{"c"}, "Dogs chase cats.")
	unlock, err := j.locks.lock(t.Context(), j.space(k.Contexts))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := j.Judge(t.Context(), k)
		done <- err
	}()
	select {
	case <-waits:
	case <-time.NewTimer(time.Minute).C:
		t.Error("got no call of Waiting")
	}
	if got := waiting.Load(); got != 1 {
		t.Errorf("got %d rows waiting, want 1", got)
	}
	unlock()
	if err := <-done; err != nil || waiting.Load() != 0 {
		t.Errorf("got %d rows waiting, %v, want 0 and no error", waiting.Load(), err)
	}
}

// cancelingStore cancels a context when it is read.
type cancelingStore struct {
	Memory
	cancel func()
}

func (c *cancelingStore) List(ctx context.Context, space string) []llm.Item {
	c.cancel()
	return c.Memory.List(ctx, space)
}

func TestCanceledContextStopsComparison(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	j, c, e := newJudge(t, Options{Store: &cancelingStore{cancel: cancel}})
	if _, err := j.Judge(ctx, task("", ulm, "Dogs chase cats.")); !errors.Is(err, context.Canceled) || len(c.claims) > 0 || e.texts > 0 {
		t.Errorf("got %v, %d claims judged, %d texts embedded; want %v, 0, 0", err, len(c.claims), e.texts, context.Canceled)
	}
}

func TestNewRejectsInvalidOptions(t *testing.T) {
	c, e, s := &fakeJudge{}, &bagOfWords{}, &Memory{}
	for _, o := range []Options{
		{},
		{Judge: c, Embedder: e},
		{Judge: c, Store: s},
		{Embedder: e, Store: s},
		{Judge: c, Embedder: e, Store: s, Threshold: 1.1},
		{Judge: c, Embedder: e, Store: s, Threshold: -0.1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v: got no error", o)
		}
	}
}

var _ Store = (*llm.Cache)(nil)

func TestCosineOfInvalidVectors(t *testing.T) {
	for _, tt := range [][2][]float32{{{1}, {1, 2}}, {{0}, {1}}} {
		if got := cosine(tt[0], tt[1]); got != -1 {
			t.Errorf("%v: got %v, want -1", tt, got)
		}
	}
}

// A judge cannot resolve "it" without the claims before it.
func TestClaimThatNeedsContextIsJudgedWithPreviousClaims(t *testing.T) {
	j, c, _ := newJudge(t, Options{Store: &Memory{}, Key: "k"})
	first, second := "Einstein was born in Ulm.", "He was a physicist."
	judge(t, j, task("q", ulm, first, second))
	if got := judge(t, j, task("q", ulm, first, second)); len(c.claims) != 2 || got.Verdicts[1].Reused == nil {
		t.Errorf("got %q judged and %+v reused, want the first two judged", c.claims, got.Verdicts[1].Reused)
	}
	c.claims = nil
	got := judge(t, j, task("q", ulm, first, "He was a painter."))
	if len(c.claims) != 2 || got.Verdicts[0].Reused != nil {
		t.Errorf("got %q judged, want both claims", c.claims)
	}
	c.claims = nil
	got = judge(t, j, task("q", ulm, "Newton was born in London.", second))
	if len(c.claims) != 2 || got.Verdicts[1].Reused != nil {
		t.Errorf("got %q judged and %+v reused, want both claims judged", c.claims, got.Verdicts[1].Reused)
	}
	c.claims = nil
	got = judge(t, j, task("q", ulm, first, "Newton was born in London."))
	if len(c.claims) != 0 || got.Verdicts[0].Reused == nil {
		t.Errorf("got %q judged, want none", c.claims)
	}
}

func TestClaimTooLongForEmbeddingIsJudged(t *testing.T) {
	j, c, e := newJudge(t, Options{Threshold: 0.5})
	judge(t, j, task("q", []string{"c"}, "The company purchased the rights."))
	e.err = &llm.ContextLengthError{Limit: 256, Silent: true}
	got := judge(t, j, task("q", []string{"c"}, "The company bought the rights."))
	if got.Verdicts[0].Reused != nil || len(c.claims) != 2 || got.Usage.Requests != 2 {
		t.Errorf("got %+v, %d claims judged and %d requests, want a new verdict, 2 and 2", got.Verdicts[0], len(c.claims), got.Usage.Requests)
	}
}
