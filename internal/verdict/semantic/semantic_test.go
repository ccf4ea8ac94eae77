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

// bagOfWords embeds a text by the hashes of its words, so that texts of the same
// words are alike whatever they say.
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

// counting is a judge that supports what the contexts hold and counts claims.
type counting struct {
	mu     sync.Mutex
	claims []string
	err    error
}

func (c *counting) Judge(_ context.Context, k verdict.Task) (verdict.Judgement, error) {
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

func newJudge(t testing.TB, opts Options) (*Judge, *counting, *bagOfWords) {
	t.Helper()
	c, e := &counting{}, &bagOfWords{}
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
			t.Errorf("verdict %d is of claim %d", i, v.ClaimID)
		}
	}
	if len(out.Verdicts) != len(k.Claims) {
		t.Fatalf("%d verdicts on %d claims", len(out.Verdicts), len(k.Claims))
	}
	return out
}

var ulm = []string{"Einstein was born on 14 March 1879 in Ulm."}

func TestALikeClaimTakesTheVerdict(t *testing.T) {
	store := &Memory{}
	j, c, e := newJudge(t, Options{Store: store, Key: "k"})
	first := judge(t, j, task("q", ulm, "Einstein was born on 14 March 1879 in Ulm.", "Einstein was born on 20 March 1879 in Ulm."))
	if first.Verdicts[0].Reused != nil || first.Verdicts[0].Label != verdict.Supported || e.texts != 0 {
		t.Errorf("%+v, %d texts embedded", first.Verdicts[0], e.texts)
	}
	got := judge(t, j, task("q", ulm,
		"Einstein was born on 14 March 1880 in Ulm.", "Einstein was born in Ulm in 1879.", "Einstein was born on 14 March 1879 in Ulm", "Einstein was born on 14 March 1879 in Ulm."))
	want := &verdict.Reused{By: "semantic", Statement: "Einstein was born on 14 March 1879 in Ulm.", Cosine: 1}
	for i, v := range got.Verdicts {
		if (v.Reused != nil) != (i >= 2) {
			t.Errorf("claim %d: %+v", i, v.Reused)
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
		t.Errorf("judged %q, %+v", c.claims, got.Usage)
	}
	// In the next run too, and for nobody with other settings or contexts.
	j, c, _ = newJudge(t, Options{Store: store, Key: "k"})
	if got := judge(t, j, task("q", ulm, "Einstein was born in Ulm on March 14, 1879.")); got.Verdicts[0].Reused == nil || len(c.claims) != 0 {
		t.Error("nothing is kept for the next run")
	}
	for _, other := range []struct {
		key      string
		contexts []string
	}{{"other", ulm}, {"k", []string{ulm[0], "x"}}, {"k", []string{ulm[0] + " "}}} {
		j, c, _ := newJudge(t, Options{Store: store, Key: other.key})
		if judge(t, j, task("q", other.contexts, "Einstein was born on 14 March 1879 in Ulm.")); len(c.claims) != 1 {
			t.Errorf("%+v: reused", other)
		}
	}
}

func TestAnUnlikeEmbeddingIsNoHit(t *testing.T) {
	j, c, e := newJudge(t, Options{Threshold: 0.95})
	judge(t, j, task("q", []string{"c"}, "The company purchased the rights."))
	got := judge(t, j, task("q", []string{"c"}, "The company bought the rights."))
	if got.Verdicts[0].Reused != nil || e.texts != 2 || len(c.claims) != 2 {
		t.Errorf("%+v", got.Verdicts[0])
	}
	j, c, _ = newJudge(t, Options{Threshold: 0.5})
	judge(t, j, task("q", []string{"c"}, "The company purchased the rights."))
	got = judge(t, j, task("q", []string{"c"}, "The company bought the rights."))
	if r := got.Verdicts[0].Reused; r == nil || r.Cosine < 0.5 || r.Cosine > 0.95 || len(c.claims) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	bad := errors.New("bad")
	j, c, e := newJudge(t, Options{})
	c.err = bad
	if out, err := j.Judge(t.Context(), task("q", []string{"c"}, "Dogs chase cats.")); !errors.Is(err, bad) || out.Verdicts != nil || out.Usage.Requests != 1 {
		t.Errorf("%+v %v", out, err)
	}
	c.err = nil
	judge(t, j, task("q", []string{"c"}, "The company purchased the rights."))
	e.err = bad
	if out, err := j.Judge(t.Context(), task("q", []string{"c"}, "The company bought the rights.")); !errors.Is(err, bad) || out.Usage.Requests != 1 {
		t.Errorf("%+v %v", out, err)
	}
	e.err, e.short = nil, true
	if _, err := j.Judge(t.Context(), task("q", []string{"c"}, "The company bought the rights.")); err == nil {
		t.Error("a vector too few was taken")
	}
}

func TestDamagedRecordsAreNotUsed(t *testing.T) {
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
		t.Errorf("%+v", got.Verdicts[0])
	}
}

// Rows with the same contexts take turns, so that a claim is judged once.
func TestConcurrentRowsShare(t *testing.T) {
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
	if len(c.claims) != 1 || len(j.locks.held) != 0 {
		t.Errorf("judged %d times, %d locks left", len(c.claims), len(j.locks.held))
	}
	release, err := j.locks.take(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.locks.take(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	release()
	if len(j.locks.held) != 0 {
		t.Error("a lock is left")
	}
}

// A row reports that it waits for others with the same contexts, and not that
// it is judged.
func TestARowThatWaitsForOthersReportsIt(t *testing.T) {
	var waiting atomic.Int64
	waits := make(chan struct{}, 8)
	j, _, _ := newJudge(t, Options{Waiting: func(context.Context) func() {
		waiting.Add(1)
		waits <- struct{}{}
		return func() { waiting.Add(-1) }
	}})
	k := task("q", []string{"c"}, "Dogs chase cats.")
	release, err := j.locks.take(t.Context(), j.space(k.Contexts))
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
		t.Error("the row reports no wait")
	}
	if got := waiting.Load(); got != 1 {
		t.Errorf("%d rows wait, want 1", got)
	}
	release()
	if err := <-done; err != nil || waiting.Load() != 0 {
		t.Errorf("%d rows wait, %v", waiting.Load(), err)
	}
}

// cancelling is a store that cancels a context when it is asked.
type cancelling struct {
	Memory
	cancel func()
}

func (c *cancelling) List(ctx context.Context, space string) []llm.Item {
	c.cancel()
	return c.Memory.List(ctx, space)
}

// Comparing many claims with many known ones takes long.
func TestADoneContextEndsTheComparison(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	j, c, e := newJudge(t, Options{Store: &cancelling{cancel: cancel}})
	if _, err := j.Judge(ctx, task("", ulm, "Dogs chase cats.")); !errors.Is(err, context.Canceled) || len(c.claims) > 0 || e.texts > 0 {
		t.Errorf("got %v, %d claims judged, %d texts embedded; want %v, none, none", err, len(c.claims), e.texts, context.Canceled)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	c, e, s := &counting{}, &bagOfWords{}, &Memory{}
	for _, o := range []Options{
		{},
		{Judge: c, Embedder: e},
		{Judge: c, Store: s},
		{Embedder: e, Store: s},
		{Judge: c, Embedder: e, Store: s, Threshold: 1.1},
		{Judge: c, Embedder: e, Store: s, Threshold: -0.1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	var _ Store = (*llm.Cache)(nil)
	if cosine([]float32{1}, []float32{1, 2}) != -1 || cosine([]float32{0}, []float32{1}) != -1 {
		t.Error("vectors that have no angle are alike")
	}
}

// "It" is nothing to a judge who does not see what was said before.
func TestAClaimThatLeansOnOthersIsJudgedWithThem(t *testing.T) {
	j, c, _ := newJudge(t, Options{Store: &Memory{}, Key: "k"})
	first, second := "Einstein was born in Ulm.", "He was a physicist."
	judge(t, j, task("q", ulm, first, second))
	if got := judge(t, j, task("q", ulm, first, second)); len(c.claims) != 2 || got.Verdicts[1].Reused == nil {
		t.Errorf("judged %q, reused %+v", c.claims, got.Verdicts[1].Reused)
	}
	c.claims = nil
	got := judge(t, j, task("q", ulm, first, "He was a painter."))
	if len(c.claims) != 2 || got.Verdicts[0].Reused != nil {
		t.Errorf("judged only %q", c.claims)
	}
	c.claims = nil
	got = judge(t, j, task("q", ulm, "Newton was born in London.", second))
	if len(c.claims) != 2 || got.Verdicts[1].Reused != nil {
		t.Errorf("judged only %q, reused %+v", c.claims, got.Verdicts[1].Reused)
	}
	c.claims = nil
	got = judge(t, j, task("q", ulm, first, "Newton was born in London."))
	if len(c.claims) != 0 || got.Verdicts[0].Reused == nil {
		t.Errorf("judged %q again", c.claims)
	}
}

// A text that the model of vectors can't read as a whole has none, so that its claim
// is judged.
func TestAClaimThatIsTooLongForItsVectorIsJudged(t *testing.T) {
	j, c, e := newJudge(t, Options{Threshold: 0.5})
	judge(t, j, task("q", []string{"c"}, "The company purchased the rights."))
	e.err = &llm.ContextLengthError{Limit: 256, Silent: true}
	got := judge(t, j, task("q", []string{"c"}, "The company bought the rights."))
	if got.Verdicts[0].Reused != nil || len(c.claims) != 2 || got.Usage.Requests != 2 {
		t.Errorf("%+v, judged %q, %+v", got.Verdicts[0], c.claims, got.Usage)
	}
}
