package encoder

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// groundingDir holds a tiny model and the outputs of torch, written by
// training/golden.py.
const groundingDir = "testdata/grounding"

type groundingCase struct {
	Name, Window          string
	Claims                []string
	IDs, Positions, Types []int32
	Ends                  []int
	Offsets               [][][2]int
	Logits                [][]float64
	Tokens                [][]float64
	RoundedLogits         [][]float64 `json:"rounded_logits"` // float32 output for the int8 weights
	RoundedTokens         [][]float64 `json:"rounded_tokens"`
}

type groundingGolden struct {
	Cases []groundingCase
	Texts []struct {
		Text      string
		Embedding []float64
	}
}

func (g *groundingGolden) groups() []Group {
	var groups []Group
	for _, c := range g.Cases {
		groups = append(groups, Group{c.Window, c.Claims})
	}
	return groups
}

func readGroundingGolden(t testing.TB) *groundingGolden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(groundingDir, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	g := new(groundingGolden)
	if err := json.Unmarshal(data, g); err != nil {
		t.Fatal(err)
	}
	return g
}

func tinyFile(t testing.TB, precision string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(groundingDir, precision+".safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func tinyGrounding(t testing.TB, file string, o Options) *Grounding {
	t.Helper()
	g, err := OpenGrounding(filepath.Join(groundingDir, file+".safetensors"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func TestGroundingLayoutMatchesTraining(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{})
	m := &wordMatcher{pieces: g.pieces}
	for _, c := range readGroundingGolden(t).Cases {
		outputs := make([]ClaimOutput, len(c.Claims))
		seqs, err := g.buildSequences(m, &Group{c.Window, c.Claims}, outputs)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if len(c.Claims) == 0 {
			if len(seqs) != 0 {
				t.Errorf("%s: got %d sequences for no claims, want 0", c.Name, len(seqs))
			}
			continue
		}
		if len(seqs) != 1 {
			t.Fatalf("%s: got %d sequences, want 1", c.Name, len(seqs))
		}
		s := seqs[0]
		for what, pair := range map[string][2][]int32{"ids": {c.IDs, s.ids}, "positions": {c.Positions, s.positions}, "types": {c.Types, s.types}} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s: %s (-want +got)\n%s", c.Name, what, diff)
			}
		}
		if diff := cmp.Diff(c.Ends, s.ends); diff != "" {
			t.Errorf("%s: ends (-want +got)\n%s", c.Name, diff)
		}
		for i, want := range c.Offsets {
			var got [][2]int
			for _, m := range outputs[i].Tokens {
				got = append(got, [2]int{m.Start, m.End})
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: claim %d: got offsets %v, want %v", c.Name, i, got, want)
			}
		}
	}
}

// Maximum errors of logits due to int8. The logits are around 1.
const (
	maxInt8Diff     = 0.4
	maxInt8MeanDiff = 0.015
)

func TestGroundingMatchesTorch(t *testing.T) {
	golden := readGroundingGolden(t)
	for _, kernelName := range kernelNames() {
		for _, file := range []string{"float32", "int8"} {
			for name, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
				g := tinyGrounding(t, file, Options{Kernel: kernelName, Precision: precision})
				if info := g.Info(); info.Precision != precision || info.Kernel != kernelName {
					t.Errorf("got precision %v, kernel %s; want %v, %s", info.Precision, info.Kernel, precision, kernelName)
				}
				got, err := g.Judge(t.Context(), golden.groups())
				if err != nil {
					t.Fatal(err)
				}
				var d deviation
				for i, c := range golden.Cases {
					if len(got[i]) != len(c.Claims) {
						t.Fatalf("%s: got %d results for %d claims", c.Name, len(got[i]), len(c.Claims))
					}
					logits, tokens := c.Logits, c.Tokens
					if file == "int8" && precision == kernel.Float32 {
						logits, tokens = c.RoundedLogits, c.RoundedTokens
					}
					for j, h := range got[i] {
						d.add(float64s(h.Logits[:]), logits[j])
						d.add(unsupported(h), tokens[j])
					}
				}
				mean := d.sum / float64(d.n)
				t.Logf("%s, %s file in %s: max difference %.2g, mean %.2g", kernelName, file, name, d.max, mean)
				if precision == kernel.Float32 && d.max > 1e-4 {
					t.Errorf("%s, %s file: max difference %.2g, want at most 1e-4", kernelName, file, d.max)
				}
				if d.max > maxInt8Diff || mean > maxInt8MeanDiff {
					t.Errorf("%s, %s file in %s: max difference %.2g, mean %.2g; want at most %v, %v", kernelName, file, name, d.max, mean, maxInt8Diff, maxInt8MeanDiff)
				}
			}
		}
	}
}

func unsupported(h ClaimOutput) []float64 {
	values := make([]float64, len(h.Tokens))
	for i, m := range h.Tokens {
		values[i] = float64(m.Unsupported)
	}
	return values
}

func TestGroundingEmbedMatchesTorch(t *testing.T) {
	golden := readGroundingGolden(t)
	for _, kernelName := range kernelNames() {
		g := tinyGrounding(t, "float32", Options{Kernel: kernelName})
		var texts []string
		for _, want := range golden.Texts {
			texts = append(texts, want.Text)
		}
		got, err := g.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range golden.Texts {
			var d deviation
			d.add(float64s(got[i]), want.Embedding)
			length := 0.0
			for _, v := range got[i] {
				length += float64(v) * float64(v)
			}
			if d.max > 2e-6 || math.Abs(length-1) > 1e-5 {
				t.Errorf("%.20q: max difference %.2g, squared length %v", want.Text, d.max, length)
			}
			alone, err := g.Embed(t.Context(), texts[i:i+1])
			if err != nil || !slices.Equal(alone[0], got[i]) {
				t.Errorf("%.20q: got %v with other texts, %v alone, error %v; want equal values", want.Text, got[i], alone, err)
			}
		}
	}
}

func TestGroundingMetadata(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{})
	if got, want := g.Verdict(), `{"bias":-0.25,"words":1,"support":0.5,"contradiction":0.1,"worst":0,"margin":0.02,"most":8,"windows":3,"room":200,"packed":160}`; got != want {
		t.Errorf("got verdict %s, want %s", got, want)
	}
	if n := g.Count("Cats are sleeping."); n < 4 || n != g.tokenizer.Count("Cats are sleeping.") {
		t.Errorf("got %d tokens, want %d", n, g.tokenizer.Count("Cats are sleeping."))
	}
	if len(g.Digest()) != 64 || g.Digest() == tinyGrounding(t, "float32", Options{}).Digest() {
		t.Errorf("got digest %s, want 64 digits that depend on the precision", g.Digest())
	}
	info := g.Info()
	if info.Kind != Claims || info.Hidden != 24 || info.Layers != 2 {
		t.Errorf("got info %+v, want Claims with 2 layers of width 24", info)
	}
	if c := info.Probabilities([]float32{9, 0, 0}); c.Supported < 0.99 {
		t.Errorf("large first logit: got probabilities %+v, want supported", c)
	}
}

func TestGroundingTextCannotSpellSpecialTokens(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{})
	text := "It costs [SEP] four [CLS][PAD] million [UNK][MASK]."
	outputs := make([]ClaimOutput, 1)
	seqs, err := g.buildSequences(&wordMatcher{pieces: g.pieces}, &Group{text, []string{text}}, outputs)
	if err != nil {
		t.Fatal(err)
	}
	s := seqs[0]
	ids := g.tokenizer.Count(text)
	if len(s.ids) != 2*ids+3 || s.ids[0] != clsToken || s.ids[ids+1] != sepToken || s.ids[2*ids+2] != sepToken {
		t.Fatalf("got %d tokens for a text of %d: %v", len(s.ids), ids, s.ids)
	}
	for _, text := range [][]int32{s.ids[1 : ids+1], s.ids[ids+2 : 2*ids+2]} {
		for _, id := range text {
			switch g.pieces[id] {
			case "[SEP]", "[CLS]", "[PAD]", "[MASK]":
				t.Errorf("got special token %s from a text", g.pieces[id])
			}
		}
	}
	at := 0 // tokens cover the claim except its spaces
	for _, m := range outputs[0].Tokens {
		if strings.TrimSpace(text[at:m.Start]) != "" {
			t.Errorf("no token covers %q", text[at:m.Start])
		}
		at = m.End
	}
}
