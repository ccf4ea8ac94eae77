//go:build unix

package kernel

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// If mapped memory becomes unreadable, the operation panics in the calling
// goroutine and the pool remains usable.
func TestFaultPanicsInCaller(t *testing.T) {
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
			mapped := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), rows*in)
			heap := make([]float32, rows*in)
			layer := k.Linear(Float32, in, Part{W: Raw{F32: make([]float32, out*in)}, Out: out})
			dst := make([]float32, rows*out)
			p := NewPool(k, workers)
			faults := func(x []float32) (fault bool) {
				defer func() { fault = recover() != nil }()
				p.Apply(layer, dst, out, x, in, rows, None)
				return false
			}
			if faults(mapped) {
				t.Errorf("%s: got a fault before the file was truncated, want none", name)
			}
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				if !faults(mapped) {
					t.Errorf("%s, %d workers: got no fault for the truncated file, want one", name, workers)
				}
				if faults(heap) {
					t.Errorf("%s, %d workers: got a fault for heap memory, want none", name, workers)
				}
			}
			dst[0] = 1
			if p.Apply(layer, dst, out, heap, in, rows, None); dst[0] != 0 {
				t.Errorf("%s, %d workers: got %g after a fault, want 0", name, workers, dst[0])
			}
			if err := unix.Munmap(data); err != nil {
				t.Error(err)
			}
			_ = f.Close()
		}
	}
}
