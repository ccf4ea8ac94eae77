package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A source is one of the files of a Set.
type source struct {
	path string
	opts *Options
	b    *binding
	note *notes

	size   int64 // bytes as stored, or -1
	again  bool  // the file can be opened once more
	file   io.Closer
	raw    *counter
	done   func() // frees decompressors
	format Format
	reader rowReader

	peeked    bool // next has been called once, by open
	first     Row
	firstErr  error
	rows      int // records handed out
	spool     *os.File
	spoolPath string // to be removed, if not empty
}

// A rowReader reads the rows of one format. It fills what it finds in a record;
// what counts over files and records is the source's and the Set's.
type rowReader interface {
	// next reads one record. It returns io.EOF after the last, a *RowError
	// without a file for a record that cannot be read, and anything else where
	// reading cannot go on.
	next(row *Row) error
	close()
}

// open opens the file and reads its first record, so that what is wrong with
// the file as a whole comes out. After an error nothing is left open.
func (s *source) open() (err error) {
	defer func() {
		if err != nil {
			s.close()
			err = s.fault(err)
		}
	}()
	in, err := s.input()
	if err != nil {
		return err
	}
	s.raw = &counter{r: in}
	stored := bufio.NewReaderSize(s.raw, readAhead)
	r, done, err := decompress(stored, s.raw)
	s.done = done
	if err != nil {
		return err
	}
	head, err := r.Peek(len(parquetMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(head) == 0 {
		return ErrEmpty
	}
	s.format = s.opts.Format
	if s.format == "" {
		s.format = formatOf(s.path)
	}
	if s.format == Parquet || s.format == "" && bytes.HasPrefix(head, []byte(parquetMagic)) {
		s.format = Parquet
		err = s.openParquet(r, r == stored)
	} else {
		err = s.openText(r, r == stored)
	}
	if err != nil {
		return err
	}
	s.peeked = true
	s.first = Row{}
	s.firstErr = s.reader.next(&s.first)
	if s.firstErr == nil || errors.Is(s.firstErr, io.EOF) || isRowError(s.firstErr) {
		return nil
	}
	return s.firstErr
}

func isRowError(err error) bool {
	var r *RowError
	return errors.As(err, &r)
}

// fault names the file in an error.
func (s *source) fault(err error) error {
	if err == nil {
		return nil
	}
	if s.rows > 0 {
		err = fmt.Errorf("after row %d: %w", s.rows, err)
	}
	if u := (*UsageError)(nil); errors.As(err, &u) {
		return &UsageError{Err: fmt.Errorf("%s: %w", displayName(s.path), u.Err)}
	}
	return fmt.Errorf("%s: %w", displayName(s.path), err)
}

// input opens the file itself.
func (s *source) input() (io.Reader, error) {
	s.size = -1
	if s.path == stdinPath {
		if s.opts.Stdin == nil {
			return nil, errors.New("there is no standard input")
		}
		return s.opts.Stdin, nil
	}
	in, err := s.openPath()
	if p, ok := errors.AsType[*os.PathError](err); ok {
		err = p.Err
	}
	return in, err
}

func (s *source) openPath() (io.Reader, error) {
	info, err := os.Stat(s.path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory")
	case !info.Mode().IsRegular():
		open := s.opts.OpenPipe
		if open == nil {
			open = func(path string) (io.ReadCloser, error) { return os.Open(path) }
		}
		pipe, err := open(s.path)
		if err != nil {
			return nil, err
		}
		s.file = pipe
		return pipe, nil
	}
	f, err := safefile.Open(s.path)
	if err != nil {
		return nil, err
	}
	s.file = f
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	s.size, s.again = info.Size(), true
	return f, nil
}

// openText makes the reader of a text format, and finds the format out where
// it is not known.
func (s *source) openText(r *bufio.Reader, stored bool) error {
	r, oneToOne, err := decodeText(r)
	if err != nil {
		return err
	}
	head, err := peekLine(r)
	if err != nil && len(head) == 0 {
		return err
	}
	if len(head) == 0 {
		return ErrEmpty
	}
	if err := checkText(head); err != nil && (!s.b.whole || s.format == "") { // results may quote anything
		return err
	}
	switch {
	case s.format == "":
		s.format = sniff(head)
	case s.format == JSON && s.opts.Format == "" && isLines(head):
		s.format = JSONL
	}
	count := func(parsed int64) int64 { return s.raw.n }
	if oneToOne && stored {
		start := s.raw.n - int64(r.Buffered())
		count = func(parsed int64) int64 { return start + parsed }
	}
	switch s.format {
	case JSONL:
		s.reader = newJSONL(r, s, count)
	case JSON:
		s.reader, err = newJSON(r, s, count)
	case CSV:
		s.reader, err = newTable(r, s, ',', count)
	case TSV:
		s.reader, err = newTable(r, s, '\t', count)
	case Parquet:
		err = errors.New("not a text format")
	default:
		err = usagef("unknown format %q", s.format)
	}
	return err
}

// limit returns the length of the longest record.
func (s *source) limit() int {
	if s.opts.MaxRowBytes > 0 {
		return s.opts.MaxRowBytes
	}
	return DefaultMaxRowBytes
}

// next hands out the next record.
func (s *source) next(row *Row) error {
	var err error
	if s.peeked {
		*row, err = s.first, s.firstErr
		s.peeked, s.first, s.firstErr = false, Row{}, nil
	} else {
		err = s.reader.next(row)
	}
	switch {
	case err == nil || isRowError(err):
		s.rows++
		return err
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return io.EOF
	}
	return s.fault(err)
}

// suspend closes a file that can be opened again, so that a thousand files are
// not open at once.
func (s *source) suspend() {
	if s.again && s.spool == nil {
		s.close()
	}
}

// resume opens what suspend has closed.
func (s *source) resume() error {
	if s.reader != nil {
		return nil
	}
	return s.open()
}

func (s *source) close() {
	if s.reader != nil {
		s.reader.close()
		s.reader = nil
	}
	if s.done != nil {
		s.done()
		s.done = nil
	}
	if s.file != nil {
		_ = s.file.Close() // it was only read
		s.file = nil
	}
	s.dropSpool()
	s.first, s.firstErr, s.peeked = Row{}, nil, false
}

// A counter counts what is read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
