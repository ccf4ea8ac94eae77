package report

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// PartSuffix ends the name of a file that is not complete.
const PartSuffix = ".part"

const fileBuffer = 256 << 10

// privateMode is that of files with what comes from a dataset: nobody reads them
// but their owner, who may give them to others. No umask makes it wider.
const privateMode = 0o600

// A File appears complete or not at all: until Commit, its content is in a file
// of the same name with PartSuffix, which only its owner can read. Then it has the
// permissions of the file that it replaces, but for those to execute it; a new one
// is its owner's alone. The null device, and what this process was started with,
// such as /dev/stdout, is written to directly. Other devices and pipes are refused.
// While one process has a File, no other can get it.
type File struct {
	path   string         // where it will be
	part   string         // where its content is until then; path for a stream
	at     string         // where it is written now: part, or beside it
	mode   fs.FileMode    // when it is complete
	stream regular.Target // what is written to directly, where part is path
	lock   *lock
	file   handle
	buf    *bufio.Writer
}

// handle is what a File needs of an *os.File.
type handle interface {
	io.WriteCloser
	Sync() error
	Chmod(mode fs.FileMode) error
}

// Create begins the file with that name, whose folder must exist. What an
// earlier run left in its .part is lost.
func Create(path string) (*File, error) {
	f, err := Reserve(path)
	if err != nil {
		return nil, err
	}
	if err := f.Begin(""); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// Reserve takes the file with that name for this process, without writing to
// it. It returns a *BusyError where another process has it. The file has to be
// given back by Release, Commit or Abandon.
func Reserve(path string) (*File, error) {
	target, err := regular.Resolve(path)
	if err != nil {
		if reason, ok := errors.AsType[*fs.PathError](err); ok {
			err = reason.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := &File{path: path, part: path, mode: cmp.Or(target.Perm, privateMode), stream: target}
	if target.Stream != "" {
		return f, nil
	}
	f.part += PartSuffix
	l, process, err := acquire(f.part + LockSuffix)
	if errors.Is(err, errHeld) {
		return nil, &BusyError{Path: path, Process: process}
	}
	if err != nil {
		return nil, f.cantWrite(err)
	}
	f.lock = l
	return f, nil
}

// Part returns the name under which the content is until it is complete, and
// whether there is one: a stream has none.
func (f *File) Part() (name string, ok bool) { return f.part, f.part != f.path }

// Begin opens the file for writing, empty. With a suffix the content is not in
// .part but in a file beside it, until Replace or Commit, so that what an
// earlier run left in .part stays, and is its owner's alone from then on.
func (f *File) Begin(suffix string) error {
	file, err := f.open(suffix)
	if err != nil {
		return f.cantWrite(err)
	}
	f.file, f.buf = file, bufio.NewWriterSize(file, fileBuffer)
	return nil
}

func (f *File) open(suffix string) (*os.File, error) {
	f.at = f.part
	if f.part == f.path {
		return f.stream.OpenStream()
	}
	if suffix != "" {
		if err := makePrivate(f.part); err != nil {
			return nil, err
		}
	}
	f.at += suffix
	return regular.Create(f.at, privateMode)
}

// makePrivate takes a file, if there is one, from all but its owner, where the
// file system knows owners.
func makePrivate(path string) error {
	file, err := regular.OpenFile(path, os.O_RDONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Mode().Perm()&^privateMode != 0 {
		_ = file.Chmod(privateMode)
	}
	return nil
}

// cantWrite is the error for a file that can't be begun.
func (f *File) cantWrite(err error) error {
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		err = reason.Err
		if _, system := errors.AsType[syscall.Errno](err); !system { // it is about that file alone
			err = fmt.Errorf("%s %w", reason.Path, err)
		}
	}
	if info, statErr := os.Stat(filepath.Dir(f.path)); statErr != nil || !info.IsDir() {
		return fmt.Errorf("%s: the folder %s can't be used: %w", f.path, filepath.Dir(f.path), err)
	}
	return fmt.Errorf("%s: can't be written: %w", f.path, err)
}

// Release gives the file back to other processes. It is not needed after Commit
// and Abandon.
func (f *File) Release() { f.lock.release() }

// Write appends p to the file.
func (f *File) Write(p []byte) (int, error) { return f.buf.Write(p) }

// Flush passes what was written on to the operating system, so that it
// outlives this process.
func (f *File) Flush() error { return f.buf.Flush() }

// Replace puts a file that was begun beside .part into its place, while it is
// written on. It does nothing where the system can't rename an open file: then
// Commit does it.
func (f *File) Replace() error {
	if err := f.buf.Flush(); err != nil {
		return err
	}
	if f.at != f.part && os.Rename(f.at, f.part) == nil {
		f.at = f.part
	}
	return nil
}

// Commit makes the file appear under its name, with its content on the disk.
func (f *File) Commit() error {
	defer f.Release()
	err := f.buf.Flush()
	if err == nil && f.part != f.path {
		if f.mode != privateMode {
			_ = f.file.Chmod(f.mode) // what stays is narrower
		}
		err = f.file.Sync()
	}
	if closeErr := f.file.Close(); err == nil {
		err = closeErr
	}
	if err == nil && f.at != f.part {
		if err = os.Rename(f.at, f.part); err == nil {
			f.at = f.part
		}
	}
	if err == nil && f.part != f.path {
		if err = os.Rename(f.part, f.path); err == nil {
			regular.SyncFolder(filepath.Dir(f.path))
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
	defer f.Release()
	err := f.Close()
	if f.part == f.path {
		return "", nil
	}
	if !keep {
		return "", os.Remove(f.at)
	}
	return f.at, err
}

// Close ends the writing of a file that is not complete and stays as it is. It
// is still this process's.
func (f *File) Close() error {
	flushErr := f.buf.Flush()
	return errors.Join(flushErr, f.file.Close())
}
