package encoder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

func loadTiny(t testing.TB, family string, o Options) *Model {
	t.Helper()
	dir, _ := writeTiny(t, family)
	m, err := load(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// many are n sequences of 1 to 46 tokens.
func many(n int) []sequence {
	seqs := make([]sequence, n)
	for i := range seqs {
		length := 1 + (i*31)%46
		seqs[i] = sequence{make([]int32, length), make([]int32, length)}
		for j := range length {
			seqs[i].ids[j] = int32((7*i + 3*j*j) % 23)
		}
	}
	return seqs
}

// What comes out for a text is the same to the last bit, and in its place,
// whatever it is computed with and by however many threads.
func TestResultsDependOnTheirTextAlone(t *testing.T) {
	for family := range tiny() {
		for _, precision := range []kernel.Precision{kernel.Float32, kernel.Int8} {
			one := loadTiny(t, family, Options{Threads: 1, Precision: precision})
			four := loadTiny(t, family, Options{Threads: 4, Precision: precision})
			seqs := many(300) // several passes
			together, err := four.classify(t.Context(), seqs)
			if err != nil {
				t.Fatal(err)
			}
			for i := range seqs {
				alone, err := one.classify(t.Context(), seqs[i:i+1])
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(alone[0], together[i]) {
					t.Fatalf("%s: text %d gives %v alone, %v among others", family, i, alone[0], together[i])
				}
			}
		}
	}
}

// Many callers may use a model at once.
func TestCallersAtOnce(t *testing.T) {
	m := loadTiny(t, "modernbert", Options{Threads: 2})
	seqs := many(40)
	want, err := m.classify(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	var callers sync.WaitGroup
	for c := range 8 {
		callers.Go(func() {
			from := c * 3
			got, err := m.classify(t.Context(), seqs[from:])
			if err != nil {
				t.Error(err)
				return
			}
			for i := range got {
				if !slices.Equal(got[i], want[from+i]) {
					t.Errorf("caller %d: %v, want %v", c, got[i], want[from+i])
				}
			}
		})
	}
	callers.Wait()
}

func TestCancelledCallsEnd(t *testing.T) {
	m := loadTiny(t, "bert", Options{Threads: 1})
	ctx, cancel := context.WithCancel(t.Context())
	layers := 0
	m.pass.observe = func(stage string, _ []float32) {
		if stage == "layer.0" {
			layers++
			cancel()
		}
	}
	if _, err := m.classify(ctx, many(300)); !errors.Is(err, context.Canceled) {
		t.Error("error", err)
	}
	if layers != 1 {
		t.Errorf("%d first layers were computed, want 1", layers)
	}
	m.pass.observe = nil
	if _, err := m.classify(t.Context(), many(3)); err != nil {
		t.Error("after a cancelled call:", err)
	}
}

// A call reports that it waits for its turn, and not that it computes.
func TestACallThatWaitsForItsTurnReportsIt(t *testing.T) {
	var waiting atomic.Int64
	waits := make(chan int64, 8)
	o := Options{Threads: 1, Waiting: func(context.Context) func() {
		waits <- waiting.Add(1)
		return func() { waiting.Add(-1) }
	}}
	m := loadTiny(t, "bert", o)
	if _, err := m.classify(t.Context(), many(3)); err != nil || len(waits) > 0 {
		t.Fatalf("a call that is alone: %d waits, %v", len(waits), err)
	}
	m.gate <- struct{}{} // another call computes
	done := make(chan error)
	go func() {
		_, err := m.classify(t.Context(), many(3))
		done <- err
	}()
	select {
	case got := <-waits:
		if got != 1 {
			t.Errorf("%d calls wait, want 1", got)
		}
	case <-time.NewTimer(time.Minute).C:
		t.Error("the call reports no wait")
	}
	<-m.gate
	if err := <-done; err != nil || waiting.Load() != 0 {
		t.Errorf("%d calls wait, %v", waiting.Load(), err)
	}
}

func TestAClosedModelSaysSo(t *testing.T) {
	dir, _ := writeTiny(t, "t5")
	m, err := load(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := m.classify(t.Context(), many(1)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error("error", err)
	}
}

// Tokens that the network has no row for are refused, whatever says them.
func TestTokensOutOfRangeAreRefused(t *testing.T) {
	bad := []struct {
		family string
		sequence
		want string
	}{
		{"bert", sequence{[]int32{3, 23}, []int32{0, 0}}, "token 23"},
		{"bert", sequence{[]int32{3, -1}, []int32{0, 0}}, "token -1"},
		{"bert", sequence{[]int32{3, 4}, []int32{0, 2}}, "token type 2"},
		{"bert", sequence{[]int32{3, 4}, []int32{0, -1}}, "token type -1"},
		{"bert", sequence{make([]int32, 49), make([]int32, 49)}, "49 tokens, but the model takes 48 at most"},
		{"roberta", sequence{make([]int32, 47), make([]int32, 47)}, "47 tokens, but the model takes 46 at most"},
		{"t5", sequence{[]int32{1 << 30}, []int32{0}}, "token 1073741824"},
		{"modernbert", sequence{[]int32{23}, []int32{0}}, "token 23"},
		{"deberta", sequence{[]int32{23}, []int32{0}}, "token 23"},
		{"deberta", sequence{nil, nil}, "no tokens"},
	}
	for _, tt := range bad {
		m := loadTiny(t, tt.family, Options{Threads: 1})
		if err := m.check(texts()[2]); err != nil {
			t.Error(err)
		}
		err := m.check(tt.sequence)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.family, err, tt.want)
		}
	}
	roberta := loadTiny(t, "roberta", Options{Threads: 1})
	longest := sequence{slices.Repeat([]int32{5}, 46), make([]int32, 46)}
	if _, err := roberta.classify(t.Context(), []sequence{longest}); err != nil {
		t.Error("the longest sequence:", err)
	}
}

// Weights that make no numbers make an error and not a judgement.
func TestOutputThatIsNoNumberIsAnError(t *testing.T) {
	model := tiny()["bert"]
	model.run(texts()[3])
	model.get("bert.pooler.dense.bias")[0] = math.NaN()
	m, err := load(model.write(t, "F32"), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.classify(t.Context(), texts()); err == nil || !strings.Contains(err.Error(), "not a number") {
		t.Error("error", err)
	}
}

// The memory that a long text takes grows with its length and not its square,
// and is given back.
func TestLongTextsTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("32,000 tokens take seconds")
	}
	m := loadTiny(t, "t5", Options{Threads: 2})
	long := sequence{make([]int32, 32_000), make([]int32, 32_000)}
	for i := range long.ids {
		long.ids[i] = int32(i % 23)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := m.classify(t.Context(), []sequence{long}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// 32,000 tokens of 12+3*18+18 values of 4 bytes are 11 MB; the square of the
	// length in float32 is 4 GB.
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
		t.Errorf("%d MB were taken", taken>>20)
	}
	if cap(m.pass.x) > 0 {
		t.Error("the memory is kept")
	}
}

// A call of many texts takes no more memory than one of few, but for what it
// returns.
func TestManyTextsTakeNoMoreMemory(t *testing.T) {
	m := loadTiny(t, "deberta", Options{Threads: 1})
	seqs := many(2000)
	taken := func(seqs []sequence) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := m.classify(t.Context(), seqs); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	taken(seqs)
	few, all := taken(seqs[:200]), taken(seqs)
	// Order, results and a few objects a pass: under 200 bytes a text here.
	if most := few + 1800*200; all > most {
		t.Errorf("2000 texts take %d bytes, 200 take %d", all, few)
	}
}

func TestDistanceBucketsMatchReference(t *testing.T) {
	var deberta struct{ Values []int }
	readBuckets(t, "deberta-v2", &deberta)
	d := disentangled{buckets: 32, span: 32, farthest: 512}
	for distance, want := range deberta.Values {
		if got := d.bucket(distance); got != want {
			t.Errorf("DeBERTa: got bucket %d for distance %d, want %d", got, distance, want)
		}
		if got := d.bucket(-distance); got != -want {
			t.Errorf("DeBERTa: got bucket %d for distance -%d, want %d", got, distance, -want)
		}
	}
	var t5 struct{ Neg, Pos []int }
	readBuckets(t, "hhem", &t5)
	r := relative{heads: 1, buckets: 32}
	for distance := range t5.Neg {
		if got, want := r.bucket(-distance), t5.Neg[distance]; got != want {
			t.Errorf("T5: got bucket %d for distance -%d, want %d", got, distance, want)
		}
		if got, want := r.bucket(distance), t5.Pos[distance]; got != want {
			t.Errorf("T5: got bucket %d for distance %d, want %d", got, distance, want)
		}
	}
}

func readBuckets(t *testing.T, name string, dst any) {
	t.Helper()
	if err := json.Unmarshal(readGolden(t, name).Buckets, dst); err != nil {
		t.Fatal(err)
	}
}

func TestInfoDescribesModel(t *testing.T) {
	tests := map[string]struct {
		architecture              string
		hidden, layers, maxTokens int
	}{
		"bert":              {"BertForSequenceClassification", 16, 2, 160},
		"bert-sentence":     {"BertModel", 16, 2, 96},
		"roberta":           {"RobertaForSequenceClassification", 16, 2, 160},
		"xlm-roberta":       {"XLMRobertaForSequenceClassification", 16, 2, 160},
		"deberta-v2":        {"DebertaV2ForSequenceClassification", 20, 2, 0},
		"modernbert":        {"ModernBertForSequenceClassification", 16, 4, 0},
		"modernbert-tokens": {"ModernBertForTokenClassification", 16, 4, 0},
		"hhem":              {"HHEMv2ForSequenceClassification", 12, 2, 0},
	}
	for _, name := range goldenNames() {
		got, want := loadGolden(t, name, Options{}).Info(), tests[name]
		if got.Architecture != want.architecture || got.Hidden != want.hidden || got.Layers != want.layers ||
			got.MaxTokens != want.maxTokens || got.Kernel == "" {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// BenchmarkPass shows that a pass takes no memory for its tokens: compare the
// bytes of few and many.
func BenchmarkPass(b *testing.B) {
	for _, n := range []int{40, 80} {
		for _, family := range []string{"bert", "t5", "modernbert", "deberta"} {
			b.Run(fmt.Sprintf("%s/%d texts", family, n), func(b *testing.B) {
				m := loadTiny(b, family, Options{})
				seqs := many(n)
				tokens := 0
				for _, s := range seqs {
					tokens += len(s.ids)
				}
				fill := func(b *batch) {
					for _, s := range seqs {
						b.add(s.ids, s.types)
					}
				}
				once := func() {
					err := m.once(b.Context(), true, fill, func(*pass, []float32) error { return nil })
					if err != nil {
						b.Fatal(err)
					}
				}
				for range 50 { // until every worker has the scratch memory it needs
					once()
				}
				b.ReportAllocs()
				for b.Loop() {
					once()
				}
				b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}
