package encoder

import (
	"context"
	"errors"
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
	return mustLoad(t, dir, o)
}

// testSequences returns n sequences of 1 to 46 tokens.
func testSequences(n int) []sequence {
	seqs := make([]sequence, n)
	for i := range seqs {
		length := 1 + (i*31)%46
		seqs[i] = sequence{make([]int32, length), make([]int32, length)}
		for j := range length {
			seqs[i].ids[j] = int32((7*i + 3*j*j) % tinyVocabulary)
		}
	}
	return seqs
}

func TestOutputDependsOnlyOnSequence(t *testing.T) {
	for family := range tiny() {
		for _, precision := range []kernel.Precision{kernel.Float32, kernel.Int8} {
			single := loadTiny(t, family, Options{Threads: 1, Precision: precision})
			parallel := loadTiny(t, family, Options{Threads: 4, Precision: precision})
			seqs := testSequences(300) // need several passes
			batched, err := single.compute(t.Context(), seqs)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for c := range 8 {
				wg.Go(func() {
					for i := c; i < len(seqs); i += 8 {
						alone, err := parallel.compute(t.Context(), seqs[i:i+1])
						if err != nil || !slices.Equal(alone[0], batched[i]) {
							t.Errorf("%s: sequence %d: got %v alone, error %v, %v in a batch", family, i, alone, err, batched[i])
						}
					}
				})
			}
			wg.Wait()
		}
	}
}

// A secondErr is a context that is canceled after the first call of Err, which a pass makes
// for each layer.
type secondErr struct {
	context.Context //nolint:containedctx // it is one
	calls           int
}

func (c *secondErr) Err() error {
	if c.calls++; c.calls > 1 {
		return context.Canceled
	}
	return nil
}

func TestComputeStopsWhenContextIsCanceled(t *testing.T) {
	m := loadTiny(t, "bert", Options{Threads: 1})
	ctx := &secondErr{Context: t.Context()}
	if _, err := m.compute(ctx, testSequences(300)); !errors.Is(err, context.Canceled) || ctx.calls != 2 {
		t.Errorf("got error %v after %d layers, want context.Canceled after 2", err, ctx.calls)
	}
	if _, err := m.compute(t.Context(), testSequences(3)); err != nil {
		t.Error("after a cancelled call:", err)
	}
}

func TestWaitingIsCalledWhileAnotherCallRuns(t *testing.T) {
	var waiting atomic.Int64
	waits := make(chan int64, 8)
	o := Options{Threads: 1, Waiting: func(context.Context) func() {
		waits <- waiting.Add(1)
		return func() { waiting.Add(-1) }
	}}
	m := loadTiny(t, "bert", o)
	if _, err := m.compute(t.Context(), testSequences(3)); err != nil || len(waits) > 0 {
		t.Fatalf("single call: got %d waits, error %v; want none", len(waits), err)
	}
	m.gate <- struct{}{} // as if another call were running
	done := make(chan error)
	go func() {
		_, err := m.compute(t.Context(), testSequences(3))
		done <- err
	}()
	select {
	case got := <-waits:
		if got != 1 {
			t.Errorf("got %d calls waiting, want 1", got)
		}
	case <-time.NewTimer(time.Minute).C:
		t.Error("Waiting was not called")
	}
	<-m.gate
	if err := <-done; err != nil || waiting.Load() != 0 {
		t.Errorf("got %d calls waiting, error %v; want none, nil", waiting.Load(), err)
	}
}

func TestClassifyFailsAfterClose(t *testing.T) {
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
	if _, err := m.compute(t.Context(), testSequences(1)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got error %v, want %q", err, "closed")
	}
}

func TestCheckRejectsTokensOutOfRange(t *testing.T) {
	tests := []struct {
		family string
		sequence
		want string
	}{
		{"bert", sequence{[]int32{3, 259}, []int32{0, 0}}, "token 259"},
		{"bert", sequence{[]int32{3, -1}, []int32{0, 0}}, "token -1"},
		{"bert", sequence{[]int32{3, 4}, []int32{0, 2}}, "token type 2"},
		{"bert", sequence{[]int32{3, 4}, []int32{0, -1}}, "token type -1"},
		{"bert", sequence{make([]int32, 161), make([]int32, 161)}, "161 tokens, but the model accepts at most 160"},
		{"roberta", sequence{make([]int32, 161), make([]int32, 161)}, "161 tokens, but the model accepts at most 160"},
		{"t5", sequence{[]int32{1 << 30}, []int32{0}}, "token 1073741824"},
		{"modernbert", sequence{[]int32{308}, []int32{0}}, "token 308"},
		{"deberta", sequence{[]int32{195}, []int32{0}}, "token 195"},
		{"deberta", sequence{nil, nil}, "no tokens"},
	}
	for _, tt := range tests {
		m := loadTiny(t, tt.family, Options{Threads: 1})
		if err := m.check(tinySequences()[2]); err != nil {
			t.Error(err)
		}
		err := m.check(tt.sequence)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.family, err, tt.want)
		}
	}
	roberta := loadTiny(t, "roberta", Options{Threads: 1})
	longest := sequence{slices.Repeat([]int32{5}, 160), make([]int32, 160)}
	if _, err := roberta.compute(t.Context(), []sequence{longest}); err != nil {
		t.Errorf("longest sequence: got error %v, want nil", err)
	}
}

func TestClassifyRejectsNaNOutput(t *testing.T) {
	m := mustLoad(t, writeNaN(t), Options{Threads: 1})
	if _, err := m.compute(t.Context(), tinySequences()); err == nil || !strings.Contains(err.Error(), "not a number") {
		t.Errorf("got error %v, want %q", err, "not a number")
	}
}

// writeNaN writes a model whose output is not a number.
func writeNaN(t *testing.T) string {
	t.Helper()
	dir, _ := writeTiny(t, "bert")
	rewriteWeights(t, dir, "F32", func(name string, values []float32) []float32 {
		if name == "bert.pooler.dense.bias" {
			values[0] = float32(math.NaN())
		}
		return values
	})
	return dir
}

// Memory grows linearly with the length of a text, and is released afterwards.
func TestLongTextsNeedLinearMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("32,000 tokens take seconds")
	}
	m := loadTiny(t, "t5", Options{Threads: 2})
	long := sequence{make([]int32, 32_000), make([]int32, 32_000)}
	for i := range long.ids {
		long.ids[i] = int32(i % tinyVocabulary)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := m.compute(t.Context(), []sequence{long}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// 32,000 tokens of 12+3*18+18 values of 4 bytes are 11 MB; the square of the
	// length in float32 is 4 GB.
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
		t.Errorf("got %d MB allocated, want at most 64", allocated>>20)
	}
	if cap(m.pass.x) > 0 {
		t.Error("buffers were not released")
	}
}

func TestDistanceBucketsMatchReference(t *testing.T) {
	check := func(name string, distance, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got bucket %d for distance %d, want %d", name, got, distance, want)
		}
	}
	d := disentangled{span: 32, maxDistance: 512}
	for distance, want := range readGolden(t, "deberta-v2").Buckets.Values {
		check("DeBERTa", distance, d.bucket(distance), want)
		check("DeBERTa", -distance, d.bucket(-distance), -want)
	}
	t5 := readGolden(t, "hhem").Buckets
	for distance := range t5.Neg {
		check("T5", -distance, kernel.DistanceBucket(-distance, 32), t5.Neg[distance])
		check("T5", distance, kernel.DistanceBucket(distance, 32), t5.Pos[distance])
	}
}
