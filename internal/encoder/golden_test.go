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

// models holds models with random weights, and what transformers computes with
// them in float64.
const models = "../../../shared/data/models"

// golden is the file cases.json of a model.
type golden struct {
	Kind   string
	Hidden struct {
		Case   int
		Stages []stage
	}
	Cases   []goldenCase
	Batches []struct{ Cases []int }
	Buckets json.RawMessage `json:"bucket_of_distance"`
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
	Offsets   [][2]int
	Sequences []*int8 `json:"sequence_ids"`
	Logits    json.RawMessage
	Embedding []float64
	Score     *float64
}

type stage struct {
	Stage     string
	Mean, Std float64
	First     []float64 `json:"token0_first8"`
	Last      []float64 `json:"last_token_first8"`
}

// values are the numbers to come out, a row a token where the model classifies
// tokens.
func (c *goldenCase) values(t *testing.T) [][]float64 {
	t.Helper()
	if c.Embedding != nil {
		return [][]float64{c.Embedding}
	}
	var one []float64
	if json.Unmarshal(c.Logits, &one) == nil {
		return [][]float64{one}
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

func folders() []string {
	return []string{
		"bert-seqcls", "bert-encoder", "roberta-seqcls", "xlmr-seqcls", "hhem-t5",
		"modernbert-seqcls", "modernbert-tokencls", "deberta-v2-seqcls", "deberta-v2-seqcls-2l",
	}
}

func readGolden(t testing.TB, folder string) *golden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(models, folder, "cases.json"))
	if os.IsNotExist(err) {
		t.Skipf("%s is not there: no reference models", filepath.Join(models, folder))
	}
	if err != nil {
		t.Fatal(err)
	}
	g := new(golden)
	if err := json.Unmarshal(data, g); err != nil {
		t.Fatal(err)
	}
	return g
}

func readBuckets(t *testing.T, folder string, dst any) {
	t.Helper()
	if err := json.Unmarshal(readGolden(t, folder).Buckets, dst); err != nil {
		t.Fatal(err)
	}
}

func options(folder string) Options {
	if folder == "modernbert-tokencls" {
		return Options{Labels: map[string]string{"LABEL_0": "supported", "LABEL_1": "not_mentioned"}}
	}
	return Options{}
}

// compute runs sequences through the model's one method, as rows of values.
func (m *Model) compute(ctx context.Context, seqs []sequence) ([][][]float32, error) {
	if m.info.Kind == Tokens {
		return m.tokens(ctx, seqs)
	}
	f := m.classify
	if m.info.Kind == Embed {
		f = m.embed
	}
	rows, err := f(ctx, seqs)
	var all [][][]float32
	for _, row := range rows {
		all = append(all, [][]float32{row})
	}
	return all, err
}

func softmax(x []float64) []float64 {
	most, sum := slices.Max(x), 0.0
	p := make([]float64, len(x))
	for i, v := range x {
		p[i] = math.Exp(v - most)
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

// A deviation gathers differences.
type deviation struct {
	worst, sum float64
	n          int
}

func (d *deviation) add(got, want []float64) {
	for i := range want {
		e := math.Abs(got[i] - want[i])
		if math.IsNaN(e) {
			e = math.Inf(1)
		}
		d.worst = max(d.worst, e)
		d.sum += e
		d.n++
	}
}

// paths are the kernels to test: with the race detector the fastest, which is
// assembly, as the detector sees the same of all.
func paths() []string {
	names := kernel.Names()
	if racing {
		return names[len(names)-1:]
	}
	return names
}

// Every reference model gives the reference numbers on every kernel path, in
// batches of 1, 10 and 64, in float32 and in int8.
func TestReferenceModels(t *testing.T) {
	for _, folder := range folders() {
		g := readGolden(t, folder)
		for _, path := range paths() {
			for _, precision := range []kernel.Precision{kernel.Float32, kernel.Int8} {
				name := fmt.Sprintf("%s/%s/%s", folder, path, map[kernel.Precision]string{kernel.Float32: "float32", kernel.Int8: "int8"}[precision])
				t.Run(name, func(t *testing.T) {
					o := options(folder)
					o.Kernel, o.Precision = path, precision
					m, err := load(filepath.Join(models, folder), o)
					if err != nil {
						t.Fatal(err)
					}
					defer m.Close()
					compareCases(t, m, g, precision)
				})
			}
		}
	}
}

func compareCases(t *testing.T, m *Model, g *golden, precision kernel.Precision) {
	t.Helper()
	var alone [][][]float32
	for _, size := range []int{1, 10, 64} {
		var all [][][]float32
		for lo := 0; lo < len(g.Cases); lo += size {
			var seqs []sequence
			for _, c := range g.Cases[lo:min(lo+size, len(g.Cases))] {
				seqs = append(seqs, c.sequence())
			}
			got, err := m.compute(t.Context(), seqs)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, got...)
		}
		if size == 1 {
			alone = all
		}
		var values, probabilities deviation
		for i, c := range g.Cases {
			want := c.values(t)
			if len(all[i]) != len(want) {
				t.Fatalf("%s: %d rows, want %d", c.Name, len(all[i]), len(want))
			}
			for r, row := range want {
				got := float64s(all[i][r])
				values.add(got, row)
				if c.Embedding == nil {
					got, row = softmax(got), softmax(row)
				}
				probabilities.add(got, row)
				if !slices.Equal(all[i][r], alone[i][r]) {
					t.Errorf("%s: a batch of %d makes %v of what is %v alone", c.Name, size, all[i][r], alone[i][r])
				}
			}
		}
		mean := probabilities.sum / float64(probabilities.n)
		t.Logf("batches of %d: values off by at most %.2g, probabilities by at most %.2g, mean %.2g", size, values.worst, probabilities.worst, mean)
		if precision == kernel.Float32 && values.worst > 2e-5 {
			t.Errorf("batches of %d: a value is off by %.2g, more than 2e-5", size, values.worst)
		}
		if probabilities.worst > 6e-2 || mean > 2e-2 {
			t.Errorf("batches of %d: probabilities are off by %.2g, mean %.2g; more than 6e-2, 2e-2", size, probabilities.worst, mean)
		}
	}
}

// The hidden states between layers are those of the reference.
func TestReferenceHiddenStates(t *testing.T) {
	for _, folder := range folders() {
		t.Run(folder, func(t *testing.T) {
			g := readGolden(t, folder)
			m, err := load(filepath.Join(models, folder), options(folder))
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			c := g.Cases[g.Hidden.Case]
			var seen []string
			m.pass.observe = func(name string, x []float32) {
				want := g.Hidden.Stages[len(seen)]
				seen = append(seen, name)
				if name != want.Stage {
					t.Fatalf("stage %s, want %s", name, want.Stage)
				}
				got := describe(x, m.info.Hidden)
				var d deviation
				d.add([]float64{got.Mean, got.Std}, []float64{want.Mean, want.Std})
				d.add(got.First, want.First)
				d.add(got.Last, want.Last)
				if d.worst > 2e-5 {
					t.Errorf("%s is off by %.2g", name, d.worst)
				}
			}
			got, err := m.compute(t.Context(), []sequence{c.sequence()})
			if err != nil {
				t.Fatal(err)
			}
			if len(seen) != len(g.Hidden.Stages) {
				t.Errorf("%d stages %v, want %d", len(seen), seen, len(g.Hidden.Stages))
			}
			// What is observed takes another way through the last layer.
			m.pass.observe = nil
			again, err := m.compute(t.Context(), []sequence{c.sequence()})
			if err != nil {
				t.Fatal(err)
			}
			for r := range again {
				if !slices.Equal(got[0][r], again[0][r]) {
					t.Errorf("%v observed, %v otherwise", got[0][r], again[0][r])
				}
			}
		})
	}
}

func describe(x []float32, width int) stage {
	var sum, squares float64
	for _, v := range x {
		sum += float64(v)
	}
	n := float64(len(x))
	for _, v := range x {
		squares += (float64(v) - sum/n) * (float64(v) - sum/n)
	}
	return stage{
		Mean: sum / n, Std: math.Sqrt(squares / n),
		First: float64s(x[:8]), Last: float64s(x[len(x)-width:][:8]),
	}
}
