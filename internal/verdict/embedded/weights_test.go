package embedded

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
)

// correctProbes is the number of probes that the included model classifies correctly as
// supported or not. docs/accuracy.md lists the others.
const correctProbes = 33

// A probe is a handwritten claim with the acceptable verdicts.
type probe struct {
	ID, Answer string
	Contexts   []string
	Expected   any // a label, or several
}

func (p *probe) accepts(label string) bool {
	if all, ok := p.Expected.([]any); ok {
		return slices.Contains(all, any(label))
	}
	return p.Expected == label
}

func readProbes(t *testing.T) []probe {
	t.Helper()
	f, err := os.Open("../../../testdata/probes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var probes []probe
	for s := bufio.NewScanner(f); s.Scan(); {
		var p probe
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		probes = append(probes, p)
	}
	if len(probes) != 40 {
		t.Fatalf("got %d probes, want 40", len(probes))
	}
	return probes
}

// newEmbeddedJudge returns a judge with the included model.
func newEmbeddedJudge(t *testing.T, p kernel.Precision) *Judge {
	t.Helper()
	g, f, err := Open("", encoder.Options{Precision: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	words, err := lexical.New(lexical.Options{Threshold: lexical.DefaultThreshold, Sentences: sentences})
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Model: g, Formula: f, Words: words, Threshold: DefaultThreshold, Sentences: sentences})
}

func TestEmbeddedModelProbes(t *testing.T) {
	j := newEmbeddedJudge(t, kernel.Int8)
	correct := 0
	for _, p := range readProbes(t) {
		task := verdict.Task{Contexts: p.Contexts, Claims: []extract.Claim{{Text: p.Answer}}}
		got, err := j.Judge(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		v := got.Verdicts[0]
		if (v.Label == verdict.Supported) == p.accepts("supported") {
			correct++
		} else {
			t.Logf("%s: %v with %.2f: %s", p.ID, v.Label, v.Score, v.Reason)
		}
	}
	if correct < correctProbes {
		t.Errorf("got %d correct probes, want %d", correct, correctProbes)
	}
}

// Quantization to 8 bits must not affect which claims are supported.
func TestQuantizationChangesScoresLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("float32 is slow with the race detector")
	}
	int8Judge, float32Judge := newEmbeddedJudge(t, kernel.Int8), newEmbeddedJudge(t, kernel.Float32)
	sum, n := 0.0, 0
	for _, p := range readProbes(t) {
		task := verdict.Task{Contexts: p.Contexts, Claims: []extract.Claim{{Text: p.Answer}}}
		a, err := int8Judge.Judge(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		b, err := float32Judge.Judge(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		sum += math.Abs(a.Verdicts[0].Score - b.Verdicts[0].Score)
		n++
	}
	if mean := sum / float64(n); mean > 0.02 {
		t.Errorf("got a mean score difference of %.4f, want at most 0.02", mean)
	} else {
		t.Logf("mean score difference: %.4f", mean)
	}
}
