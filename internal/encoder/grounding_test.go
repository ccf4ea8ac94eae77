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

// groundingFolder has a tiny model and what torch makes of texts with it;
// training/golden.py wrote it.
const groundingFolder = "testdata/grounding"

type groundingCase struct {
	Name, Window          string
	Claims                []string
	IDs, Positions, Types []int32
	Ends                  []int
	Offsets               [][][2]int
	Logits                [][]float64
	Tokens                [][]float64
	RoundedLogits         [][]float64 `json:"rounded_logits"` // with the weights that int8 leaves
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
	data, err := os.ReadFile(filepath.Join(groundingFolder, "cases.json"))
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
	data, err := os.ReadFile(filepath.Join(groundingFolder, precision+".safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func tinyGrounding(t testing.TB, file string, o Options) *Grounding {
	t.Helper()
	g, err := OpenGrounding(filepath.Join(groundingFolder, file+".safetensors"), o)
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

// The ids, positions, types and offsets are those that the model was trained with.
func TestGroundingLaysOutWhatItWasTrainedWith(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{})
	m := &marks{pieces: g.pieces}
	for _, c := range readGroundingGolden(t).Cases {
		held := make([]Held, len(c.Claims))
		parts, err := g.lay(m, &Group{c.Window, c.Claims}, held)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		if len(c.Claims) == 0 {
			if len(parts) != 0 {
				t.Errorf("%s: %d sequences of no claims", c.Name, len(parts))
			}
			continue
		}
		if len(parts) != 1 {
			t.Fatalf("%s: %d sequences, want 1", c.Name, len(parts))
		}
		p := parts[0]
		for what, pair := range map[string][2][]int32{"ids": {c.IDs, p.ids}, "positions": {c.Positions, p.positions}, "types": {c.Types, p.types}} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s: %s (-want +got)\n%s", c.Name, what, diff)
			}
		}
		if diff := cmp.Diff(c.Ends, p.ends); diff != "" {
			t.Errorf("%s: ends (-want +got)\n%s", c.Name, diff)
		}
		for i, want := range c.Offsets {
			var got [][2]int
			for _, m := range held[i].Tokens {
				got = append(got, [2]int{m.Start, m.End})
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: claim %d: offsets %v, want %v", c.Name, i, got, want)
			}
		}
	}
}

// bounds of what int8 does to the tiny model's logits, which are of size 1.
const (
	tinyWorst = 0.4
	tinyMean  = 0.015
)

// On every kernel path the logits are torch's in float32, of both files, and in
// int8 they are near.
func TestGroundingComputesWhatTorchDoes(t *testing.T) {
	golden := readGroundingGolden(t)
	for _, kernelName := range kernelNames() {
		for _, file := range []string{"float32", "int8"} {
			for name, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
				g := tinyGrounding(t, file, Options{Kernel: kernelName, Precision: precision})
				if info := g.Info(); info.Precision != precision || info.Kernel != kernelName {
					t.Errorf("information %+v", info)
				}
				got, err := g.Judge(t.Context(), golden.groups())
				if err != nil {
					t.Fatal(err)
				}
				var d deviation
				for i, c := range golden.Cases {
					if len(got[i]) != len(c.Claims) {
						t.Fatalf("%s: %d results of %d claims", c.Name, len(got[i]), len(c.Claims))
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
				t.Logf("%s, %s file in %s: off by at most %.2g, mean %.2g", kernelName, file, name, d.max, mean)
				if precision == kernel.Float32 && d.max > 1e-4 {
					t.Errorf("%s, %s file: off by %.2g", kernelName, file, d.max)
				}
				if d.max > tinyWorst || mean > tinyMean {
					t.Errorf("%s, %s file in %s: off by %.2g, mean %.2g", kernelName, file, name, d.max, mean)
				}
			}
		}
	}
}

func unsupported(h Held) []float64 {
	values := make([]float64, len(h.Tokens))
	for i, m := range h.Tokens {
		values[i] = float64(m.Unsupported)
	}
	return values
}

// An embedding is torch's, and of length 1.
func TestGroundingEmbeds(t *testing.T) {
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
				t.Errorf("%.20q: off by %.2g, squared length %v", want.Text, d.max, length)
			}
			alone, err := g.Embed(t.Context(), texts[i:i+1])
			if err != nil || !slices.Equal(alone[0], got[i]) {
				t.Errorf("%.20q: %v alone (%v), %v with others", want.Text, alone, err, got[i])
			}
		}
	}
}

// What the file has for others is given to them.
func TestGroundingTellsWhatItIs(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{})
	if got, want := g.Verdict(), `{"bias":-0.25,"words":1,"support":0.5,"contradiction":0.1,"worst":0,"margin":0.02,"most":8,"windows":3,"room":200,"packed":160}`; got != want {
		t.Errorf("verdict %s, want %s", got, want)
	}
	if n := g.Count("Cats are sleeping."); n < 4 || n != g.tokenizer.Count("Cats are sleeping.") {
		t.Errorf("counts %d tokens", n)
	}
	if len(g.Digest()) != 64 || g.Digest() == tinyGrounding(t, "float32", Options{}).Digest() {
		t.Errorf("digest %s", g.Digest())
	}
	info := g.Info()
	if info.Kind != Claims || info.Hidden != 24 || info.Layers != 2 {
		t.Errorf("information %+v", info)
	}
	if c := info.Probabilities([]float32{9, 0, 0}); c.Supported < 0.99 {
		t.Errorf("the first logit means %+v", c)
	}
}

// A claim or a window that spells [SEP] or [CLS] is text, and can't end a claim or
// begin another one.
func TestGroundingTakesTextsThatSpellSpecialsForText(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{})
	text := "It costs [SEP] four [CLS][PAD] million [UNK][MASK]."
	held := make([]Held, 1)
	parts, err := g.lay(&marks{pieces: g.pieces}, &Group{text, []string{text}}, held)
	if err != nil {
		t.Fatal(err)
	}
	p := parts[0]
	ids := g.tokenizer.Count(text)
	if len(p.ids) != 2*ids+3 || p.ids[0] != clsToken || p.ids[ids+1] != sepToken || p.ids[2*ids+2] != sepToken {
		t.Fatalf("%d tokens of a text of %d: %v", len(p.ids), ids, p.ids)
	}
	for _, some := range [][]int32{p.ids[1 : ids+1], p.ids[ids+2 : 2*ids+2]} {
		for _, id := range some {
			switch g.pieces[id] {
			case "[SEP]", "[CLS]", "[PAD]", "[MASK]":
				t.Errorf("a text made the token %s", g.pieces[id])
			}
		}
	}
	at := 0 // tokens cover the claim, but for its spaces
	for _, m := range held[0].Tokens {
		if strings.TrimSpace(text[at:m.Start]) != "" {
			t.Errorf("nothing stands for %q", text[at:m.Start])
		}
		at = m.End
	}
}
