package regular

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	// NoFollow is the flag with which a link is opened itself, and not its target.
	NoFollow = syscall.FILE_FLAG_OPEN_REPARSE_POINT

	nonBlock    = 0
	knowsOwners = false
)

// hardLinks counts the names of a file; 1 for one that is not open.
func hardLinks(file *os.File, _ fs.FileInfo) int {
	var info syscall.ByHandleFileInformation
	if file == nil || syscall.GetFileInformationByHandle(syscall.Handle(file.Fd()), &info) != nil {
		return 1
	}
	return int(info.NumberOfLinks)
}

// trusted is always true: permissions of Windows are lists that say more than an
// owner does, and only administrators can create links there.
func trusted(fs.FileInfo, string) bool { return true }

func duplicate(_ int, path string) (*os.File, error) {
	return nil, refuse(path, errors.ErrUnsupported)
}

func inherited(int) bool { return false }
