package encoder

import (
	"path/filepath"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// From the texts to the numbers of the reference, through every way to compute.
func TestTextsGiveTheNumbersOfTheReference(t *testing.T) {
	for _, folder := range folders() {
		t.Run(folder, func(t *testing.T) {
			g := readGolden(t, folder)
			for _, path := range kernel.Names() {
				o := options(folder)
				o.Kernel = path
				m, err := Open(filepath.Join(models, folder), o)
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				var d deviation
				compared := 0
				for i, c := range g.Cases {
					// Those that were not cut, or cut as the model's own length says.
					if c.Truncation != nil && (c.Truncation.Strategy != "longest_first" || m.truncation() == nil || c.Truncation.MaxLength != m.truncation().MaxLength) ||
						c.Truncation == nil && m.truncation() != nil && len(c.IDs) > m.truncation().MaxLength {
						continue
					}
					got, ok := m.ofTexts(t, &c)
					if !ok {
						continue
					}
					compared++
					for j, want := range c.values(t) {
						d.add(float64s(got[j]), want)
					}
					if d.worst > 1e-4 {
						t.Fatalf("%s: case %d %q: off by %.2g", path, i, c.Name, d.worst)
					}
				}
				t.Logf("%s: %d of %d cases, off by at most %.2g", path, compared, len(g.Cases), d.worst)
				if compared < len(g.Cases)/3 {
					t.Errorf("only %d of %d cases were compared", compared, len(g.Cases))
				}
			}
		})
	}
}

// ofTexts is what comes of a case's texts, a row a token where the model
// classifies tokens. A single text where the model wants a pair is left out.
func (m *Model) ofTexts(t *testing.T, c *goldenCase) ([][]float32, bool) {
	t.Helper()
	var got [][]float32
	var err error
	switch {
	case m.info.Kind == Embed && c.TextB == nil:
		got, err = m.Embed(t.Context(), []string{c.TextA})
	case m.info.Kind == Embed || c.TextB == nil:
		return nil, false
	case m.info.Kind == Tokens:
		var all []TokenLogits
		if all, err = m.Tokens(t.Context(), []Pair{{c.TextA, *c.TextB}}); err == nil {
			got = all[0].Logits
		}
	default:
		got, err = m.Classify(t.Context(), []Pair{{c.TextA, *c.TextB}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return got, true
}

func TestAModelDoesWhatItIsFor(t *testing.T) {
	readGolden(t, "bert-encoder")
	m, err := Open(filepath.Join(models, "bert-encoder"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Classify(t.Context(), []Pair{{"a", "b"}}); err == nil {
		t.Error("an encoder of sentences classifies")
	}
	if _, err := m.Tokens(t.Context(), []Pair{{"a", "b"}}); err == nil {
		t.Error("an encoder of sentences classifies tokens")
	}
}
