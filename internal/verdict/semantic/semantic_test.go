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

// bagOfWords is an Embedder that hashes words, so that texts with the same words have
// similar vectors regardless of their meaning.
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

// fakeJudge supports claims that the first context contains. It records all claims.
type fakeJudge struct {
	mu     sync.Mutex
	claims []string
	err    error
}

func (f *fakeJudge) Judge(_ context.Context, task verdict.Task) (verdict.Judgement, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := verdict.Judgement{Usage: usage.Usage{Requests: 1}}
	if f.err != nil {
		return out, f.err
	}
	for _, c := range task.Claims {
		f.claims = append(f.claims, c.Text)
		v := verdict.Verdict{ClaimID: c.ID, Reason: "judged " + c.Text}
		if strings.Contains(task.Contexts[0], c.Text) {
			v.Label, v.Score, v.ChunkIDs = verdict.Supported, 1, []int{0}
			v.Evidence = []verdict.Evidence{{Chunk: 0, Start: 0, End: 1, Quote: task.Contexts[0][:1]}}
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

func newStore(t testing.TB) *llm.Cache {
	t.Helper()
	store := llm.OpenCache(t.Context(), t.TempDir(), llm.NewClock(time.Now), func(err error) { t.Error(err) })
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func newJudge(t testing.TB, opts Options) (*Judge, *fakeJudge, *bagOfWords) {
	t.Helper()
	fake, e := &fakeJudge{}, &bagOfWords{}
	opts.Judge, opts.Embedder = fake, e
	if opts.Threshold == 0 {
		opts.Threshold = DefaultThreshold
	}
	if opts.Store == nil {
		opts.Store = newStore(t)
	}
	j, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return j, fake, e
}

func newTask(question string, contexts []string, claims ...string) verdict.Task {
	task := verdict.Task{Question: question, Contexts: contexts}
	for i, c := range claims {
		task.Claims = append(task.Claims, extract.Claim{ID: i, Text: c})
	}
	return task
}

func judge(t testing.TB, j *Judge, task verdict.Task) verdict.Judgement {
	t.Helper()
	out, err := j.Judge(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out.Verdicts {
		if v.ClaimID != task.Claims[i].ID {
			t.Errorf("verdict %d: got claim ID %d, want %d", i, v.ClaimID, task.Claims[i].ID)
		}
	}
	if len(out.Verdicts) != len(task.Claims) {
		t.Fatalf("got %d verdicts, want %d", len(out.Verdicts), len(task.Claims))
	}
	return out
}

var ulm = []string{"Einstein was born on 14 March 1879 in Ulm."}

func TestEquivalentClaimReusesVerdict(t *testing.T) {
	store := newStore(t)
	j, fake, e := newJudge(t, Options{Store: store, Key: "k"})
	first := judge(t, j, newTask("q", ulm, "Einstein was born on 14 March 1879 in Ulm.", "Einstein was born on 20 March 1879 in Ulm."))
	if first.Verdicts[0].Reused != nil || first.Verdicts[0].Label != verdict.Supported || e.texts != 0 {
		t.Errorf("got %+v and %d texts embedded, want a new supported verdict and none", first.Verdicts[0], e.texts)
	}
	got := judge(t, j, newTask("q", ulm,
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
			t.Errorf("verdict (-want +got):\n%s", d)
		}
	}
	if len(fake.claims) != 4 || got.Usage.Requests != 2 {
		t.Errorf("got %d claims judged and %d requests, want 4 and 2", len(fake.claims), got.Usage.Requests)
	}
	// Another judge with the same store, key and contexts reuses the verdicts.
	j, fake, _ = newJudge(t, Options{Store: store, Key: "k"})
	if got := judge(t, j, newTask("q", ulm, "Einstein was born on 14 March 1879 in Ulm")); got.Verdicts[0].Reused == nil || len(fake.claims) != 0 {
		t.Errorf("got %d claims judged by a second judge, want none", len(fake.claims))
	}
	for _, other := range []struct {
		key      string
		contexts []string
	}{{"other", ulm}, {"k", []string{ulm[0], "x"}}, {"k", []string{ulm[0] + " "}}} {
		j, fake, _ := newJudge(t, Options{Store: store, Key: other.key})
		if judge(t, j, newTask("q", other.contexts, "Einstein was born on 14 March 1879 in Ulm.")); len(fake.claims) != 1 {
			t.Errorf("%+v: got %d claims judged, want 1", other, len(fake.claims))
		}
	}
}

func TestReuseRequiresThreshold(t *testing.T) {
	for threshold, judged := range map[float64]int{0.95: 2, 0.5: 1} {
		j, fake, e := newJudge(t, Options{Threshold: threshold})
		judge(t, j, newTask("q", []string{"c"}, "The company purchased the rights."))
		r := judge(t, j, newTask("q", []string{"c"}, "The company bought the rights.")).Verdicts[0].Reused
		if (r != nil) != (judged == 1) || r != nil && (r.Cosine < 0.5 || r.Cosine > 0.95) || e.texts != 2 || len(fake.claims) != judged {
			t.Errorf("threshold %v: got %+v, %d claims judged, want %d", threshold, r, len(fake.claims), judged)
		}
	}
}

func TestJudgeReturnsErrorsWithoutStoring(t *testing.T) {
	bad := errors.New("bad")
	j, fake, e := newJudge(t, Options{})
	fake.err = bad
	if out, err := j.Judge(t.Context(), newTask("q", []string{"c"}, "Dogs chase cats.")); !errors.Is(err, bad) || out.Verdicts != nil || out.Usage.Requests != 1 {
		t.Errorf("got %+v, %v, want 1 request and %v", out, err, bad)
	}
	fake.err = nil
	judge(t, j, newTask("q", []string{"c"}, "The company purchased the rights."))
	e.err = bad
	if out, err := j.Judge(t.Context(), newTask("q", []string{"c"}, "The company bought the rights.")); !errors.Is(err, bad) || out.Usage.Requests != 1 {
		t.Errorf("got %+v, %v, want 1 request and %v", out, err, bad)
	}
	e.err, e.short = nil, true
	if _, err := j.Judge(t.Context(), newTask("q", []string{"c"}, "The company bought the rights.")); err == nil {
		t.Error("missing vector: got no error")
	}
}

func TestJudgeIgnoresInvalidRecords(t *testing.T) {
	store := newStore(t)
	j, fake, _ := newJudge(t, Options{Store: store})
	space := j.space([]string{"c"})
	for key, value := range map[string]string{
		"a": `7`, "b": `{"Claim":"Dogs chase cats."`, "c": `{"Claim":"Dogs chase cats.","Verdict":{"Label":9,"Score":1}}`,
		"d": `{"Claim":"Dogs chase cats.","Verdict":{"Label":2,"Score":7}}`, "e": `{"Claim":"Dogs chase cats.","Verdict":{"Label":2,"Score":1,"ChunkIDs":[4]}}`,
		"f": `{"Claim":"Dogs chase cats.","Verdict":{"Label":2,"Score":1,"Evidence":[{"Chunk":-1}]}}`, "g": `{}`,
	} {
		store.Put(t.Context(), space, key, json.RawMessage(value))
	}
	if got := judge(t, j, newTask("", []string{"c"}, "Dogs chase cats.")); got.Verdicts[0].Reused != nil || len(fake.claims) != 1 {
		t.Errorf("got %+v, want a new verdict", got.Verdicts[0])
	}
}

func TestConcurrentRowsJudgeEqualClaimOnce(t *testing.T) {
	j, fake, _ := newJudge(t, Options{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := j.Judge(t.Context(), newTask("q", []string{"c"}, "Dogs chase cats.")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(fake.claims) != 1 {
		t.Errorf("got %d claims judged, want 1", len(fake.claims))
	}
	unlock, err := j.lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.lock(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestJudgeCallsWaitingWhileLocked(t *testing.T) {
	var waiting atomic.Int64
	waits := make(chan struct{}, 8)
	j, _, _ := newJudge(t, Options{Waiting: func(context.Context) func() {
		waiting.Add(1)
		waits <- struct{}{}
		return func() { waiting.Add(-1) }
	}})
	task := newTask("q", []string{"c"}, "Dogs chase cats.")
	unlock, err := j.lock(t.Context(), j.space(task.Contexts))
	if err != nil {
		t.Fatal(err)
	}
	<-waits // of the test itself
	done := make(chan error)
	go func() {
		_, err := j.Judge(t.Context(), task)
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

func TestJudgeStopsIfContextIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	j, fake, e := newJudge(t, Options{})
	if _, err := j.Judge(ctx, newTask("", ulm, "Dogs chase cats.")); !errors.Is(err, context.Canceled) || len(fake.claims) > 0 || e.texts > 0 {
		t.Errorf("got %v, %d claims judged, %d texts embedded; want %v, 0, 0", err, len(fake.claims), e.texts, context.Canceled)
	}
}

func TestCosineRejectsInvalidVectors(t *testing.T) {
	for _, tt := range [][2][]float32{{{1}, {1, 2}}, {{0}, {1}}} {
		if got := cosine(tt[0], tt[1]); got != -1 {
			t.Errorf("%v: got %v, want -1", tt, got)
		}
	}
}

// The judge cannot resolve a pronoun without the preceding claims.
func TestClaimWithPronounIsJudgedWithPrecedingClaims(t *testing.T) {
	j, fake, _ := newJudge(t, Options{Threshold: 0.5})
	first, second := "Einstein was born in Ulm.", "He was a physicist."
	judge(t, j, newTask("q", ulm, first, second))
	if got := judge(t, j, newTask("q", ulm, first, second)); len(fake.claims) != 2 || got.Verdicts[1].Reused == nil {
		t.Errorf("got %q judged and %+v reused, want the first two judged", fake.claims, got.Verdicts[1].Reused)
	}
	for _, tt := range []struct {
		question string
		claims   []string
		judged   int
	}{
		{"q", []string{first, "He was a painter."}, 2},
		{"q", []string{"Newton was born in London.", second}, 2},
		{"q", []string{first, "Newton was born in London."}, 0},
		{"q", []string{second}, 1},
		{"q", []string{first, "Bees make honey.", second}, 3},
		{"q", []string{"Bees make honey.", first, second}, 3},
		{"And then?", []string{first, second}, 2},
	} {
		fake.claims = nil
		if judge(t, j, newTask(tt.question, ulm, tt.claims...)); len(fake.claims) != tt.judged {
			t.Errorf("%q: got %q judged, want %d", tt.claims, fake.claims, tt.judged)
		}
	}
}

func TestJudgeHandlesEmbeddingLengthError(t *testing.T) {
	j, fake, e := newJudge(t, Options{Threshold: 0.5})
	judge(t, j, newTask("q", []string{"c"}, "The company purchased the rights."))
	e.err = &llm.ContextLengthError{Limit: 256, Silent: true}
	got := judge(t, j, newTask("q", []string{"c"}, "The company bought the rights."))
	if got.Verdicts[0].Reused != nil || len(fake.claims) != 2 || got.Usage.Requests != 2 {
		t.Errorf("got %+v, %d claims judged and %d requests, want a new verdict, 2 and 2", got.Verdicts[0], len(fake.claims), got.Usage.Requests)
	}
}
