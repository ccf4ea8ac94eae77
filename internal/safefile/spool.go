package safefile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// spoolMemory limits the bytes that a Spool keeps in memory.
const spoolMemory = 4 << 20

// A Spool is a buffer that moves its content to a temporary file when it exceeds
// 4 MiB. It is written first, then read.
type Spool struct {
	dir    string
	memory bytes.Buffer
	file   *TempFile // nil while the content is in memory
	buf    *bufio.Writer
}

// NewSpool returns an empty spool with its temporary file in dir, or in the
// system's directory if dir is empty.
func NewSpool(dir string) *Spool { return &Spool{dir: dir} }

// InMemory reports whether the content is held in memory.
func (s *Spool) InMemory() bool { return s.file == nil }

// Write appends p.
func (s *Spool) Write(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) <= spoolMemory {
		return s.memory.Write(p)
	}
	if s.file == nil {
		if err := s.moveToFile(); err != nil {
			return 0, err
		}
	}
	n, err := s.buf.Write(p)
	return n, spoolError(err)
}

func (s *Spool) moveToFile() error {
	file, err := Temp(s.dir, ".ragfaith-*.tmp")
	if err != nil {
		return spoolError(err)
	}
	s.file, s.buf = file, bufio.NewWriterSize(file, bufferSize)
	_, err = s.buf.Write(s.memory.Bytes())
	s.memory = bytes.Buffer{}
	return spoolError(err)
}

// Reader returns a reader of the whole content. The spool must not be written to until Reset.
func (s *Spool) Reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory.Bytes()), nil
	}
	if err := s.buf.Flush(); err != nil {
		return nil, spoolError(err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, spoolError(err)
	}
	return s.file, nil
}

// Reset empties the spool and removes its temporary file.
func (s *Spool) Reset() {
	s.memory.Reset()
	if s.file == nil {
		return
	}
	s.file.Discard()
	s.file, s.buf = nil, nil
}

func spoolError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporary file: %w", err)
}
