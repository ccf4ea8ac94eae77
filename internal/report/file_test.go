package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func create(t *testing.T, path, content string) *File {
	t.Helper()
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAFileAppearsWhenItIsComplete(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.jsonl")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := create(t, path, "new")
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(path); string(content) != "old" {
		t.Errorf("before Commit: %q", content)
	}
	if content, _ := os.ReadFile(path + PartSuffix); string(content) != "new" {
		t.Errorf("the part after Flush: %q", content)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(path); string(content) != "new" {
		t.Errorf("after Commit: %q", content)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the mode became %v", info.Mode())
	}
	if got := names(t, folder); got != "out.jsonl" {
		t.Error(got)
	}
}

func TestAnAbandonedFileLeavesAPartOrNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.jsonl")
	part, err := create(t, path, "row\n").Abandon(true)
	if err != nil || part != path+PartSuffix {
		t.Error(part, err)
	}
	if content, _ := os.ReadFile(part); string(content) != "row\n" {
		t.Errorf("%q", content)
	}
	if part, err = create(t, path, "row\n").Abandon(false); err != nil || part != "" {
		t.Error(part, err)
	}
	if got := names(t, folder); got != "" {
		t.Error(got)
	}
}

func TestALinkStaysAndItsTargetIsReplaced(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	link, target := filepath.Join(folder, "out.csv"), filepath.Join(elsewhere, "real.csv")
	if err := errors.Join(os.WriteFile(target, nil, 0o644), os.Symlink(target, link)); err != nil {
		t.Skipf("this system makes no symbolic link: %v", err)
	}
	if err := create(t, link, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if content, _ := os.ReadFile(target); string(content) != "new" {
		t.Errorf("%q", content)
	}
}

func TestWhatCantBeWrittenIsFoundAtOnce(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, want string }{
		{filepath.Join(folder, "none", "out.csv"), "the folder " + filepath.Join(folder, "none") + " can't be used: no such file or directory"},
		{filepath.Join(file, "out.csv"), "the folder " + file + " can't be used: not a directory"},
		{folder, "is a folder"},
		{filepath.Join(folder, strings.Repeat("x", 300)), "can't be written: file name too long"},
	} {
		if _, err := Create(tt.path); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%v", err)
		}
	}
	if got := names(t, folder); got != "file" {
		t.Error(got)
	}
}

func TestAFullDeviceFailsTheCommit(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	if err := create(t, "/dev/full", "row").Commit(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
	if part, err := create(t, "/dev/null", "row").Abandon(true); part != "" || err != nil {
		t.Error(part, err)
	}
}

// faulty is a file that fails at one call.
type faulty struct {
	*os.File
	write, sync, close error
}

func (f *faulty) Write(p []byte) (int, error) {
	if f.write != nil {
		return 0, f.write
	}
	return f.File.Write(p)
}

func (f *faulty) Sync() error { return f.sync }

func (f *faulty) Close() error { return errors.Join(f.File.Close(), f.close) }

func TestEveryErrorOfAFileKeepsItFromAppearing(t *testing.T) {
	bad := errors.New("bad")
	for name, fault := range map[string]faulty{"write": {write: bad}, "sync": {sync: bad}, "close": {close: bad}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out.jsonl")
			f := create(t, path, "row\n")
			file, _ := f.file.(*os.File)
			fault.File = file
			f.file = &fault
			f.buf.Reset(&fault)
			_, _ = f.Write([]byte("row\n"))
			if err := f.Commit(); !errors.Is(err, bad) || !strings.Contains(err.Error(), path) {
				t.Error(err)
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("the file is there")
			}
		})
	}
}
