package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A file is a single file of a Set.
type file struct {
	path     string
	opts     *Options
	columns  *columnMap
	warnings *warnings

	size       int64 // size on disk in bytes, or -1 if unknown
	reopenable bool
	closer     io.Closer
	stored     *countingReader
	closeCodec func() // closes the decompressors
	format     Format
	reader     rowReader

	peeked   bool // first and firstErr hold the first record
	first    Row
	firstErr error
	rows     int      // number of records returned
	temp     *os.File // temporary copy of a Parquet file, or nil
	tempName string   // path of temp if it must be removed, or ""
}

// A rowReader reads the rows of one format. It sets the fields that a record
// contains. The file and the Set add the remaining ones.
type rowReader interface {
	// next reads one record. It returns io.EOF after the last record and a
	// *RowError without a file name for an invalid record. After any other error
	// reading cannot continue.
	next(row *Row) error
	close()
}

// open opens the file and reads its first record, so that errors about the
// whole file are reported early. After an error everything is closed.
func (f *file) open() (err error) {
	defer func() {
		if err != nil {
			f.close()
			err = f.wrapError(err)
		}
	}()
	in, err := f.input()
	if err != nil {
		return err
	}
	f.stored = &countingReader{r: in}
	stored := bufio.NewReaderSize(f.stored, readAhead)
	r, closeCodec, err := decompress(stored, f.stored)
	f.closeCodec = closeCodec
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
	f.format = f.opts.Format
	if f.format == "" {
		f.format = formatOf(f.path)
	}
	if f.opts.Format == "" && string(head) == parquetMagic {
		if head, err = r.Peek(textSample); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if bytes.ContainsFunc(head, isBinary) {
			f.format = Parquet
		}
	}
	if f.format == Parquet {
		err = f.openParquet(r, r == stored)
	} else {
		err = f.openText(r, r == stored)
	}
	if err != nil {
		return err
	}
	f.peeked = true
	f.first = Row{}
	f.firstErr = f.reader.next(&f.first)
	if f.firstErr == nil || errors.Is(f.firstErr, io.EOF) || isRowError(f.firstErr) {
		return nil
	}
	return f.firstErr
}

func isRowError(err error) bool {
	_, ok := errors.AsType[*RowError](err)
	return ok
}

// wrapError adds the file name and the number of rows read before the error.
func (f *file) wrapError(err error) error {
	if f.rows > 0 {
		err = fmt.Errorf("after row %d: %w", f.rows, err)
	}
	if usage, ok := errors.AsType[*UsageError](err); ok {
		return &UsageError{Err: fmt.Errorf("%s: %w", displayName(f.path), usage.Err)}
	}
	return fmt.Errorf("%s: %w", displayName(f.path), err)
}

// input opens the file or standard input.
func (f *file) input() (io.Reader, error) {
	f.size = -1
	if f.path == stdinPath {
		if f.opts.Stdin == nil {
			return nil, errors.New("there is no standard input")
		}
		return f.opts.Stdin, nil
	}
	in, err := f.openPath()
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		err = pathErr.Err
	}
	return in, err
}

func (f *file) openPath() (io.Reader, error) {
	info, err := os.Stat(f.path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory")
	case !info.Mode().IsRegular():
		open := f.opts.OpenPipe
		if open == nil {
			open = func(path string) (io.ReadCloser, error) { return os.Open(path) }
		}
		pipe, err := open(f.path)
		if err != nil {
			return nil, err
		}
		f.closer = pipe
		return pipe, nil
	}
	in, err := safefile.Open(f.path)
	if err != nil {
		return nil, err
	}
	f.closer = in
	if info, err = in.Stat(); err != nil {
		return nil, err
	}
	f.size, f.reopenable = info.Size(), true
	return in, nil
}

// openText creates the reader of a text format. It detects the format if it is
// unknown.
func (f *file) openText(r *bufio.Reader, uncompressed bool) error {
	r, unchanged, err := decodeText(r)
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
	consumed := func(int64) int64 { return f.stored.n }
	if unchanged && uncompressed {
		start := f.stored.n - int64(r.Buffered())
		consumed = func(parsed int64) int64 { return start + parsed }
	}
	// Result files are read without interpretation and may quote binary text.
	if !f.columns.raw || f.format == "" {
		if err := cmp.Or(checkForeign(f.path, head), checkText(head)); err != nil {
			return err
		}
	}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		r = bufio.NewReaderSize(lineFeeds{r}, readAhead)
		head, _ = peekLine(r) // already buffered
	}
	switch {
	case f.opts.Format != "":
	case f.format == "" && f.opts.Delimiter != 0:
		f.format = CSV
	default:
		f.format = textFormat(f.format, head)
	}
	switch f.format {
	case JSONL:
		f.reader = newJSONL(r, f, consumed)
	case JSON:
		f.reader, err = newJSON(r, f, consumed)
	case CSV, TSV:
		f.reader, err = newTable(r, f, consumed)
	case Parquet:
		err = errors.New("not a text format")
	default:
		err = usagef("unknown format %q", f.format)
	}
	return err
}

// limit returns the maximum size of a record.
func (f *file) limit() int {
	if f.opts.MaxRowBytes > 0 {
		return f.opts.MaxRowBytes
	}
	return DefaultMaxRowBytes
}

// next returns the next record.
func (f *file) next(row *Row) error {
	var err error
	if f.peeked {
		*row, err = f.first, f.firstErr
		f.peeked, f.first, f.firstErr = false, Row{}, nil
	} else {
		err = f.reader.next(row)
	}
	if err == nil && f.opts.NeedText && !HasText(row.Contexts) {
		err = &RowError{Line: row.Line, Err: errNoContexts}
		row.Contexts, row.Sources = nil, nil
	}
	switch {
	case err == nil || isRowError(err):
		f.rows++
		return err
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return io.EOF
	}
	return f.wrapError(err)
}

// suspend closes a file that can be reopened later, to limit the number of open
// files.
func (f *file) suspend() {
	if f.reopenable && f.temp == nil {
		f.close()
	}
}

// resume reopens a suspended file.
func (f *file) resume() error {
	if f.reader != nil {
		return nil
	}
	return f.open()
}

func (f *file) close() {
	if f.reader != nil {
		f.reader.close()
		f.reader = nil
	}
	if f.closeCodec != nil {
		f.closeCodec()
		f.closeCodec = nil
	}
	if f.closer != nil {
		_ = f.closer.Close() // read only
		f.closer = nil
	}
	f.removeTemp()
	f.first, f.firstErr, f.peeked = Row{}, nil, false
}

// A countingReader counts the bytes read from r.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
