package extract

import (
	"strings"
	"testing"
)

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
