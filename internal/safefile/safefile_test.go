//go:build unix && !solaris && !illumos && !aix

package safefile

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const otherUser = 54321 // a user ID that is neither ours nor root's

// requireRoot skips a test that gives files to another user.
func requireRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to another user")
	}
}

// wantRefusal checks that the error contains the file and the reason.
func wantRefusal(t *testing.T, what, path string, err error, want string) {
	t.Helper()
	if _, ok := errors.AsType[*fs.PathError](err); !ok || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want a *fs.PathError of %s with %q", what, err, path, want)
	}
}

// plantFiles creates files that must be refused and returns a part of the error
// for each path. The links lead to victim.
func plantFiles(t *testing.T) (victim string, paths map[string]string) {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	victim = at("victim")
	must(t, os.WriteFile(victim, []byte("precious"), 0o600),
		os.Symlink(victim, at("symlink")), os.Symlink(at("absent"), at("dangling")), os.Link(victim, at("hardlink")),
		syscall.Mkfifo(at("fifo"), 0o600), os.Mkdir(at("dir"), 0o700))
	socket, err := net.Listen("unix", at("socket"))
	must(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	return victim, map[string]string{
		at("symlink"): "is a symbolic link", at("dangling"): "is a symbolic link", at("hardlink"): "a hard link",
		at("fifo"): "is a pipe", at("socket"): "is a socket", at("dir"): "is a directory",
	}
}

func TestOpenRefusesIrregularFiles(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	must(t, os.WriteFile(file, []byte("content"), 0o600), os.Symlink(file, link), syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{file, link} {
		f, err := Open(path)
		must(t, err)
		if content, err := io.ReadAll(f); string(content) != "content" || err != nil || f.Close() != nil {
			t.Errorf("%s: got %q, %v, want %q", path, content, err, "content")
		}
	}
	for path, want := range map[string]string{
		pipe: "is a pipe, not a regular file", dir: "is a directory",
		os.DevNull: "is a device, not a regular file", file + "s": "no such file",
	} {
		_, err := Open(path)
		wantRefusal(t, "open", path, err, want)
	}
}

func TestReadFileRefusesLongFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte("content"), 0o600))
	if content, err := ReadFile(file, 7); string(content) != "content" || err != nil {
		t.Errorf("got %q, %v, want %q", content, err, "content")
	}
	content, err := ReadFile(file, 6)
	wantRefusal(t, "read", file, err, "longer than 6 bytes")
	if content != nil {
		t.Errorf("got %q with an error, want nil", content)
	}
}

func TestOpenFileRefusesPlantedFiles(t *testing.T) {
	victim, paths := plantFiles(t)
	for path, want := range paths {
		for _, flag := range []int{os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_APPEND | os.O_CREATE, os.O_RDWR, os.O_RDONLY} {
			f, err := OpenFile(path, flag, 0o600)
			if f != nil {
				t.Errorf("%s with flag %x: got a file, want nil", path, flag)
			}
			wantRefusal(t, "open", path, err, want)
		}
		if _, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: got %v, want fs.ErrExist", path, err)
		}
		if err := CheckPath(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	wantContent(t, victim, "precious")
	if _, err := os.Lstat(filepath.Join(filepath.Dir(victim), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("target of the dangling link: got %v, want fs.ErrNotExist", err)
	}
}

func TestOpenFileOpensAndCreatesInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if _, err := OpenFile(path, os.O_RDWR, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	for _, want := range []string{"a", "aa"} {
		f, err := OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		must(t, err)
		_, err = f.WriteString("a")
		must(t, err, f.Close())
		wantContent(t, path, want)
	}
	if _, err := OpenFile(path, os.O_RDWR|os.O_TRUNC, 0); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("O_TRUNC: got %v, want errors.ErrUnsupported", err)
	}
	wantContent(t, path, "aa")
	must(t, CheckPath(path), CheckPath(path+"s"))
}

func TestCreateReplacesPlantedFiles(t *testing.T) {
	victim, paths := plantFiles(t)
	for path := range paths {
		f, err := Create(path, 0o600)
		must(t, err)
		_, err = f.WriteString("new")
		must(t, err, f.Close())
		wantContent(t, path, "new")
		if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: got %v, %v, want a regular file of mode 0600", path, info.Mode(), err)
		}
	}
	wantContent(t, victim, "precious")
}

// Files of another user are trusted or not depending on their directory.
func TestTrustDependsOnTheDirectory(t *testing.T) {
	requireRoot(t)
	for name, tt := range map[string]struct {
		mode  fs.FileMode
		owner int // owner of the directory
		want  bool
	}{
		"sticky, as /tmp":                      {0o777 | fs.ModeSticky, 0, false},
		"writable by everyone":                 {0o777, 0, false},
		"shared by a group":                    {0o775 | fs.ModeSetgid, 0, false},
		"a bind mount of that user":            {0o755, otherUser, true},
		"a bind mount of that user, umask 002": {0o775, otherUser, true},
		"writable by root only":                {0o755, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir, victim := filepath.Join(root, "dir"), filepath.Join(root, "victim")
			file, link, sub := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "sub")
			must(t, os.Mkdir(dir, 0o700), os.WriteFile(victim, nil, 0o600), os.WriteFile(file, nil, 0o666), os.Chmod(file, 0o666), os.Symlink(victim, link), os.Mkdir(sub, 0o700),
				os.Lchown(file, otherUser, 0), os.Lchown(link, otherUser, 0), os.Lchown(sub, otherUser, 0), os.Chown(dir, tt.owner, 0), os.Chmod(dir, tt.mode))
			f, err := OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
			if f != nil {
				_ = f.Close()
			}
			if tt.want != (err == nil) {
				t.Errorf("OpenFile: got %v, want trusted %t", err, tt.want)
			}
			if mode, err := replacedMode(file); err != nil || tt.want != (mode == 0o666) {
				t.Errorf("replacedMode: got %v, %v, want trusted %t", mode, err, tt.want)
			}
			if err := MkdirPrivate(sub); tt.want != (err == nil) {
				t.Errorf("MkdirPrivate: got %v, want trusted %t", err, tt.want)
			}
		})
	}
}

func TestOutputRefusesPipesDevicesAndLinks(t *testing.T) {
	_, paths := plantFiles(t)
	paths["/dev/zero"] = "is a device"
	for path, want := range paths {
		if strings.HasSuffix(path, "hardlink") { // the link is replaced, not its file
			continue
		}
		if _, err := CreateOutput(path); err == nil || !strings.Contains(err.Error(), path+": "+want) {
			t.Errorf("got %v, want %q", err, path+": "+want)
		}
	}
}

func TestExposedReportsWorldWritableDirectories(t *testing.T) {
	dir := t.TempDir()
	for mode, want := range map[fs.FileMode]bool{0o700: false, 0o775: false, 0o777: true, 0o777 | fs.ModeSticky: false} {
		must(t, os.Chmod(dir, mode))
		if got := Exposed(dir); got != want {
			t.Errorf("%v: got %t, want %t", mode, got, want)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link), MkdirPrivate(link), MkdirPrivate(filepath.Join(dir, "new")))
	if info, err := os.Stat(filepath.Join(dir, "new")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want mode 0700", info, err)
	}
}
