package extract

import (
	"bytes"
	"strings"
	"testing"
)

func TestHasNegation(t *testing.T) {
	alphabet := "not x"
	for n := range 5 * 5 * 5 * 5 * 5 * 5 { // every text of one to six characters
		for size := 1; size <= 6; size++ {
			var w words
			for rest := n; len(w) < size; rest /= 5 {
				w = append(w, alphabet[rest%5])
			}
			want := bytes.Contains(w, []byte("not ")) || bytes.Contains(w, []byte("nt "))
			if w.hasNegation() != want {
				t.Fatalf("%q: got %t, want %t", w, !want, want)
			}
		}
	}
}

func TestHasMarkdown(t *testing.T) {
	for i := range 256 {
		for _, s := range []string{string([]byte{byte(i)}), "a" + string([]byte{byte(i)}) + "b", "a " + string([]byte{byte(i), ' '}), "  "} {
			want := strings.ContainsAny(s, "*_`[~<\\\n\t") || strings.Contains(s, "  ")
			if hasMarkdown(s) != want {
				t.Errorf("hasMarkdown(%q): got %t, want %t", s, !want, want)
			}
		}
	}
}
