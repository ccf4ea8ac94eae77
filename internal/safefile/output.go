package safefile

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
)

const (
	// PartSuffix is appended to the name of an incomplete output.
	PartSuffix = ".part"
	// LockSuffix is appended to the .part name to form the lock file name.
	LockSuffix = ".lock"
)

// privateMode is the mode of files with dataset content, regardless of the umask.
const privateMode = 0o600

const bufferSize = 256 << 10

// An Output writes a file atomically: it gets its final name on Commit. Until then, its
// content is in a file of the same name with PartSuffix, which only its owner can read. Commit gives it the permissions of the file that it replaces, without
// execute bits, or 0600. The null device, and files that this process inherited, such
// as /dev/stdout, are written to directly; other devices and pipes are rejected. An
// Output is locked, so that only one process can use it.
type Output struct {
	path    string // final name
	part    string // name while incomplete; equal to path for a stream
	current string // name of the open file: part, plus the suffix given to Open
	mode    fs.FileMode
	target  Target
	lock    *Lock
	file    outputFile
	buf     *bufio.Writer
}

// outputFile is the part of *os.File that an Output uses.
type outputFile interface {
	io.WriteCloser
	Sync() error
	Chmod(mode fs.FileMode) error
}

// CreateOutput opens an output for writing. Its directory must exist. The .part
// file of an earlier run is overwritten.
func CreateOutput(path string) (*Output, error) {
	o, err := ReserveOutput(path)
	if err != nil {
		return nil, err
	}
	if err := o.Open(""); err != nil {
		o.Release()
		return nil, err
	}
	return o, nil
}

// ReserveOutput locks an output without opening it. It returns a *LockedError if
// another process uses it. The caller must call Release, Commit or Abandon; if the
// output is not open, Commit returns an error and Abandon only unlocks it.
func ReserveOutput(path string) (*Output, error) {
	target, err := Resolve(path)
	if err != nil {
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	o := &Output{path: path, part: path, mode: cmp.Or(target.Perm, privateMode), target: target}
	if target.Stream != "" {
		return o, nil
	}
	o.part += PartSuffix
	o.lock, err = TryLock(o.part + LockSuffix)
	if locked, ok := errors.AsType[*LockedError](err); ok {
		return nil, &LockedError{Path: path, PID: locked.PID}
	}
	if err != nil {
		return nil, o.openError(err)
	}
	return o, nil
}

// Part returns the name of the incomplete file. ok is false for a stream.
func (o *Output) Part() (name string, ok bool) { return o.part, o.part != o.path }

// Open truncates the output and opens it for writing. If suffix is not empty, the
// content is written to the .part file with that suffix until ReplacePart or Commit;
// the existing .part file is kept, readable only by its owner.
func (o *Output) Open(suffix string) error {
	file, err := o.open(suffix)
	if err != nil {
		return o.openError(err)
	}
	o.file, o.buf = file, bufio.NewWriterSize(file, bufferSize)
	return nil
}

func (o *Output) open(suffix string) (*os.File, error) {
	o.current = o.part
	if o.part == o.path {
		return o.target.openStream()
	}
	if suffix != "" {
		if err := makePrivate(o.part); err != nil {
			return nil, err
		}
	}
	o.current += suffix
	return Create(o.current, privateMode)
}

// makePrivate sets the mode of a file to 0600, if it exists and the file system
// supports permissions.
func makePrivate(path string) error {
	file, err := OpenFile(path, os.O_RDONLY, 0)
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

// openError adds the output's path and, if it is the cause, its directory to err.
func (o *Output) openError(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
		if _, isErrno := errors.AsType[syscall.Errno](err); !isErrno { // an error from this package, not the OS
			err = fmt.Errorf("%s %w", pathErr.Path, err)
		}
	}
	dir := filepath.Dir(o.path)
	if info, statErr := os.Stat(dir); statErr != nil || !info.IsDir() {
		return fmt.Errorf("%s: cannot write to directory %s: %w", o.path, dir, err)
	}
	return fmt.Errorf("%s: cannot create file: %w", o.path, err)
}

// Release unlocks the output. It is not needed after Commit or Abandon.
func (o *Output) Release() { o.lock.Unlock() }

// Write appends p to the output.
func (o *Output) Write(p []byte) (int, error) { return o.buf.Write(p) }

// Flush passes buffered data to the operating system, so that it survives a crash
// of the process.
func (o *Output) Flush() error { return o.buf.Flush() }

// ReplacePart renames a file that was opened with a suffix to .part and keeps it
// open. It does nothing on systems that cannot rename an open file; Commit renames
// it there.
func (o *Output) ReplacePart() error {
	if err := o.buf.Flush(); err != nil {
		return err
	}
	if o.current != o.part && os.Rename(o.current, o.part) == nil {
		o.current = o.part
	}
	return nil
}

// Commit syncs the output to the disk and gives it its final name.
func (o *Output) Commit() error {
	defer o.Release()
	if o.file == nil {
		return fmt.Errorf("%s: output is not open", o.path)
	}
	isStream := o.part == o.path
	err := o.buf.Flush()
	if err == nil && !isStream {
		if o.mode != privateMode {
			_ = o.file.Chmod(o.mode) // on failure the file stays private
		}
		err = o.file.Sync()
	}
	err = cmp.Or(err, o.file.Close())
	if err == nil && o.current != o.part {
		if err = os.Rename(o.current, o.part); err == nil {
			o.current = o.part
		}
	}
	if err == nil && !isStream {
		err = Rename(o.part, o.path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.path, err)
	}
	return nil
}

// Abandon closes and unlocks an incomplete output. It removes the .part file, or
// keeps it and returns its name if keep is set.
func (o *Output) Abandon(keep bool) (part string, err error) {
	defer o.Release()
	if o.file == nil {
		return "", nil
	}
	err = o.Close()
	if o.part == o.path {
		return "", err
	}
	if !keep {
		return "", os.Remove(o.current)
	}
	return o.current, err
}

// Close closes an incomplete output, which stays locked. It does nothing if the output is
// not open.
func (o *Output) Close() error {
	if o.file == nil {
		return nil
	}
	flushErr := o.buf.Flush()
	return errors.Join(flushErr, o.file.Close())
}
