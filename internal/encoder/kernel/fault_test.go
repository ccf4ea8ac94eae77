//go:build unix

package kernel

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// When memory is gone that a kernel reads, the operation panics in the goroutine
// that called it, and the pool is good for the next one.
func TestAFaultIsAPanicOfTheCaller(t *testing.T) {
	const rows, in, out = 40, 64, 640
	for _, name := range Names() {
		for _, workers := range []int{1, 4} {
			k, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "inputs")
			if err := os.WriteFile(path, make([]byte, 4*rows*in), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			data, err := unix.Mmap(int(f.Fd()), 0, 4*rows*in, unix.PROT_READ, unix.MAP_SHARED)
			if err != nil {
				t.Fatal(err)
			}
			gone := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), rows*in)
			there := make([]float32, rows*in)
			layer := k.Linear(Float32, in, Part{W: Raw{F32: make([]float32, out*in)}, Out: out})
			dst := make([]float32, rows*out)
			p := NewPool(k, workers)
			faults := func(x []float32) (fault bool) {
				defer func() { fault = recover() != nil }()
				p.Apply(layer, dst, out, x, in, rows, None)
				return false
			}
			if faults(gone) {
				t.Errorf("%s: a fault before the file was cut", name)
			}
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				if !faults(gone) {
					t.Errorf("%s, %d workers: no fault", name, workers)
				}
				if faults(there) {
					t.Errorf("%s, %d workers: a fault of memory that is there", name, workers)
				}
			}
			dst[0] = 1
			if p.Apply(layer, dst, out, there, in, rows, None); dst[0] != 0 {
				t.Errorf("%s, %d workers: nothing was computed after a fault", name, workers)
			}
			if err := unix.Munmap(data); err != nil {
				t.Error(err)
			}
			_ = f.Close()
		}
	}
}
