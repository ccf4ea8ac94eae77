package report

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestASpoolGivesBackWhatItWasGiven(t *testing.T) {
	piece := strings.Repeat("0123456789abcdef", 1<<12) // 64 KiB
	for _, n := range []int{0, 1, spoolMemory / len(piece), spoolMemory/len(piece) + 1, 200} {
		folder := t.TempDir()
		s := &spool{folder: folder}
		for range 2 { // it can be used again
			for range n {
				if _, err := s.Write([]byte(piece)); err != nil {
					t.Fatal(err)
				}
			}
			if inFile := s.file != nil; inFile != (n*len(piece) > spoolMemory) {
				t.Errorf("%d pieces: in a file: %v", n, inFile)
			}
			r, err := s.Reader()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || string(got) != strings.Repeat(piece, n) {
				t.Errorf("%d pieces: %d bytes, %v", n, len(got), err)
			}
			s.Reset()
			if left := names(t, folder); left != "" {
				t.Errorf("left behind: %s", left)
			}
		}
	}
}

func TestASpoolWithoutAFolderSaysThatItIsTheTemporaryFile(t *testing.T) {
	s := &spool{folder: filepath.Join(t.TempDir(), "none")}
	_, err := s.Write(make([]byte, spoolMemory+1))
	if err == nil || !strings.HasPrefix(err.Error(), "temporary file: ") {
		t.Error(err)
	}
}

func TestWhatWaitsIsRemovedWhenAFileIsGivenUp(t *testing.T) {
	for _, f := range []Format{FormatParquet, FormatJUnit} {
		folder := t.TempDir()
		w, err := New(f, io.Discard, Options{KeepAll: true, TempDir: folder})
		if err != nil {
			t.Fatal(err)
		}
		r := scored()
		r.Claims[1].Text = strings.Repeat("so it is ", 300)
		r.Row.Contexts[0] = strings.Repeat("x", 1<<12)
		for range 3000 {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		var s *spool
		switch w := w.(type) {
		case *parquetFile:
			s = w.wait
		case *junit:
			s = w.cases
		}
		if s.file == nil {
			t.Fatalf("%s: nothing waits in a file", f)
		}
		Discard(w)
		if left := names(t, folder); s.file != nil || left != "" {
			t.Errorf("%s: left behind: %s", f, left)
		}
	}
}
