package report

import (
	"errors"
	"os"
	"syscall"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// openLocked opens or creates the file so that no other process can open it,
// or returns errHeld.
func openLocked(path string) (*os.File, error) {
	const sharingViolation = syscall.Errno(32)
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	const alone = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|regular.NoFollow, 0)
	switch {
	case errors.Is(err, sharingViolation):
		return nil, errHeld
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	file := os.NewFile(uintptr(h), path)
	if err := regular.Check(file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
