package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// spoolMemory is how much a spool holds before it goes to a file.
const spoolMemory = 4 << 20

// A spool keeps what is written to it until it is known what stands before it:
// in memory as long as it is small, and then in a temporary file. Its memory does
// not grow with what it holds.
type spool struct {
	folder string // of the file; "" for the system's
	memory bytes.Buffer
	file   *os.File // nil while all is in memory
	buf    *bufio.Writer
	path   string // of a file that has to be removed; "" where it has no name any more
}

// Write appends p.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) <= spoolMemory {
		return s.memory.Write(p)
	}
	if s.file == nil {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	n, err := s.buf.Write(p)
	return n, temporary(err)
}

// spill moves what is in memory to a file.
func (s *spool) spill() error {
	file, path, err := regular.Temp(s.folder, ".ragfaith-*.tmp")
	if err != nil {
		return temporary(err)
	}
	s.file, s.path, s.buf = file, path, bufio.NewWriterSize(file, fileBuffer)
	_, err = s.buf.Write(s.memory.Bytes())
	s.memory = bytes.Buffer{}
	return temporary(err)
}

// Reader ends the writing, and returns what was written from its beginning.
func (s *spool) Reader() (io.Reader, error) {
	if s.file == nil {
		return &s.memory, nil
	}
	if err := s.buf.Flush(); err != nil {
		return nil, temporary(err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, temporary(err)
	}
	return s.file, nil
}

// Reset empties the spool, which can then be written to again, and leaves
// nothing of it on the disk.
func (s *spool) Reset() {
	s.memory.Reset()
	if s.file == nil {
		return
	}
	_ = s.file.Close() // nothing in it is needed any more
	if s.path != "" {
		_ = os.Remove(s.path) // a leftover in the folder of the results
	}
	s.file, s.buf, s.path = nil, nil, ""
}

// temporary says of an error that it is of the temporary file.
func temporary(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporary file: %w", err)
}
