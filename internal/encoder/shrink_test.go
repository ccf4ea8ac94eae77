//go:build unix

package encoder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A weight file that shrinks while it is mapped must not crash the process.
func TestJudgeFailsIfFileShrinks(t *testing.T) {
	for _, kernelName := range kernelNames() {
		for _, threads := range []int{1, 4} {
			name := filepath.Join(t.TempDir(), "model.safetensors")
			if err := os.WriteFile(name, tinyFile(t, "float32"), 0o600); err != nil {
				t.Fatal(err)
			}
			g, err := OpenGrounding(name, Options{Kernel: kernelName, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			groups := readGroundingGolden(t).groups()
			if _, err := g.Judge(t.Context(), groups); err != nil {
				t.Error(err)
			}
			if err := os.Truncate(name, 0); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if _, err := g.Judge(t.Context(), groups); err == nil || !strings.Contains(err.Error(), "changed while the model was in use") {
					t.Errorf("%s, %d threads: got error %v, want one about a changed file", kernelName, threads, err)
				}
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
