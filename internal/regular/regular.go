// Package regular opens files that must be regular files, for reading and for
// writing.
//
// A name found in a directory of someone else may be that of a pipe, which can
// block for ever, of a device, or of a link to a file that must not be touched.
// Open and Read follow links, and refuse what is no regular file. Everything
// that writes goes through OpenFile, Create, Temp or Resolve, which follow no
// link that somebody else may have planted. The checks are made on the opened
// file, before anything is written or truncated, so that nothing can be swapped
// between a check and its use. A linter rule keeps other packages from opening
// files for writing themselves.
//
// # Trust
//
// An owner is trusted if it is the effective user, root, or the owner of the
// directory, who could replace the file anyway; or if nobody but the owner of
// the directory can write to it. This is close to the rule of Linux for links
// in sticky directories (protected_symlinks), and accepts what containers and
// CI jobs have: root that writes to a bind mount of another user, a job in a
// workspace that root made, directories writable by a user's own group (umask
// 002). In /tmp, and in a directory shared by a group, it refuses what other
// users have put there.
//
// A directory itself is not refused for its permissions, as some CI systems
// make workspaces writable by everyone; Exposed tells callers when to warn.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a regular file, or a link to one, for reading. Its errors are
// *fs.PathError.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path) // before opening, which can have effects on a device
	if err != nil {
		if reason, ok := errors.AsType[*fs.PathError](err); ok {
			reason.Op = "open" // which is what was wanted
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

// Read returns the content of a regular file of at most so many bytes. Its
// errors are *fs.PathError.
func Read(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(content)) > most {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("longer than %d bytes", most)}
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// notRegular says what a file is that is not regular.
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

// SyncFolder makes a rename last through a power cut, on systems that let a
// directory be synced. It is not worth failing for: the content is safe already,
// and after the cut there is what was there before.
func SyncFolder(path string) {
	folder, err := os.Open(path)
	if err != nil {
		return
	}
	_ = folder.Sync()
	_ = folder.Close()
}
