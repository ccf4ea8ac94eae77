package encoder

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// The directories in testdata/models hold tiny models with random weights and the
// outputs that transformers computes for them in float64, written by
// testdata/golden.py.

// goldenTolerance is the maximum absolute difference from the reference for
// logits, embeddings and hidden values in float32. Torch itself differs by up to
// 5e-6 between float32 and float64.
const goldenTolerance = 2e-5

func goldenNames() []string {
	return []string{
		"bert", "bert-sentence", "roberta", "alignscore", "xlm-roberta", "deberta-v2", "deberta-judge", "modernbert", "modernbert-tokens", "mmbert-tokens", "hhem", "t5",
	}
}

func goldenDir(name string) string { return filepath.Join("testdata", "models", name) }

// goldenModel is the content of cases.json.
type goldenModel struct {
	Prompt  string // template of the texts, or ""
	Cases   []goldenCase
	Buckets struct{ Values, Neg, Pos []int } `json:"bucket_of_distance"`
}

type goldenCase struct {
	Name       string
	TextA      string  `json:"text_a"`
	TextB      *string `json:"text_b"`
	Truncation *struct {
		Strategy  string
		MaxLength int `json:"max_length"`
	}
	IDs       []int32 `json:"input_ids"`
	Types     []int32 `json:"token_type_ids"`
	Logits    json.RawMessage
	Embedding []float64
	Score     *float64
}

// want returns the expected values: one row, or one row per token if the model
// classifies tokens.
func (c *goldenCase) want(t *testing.T) [][]float64 {
	t.Helper()
	if c.Embedding != nil {
		return [][]float64{c.Embedding}
	}
	var row []float64
	if json.Unmarshal(c.Logits, &row) == nil {
		return [][]float64{row}
	}
	var rows [][]float64
	if err := json.Unmarshal(c.Logits, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func (c *goldenCase) sequence() sequence {
	s := sequence{ids: c.IDs, types: c.Types}
	if s.types == nil {
		s.types = make([]int32, len(s.ids))
	}
	return s
}

func readGolden(t testing.TB, name string) *goldenModel {
	t.Helper()
	g := new(goldenModel)
	readJSON(t, filepath.Join(goldenDir(name), "cases.json"), g)
	if len(g.Cases) < 10 {
		t.Fatalf("%s: got %d cases, want at least 10", name, len(g.Cases))
	}
	return g
}

// copyGolden returns a copy of the directory of a golden model.
func copyGolden(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(goldenDir(name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readJSON(t testing.TB, path string, dst any) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, path), dst); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func goldenOptions(name string) Options {
	switch name {
	case "modernbert-tokens":
		return Options{Labels: map[string]string{"LABEL_0": "supported", "LABEL_1": "not_mentioned"}}
	case "deberta-judge":
		return Options{LabelNames: []string{"not_supported", "supported"}}
	case "alignscore":
		return Options{Head: "tri_layer", LabelNames: []string{"entailment", "neutral", "contradiction"}}
	case "t5":
		return Options{Template: "predict: {text1}</s>{text2}", LabelNames: []string{"not_supported", "supported"}, LabelTokens: []int{3, 209}}
	}
	return Options{}
}

// loadGolden loads a golden model without its tokenizer.
func loadGolden(t testing.TB, name string, o Options) *Model {
	t.Helper()
	files := goldenOptions(name)
	o.Labels, o.LabelNames, o.LabelTokens, o.Template, o.Head = files.Labels, files.LabelNames, files.LabelTokens, files.Template, files.Head
	return mustLoad(t, goldenDir(name), o)
}

func mustLoad(t testing.TB, dir string, o Options) *Model {
	t.Helper()
	m, err := load(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	closeAfter(t, m)
	return m
}

func closeAfter(t testing.TB, m *Model) {
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// outputRows computes sequences and divides their outputs into rows. Models that do not
// classify tokens return one row per sequence.
func (m *Model) outputRows(ctx context.Context, seqs []sequence) ([][][]float32, error) {
	outputs, err := m.compute(ctx, seqs)
	var all [][][]float32
	for _, output := range outputs {
		all = append(all, slices.Collect(slices.Chunk(output, m.outputWidth())))
	}
	return all, err
}

func softmax(x []float64) []float64 {
	largest, sum := slices.Max(x), 0.0
	p := make([]float64, len(x))
	for i, v := range x {
		p[i] = math.Exp(v - largest)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func float64s(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// deviation accumulates absolute differences.
type deviation struct {
	max, sum float64
	n        int
}

func (d *deviation) add(got, want []float64) {
	for i := range want {
		e := math.Abs(got[i] - want[i])
		if math.IsNaN(e) {
			e = math.Inf(1)
		}
		d.max = max(d.max, e)
		d.sum += e
		d.n++
	}
}

// kernelNames returns the kernels to test. With the race detector, which does not check
// assembly, only the fastest kernel is tested.
func kernelNames() []string {
	names := kernel.Names()
	if raceEnabled {
		return names[len(names)-1:]
	}
	return names
}

func TestGoldenModelsMatchReference(t *testing.T) {
	for _, name := range goldenNames() {
		g := readGolden(t, name)
		for _, kernelName := range kernelNames() {
			for _, precision := range []kernel.Precision{kernel.Float32, kernel.Int8} {
				t.Run(fmt.Sprintf("%s/%s/%s", name, kernelName, precisionName(precision)), func(t *testing.T) {
					m := loadGolden(t, name, Options{Kernel: kernelName, Precision: precision})
					compareCases(t, m, g, precision)
				})
			}
		}
	}
}

// compareCases checks the outputs of all cases in batches of 1, 10 and 64, and
// that they do not depend on the batch size.
func compareCases(t *testing.T, m *Model, g *goldenModel, precision kernel.Precision) {
	t.Helper()
	var single [][][]float32
	for _, size := range []int{1, 10, 64} {
		all := computeBatches(t, m, g, size)
		if size == 1 {
			single = all
		}
		var values, probabilities deviation
		for i, c := range g.Cases {
			for r, want := range c.want(t) {
				got := float64s(all[i][r])
				values.add(got, want)
				if c.Embedding == nil {
					got, want = softmax(got), softmax(want)
				}
				probabilities.add(got, want)
				if !slices.Equal(all[i][r], single[i][r]) {
					t.Errorf("%s: got %v in a batch of %d, %v alone", c.Name, all[i][r], size, single[i][r])
				}
			}
		}
		mean := probabilities.sum / float64(probabilities.n)
		t.Logf("batch size %d: max difference of values %.2g, of probabilities %.2g, mean %.2g", size, values.max, probabilities.max, mean)
		if precision == kernel.Float32 && values.max > goldenTolerance {
			t.Errorf("batch size %d: max difference %.2g, want at most %g", size, values.max, goldenTolerance)
		}
		if probabilities.max > 6e-2 || mean > 2e-2 {
			t.Errorf("batch size %d: probabilities differ by %.2g, mean %.2g; want at most 6e-2, 2e-2", size, probabilities.max, mean)
		}
	}
}

// computeBatches returns the output of every case, computed size cases at a time.
func computeBatches(t *testing.T, m *Model, g *goldenModel, size int) [][][]float32 {
	t.Helper()
	var all [][][]float32
	for cases := range slices.Chunk(g.Cases, size) {
		var seqs []sequence
		for _, c := range cases {
			seqs = append(seqs, c.sequence())
		}
		got, err := m.outputRows(t.Context(), seqs)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range cases {
			if want := len(c.want(t)); len(got[i]) != want {
				t.Fatalf("%s: got %d rows, want %d", c.Name, len(got[i]), want)
			}
		}
		all = append(all, got...)
	}
	return all
}

func precisionName(p kernel.Precision) string {
	if p == kernel.Int8 {
		return "int8"
	}
	return "float32"
}
