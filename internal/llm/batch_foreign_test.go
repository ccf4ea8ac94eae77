package llm

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// A symbolic link in place of the directory is not followed, and finishing a batch deletes
// only its own files.
func TestBatchKeepsForeignFiles(t *testing.T) {
	s, dir := batchStack(t, &llmtest.BatchServer{}, Options{})
	target, link := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("cannot create symbolic links: %v", err)
	}
	if _, err := s.OpenBatch(t.Context(), BatchOptions{Dir: link, Settings: json.RawMessage(`{}`)}); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Errorf("got %v, want an error", err)
	}
	if left, err := os.ReadDir(target); err != nil || len(left) > 0 {
		t.Errorf("got files %v, %v; want none", left, err)
	}
	other := filepath.Join(target, "requests-9.jsonl")
	writeFile(t, other, "mine")
	b, _ := openBatch(t, s, BatchOptions{Dir: target})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(other); string(content) != "mine" {
		t.Errorf("got %q, %v; want the file unchanged", content, err)
	}
}

// Replies in a store of another run are not used, and a store with triggers or views is
// rejected.
func TestOpenBatchIgnoresForeignStore(t *testing.T) {
	s, dir := batchStack(t, &llmtest.BatchServer{}, Options{})
	plant := func(statements ...string) {
		t.Helper()
		planted := openStore(t, dir)
		for _, q := range statements {
			if _, err := planted.db.ExecContext(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		if err := planted.db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	plant(`INSERT INTO requests VALUES ('key', 0, 200, 'forged')`)
	b, _ := openBatch(t, s, BatchOptions{Dir: dir})
	var n int
	if err := b.store.get(t.Context(), `SELECT count(*) FROM requests`, nil, &n); n > 0 || err != nil {
		t.Errorf("got %d replies, %v; want none", n, err)
	}
	if err := b.store.db.Close(); err != nil {
		t.Fatal(err)
	}
	plant(`CREATE TRIGGER t AFTER INSERT ON requests BEGIN DELETE FROM requests; END`)
	if _, err := s.OpenBatch(t.Context(), BatchOptions{Dir: dir, Settings: json.RawMessage(`{}`)}); err == nil || !strings.Contains(err.Error(), "not written by this version") {
		t.Errorf("got %v, want an error", err)
	}
}

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

// A line that is too long is skipped like one that is damaged, so that it costs no other reply.
func TestLongLineOfReplyFileIsSkipped(t *testing.T) {
	srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
		_, _ = io.WriteString(w, strings.Repeat("x", maxReplyBytes+1)+"\n{\"custom_id\":\"a\"}\n")
	})
	var lines []string
	err := newTestClient(t, Config{BaseURL: srv.URL}).forEachLine(t.Context(), "file-1", func(line []byte) error {
		lines = append(lines, strings.TrimSpace(string(line)))
		return nil
	})
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	if want := []string{`{"custom_id":"a"}`}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("got lines %.100q and error %v, want %q", lines, err, want)
	}
}
