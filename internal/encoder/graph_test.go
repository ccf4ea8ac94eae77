package encoder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// onRuntime returns options that compute with ONNX Runtime, which
// RAGFAITH_ONNXRUNTIME names.
func onRuntime(t testing.TB) Options {
	t.Helper()
	path := os.Getenv("RAGFAITH_ONNXRUNTIME")
	if path == "" {
		t.Skip("RAGFAITH_ONNXRUNTIME names no ONNX Runtime")
	}
	l, err := ort.Open(path)
	if errors.Is(err, ort.ErrStatic) {
		t.Skip("built without the tag ort")
	}
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return Options{Device: ort.Device{Provider: ort.CPU}, Library: path, Threads: 2}
}

// Every reference model gives the reference numbers on ONNX Runtime, in batches
// of 1, 10 and 64.
func TestReferenceModelsOnRuntime(t *testing.T) {
	for _, folder := range folders() {
		t.Run(folder, func(t *testing.T) {
			g := readGolden(t, folder)
			o := onRuntime(t)
			o.Labels = options(folder).Labels
			m, err := load(filepath.Join(models, folder), o)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			compareOnRuntime(t, m, g)
		})
	}
}

func compareOnRuntime(t *testing.T, m *Model, g *golden) {
	t.Helper()
	for _, size := range []int{1, 10, 64} {
		var worst deviation
		for lo := 0; lo < len(g.Cases); lo += size {
			cases := g.Cases[lo:min(lo+size, len(g.Cases))]
			var seqs []sequence
			for _, c := range cases {
				seqs = append(seqs, c.sequence())
			}
			got, err := m.compute(t.Context(), seqs)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range cases {
				want := c.values(t)
				if len(got[i]) != len(want) {
					t.Fatalf("%s: %d rows, want %d", c.Name, len(got[i]), len(want))
				}
				for r, row := range want {
					worst.add(float64s(got[i][r]), row)
				}
			}
		}
		t.Logf("batches of %d: values off by at most %.2g", size, worst.worst)
		if worst.worst > 2e-5 {
			t.Errorf("batches of %d: a value is off by %.2g, more than 2e-5", size, worst.worst)
		}
	}
}

// Each family computes what its formulas say, with weights of each type, in one
// batch of sequences from 1 to 46 tokens that is mostly padding.
func TestPaddedNetworksComputeTheirFormulas(t *testing.T) {
	o := onRuntime(t)
	round := map[string]func(float64) float64{"F32": toFloat32, "BF16": toBrain, "F16": toHalf}
	for dtype := range round {
		for family, tiny := range tiny() {
			t.Run(family+"/"+dtype, func(t *testing.T) {
				tiny.round = round[dtype]
				seqs := texts()
				var want [][]float64
				longest := 0
				for i, s := range seqs {
					want = append(want, tiny.run(s))
					if len(s.ids) > len(seqs[longest].ids) {
						longest = i
					}
				}
				m, err := load(tiny.write(t, dtype), o)
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				var d deviation
				numbers := []int{longest}
				for i := range seqs {
					if i != longest {
						numbers = append(numbers, i)
					}
				}
				rows := 0
				err = m.onceInGraph(t.Context(), seqs, numbers, func(i int, output []float32) error {
					rows++
					d.add(float64s(output), want[i])
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if t.Logf("off by at most %.2g", d.worst); rows != len(seqs) || d.worst > 1e-4 {
					t.Errorf("%d rows, want %d; off by %.2g", rows, len(seqs), d.worst)
				}
			})
		}
	}
}
