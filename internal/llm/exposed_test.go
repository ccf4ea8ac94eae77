package llm

import (
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

func TestWorldWritableDirectoryIsWarning(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Unix permissions on this system")
	}
	const warning = "every user can write to "
	for mode, want := range map[fs.FileMode]bool{0o700: false, 0o775: false, 0o777: true, 0o777 | fs.ModeSticky: false} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		cache, w := openCache(t, dir)
		if got := strings.Contains(w.String(), warning); got != want || cache.disabled != nil {
			t.Errorf("cache in a directory of mode %v: got warning %t, want %t and a usable cache: %v", mode, got, want, w)
		}
		s, dir := batchStack(t, &llmtest.BatchServer{}, Options{})
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		_, told := openBatch(t, s, BatchOptions{Dir: dir})
		if got := strings.Contains(strings.Join(*told, "\n"), warning); got != want {
			t.Errorf("batch in a directory of mode %v: got warning %t, want %t", mode, got, want)
		}
	}
}
