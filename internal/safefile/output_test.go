package safefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// must fails the test for the first error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// wantContent checks the content of a file.
func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want || err != nil {
		t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
	}
}

// wantMode checks the mode of a file on systems that have modes.
func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	info, err := os.Lstat(path)
	must(t, err)
	if info.Mode() != want {
		t.Errorf("%s: got mode %v, want %v", path, info.Mode(), want)
	}
}

// wantFiles checks the names in a directory.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got files %q, want %q", dir, got, want)
	}
}

func create(t *testing.T, path, content string) *Output {
	t.Helper()
	o, err := CreateOutput(path)
	must(t, err)
	_, err = o.Write([]byte(content))
	must(t, err)
	return o
}

func TestOutputAppearsOnCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.jsonl")
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	o := create(t, path, "new")
	must(t, o.Flush())
	wantContent(t, path, "old")
	wantContent(t, path+PartSuffix, "new")
	must(t, o.Commit())
	wantContent(t, path, "new")
	wantFiles(t, dir, "out.jsonl")
}

func TestAbandonKeepsOrRemovesThePart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.jsonl")
	part, err := create(t, path, "row\n").Abandon(true)
	if want := path + PartSuffix; part != want || err != nil {
		t.Errorf("keep: got %q, %v, want %q", part, err, want)
	}
	wantContent(t, part, "row\n")
	if part, err = create(t, path, "row\n").Abandon(false); part != "" || err != nil {
		t.Errorf("remove: got %q, %v, want no file", part, err)
	}
	wantFiles(t, dir)
}

func TestCreateOutputReportsUnwritablePaths(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o644))
	for _, tt := range []struct{ path, want string }{
		{filepath.Join(dir, "missing", "out.csv"), "cannot write to directory " + filepath.Join(dir, "missing") + ": no such file or directory"},
		{filepath.Join(file, "out.csv"), "cannot write to directory " + file + ": not a directory"},
		{dir, "is a directory"},
		{filepath.Join(dir, strings.Repeat("x", 300)), "cannot create file: file name too long"},
	} {
		if _, err := CreateOutput(tt.path); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.path, err, tt.want)
		}
	}
	wantFiles(t, dir, "file")
}

func TestOutputAcceptsStandardStreamsOnly(t *testing.T) {
	for _, path := range []string{"/dev/full", "/dev/fd/1", "/proc/self/fd/1"} {
		if _, err := os.Lstat(path); err != nil {
			t.Skipf("no %s on this system", path)
		}
		if _, err := CreateOutput(path); err == nil || !strings.Contains(err.Error(), ", not a regular file") {
			t.Errorf("%s: got %v, want an error about its type", path, err)
		}
	}
	must(t, create(t, os.DevNull, "row").Commit(), create(t, "/dev/stdout", "").Commit())
	if part, err := create(t, "/dev/null", "row").Abandon(true); part != "" || err != nil {
		t.Errorf("got %q, %v, want no part", part, err)
	}
}

// faultyFile fails at one call.
type faultyFile struct {
	*os.File
	writeErr, syncErr, closeErr error
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if f.writeErr != nil {
		return 0, f.writeErr
	}
	return f.File.Write(p)
}

func (f *faultyFile) Sync() error { return f.syncErr }

func (f *faultyFile) Close() error { return errors.Join(f.File.Close(), f.closeErr) }

// inject makes the file of an output fail.
func (f *faultyFile) inject(o *Output) {
	f.File, _ = o.file.(*os.File)
	o.file = f
	o.buf.Reset(f)
}

func TestOutputDoesNotAppearAfterAnError(t *testing.T) {
	errFault := errors.New("fault")
	for name, faulty := range map[string]faultyFile{"write": {writeErr: errFault}, "sync": {syncErr: errFault}, "close": {closeErr: errFault}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out.jsonl")
			o := create(t, path, "row\n")
			faulty.inject(o)
			_, _ = o.Write([]byte("row\n"))
			if err := o.Commit(); !errors.Is(err, errFault) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want %q with the path", err, errFault)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want no file", err)
			}
		})
	}
}

func TestOutputThatIsNotOpen(t *testing.T) {
	dir := t.TempDir()
	for name, end := range map[string]func(*Output) error{
		"commit":  func(o *Output) error { return o.Commit() },
		"abandon": func(o *Output) error { _, err := o.Abandon(false); return err },
		"keep":    func(o *Output) error { _, err := o.Abandon(true); return err },
		"close":   func(o *Output) error { defer o.Release(); return o.Close() },
	} {
		o, err := ReserveOutput(filepath.Join(dir, "out.jsonl")) // fails if the previous one is locked
		must(t, err)
		if err := end(o); (err != nil) != (name == "commit") {
			t.Errorf("%s: got %v, want an error from commit only", name, err)
		}
		wantFiles(t, dir)
	}
}

func TestAbandonReturnsErrorsOfAStream(t *testing.T) {
	errFault := errors.New("fault")
	for name, faulty := range map[string]faultyFile{"write": {writeErr: errFault}, "close": {closeErr: errFault}} {
		o := create(t, os.DevNull, "row\n")
		faulty.inject(o)
		_, _ = o.Write([]byte("row\n"))
		if _, err := o.Abandon(true); !errors.Is(err, errFault) {
			t.Errorf("%s: got %v, want %v", name, err, errFault)
		}
	}
}

func TestOutputKeepsTheModeOfTheFileItReplaces(t *testing.T) {
	const none = 0
	for before, want := range map[fs.FileMode]fs.FileMode{
		none: 0o600, 0o640: 0o640, 0o755 | os.ModeSetuid | os.ModeSetgid: 0o644, // without execute bits
	} {
		path := filepath.Join(t.TempDir(), "out.jsonl")
		if before != none {
			must(t, os.WriteFile(path, nil, 0o600), os.Chmod(path, before))
		}
		o := create(t, path, "row\n")
		wantMode(t, path+PartSuffix, 0o600)
		wantMode(t, path+PartSuffix+LockSuffix, 0o600)
		must(t, o.Commit())
		wantMode(t, path, want)
	}
}

// A process that has a readable .part file open must not see new content.
func TestReadablePartIsNotWrittenTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	part := path + PartSuffix
	must(t, os.WriteFile(part, []byte("old"), 0o600), os.Chmod(part, 0o666))
	reader, err := os.Open(part)
	must(t, err)
	defer reader.Close()
	o := create(t, path, "secret")
	must(t, o.Flush())
	if content, err := io.ReadAll(reader); string(content) != "old" || err != nil {
		t.Errorf("open .part: got %q, %v, want %q", content, err, "old")
	}
	must(t, o.Commit())
	wantMode(t, path, 0o600)
}

func TestLockIsExclusiveAndLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	must(t, os.WriteFile(path, []byte("1\n"), 0o600)) // left behind by a killed process
	l, err := TryLock(path)
	must(t, err)
	_, err = TryLock(path)
	if _, ok := errors.AsType[*LockedError](err); !ok {
		t.Errorf("got %v, want a *LockedError", err)
	}
	l.Unlock()
	wantFiles(t, dir)
	again, err := TryLock(path)
	must(t, err)
	l.Unlock() // a second call must not remove the new lock
	wantFiles(t, dir, "lock")
	again.Unlock()
}

func TestWriteFileReplacesAtomically(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	must(t, WriteFile(path, []byte("old"), 0o600), WriteFile(path, []byte("new"), 0o600))
	wantContent(t, path, "new")
	wantFiles(t, dir, "file")
	sub := filepath.Join(dir, "sub")
	must(t, os.MkdirAll(filepath.Join(sub, "not-empty"), 0o700))
	if err := WriteFile(sub, nil, 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	wantFiles(t, dir, "file", "sub")
	wantMode(t, path, 0o600)
}
