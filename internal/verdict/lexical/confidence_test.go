package lexical

import "testing"

func TestConfidenceFollowsTheScore(t *testing.T) {
	t.Parallel()
	for b := basisNone; b <= basisVerbatim; b++ {
		last := 0.0
		for i := range 100 {
			score := float64(i) / 200 // not supported
			if b.label().String() == "supported" {
				score = 1 - score
			}
			c := b.confidence(score)
			if c <= 0 || c >= 1 {
				t.Fatalf("basis %d, score %v: got confidence %v", b, score, c)
			}
			if b < basisValue && c >= 0.7 {
				t.Errorf("basis %d, score %v: got confidence %v, want less than 0.7 for other words", b, score, c)
			}
			if b != basisWords && i > 0 && c > last {
				t.Errorf("basis %d, score %v: got confidence %v, want at most %v, that of a clearer score", b, score, c, last)
			}
			last = c
		}
	}
}
