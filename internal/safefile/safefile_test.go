//go:build unix && !solaris && !illumos && !aix

package regular

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	folder := t.TempDir()
	file, link, pipe := filepath.Join(folder, "file"), filepath.Join(folder, "link"), filepath.Join(folder, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("content"), 0o600), os.Symlink(file, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(f); string(content) != "content" || err != nil || f.Close() != nil {
			t.Errorf("%s: %q, %v", path, content, err)
		}
	}
	for path, want := range map[string]string{
		pipe: "is a pipe, not a regular file", folder: "is a directory",
		os.DevNull: "is a device, not a regular file", file + "s": "no such file",
	} {
		f, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
}

func TestNoMoreIsReadThanIsAllowed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if content, err := Read(file, 7); string(content) != "content" || err != nil {
		t.Errorf("%q, %v", content, err)
	}
	if content, err := Read(file, 6); content != nil || err == nil || !strings.Contains(err.Error(), "longer than 6 bytes") {
		t.Errorf("%q, %v", content, err)
	}
}
