package checkpoint

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mmap maps the first size bytes of f for reading.
func mmap(f *os.File, size int) ([]byte, func() error, error) {
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil { // some file systems do not support it
		return nil, nil, errors.ErrUnsupported
	}
	addr, err := windows.MapViewOfFile(mapping, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	// The view keeps the mapping alive.
	closeErr := windows.CloseHandle(mapping)
	if err != nil {
		return nil, nil, errors.Join(err, closeErr)
	}
	// The view is outside of the Go heap. Converting the address through a pointer
	// avoids vet's warning about misuse of unsafe.Pointer.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return unsafe.Slice((*byte)(p), size), func() error { return windows.UnmapViewOfFile(addr) }, nil
}
