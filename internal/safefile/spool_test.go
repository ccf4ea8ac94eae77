package safefile

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestSpoolReturnsItsContent(t *testing.T) {
	piece := strings.Repeat("0123456789abcdef", 1<<12) // 64 KiB
	for _, n := range []int{0, 1, spoolMemory / len(piece), spoolMemory/len(piece) + 1, 200} {
		dir := t.TempDir()
		s := NewSpool(dir)
		for range 2 { // Reset makes it reusable
			for range n {
				if _, err := s.Write([]byte(piece)); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := s.InMemory(), n*len(piece) <= spoolMemory; got != want {
				t.Errorf("%d pieces: in memory: got %t, want %t", n, got, want)
			}
			for range 2 {
				r, err := s.Reader()
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(r)
				if err != nil || string(got) != strings.Repeat(piece, n) {
					t.Errorf("%d pieces: got %d bytes, %v, want %d", n, len(got), err, n*len(piece))
				}
			}
			s.Reset()
			wantFiles(t, dir)
		}
	}
}

func TestSpoolErrorNamesTheTemporaryFile(t *testing.T) {
	s := NewSpool(filepath.Join(t.TempDir(), "missing"))
	_, err := s.Write(make([]byte, spoolMemory+1))
	if err == nil || !strings.HasPrefix(err.Error(), "temporary file: ") {
		t.Errorf("got %v, want an error about the temporary file", err)
	}
}
