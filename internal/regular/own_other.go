//go:build !unix && !windows

package regular

import (
	"errors"
	"io/fs"
	"os"
)

// NoFollow is 0: links are not known here.
const (
	NoFollow = 0

	nonBlock    = 0
	knowsOwners = false
)

func hardLinks(*os.File, fs.FileInfo) int { return 1 }

func trusted(fs.FileInfo, string) bool { return true }

func duplicate(_ int, path string) (*os.File, error) {
	return nil, refuse(path, errors.ErrUnsupported)
}

func inherited(int) bool { return false }
