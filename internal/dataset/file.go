package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A file is a single file of a Set.
type file struct {
	fileColumns

	size       int64 // size on disk in bytes, or -1 if unknown
	reopenable bool
	closer     io.Closer
	in         *replayReader
	closeCodec func()     // closes the decompressors
	document   bool       // read a JSON file as one document
	from       string     // tool whose layout is tried, or ""
	found      string     // tool whose layout was recognized, or ""
	preset     *columnMap // columns while the records are read unparsed
	reader     rowReader
	parquet    *parquetReader // reader of a Parquet file, or nil

	peeked []peekedRow        // records that have been read by open
	rows   int                // number of records returned
	temp   *safefile.TempFile // copy of a Parquet file, or nil
}

// A peekedRow is the result of reading a record.
type peekedRow struct {
	row Row
	err error
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
		return nil, errors.New("is a directory; save a Hugging Face dataset as a file with to_parquet")
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

// openRecords creates the reader of the format, at the start of the file.
func (f *file) openRecords() error {
	f.closeReader()
	f.in.pos, f.in.n, f.peeked = 0, 0, nil
	if f.temp != nil {
		f.in = &replayReader{r: io.NewSectionReader(f.temp, 0, math.MaxInt64)}
	}
	f.mapped = &mappedColumns{found: map[Field]bool{}}
	stored := bufio.NewReaderSize(f.in, readAhead)
	r, closeCodec, err := decompress(stored, f.in)
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
	f.format = cmp.Or(f.opts.Format, formatOf(f.path))
	if f.opts.Format == "" && string(head) == parquetMagic {
		if head, err = r.Peek(textSample); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if bytes.ContainsFunc(head, isBinary) {
			f.format = Parquet
		}
	}
	if f.format == Parquet {
		return f.openParquet(r, r == stored)
	}
	return f.openText(r, r == stored)
}

// wrapError adds the file name and the number of rows read before the error.
func (f *file) wrapError(err error) error {
	if f.rows > 0 {
		err = fmt.Errorf("after row %d: %w", f.rows, err)
	}
	if usage, ok := errors.AsType[*UsageError](err); ok {
		return &UsageError{Err: fmt.Errorf("%s: %w", DisplayName(f.path), usage.Err)}
	}
	return fmt.Errorf("%s: %w", DisplayName(f.path), err)
}

// openText creates the reader of a text format. It detects the format if it is unknown.
func (f *file) openText(r *bufio.Reader, uncompressed bool) error {
	r, unchanged, err := decodeText(r)
	if err != nil {
		return err
	}
	head, err := peekLine(r)
	if err != nil && len(head) == 0 {
		return err
	}
	if !startsWith(head, "{") && !startsWith(head, "[") { // JSON is read as it arrives
		head, _ = r.Peek(readAhead) // the reader reports the error
	}
	if len(head) == 0 {
		return ErrEmpty
	}
	ext := filepath.Ext(uncompressedName(f.path))
	if f.opts.Format == "" && (ext == ".yaml" || ext == ".yml") && !startsWith(head, "{") && !startsWith(head, "[") {
		if err := checkText(head); err != nil {
			return err
		}
		if r, err = yamlToJSON(r, maxYAML); err != nil {
			return err
		}
		head, _ = r.Peek(readAhead) // in memory
		f.format, unchanged = JSON, false
	}
	consumed := func(int64) int64 { return f.in.n }
	if unchanged && uncompressed {
		start := f.in.n - int64(r.Buffered())
		consumed = func(parsed int64) int64 { return min(start+parsed, f.in.n) } // JSON may be read as more than it is
	}
	// Result files are read without interpretation and may quote binary text.
	if !f.columns.exact || f.format == "" {
		if err := cmp.Or(checkForeign(f.path, head), checkText(head)); err != nil {
			return err
		}
	}
	switch {
	case f.opts.Format != "":
	case f.format == "" && f.opts.Delimiter != 0:
		f.format = CSV
	default:
		f.format = textFormat(f.format, head)
	}
	switch {
	case f.format == CSV || f.format == TSV:
		f.reader, err = newTable(r, f.fileColumns, consumed)
	case f.document:
		f.reader, err = newDocument(r, f.limit(), f.preset)
	case f.format == JSONL:
		f.reader = &jsonlReader{objectReader{fileColumns: f.fileColumns}, NewLineReader(r, f.limit()), consumed}
	default:
		f.reader, err = newJSON(r, f.fileColumns, f.preset, consumed)
	}
	return err
}

// openParquet creates the reader of a Parquet file. Since Parquet requires random access, pipes and
// compressed files are first copied to a temporary file.
func (f *file) openParquet(r *bufio.Reader, uncompressed bool) error {
	in, size, err := f.randomAccess(r, uncompressed)
	if err != nil {
		return err
	}
	reader, err := newParquet(in, size, f.fileColumns)
	if err != nil {
		return err
	}
	reader.size = max(f.size, 0)
	f.reader, f.parquet = reader, reader
	return nil
}

// randomAccess returns the file if it can be read at any offset, and otherwise a temporary
// copy, with its size in bytes.
func (f *file) randomAccess(r *bufio.Reader, uncompressed bool) (in *os.File, size int64, err error) {
	in, ok := f.closer.(*os.File)
	if f.temp == nil && (!ok || !uncompressed || !f.reopenable) {
		f.in.recording = false // the copy can be read again
		if f.temp, err = safefile.Temp("", "ragfaith-*"); err != nil {
			return nil, 0, fmt.Errorf("temporary file: %w", err)
		}
		if _, err := io.Copy(f.temp, r); err != nil {
			return nil, 0, fmt.Errorf("copying to a temporary file: %w", err)
		}
	}
	if f.temp != nil {
		in = f.temp.File
	}
	info, err := in.Stat()
	if err != nil {
		return nil, 0, err
	}
	return in, info.Size(), nil
}

// next returns the next record.
func (f *file) next(row *Row) error {
	var err error
	if len(f.peeked) > 0 {
		*row, err = f.peeked[0].row, f.peeked[0].err
		f.peeked = f.peeked[1:]
	} else {
		err = f.reader.next(row)
	}
	row.Answer = printedContent(row.Answer)
	if answer := trim(row.Answer); err == nil && (shape.IsPrintedObject(answer) || shape.IsMissingAnswer(answer)) {
		err = &RowError{Line: row.Line, Err: fmt.Errorf("answer: want text, got %s, which stands for a missing value", shape.Quote(answer))}
		row.Answer = ""
	}
	if err == nil && f.opts.NeedText && !HasText(row.Contexts) {
		err = &RowError{Line: row.Line, Err: errNoContexts}
		row.Contexts, row.Sources = nil, nil
	}
	switch {
	case err == nil || is[*RowError](err):
		f.rows++
		return err
	case isEnd(err):
		return io.EOF
	}
	return f.wrapError(err)
}

// closeReader closes the reader of the format.
func (f *file) closeReader() {
	if f.parquet != nil {
		f.parquet.close()
	}
	if f.closeCodec != nil {
		f.closeCodec()
	}
	f.reader, f.parquet, f.closeCodec = nil, nil, nil
}

func (f *file) close() {
	f.closeReader()
	if f.closer != nil {
		_ = f.closer.Close() // read only
		f.closer = nil
	}
	if f.temp != nil {
		f.temp.Discard()
	}
	f.temp, f.peeked = nil, nil
}

func (r *replayReader) Read(p []byte) (n int, err error) {
	defer func() { r.n += int64(n) }()
	if r.pos < len(r.recorded) {
		n = copy(p, r.recorded[r.pos:])
		r.pos += n
		return n, nil
	}
	if !r.recording {
		r.recorded, r.pos = nil, 0
	}
	n, err = r.r.Read(p)
	if r.recording {
		r.recorded = append(r.recorded, p[:n]...)
		r.pos += n
	}
	return n, err
}
