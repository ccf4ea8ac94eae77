//go:build unix

package encoder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A weight file that shrinks while it is mapped must not crash the process.
func TestClassifyFailsIfFileShrinks(t *testing.T) {
	for _, kernelName := range kernelNames() {
		for _, threads := range []int{1, 4} {
			dir := copyGolden(t, "bert")
			m := mustLoad(t, dir, Options{Kernel: kernelName, Threads: threads})
			if _, err := m.compute(t.Context(), testSequences(4)); err != nil {
				t.Error(err)
			}
			if err := os.Truncate(filepath.Join(dir, "model.safetensors"), 0); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if _, err := m.compute(t.Context(), testSequences(4)); err == nil || !strings.Contains(err.Error(), "changed while the model was in use") {
					t.Errorf("%s, %d threads: got error %v, want one about a changed file", kernelName, threads, err)
				}
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
