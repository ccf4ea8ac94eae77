package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// newSuffix ends the name of the temporary file of WriteFile.
const newSuffix = ".new"

// Remove removes files that exist. Its errors are *fs.PathError.
func Remove(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Create creates an empty file in place of anything else of that name except a directory that is
// not empty. The old file is removed and never opened: it may be a link to another file, or be open
// in another process. Its errors are *fs.PathError.
func Create(path string, perm fs.FileMode) (*os.File, error) {
	if err := Remove(path); err != nil {
		return nil, err
	}
	return OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// WriteFile replaces a file atomically: after a crash or an error, path has either
// its old content or all of the new one. The content is written to path.new,
// synced and renamed. Concurrent calls for the same path need a lock.
func WriteFile(path string, content []byte, perm fs.FileMode) error {
	file, err := Create(path+newSuffix, perm)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = Rename(path+newSuffix, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+newSuffix))
	}
	return nil
}

// Rename renames a file and syncs the directory of its new name, on systems that can
// do that. Errors of the sync are ignored: the content is on the disk already, and a
// power cut only undoes the rename.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	if dir, err := os.Open(filepath.Dir(to)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// A TempFile is a temporary file.
type TempFile struct {
	*os.File
	unlinked bool
}

// Temp creates a temporary file that only its owner can read, in dir or, if dir is
// empty, in the system's directory. If the system allows it, the file is unlinked
// at once, so that nothing is left even after a crash.
func Temp(dir, pattern string) (*TempFile, error) {
	file, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return &TempFile{file, os.Remove(file.Name()) == nil}, nil
}

// Discard closes and removes the file.
func (t *TempFile) Discard() {
	_ = t.Close() // its content is no longer needed
	if !t.unlinked {
		_ = os.Remove(t.Name())
	}
}

// MkdirPrivate creates a directory with mode 0700, and its missing parents. It refuses an existing
// directory, or a link to one, of an untrusted owner, who could replace everything in it.
func MkdirPrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for _, path := range []string{dir, target} {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !trusted(info, filepath.Dir(filepath.Clean(path))) {
			return refuse(path, errForeign)
		}
	}
	return nil
}

// Exposed reports whether every user of the machine can replace files in a
// directory: all can write to it, and it is not sticky.
func Exposed(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && hasUnixModes && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0
}
