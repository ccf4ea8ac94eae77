//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package report

import (
	"os"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// openLocked opens or creates the file. Here nothing keeps a second run away.
func openLocked(path string) (*os.File, error) {
	return regular.OpenFile(path, os.O_RDWR|os.O_CREATE, privateMode)
}
