package encoder

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// onnxOptions returns options for ONNX Runtime, which RAGFAITH_ONNXRUNTIME names.
func onnxOptions(t testing.TB) Options {
	t.Helper()
	path := os.Getenv("RAGFAITH_ONNXRUNTIME")
	if path == "" {
		t.Skip("RAGFAITH_ONNXRUNTIME is not set: scripts/fetch-onnxruntime.sh downloads ONNX Runtime")
	}
	l, err := ort.Open(path)
	if errors.Is(err, ort.ErrStatic) {
		t.Skip("built without the tag ort")
	}
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return Options{Device: ort.CPU, Library: path}
}

func TestGoldenModelsMatchReferenceOnONNX(t *testing.T) {
	for _, name := range goldenNames() {
		t.Run(name, func(t *testing.T) {
			options := onnxOptions(t)
			if name == "t5" {
				o := goldenOptions(name)
				o.Device, o.Library = options.Device, options.Library
				m, err := Open(goldenDir(name), o)
				checkRejected(t, m, err, "models with a decoder")
				return
			}
			m, g := loadGolden(t, name, options), readGolden(t, name)
			for _, size := range []int{1, 10, 64} {
				var d deviation
				for i, got := range computeBatches(t, m, g, size) {
					for r, want := range g.Cases[i].want(t) {
						d.add(float64s(got[r]), want)
					}
				}
				t.Logf("batch size %d: max difference %.2g", size, d.max)
				if d.max > goldenTolerance {
					t.Errorf("batch size %d: max difference %.2g, want at most %g", size, d.max, goldenTolerance)
				}
			}
		})
	}
}

// runPadded computes sequences of any length in one padded batch.
func runPadded(t *testing.T, m *Model, seqs []sequence) [][]float32 {
	t.Helper()
	var order []int
	for i := range seqs {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return len(seqs[b].ids) - len(seqs[a].ids) })
	all := make([][]float32, len(seqs))
	if err := m.computeBatch(t.Context(), seqs, order, all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestONNXMatchesKernelsForConfigVariants(t *testing.T) {
	o := onnxOptions(t)
	for _, v := range []struct {
		family, key string
		value       any
	}{
		{"modernbert", "classifier_pooling", "cls"},
		{"bert", "hidden_act", "gelu_new"},
	} {
		t.Run(v.family+"/"+v.key, func(t *testing.T) {
			dir, config := writeTiny(t, v.family)
			config[v.key] = v.value
			writeConfig(t, dir, config)
			compareWithKernels(t, dir, o)
		})
	}
	for _, mode := range []string{"mean", "cls"} {
		t.Run("pooling/"+mode, func(t *testing.T) {
			compareWithKernels(t, encoderDir(t, map[string]string{
				"modules.json": threeModules, "1_Pooling/config.json": `{"pooling_mode":"` + mode + `"}`,
			}), o)
		})
	}
}

// compareWithKernels compares the output of ONNX Runtime and of the kernels.
func compareWithKernels(t *testing.T, dir string, o Options) {
	t.Helper()
	reference, m := mustLoad(t, dir, Options{Threads: 1}), mustLoad(t, dir, o)
	want, err := reference.compute(t.Context(), tinySequences())
	if err != nil {
		t.Fatal(err)
	}
	var d deviation
	for i, got := range runPadded(t, m, tinySequences()) {
		if len(got) != len(want[i]) {
			t.Fatalf("text %d: got %d values, want %d", i, len(got), len(want[i]))
		}
		d.add(float64s(got), float64s(want[i]))
	}
	// These weights produce logits of up to several tens.
	if d.max > 1e-4 {
		t.Errorf("max difference %.2g, want at most 1e-4", d.max)
	}
}

func TestBatchSizeLimitsPadding(t *testing.T) {
	for _, tt := range []struct {
		lengths []int // in descending order
		tokens  int
		want    int
	}{
		{[]int{100, 100, 100}, 2048, 3},
		{[]int{100, 75, 74}, 2048, 2},
		{[]int{100, 100, 100}, 299, 2},
		{[]int{5000, 5000}, 2048, 1},
		{[]int{1, 1}, 2048, 2},
	} {
		m := &onnxModel{maxTokens: tt.tokens}
		var seqs []sequence
		var order []int
		for i, n := range tt.lengths {
			seqs, order = append(seqs, sequence{ids: make([]int32, n)}), append(order, i)
		}
		if got := m.batchSize(seqs, order); got != tt.want {
			t.Errorf("%v in %d tokens: got %d sequences, want %d", tt.lengths, tt.tokens, got, tt.want)
		}
	}
}

func TestONNXRejectsInt8(t *testing.T) {
	dir, _ := writeTiny(t, "bert")
	m, err := load(dir, Options{Device: ort.CPU, Precision: kernel.Int8})
	checkRejected(t, m, err, "device ort-cpu supports float32 only")
}

func TestONNXModelConcurrentUseAndErrors(t *testing.T) {
	o := onnxOptions(t)
	m := loadTiny(t, "deberta", o)
	if name := m.Info().Kernel; !strings.HasPrefix(name, "ONNX Runtime 1.") || !strings.HasSuffix(name, " on ort-cpu") {
		t.Errorf("got kernel %q, want ONNX Runtime 1.x on ort-cpu", name)
	}
	seqs := testSequences(60)
	want, err := loadTiny(t, "deberta", Options{Threads: 1}).compute(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			got, err := m.compute(t.Context(), seqs[c:])
			if err != nil {
				t.Error(err)
				return
			}
			var d deviation
			for i := range got {
				d.add(float64s(got[i]), float64s(want[c+i]))
			}
			if d.max > 2e-5 {
				t.Errorf("caller %d: got a difference of %.2g, want at most 2e-5", c, d.max)
			}
		})
	}
	wg.Wait()
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.compute(done, seqs); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := m.compute(t.Context(), seqs); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got error %v, want closed", err)
	}

	n := mustLoad(t, writeNaN(t), o)
	if _, err := n.compute(t.Context(), tinySequences()); err == nil || !strings.Contains(err.Error(), "not a number") {
		t.Errorf("got error %v, want not a number", err)
	}
}
