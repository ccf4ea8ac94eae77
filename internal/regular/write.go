package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	errHardLinked = errors.New("has another name (a hard link), which writing would change as well")
	errForeign    = errors.New("belongs to another user")
)

// OpenFile opens a file in place, or creates it with O_CREATE. The file must be a
// regular one without another hard link, its name no symbolic link, and its owner
// trusted. Nothing is truncated: O_TRUNC is an error, and the caller truncates
// what it gets. Its errors are *fs.PathError.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if flag&os.O_TRUNC != 0 {
		return nil, refuse(path, errors.ErrUnsupported)
	}
	create, exclusive := flag&os.O_CREATE != 0, flag&os.O_EXCL != 0
	flag &^= os.O_CREATE | os.O_EXCL
	const tries = 100 // each one that fails means that another process created or removed the file
	var err error
	for range tries {
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
	file, err := os.OpenFile(path, flag|NoFollow, 0)
	if err != nil {
		// The reason of the system, such as "no such device", is of little help.
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			err = refuse(path, notRegular(info.Mode()))
		}
		return nil, err
	}
	if err := Check(file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// Check refuses an open file that OpenFile would refuse. It is for files that
// have to be opened in another way.
func Check(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return check(file.Name(), info, hardLinks(file, info))
}

// CheckName is Check for a file that a library opens by its name, and that need
// not exist.
func CheckName(path string) error {
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
	case links > 1: // none, if it was just removed
		return refuse(path, errHardLinked)
	case !trusted(info, filepath.Dir(path)):
		return refuse(path, errForeign)
	}
	return nil
}

// Create creates an empty file in the place of whatever has that name, other than
// a directory with files in it. That is removed and never opened: it may be a link
// to another file, or be open in another process. Its errors are *fs.PathError.
func Create(path string, perm fs.FileMode) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// Write creates a file that everyone may read, as far as the umask allows, in the
// place of whatever has that name. After an error half of it may be there.
func Write(path string, content []byte) error {
	file, err := Create(path, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// Temp creates a temporary file for its owner alone, in dir or, if that is empty,
// in the directory of the system. If the system allows it the file has no name
// from the start, so that nothing is left even after a crash. Otherwise name is
// not empty, and the caller removes it.
func Temp(dir, pattern string) (file *os.File, name string, err error) {
	file, err = os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, "", err
	}
	if os.Remove(file.Name()) != nil {
		name = file.Name()
	}
	return file, name, nil
}

// MkdirPrivate creates a directory for its owner alone, with those above it. It
// refuses a directory, or a link to one, that an owner who is not trusted has put
// there: everything in it could be replaced.
func MkdirPrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for _, path := range []string{dir, real} {
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

// Exposed reports whether every user of the machine can replace the files of a
// directory: all can write to it, and it is not sticky.
func Exposed(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && knowsOwners && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0
}
