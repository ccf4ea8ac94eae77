package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

var errLinks = errors.New("too many symbolic links")

// maxLinks is how many links Linux follows.
const maxLinks = 40

// A Target is what an output is written to.
type Target struct {
	// Perm are the permissions of the file that the output will replace, without
	// those to execute it; 0 for none, or one whose owner is not trusted.
	Perm fs.FileMode
	// Stream is the name of the null device, or of a file that this process was
	// started with, such as /dev/stdout. It is written to directly. It is "" for a
	// file, which is replaced.
	Stream string
}

// Resolve finds out what an output of that name would be written to. A symbolic
// link is followed only to a stream: a link to a file may have come with a
// repository, and lead to any file of the user. A pipe, a socket or a device is
// an error, unless it is the null device or this process has it open already:
// writing to one can block for ever, and somebody else can read it. Errors are
// *fs.PathError.
func Resolve(path string) (Target, error) {
	given := path
	for range maxLinks {
		if _, ok := descriptor(path); ok || path == os.DevNull {
			return Target{Stream: path}, nil
		}
		info, err := os.Lstat(path)
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			if path, err = follow(path); err != nil {
				return Target{}, err
			}
			continue
		case err == nil && !info.Mode().IsRegular():
			return Target{}, refuse(given, notRegular(info.Mode()))
		case path != given:
			return Target{}, refuse(given, fmt.Errorf("is a symbolic link to %s: name that file instead", path))
		case err == nil && trusted(info, filepath.Dir(path)):
			return Target{Perm: info.Mode().Perm() &^ 0o111}, nil
		}
		return Target{}, nil // if it can't be created, whoever tries gets the error
	}
	return Target{}, refuse(given, errLinks)
}

// follow returns where a link leads.
func follow(path string) (string, error) {
	to, err := os.Readlink(path)
	if err != nil || filepath.IsAbs(to) {
		return to, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // so that .. is the directory above the real one
	return filepath.Join(dir, to), err
}

// descriptor returns the number of the open file that path names, as /dev/fd/1
// does. Only files that the process was started with count: others are its own,
// such as the cache.
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
	return fd, (dir == "/dev/fd" || err == nil && dir == own) && inherited(fd)
}

// OpenStream opens the stream of a Target for writing. A file behind a descriptor
// is written to where the descriptor stands.
func (t Target) OpenStream() (*os.File, error) {
	if fd, ok := descriptor(t.Stream); ok {
		return duplicate(fd, t.Stream)
	}
	return os.OpenFile(t.Stream, os.O_WRONLY, 0)
}
