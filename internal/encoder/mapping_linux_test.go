package encoder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
)

// Reading a file that cannot be mapped because address space is short would crash the process.
func TestOpenFailsIfMappingFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	writeFile(t, filepath.Dir(path), filepath.Base(path), nil)
	if err := os.Truncate(path, 16<<30); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var pages uint64
	if _, err := fmt.Sscan(string(data), &pages); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = min(limit.Max, pages*uint64(os.Getpagesize())+1<<30)
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &low); err != nil {
		t.Fatal(err)
	}
	_, err = checkpoint.OpenDir(filepath.Dir(path))
	if err2 := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err2 != nil {
		t.Fatal(err2)
	}
	if !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), "model.safetensors") {
		t.Errorf("got error %v, want one about memory that names the file", err)
	}
}
