package report

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

func TestDiscardRemovesTheTemporaryFile(t *testing.T) {
	for _, f := range []Format{FormatParquet, FormatJUnit} {
		dir := t.TempDir()
		w, err := New(f, io.Discard, Options{KeepAll: true, TempDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		r := scored()
		r.Claims[1].Text = strings.Repeat("so it is ", 300)
		r.Row.Contexts[0] = strings.Repeat("x", 1<<12)
		for range 3000 {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		var s *safefile.Spool
		switch w := w.(type) {
		case *parquetFile:
			s = w.wait
		case *junit:
			s = w.cases
		}
		if s.InMemory() {
			t.Fatalf("%s: all results are in memory", f)
		}
		Discard(w)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !s.InMemory() || len(entries) > 0 {
			t.Errorf("%s: got in memory %t, files %v, want no file", f, s.InMemory(), entries)
		}
	}
}
