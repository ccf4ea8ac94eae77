package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

var (
	errForeignLink = errors.New("is a symbolic link of another user")
	errSwapped     = errors.New("was replaced while it was looked at")
	errLinks       = errors.New("too many symbolic links")
)

// maxLinks is how many links Linux follows.
const maxLinks = 40

// A Target is what an output is written to.
type Target struct {
	// Path is the file, which need not exist, after the links of its name.
	Path string
	// Perm are the permissions of the file that the output will replace, without
	// those to execute it; 0 for none, or one whose owner is not trusted.
	Perm fs.FileMode
	// Stream is set for the null device, and for a file that this process was
	// started with, such as /dev/stdout. It is written to directly.
	Stream bool
}

// Resolve finds out what an output of that name would be written to. Only links
// whose owner is trusted are followed. A pipe, a socket or a device is an error,
// unless it is the null device or this process has it open already: writing to
// one can block for ever, and somebody else can read it. Errors are *fs.PathError.
func Resolve(path string) (Target, error) {
	given := path
	for range maxLinks {
		if _, ok := descriptor(path); ok || path == os.DevNull {
			return Target{Path: path, Stream: true}, nil
		}
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return Target{Path: path}, nil //nolint:nilerr // whoever creates it gets the error
		case info.Mode().IsRegular():
			t := Target{Path: path}
			if trusted(info, filepath.Dir(path)) {
				t.Perm = info.Mode().Perm() &^ 0o111
			}
			return t, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return Target{}, refuse(given, notRegular(info.Mode()))
		}
		if path, err = follow(path, info); err != nil {
			return Target{}, err
		}
	}
	return Target{}, refuse(given, errLinks)
}

// follow returns where a link leads.
func follow(path string, link fs.FileInfo) (string, error) {
	dir := filepath.Dir(path)
	if !trusted(link, dir) {
		return "", refuse(path, errForeignLink)
	}
	to, err := os.Readlink(path)
	if err != nil {
		return "", err
	}
	if again, err := os.Lstat(path); err != nil || !os.SameFile(link, again) {
		return "", refuse(path, errSwapped)
	}
	if filepath.IsAbs(to) {
		return to, nil
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // so that .. is the directory above the real one
		return "", err
	}
	return filepath.Join(dir, to), nil
}

// descriptor returns the number of the open file that path names, as /dev/fd/1
// does.
func descriptor(path string) (fd int, ok bool) {
	fd, err := strconv.Atoi(filepath.Base(path))
	if err != nil || fd < 0 {
		return 0, false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return 0, false
	}
	own, err := filepath.EvalSymlinks("/proc/self/fd")
	return fd, dir == "/dev/fd" || err == nil && dir == own
}

// OpenStream opens a Target that is a Stream for writing. A file behind a
// descriptor is written to where the descriptor stands.
func (t Target) OpenStream() (*os.File, error) {
	if fd, ok := descriptor(t.Path); ok {
		return duplicate(fd, t.Path)
	}
	if t.Path != os.DevNull {
		return nil, refuse(t.Path, fmt.Errorf("is no stream: %w", errors.ErrUnsupported))
	}
	return os.OpenFile(t.Path, os.O_WRONLY, 0)
}
