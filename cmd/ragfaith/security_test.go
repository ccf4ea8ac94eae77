//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unicode"
)

// evil contains sequences that clear a terminal, set its title, reverse text and inject
// commands into a CI log.
const evil = "\x1b[2J\x1b]0;owned\x07\u009b31m\u202edesrever\u2066\r\n::error::x\x00\u2028\x7f"

// hostileRows returns rows with evil text in every field.
func hostileRows() string {
	text := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\r", `\r`, "\n", `\n`, "\x00", `\u0000`).Replace(evil)
	row := `{"id":"ID","question":"Q T?","answer":"The sky is T blue on 4 days. Elephants T migrate through Kenya.","contexts":["The sky is blue T on 3 days."],"kept T":"T"}` + "\n"
	bad := `{"id":"T","question":"T","answer":"T","contexts":{"T":"T"}}` + "\n" + `{"T` + "\n" + `{"id":"T","answer":7,"contexts":["T"]}` + "\n"
	return strings.ReplaceAll(strings.ReplaceAll(row, "ID", "a T")+strings.ReplaceAll(row, "ID", "b T")+bad, "T", text)
}

// findControl returns a description of the first control character in text other than a
// line feed, or "" if there is none.
func findControl(text string) string {
	for i, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') {
			return fmt.Sprintf("%U in %q", r, text[max(0, i-40):min(len(text), i+20)])
		}
	}
	return ""
}

// TestRowsSendNoTerminalSequences checks that no command prints control sequences from a
// dataset, its name or other arguments.
func TestRowsSendNoTerminalSequences(t *testing.T) {
	t.Chdir(t.TempDir())
	name := "rows\x1b[31m\u202e.jsonl" // file names are untrusted, too
	config := "set\x1b[31m\u202e.yaml"
	if err := errors.Join(os.WriteFile(name, []byte(hostileRows()), 0o600), os.WriteFile("other.jsonl", []byte(hostileRows()), 0o600),
		os.WriteFile(config, []byte(`model: "m\u001b[31m\u202e"`+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	sys := systemWith(map[string]string{"NO_COLOR": "1", "RAGFAITH_NO_PROGRESS": "true"}) // colors and a progress bar are control sequences, too
	sys.Terminal = func(io.Writer) int { return 120 }
	for _, args := range [][]string{
		{"score", name, "--to", "none", "-o", "a.jsonl", "--keep", "all", "--max-failed", "9", "--summary", "a.json"},
		{"score", "other.jsonl", "--to", "none", "-o", "b.jsonl", "--keep", "all", "--max-failed", "9", "--threshold", "0.01"},
		{"score", name, "--show", "5", "-v", "--keep", "all", "--max-failed", "9", "--no-progress"},
		{"score", name, "--keep", "kept" + evil, "--max-failed", "9"},
		{"score", name, "--map", "answer=no" + evil},
		{"score", name, "--dry-run"},
		{"report", "a.jsonl", "--show", "5", "--max-failed", "9"},
		{"compare", "a.jsonl", "b.jsonl"},
		{"calibrate", "a.jsonl", "--label", "kept " + evil},
		{"score", "none" + evil},
		{"score" + evil},
		{"score", name, "--judge", "x" + evil},
		{"segment", "none" + evil},
		{"config", "show", "--keep", evil},
		{"config", "show", "--config", config},
	} {
		got := runSystem(t, sys, nil, args...)
		if got.stdout+got.stderr == "" && !slices.Contains(args, "none") {
			t.Errorf("%q: got exit code %d and no output, want output", args, got.code)
		}
		for stream, text := range map[string]string{"stdout": got.stdout, "stderr": got.stderr} {
			if found := findControl(text); found != "" {
				t.Errorf("%q: %s: got control character %s", args, stream, found)
			}
		}
	}
}

// modes returns the mode of each file and directory below root by relative path.
func modes(root string) (map[string]fs.FileMode, error) {
	found := map[string]fs.FileMode{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			found[path] = info.Mode()
		}
		return err
	})
	return found, err
}

// TestOutputFilesAreReadableByOwnerOnly checks the permissions of output files during and
// after a run with a umask of 0. It is not parallel because the umask is process-wide.
func TestOutputFilesAreReadableByOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	old := syscall.Umask(0)
	p := startIn(t, dir, "score", "-", "--to", "jsonl", "-o", "o.jsonl", "-o", "o.csv", "-o", "o.html", "-o", "o.parquet", "--summary", "s.json")
	syscall.Umask(old)
	p.score(t, 3)
	check := func(when string, want int) {
		t.Helper()
		seen := 0
		for path, mode := range must(modes(dir)) {
			if path == "." {
				continue
			}
			if seen++; mode.Perm() != 0o600 {
				t.Errorf("%s: %s: got mode %v, want 0600", when, path, mode)
			}
		}
		if seen < want {
			t.Errorf("%s: got %d files, want at least %d", when, seen, want)
		}
	}
	check("during the run", 6)
	if err := p.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	mustExit(t, p.wait(t), exitOK)
	check("after the run", 5)
}

// TestCacheIsReadableByOwnerOnly checks the permissions of cached replies.
func TestCacheIsReadableByOwnerOnly(t *testing.T) {
	t.Parallel()
	s, dir := newTestServer(t), t.TempDir()
	cache := filepath.Join(dir, "ragfaith")
	// Check during the run: SQLite removes its auxiliary files when the cache is closed.
	var checked atomic.Bool
	s.fault = func(int64, http.ResponseWriter, *http.Request) bool {
		found, err := modes(cache)
		if err != nil {
			t.Errorf("reading the modes of the cache: %v", err)
		}
		if len(found) <= 2 {
			return false
		}
		checked.Store(true)
		for path, mode := range found {
			if path != "." && mode != 0o600 || path == "." && mode.Perm() != 0o700 {
				t.Errorf("%s: got mode %v, want access for the owner only", path, mode)
			}
		}
		return false
	}
	got := runInProcess(t, dir, nil, "score", "-", "--to", "none", "--judge", "llm", "--base-url", s.URL, "--concurrency", "1", "-o", filepath.Join(dir, "o.jsonl"))
	if got.code != exitOK || !checked.Load() {
		t.Fatalf("exit code: got %d, want %d, checked %t; stderr: %s", got.code, exitOK, checked.Load(), got.stderr)
	}
}

// TestCoreDumpsAreDisabled checks the limit on core dumps, which would contain API keys
// and rows.
func TestCoreDumpsAreDisabled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("reads limits from /proc")
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Max == 0 {
		t.Skip("core dumps are disabled already")
	}
	p := start(t, "score", "-", "--to", "jsonl")
	p.score(t, 1)
	limits := readFile(t, fmt.Sprintf("/proc/%d/limits", p.Process.Pid))
	for line := range strings.Lines(limits) {
		if name := "Max core file size"; strings.HasPrefix(line, name) && !slices.Equal(strings.Fields(line[len(name):])[:2], []string{"0", "0"}) {
			t.Errorf("got %q, want limits of 0", line)
		}
	}
}

// net/http logs what a server sends after its reply.
func TestLogsContainNoKey(t *testing.T) {
	t.Parallel()
	const key = "sk-0123456789abcdef"
	reply := `{"choices":[{"finish_reason":"stop","message":{"content":"{\"verdicts\":[{\"claim_id\":0,\"verdict\":\"supported\"}]}"}}]}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s%s", len(reply), reply, r.Header.Get("Authorization"))
		_, _ = conn.Read(make([]byte, 1)) // until the client closes it, or uses it again before it has seen the rest
	}))
	defer srv.Close()
	rows := tempFile(t, "rows.jsonl", strings.Repeat(`{"answer":"The sky is blue.","contexts":["The sky is blue."]}`+"\n", 20))
	cmd := exec.Command("ragfaith", "score", rows, "--judge", "llm", "--model", "m", "--no-cache", "--config", "none", "--to", "none", "--concurrency", "1", "--base-url", srv.URL+"/v1")
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+key)
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte(key)) || bytes.Contains(out, []byte("Unsolicited")) {
		t.Errorf("got %v and output %s, want neither an error nor a log", err, out)
	}
}
