//go:build !unix && !windows

package safetensors

import (
	"errors"
	"os"
)

// mapFile reports that files cannot be mapped on this system.
func mapFile(*os.File, int) ([]byte, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}
