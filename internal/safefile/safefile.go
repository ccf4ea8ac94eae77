// Package safefile opens files without following planted links, writes files
// atomically and locks them.
//
// A name in a directory that others can write to may be a pipe, which can block forever, a device,
// or a link to a file that must not be touched. Open and ReadFile follow links but refuse anything
// that is not a regular file. OpenFile, Create and CreateOutput, through which every write goes,
// follow no link that another user may have planted. The checks run on the open file, before
// anything is written or truncated, so nothing can be swapped between check and use. A linter rule
// keeps other packages from opening files for writing themselves.
//
// # Trust
//
// An owner is trusted if it is the effective user, root, or the owner of the directory, who could
// replace the file anyway; or if only the owner of the directory can write to the directory. This
// is close to the Linux rule for links in sticky directories (protected_symlinks), and it accepts
// the usual setups of containers and CI jobs: root writing to a bind mount of another user, a job
// in a workspace created by root, directories writable by the user's own group (umask 002). In
// /tmp, and in a directory shared by a group, it refuses files that other users have put there.
//
// A directory is not refused for its permissions, because some CI systems make
// workspaces writable by everyone; Exposed lets callers warn.
//
// # Why not a library
//
// Atomic writers such as google/renameio and natefinch/atomic use a temporary file with a random
// name. An [Output] needs a fixed one: FILE.part is also the journal of an unfinished run, which
// survives a crash and is used by --resume. Renameio also does not build on Windows.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	errHardLinked = errors.New("has another name (a hard link), which would be changed too")
	errForeign    = errors.New("belongs to another user")
)

// Open opens a regular file, or a link to one, for reading. Its errors are *fs.PathError.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path) // before opening, which can have side effects on a device
	if err != nil {
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			pathErr.Op = "open"
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refuse(path, notRegular(info.Mode()))
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = refuse(path, notRegular(info.Mode()))
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// ReadFile returns the content of a regular file of at most limit bytes. Its
// errors are *fs.PathError.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("longer than %d bytes", limit)}
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// OpenFile opens a file in place, or creates it with O_CREATE. The file must be regular, have no
// other hard link, not be named by a symbolic link, and have a trusted owner. O_TRUNC is an error:
// the caller truncates the checked file. Its errors are *fs.PathError.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if flag&os.O_TRUNC != 0 {
		return nil, refuse(path, errors.ErrUnsupported)
	}
	create, exclusive := flag&os.O_CREATE != 0, flag&os.O_EXCL != 0
	flag &^= os.O_CREATE | os.O_EXCL
	const attempts = 100 // each failure means that another process created or removed the file
	var err error
	for range attempts {
		var file *os.File
		if !exclusive {
			file, err = openExisting(path, flag)
			if !create || !errors.Is(err, fs.ErrNotExist) {
				return file, err
			}
		}
		file, err = os.OpenFile(path, flag|os.O_CREATE|os.O_EXCL, perm)
		if exclusive || !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
	return nil, err
}

func openExisting(path string, flag int) (*os.File, error) {
	file, err := os.OpenFile(path, flag|noFollow, 0)
	if err != nil {
		// The system's reason, such as "no such device", is of little help.
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			err = refuse(path, notRegular(info.Mode()))
		}
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = check(path, info, hardLinks(file, info))
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// CheckPath returns the error with which OpenFile would refuse an existing file.
// It is for files that a library opens by name.
func CheckPath(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return check(path, info, hardLinks(nil, info))
}

func check(path string, info fs.FileInfo, links int) error {
	switch {
	case !info.Mode().IsRegular():
		return refuse(path, notRegular(info.Mode()))
	case links > 1: // 0 if the file was just removed
		return refuse(path, errHardLinked)
	case !trusted(info, filepath.Dir(path)):
		return refuse(path, errForeign)
	}
	return nil
}

// notRegular is the error for a file of another type.
type notRegular fs.FileMode

func (n notRegular) Error() string {
	kind := "a device"
	switch mode := fs.FileMode(n); {
	case mode.IsDir():
		return "is a directory"
	case mode&fs.ModeSymlink != 0:
		kind = "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return "is " + kind + ", not a regular file"
}

func refuse(path string, reason error) error {
	return &fs.PathError{Op: "open", Path: path, Err: reason}
}

// Abs returns the absolute form of path, with the links of its directory resolved.
func Abs(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return path
}
