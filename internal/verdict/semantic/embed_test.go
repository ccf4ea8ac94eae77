package semantic

import (
	"math"
	"testing"
)

func newTestWords(t testing.TB) *Words {
	t.Helper()
	w, err := NewWords()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWordsComparesMeanings(t *testing.T) {
	w := newTestWords(t)
	for _, tt := range []struct {
		a, b     string
		low, top float64
	}{
		{"The bridge opened on 14 March 1932.", "A bridge opened on 14 March 1932", 1, 1},
		{"It has four of the 1,200,300 seats.", "It has 4 of the 1,200,300 seats.", 1, 1},
		{"The film was shot in Norway.", "The movie was shot in Norway.", 0.9, 0.999},
		{"The film was shot in Norway.", "The film was shot in Bergen.", 0, 0.8},
		{"A man is crying.", "A man is screaming.", 0, 0.8},
		{"Bees make honey.", "The bridge opened in May.", -0.1, 0.1},
	} {
		v, err := w.Embed(t.Context(), []string{tt.a, tt.b})
		if err != nil {
			t.Fatal(err)
		}
		if got := math.Round(1e6*cosine(v[0], v[1])) / 1e6; !(got >= tt.low && got <= tt.top) {
			t.Errorf("%q, %q: got cosine %v, want %v to %v", tt.a, tt.b, got, tt.low, tt.top)
		}
	}
}

func BenchmarkWords(b *testing.B) {
	w := newTestWords(b)
	for b.Loop() {
		if _, err := w.Embed(b.Context(), []string{"The bridge of Sydney opened on 19 March 1932 with a large parade."}); err != nil {
			b.Fatal(err)
		}
	}
}
