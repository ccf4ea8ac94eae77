package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

func TestAnOutputThatIsALinkIsRefused(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	link, target := filepath.Join(dir, "out.csv"), filepath.Join(elsewhere, "real.csv")
	if err := errors.Join(os.WriteFile(target, []byte("old"), 0o644), os.Symlink(target, link)); err != nil {
		t.Skipf("this system makes no symbolic link: %v", err)
	}
	if _, err := Create(link); err == nil || !strings.Contains(err.Error(), "out.csv: is a symbolic link to "+target+": name that file instead") {
		t.Errorf("got %v, want an error that names the target", err)
	}
	if content, _ := os.ReadFile(target); string(content) != "old" {
		t.Errorf("the target became %q", content)
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
		{folder, "is a directory"},
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

func TestADeviceIsRefusedOtherThanTheNullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	if _, err := Create("/dev/full"); err == nil || !strings.Contains(err.Error(), "/dev/full: is a device, not a regular file") {
		t.Errorf("got %v, want an error that names the device", err)
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

// modeOf is the permissions of a file, which Windows has none of.
func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("files have no permissions here")
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestWhatHoldsDataIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	f := create(t, path, "row\n")
	for _, name := range []string{path + PartSuffix, path + PartSuffix + LockSuffix} {
		if mode := modeOf(t, name); mode != 0o600 {
			t.Errorf("%s: %v", name, mode)
		}
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if mode := modeOf(t, path); mode != 0o600 {
		t.Errorf("when it is complete: %v", mode)
	}
	// Its owner gives it to others, and so it stays.
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	f = create(t, path, "row\n")
	if mode := modeOf(t, path+PartSuffix); mode != 0o600 {
		t.Errorf("before it replaces another: %v", mode)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if mode := modeOf(t, path); mode != 0o640 {
		t.Errorf("in place of one of -rw-r-----: %v", mode)
	}
}

// Whoever had the file open before reads nothing of what comes.
func TestAWidePartIsNotWrittenTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	part := path + PartSuffix
	if err := errors.Join(os.WriteFile(part, []byte("old"), 0o600), os.Chmod(part, 0o666)); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(part)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	f, err := Reserve(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Begin(".new"); err != nil {
		t.Fatal(err)
	}
	if mode := modeOf(t, part); mode != 0o600 {
		t.Errorf("the part that is gone on with: %v", mode)
	}
	if _, err := f.Abandon(false); err != nil {
		t.Fatal(err)
	}
	f = create(t, path, "secret")
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(reader); string(content) != "old" || err != nil {
		t.Errorf("who had it open reads %q, %v", content, err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if mode := modeOf(t, path); mode != 0o600 {
		t.Errorf("when it is complete: %v", mode)
	}
}

// In a folder that others write to, the names may be links to what is ours.
func TestALinkInPlaceOfAPartIsNotFollowed(t *testing.T) {
	folder := t.TempDir()
	path, precious := filepath.Join(folder, "out.jsonl"), filepath.Join(folder, "precious")
	if err := errors.Join(os.WriteFile(precious, []byte("old"), 0o644), os.Symlink(precious, path+PartSuffix)); err != nil {
		t.Skipf("this system makes no symbolic link: %v", err)
	}
	f, err := Reserve(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Begin(".new"); err == nil || !strings.Contains(err.Error(), "is a symbolic link, not a regular file") {
		t.Errorf("a link is gone on with: %v", err)
	}
	f.Release()
	if err := create(t, path, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(precious); string(content) != "old" {
		t.Errorf("%q", content)
	}
	if mode := modeOf(t, precious); mode != 0o644 {
		t.Error(mode)
	}
	if content, _ := os.ReadFile(path); string(content) != "new" {
		t.Errorf("%q", content)
	}
}

// The lock is opened in place, so that nothing may lead from its name elsewhere.
func TestALinkInPlaceOfALockIsRefused(t *testing.T) {
	for name, link := range map[string]func(target, path string) error{"symbolic": os.Symlink, "hard": os.Link} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path, precious := filepath.Join(folder, "out.jsonl"), filepath.Join(folder, "precious")
			lock := path + PartSuffix + LockSuffix
			if err := errors.Join(os.WriteFile(precious, []byte("old"), 0o644), link(precious, lock)); err != nil {
				t.Skipf("this system makes no such link: %v", err)
			}
			if _, err := Create(path); err == nil || !strings.Contains(err.Error(), lock) || !strings.Contains(err.Error(), "link") {
				t.Errorf("got %v, want an error about the link %s", err, lock)
			}
			if content, _ := os.ReadFile(precious); string(content) != "old" {
				t.Errorf("the target became %q", content)
			}
			if err := os.Remove(lock); err != nil {
				t.Fatal(err)
			}
			if err := create(t, path, "new").Commit(); err != nil {
				t.Errorf("without the link: %v", err)
			}
		})
	}
}

func TestAnOutputIsNeverExecutable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o755|os.ModeSetuid|os.ModeSetgid)); err != nil {
		t.Fatal(err)
	}
	if err := create(t, path, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if mode := modeOf(t, path); mode != 0o644 {
		t.Errorf("got %v, want -rw-r--r--", mode)
	}
}
