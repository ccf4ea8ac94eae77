package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// maxLinks is the number of symbolic links that Linux follows in a path.
const maxLinks = 40

var errTooManyLinks = errors.New("too many symbolic links")

// A Target describes what an output path leads to.
type Target struct {
	// Perm holds the permissions of the file that the output replaces, without
	// execute bits. It is 0 if there is no file or its owner is not trusted.
	Perm fs.FileMode
	// Stream is the path of the null device, or of a file that this process was
	// started with, such as /dev/stdout, which is written to directly. It is empty
	// for a regular file, which is replaced.
	Stream string
}

// Resolve returns the target of an output path. It follows a symbolic link only to
// a stream: a link to a file may have come with a repository and lead to any file
// of the user. A pipe, a socket or a device is an error unless it is the null
// device or this process inherited it: writing to one can block forever, and
// another process can read it. Errors are *fs.PathError.
func Resolve(path string) (Target, error) {
	given := path
	for range maxLinks {
		if _, ok := descriptor(path); ok || path == os.DevNull {
			return Target{Stream: path}, nil
		}
		info, err := os.Lstat(path)
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			if path, err = readLink(path); err != nil {
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
		return Target{}, nil // creating the file reports the same error
	}
	return Target{}, refuse(given, errTooManyLinks)
}

// readLink returns the path that a link points to.
func readLink(path string) (string, error) {
	target, err := os.Readlink(path)
	if err != nil || filepath.IsAbs(target) {
		return target, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // so that .. is relative to the real directory
	return filepath.Join(dir, target), err
}

// descriptor returns the number of the open file that a path such as /dev/fd/1
// names. Only inherited descriptors count: the others are the process's own, such
// as the cache.
func descriptor(path string) (fd int, ok bool) {
	fd, err := strconv.Atoi(filepath.Base(path))
	if err != nil || fd < 0 {
		return 0, false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return 0, false
	}
	proc, err := filepath.EvalSymlinks("/proc/self/fd")
	return fd, (dir == "/dev/fd" || err == nil && dir == proc) && isInherited(fd)
}

// openStream opens the stream of a target for writing. A descriptor is duplicated,
// so that writes continue at its offset.
func (t Target) openStream() (*os.File, error) {
	if fd, ok := descriptor(t.Stream); ok {
		return duplicate(fd, t.Stream)
	}
	return os.OpenFile(t.Stream, os.O_WRONLY, 0)
}
