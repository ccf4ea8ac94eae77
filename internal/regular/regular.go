// Package regular opens files that have to be files. A name that was found in a
// folder of somebody else may be that of a pipe, which is never done with, or of
// a device: such a one is refused before it is opened, as opening alone can wait
// for ever. It also makes the names of files last.
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
	info, err := os.Stat(path)
	if err != nil {
		if reason, ok := errors.AsType[*fs.PathError](err); ok {
			reason.Op = "open" // which is what was wanted
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: notRegular(info.Mode())}
	}
	return os.Open(path)
}

// Read returns what is in a regular file of at most so many bytes. Its errors are
// *fs.PathError.
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

// notRegular says what a file is that is none.
type notRegular fs.FileMode

func (n notRegular) Error() string {
	kind := "a device"
	switch mode := fs.FileMode(n); {
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return "is " + kind + ", and no regular file"
}

// SyncFolder makes a renaming last through a power cut, on systems that let a
// folder be synced. It is not worth failing for: the content is safe already, and
// after the cut there is what was there before.
func SyncFolder(path string) {
	folder, err := os.Open(path)
	if err != nil {
		return
	}
	_ = folder.Sync()
	_ = folder.Close()
}
