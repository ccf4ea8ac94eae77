package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// PartSuffix ends the name of a file that is not complete.
const PartSuffix = ".part"

const fileBuffer = 256 << 10

// A File appears complete or not at all: until Commit, its content is in a file
// of the same name with PartSuffix. A device or a pipe is written to directly.
type File struct {
	path string // where it will be; the target, where the name is a link
	part string // where it is; path for a device
	file handle
	buf  *bufio.Writer
}

// handle is what a File needs of an *os.File.
type handle interface {
	io.WriteCloser
	Sync() error
}

// Create begins the file with that name, whose folder must exist. What an
// earlier run left in its .part is lost.
func Create(path string) (*File, error) {
	f := &File{path: path}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		f.path = target
	}
	f.part = f.path + PartSuffix
	mode, flags := fs.FileMode(0o666), os.O_WRONLY|os.O_CREATE|os.O_TRUNC
	info, err := os.Stat(f.path)
	switch {
	case err != nil:
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder", path)
	case info.Mode().IsRegular():
		mode = info.Mode().Perm()
	default:
		f.part, flags = f.path, os.O_WRONLY
	}
	file, err := os.OpenFile(f.part, flags, mode)
	if err != nil {
		var reason *fs.PathError
		if errors.As(err, &reason) {
			err = reason.Err // its path is one that nobody named
		}
		if info, statErr := os.Stat(filepath.Dir(f.path)); statErr != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s: the folder %s can't be used: %w", path, filepath.Dir(f.path), err)
		}
		return nil, fmt.Errorf("%s: can't be written: %w", path, err)
	}
	f.file, f.buf = file, bufio.NewWriterSize(file, fileBuffer)
	return f, nil
}

// Write appends p to the file.
func (f *File) Write(p []byte) (int, error) { return f.buf.Write(p) }

// Flush passes what was written on to the operating system, so that it
// outlives this process.
func (f *File) Flush() error { return f.buf.Flush() }

// Commit makes the file appear under its name, with its content on the disk.
func (f *File) Commit() error {
	err := f.buf.Flush()
	if err == nil && f.part != f.path {
		err = f.file.Sync()
	}
	if closeErr := f.file.Close(); err == nil {
		err = closeErr
	}
	if err == nil && f.part != f.path {
		if err = os.Rename(f.part, f.path); err == nil {
			syncFolder(filepath.Dir(f.path))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

// Abandon gives up a file that is not complete. With keep its .part stays,
// and Abandon returns the name of that; otherwise it is removed.
func (f *File) Abandon(keep bool) (string, error) {
	flushErr := f.buf.Flush()
	closeErr := f.file.Close()
	if f.part == f.path {
		return "", nil
	}
	if !keep {
		return "", os.Remove(f.part)
	}
	return f.part, errors.Join(flushErr, closeErr)
}

// syncFolder makes a renaming last through a power cut, on systems that let a
// folder be synced. It is not worth failing for: the content is safe already.
func syncFolder(path string) {
	folder, err := os.Open(path)
	if err != nil {
		return
	}
	_ = folder.Sync()
	_ = folder.Close()
}
