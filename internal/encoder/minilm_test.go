package encoder

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// minilm returns the directory with the published all-MiniLM-L6-v2 weights.
func minilm(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("RAGFAITH_MINILM")
	if dir == "" {
		t.Skip("RAGFAITH_MINILM is not set: scripts/fetch-minilm.sh downloads all-MiniLM-L6-v2 (90 MB)")
	}
	return dir
}

// miniLMCase is a sentence and its embedding, computed by torch with the
// published weights.
type miniLMCase struct {
	Text      string
	IDs       []int32 `json:"input_ids"`
	Embedding []float64
}

func readMiniLM(t testing.TB) []miniLMCase {
	t.Helper()
	var file struct{ Sentences []miniLMCase }
	readJSON(t, "testdata/minilm-l6-reference.json", &file)
	return file.Sentences
}

func cosine(a []float32, b []float64) float64 {
	var ab, aa, bb float64
	for i, v := range b {
		ab += float64(a[i]) * v
		aa += float64(a[i]) * float64(a[i])
		bb += v * v
	}
	return ab / math.Sqrt(aa*bb)
}

func TestMiniLMMatchesPublishedEmbeddings(t *testing.T) {
	dir, want := minilm(t), readMiniLM(t)
	for _, kernelName := range kernelNames() {
		for _, precision := range []kernel.Precision{kernel.Float32, kernel.Int8} {
			m := mustOpen(t, dir, Options{Kernel: kernelName, Precision: precision})
			var texts []string
			for _, s := range want {
				e, err := m.tokenizer.Encode(s.Text, m.info.MaxTokens)
				if err != nil || !slices.Equal(e.IDs, s.IDs) {
					t.Errorf("%q: got ids %v, %v, want %v", s.Text, e.IDs, err, s.IDs)
				}
				texts = append(texts, s.Text)
			}
			got, err := m.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			minCosine, maxDiff := 1.0, 0.0
			for i, s := range want {
				minCosine = min(minCosine, cosine(got[i], s.Embedding))
				for c, v := range s.Embedding {
					maxDiff = max(maxDiff, math.Abs(v-float64(got[i][c])))
				}
			}
			t.Logf("%s, %s: min cosine %.7f, max difference %.2g", kernelName, precisionName(precision), minCosine, maxDiff)
			if precision == kernel.Int8 && minCosine < 0.995 {
				t.Errorf("%s, int8: got min cosine %.5f, want at least 0.995", kernelName, minCosine)
			}
			// The reference is rounded to 6 decimals.
			if precision == kernel.Float32 && (minCosine < 0.9999 || maxDiff > 2e-6) {
				t.Errorf("%s, float32: got min cosine %.7f, max difference %.2g, want 0.9999, 2e-6", kernelName, minCosine, maxDiff)
			}
		}
	}
}
