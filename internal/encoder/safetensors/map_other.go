//go:build !unix && !windows

package safetensors

import (
	"errors"
	"os"
)

// mapFile says that this system can't map files, so that they are read.
func mapFile(*os.File, int) ([]byte, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}
