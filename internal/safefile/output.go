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

const bufferSize = 256 << 10

// An Output writes a file atomically: it gets its final name on Commit. Until then, its
// content is in a file of the same name with PartSuffix, which only its owner can read.
// Commit gives it the permissions of the file that it replaces, without execute bits, or
// 0600. Links, devices and pipes are rejected. An Output is locked, so that only one
// process can use it.
type Output struct {
	path    string // final name
	part    string // name while incomplete; "" for a standard stream
	current string // name of the open file: part, plus the suffix given to Open
	mode    fs.FileMode
	lock    *Lock
	file    outputFile    // nil for a standard stream
	buf     *bufio.Writer // nil if the output is not open
}

// outputFile is the part of *os.File that an Output uses.
type outputFile interface {
	io.WriteCloser
	Sync() error
	Chmod(mode fs.FileMode) error
}

// streamOf returns the stream that a path names, or nil.
func streamOf(path string) io.Writer {
	switch path {
	case os.DevNull:
		return io.Discard
	case "/dev/stdout":
		return os.Stdout //nolint:forbidigo // named by the user
	case "/dev/stderr":
		return os.Stderr //nolint:forbidigo // named by the user
	}
	return nil
}

// CreateOutput opens an output for writing. Its directory must exist. The .part file of an earlier
// run is overwritten. The paths /dev/null, /dev/stdout and /dev/stderr are written to directly.
func CreateOutput(path string) (*Output, error) {
	if stream := streamOf(path); stream != nil {
		return &Output{path: path, buf: bufio.NewWriter(stream)}, nil
	}
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
	mode, err := replacedMode(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	o := &Output{path: path, part: path + PartSuffix, mode: mode}
	o.lock, err = TryLock(o.part + LockSuffix)
	if _, ok := errors.AsType[*LockedError](err); ok {
		return nil, &LockedError{Path: path}
	}
	if err != nil {
		return nil, o.openError(err)
	}
	return o, nil
}

// replacedMode returns the permissions of the file that an output replaces, without execute bits,
// or 0600 if there is none or its owner is not trusted. Anything else of that name is an error.
func replacedMode(path string) (fs.FileMode, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil: // creating the file reports the same error
		return privateMode, nil //nolint:nilerr // see above
	case !info.Mode().IsRegular():
		return 0, notRegular(info.Mode())
	case !trusted(info, filepath.Dir(path)):
		return privateMode, nil
	}
	return cmp.Or(info.Mode().Perm()&^0o111, privateMode), nil
}

// Part returns the name of the incomplete file.
func (o *Output) Part() string { return o.part }

// Open truncates the output and opens it for writing. If suffix is not empty, the
// content is written to the .part file with that suffix until ReplacePart or Commit;
// the existing .part file is kept.
func (o *Output) Open(suffix string) error {
	o.current = o.part + suffix
	file, err := Create(o.current, privateMode)
	if err != nil {
		return o.openError(err)
	}
	o.file, o.buf = file, bufio.NewWriterSize(file, bufferSize)
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

// Flush passes buffered data to the operating system, so that it survives a crash of the process.
func (o *Output) Flush() error { return o.buf.Flush() }

// ReplacePart renames a file that was opened with a suffix to .part and keeps it open. It does
// nothing on systems that cannot rename an open file; Commit renames it there.
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
	if o.buf == nil {
		return fmt.Errorf("%s: output is not open", o.path)
	}
	err := o.buf.Flush()
	if o.file != nil {
		if err == nil {
			_ = o.file.Chmod(o.mode) // on failure the file stays private
			err = o.file.Sync()
		}
		err = cmp.Or(err, o.file.Close())
		if err == nil && o.current != o.part {
			err = os.Rename(o.current, o.part)
		}
		if err == nil {
			err = Rename(o.part, o.path)
		}
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
	if o.buf == nil {
		return "", nil
	}
	err = o.Close()
	if o.file != nil && !keep {
		return "", os.Remove(o.current)
	}
	return o.current, err
}

// Close closes an incomplete output, which stays locked. It does nothing if the output is not open.
func (o *Output) Close() error {
	if o.buf == nil {
		return nil
	}
	err := o.buf.Flush()
	if o.file != nil {
		err = errors.Join(err, o.file.Close())
	}
	return err
}
