//go:build unix

package checkpoint

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mmap maps the first size bytes of f for reading.
func mmap(f *os.File, size int) ([]byte, func() error, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EAGAIN) { // memory is short
		return nil, nil, err
	}
	if err != nil { // some file systems do not support it
		return nil, nil, errors.ErrUnsupported
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
