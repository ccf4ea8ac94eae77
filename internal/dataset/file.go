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
	"slices"
)

// fileColumns is what the readers of all formats know of a file.
type fileColumns struct {
	path     string
	columns  *columnMap
	warnings *warnings
	mapped   *mappedColumns
}

// noteSplit reports that texts in the file are split into contexts.
func (c *fileColumns) noteSplit() {
	c.warnings.noteOnce(c.path, "contexts are split at |, with which DeepEval joins them; a JSON list prevents that")
}

// A file is a single file of a Set.
type file struct {
	fileColumns
	opts *Options

	size       int64 // size on disk in bytes, or -1 if unknown
	reopenable bool
	closer     io.Closer
	in         *replayReader
	stored     *countingReader
	closeCodec func() // closes the decompressors
	format     Format
	document   bool       // read a JSON file as one document
	from       string     // tool whose layout is tried, or ""
	found      string     // tool whose layout was recognized, or ""
	preset     *columnMap // columns while the records are read unparsed
	reader     rowReader
	parquet    *parquetReader // reader of a Parquet file, or nil

	peeked   []peekedRow // records that have been read by open
	rows     int         // number of records returned
	temp     *os.File    // temporary copy of a Parquet file, or nil
	tempName string      // path of temp if it must be removed, or ""
}

// A peekedRow is the result of reading a record.
type peekedRow struct {
	row Row
	err error
}

// A rowReader reads the rows of one format. It sets the fields that a record
// contains. The file and the Set add the remaining ones.
type rowReader interface {
	// next reads one record. It returns io.EOF after the last record and a
	// *RowError without a file name for an invalid record. After any other error
	// reading cannot continue.
	next(row *Row) error
}

// A recordReader is a rowReader that does not look for fields if columnMap.raw is set.
type recordReader interface {
	rowReader
	// record returns the record that next read last, valid until the next call of next.
	record() (*value, error)
}

// maxPeeked limits the number of records that are read to find the layout of a file.
const maxPeeked = 10

// open opens the file and reads its first records, so that errors about the whole file
// are reported early. If they have no answer or contexts under the usual names, their
// layout is detected. After an error everything is closed.
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
	f.in = &replayReader{r: in, recording: true}
	defer func() { f.in.recording = false }()
	if f.columns.raw {
		return f.openUsual(1)
	}
	err = f.openLayout(f.opts.From)
	if err == nil || f.opts.From == "" {
		return err
	}
	// Naming the tool must not prevent reading what can be read without its name.
	switch other := f.openLayout(""); {
	case other != nil && !is[*layoutError](other) && !is[*UsageError](other):
		return other
	case other != nil || f.found != "" && f.found != f.opts.From:
		return err
	}
	if f.found == "" {
		f.warnings.noteOnce(f.path, fmt.Sprintf("not an export of %s as it is known; read by its names", f.opts.From))
	}
	return nil
}

// openLayout opens the file with the layout of a tool or, if from is empty, with its
// columns under the usual names or a layout that is detected.
func (f *file) openLayout(from string) (err error) {
	f.from, f.found = from, ""
	var usual error
	if from == "" {
		if usual = f.openUsual(maxPeeked); usual == nil {
			f.noteOutputs()
			return f.findQuestion()
		}
		if !is[*layoutError](usual) {
			return usual
		}
	}
	err = f.openShaped()
	if err == nil || !is[*layoutError](err) || from != "" || f.columns.hasPaths() {
		return err
	}
	if isMissing(usual) {
		if missingField(err) == FieldContexts || missingField(err) != missingField(usual) && !errors.Is(err, errNoLayout) || f.format == JSON && isMissing(err) {
			return err // about the rows inside the document, or with one of the fields
		}
		return usual
	}
	return f.openUsual(1) // the columns exist, and the first rows are invalid
}

// openUsual opens the file with its columns under the usual or mapped names. It reads
// the first records, up to a maximum, until one is valid and all mapped columns are found,
// and returns a [*layoutError] if one is not found, or the first one if no record is valid.
func (f *file) openUsual(maxPeeked int) error {
	if err := f.openRecords(); err != nil {
		return err
	}
	return f.peek(maxPeeked)
}

// peek reads the first records, see openUsual.
func (f *file) peek(maxPeeked int) error {
	var layout error
	valid := false
	for range maxPeeked {
		var p peekedRow
		p.err = f.reader.next(&p.row)
		switch {
		case is[*layoutError](p.err):
			if layout == nil && !valid {
				layout = p.err
			}
			if !is[*RowError](p.err) {
				return p.err
			}
		case p.err == nil:
			layout, valid = nil, true
		case !is[*RowError](p.err) && !isEnd(p.err):
			return p.err
		}
		f.peeked = append(f.peeked, p)
		if p.err == nil && f.mapped.check(f.columns) == nil || p.err != nil && !is[*RowError](p.err) {
			break
		}
	}
	if maxPeeked > 1 {
		if err := f.mapped.check(f.columns); err != nil {
			return err
		}
		f.mapped.checked = true
	}
	if rowErr, ok := errors.AsType[*RowError](layout); ok && maxPeeked > 1 {
		return rowErr.Err
	}
	return nil
}

// errNoLayout reports a file whose layout is not recognized.
var errNoLayout error = &layoutError{err: errors.New("no answers and contexts found")}

// openShaped opens a file whose layout must be detected. If the fields turn out to be
// columns with other names, it reopens the file with these.
func (f *file) openShaped() error {
	shaped, err := f.peekShaped(false)
	if is[*layoutError](err) && (f.format == JSON || f.format == JSONL && f.isLone() && missingField(err) == FieldAnswer) {
		document, docErr := f.peekShaped(true)
		if !is[badJSON](docErr) && (f.format == JSON || docErr == nil) { // otherwise there are several documents
			shaped, err = document, docErr
		}
	}
	if err != nil {
		return err
	}
	if tool := shaped.shape.Tool(); tool != nil {
		f.found = tool.Name
	}
	if note := shaped.shape.Describe(); note != "" {
		f.warnings.noteOnce(f.path, note)
	}
	if _, ok := shaped.records.(*documentReader); ok {
		return nil
	}
	if columns := f.columns.detected(shaped.shape.Layout()); columns != nil {
		usual := f.columns
		f.columns = columns
		err := f.openUsual(maxPeeked)
		if err == nil {
			return nil
		}
		f.columns = usual
		if shaped, err = f.peekShaped(false); err == nil {
			shaped.shape.All = true
		}
		return err
	}
	return nil
}

// peekShaped opens the file for detecting its layout: record by record, or as one
// document.
func (f *file) peekShaped(document bool) (*shapedReader, error) {
	columns := f.columns
	f.columns = &columnMap{raw: true, keepAll: true}
	f.document, f.preset = document, columns
	err := f.openRecords()
	f.columns, f.document, f.preset = columns, false, nil
	if err != nil {
		return nil, err
	}
	shaped := newShaped(f.reader.(recordReader), f) //nolint:forcetypeassert // all that openRecords creates
	f.reader = shaped
	if err := f.peek(maxPeeked); err != nil {
		return nil, err
	}
	if last := f.peeked[len(f.peeked)-1]; last.err != nil {
		return nil, errNoLayout
	}
	return shaped, nil
}

// findQuestion reads the question from a column with another name if the first record has
// none under the usual ones.
func (f *file) findQuestion() error {
	record, ok := f.reader.(interface{ columnNames() []string })
	if !ok || f.columns.mapped[FieldQuestion] != "" || slices.ContainsFunc(f.peeked, func(p peekedRow) bool { return p.row.Question != "" || p.err != nil }) {
		return nil
	}
	name := f.columns.question(record.columnNames())
	if name == "" {
		return nil
	}
	usual := f.columns
	f.columns = usual.reading(FieldQuestion, name)
	if f.openUsual(1) == nil && f.peeked[0].err == nil && f.peeked[0].row.Question != "" {
		f.warnings.noteOnce(f.path, "question from "+name)
		return nil
	}
	f.columns = usual
	return f.openUsual(maxPeeked)
}

// noteOutputs reports a table in which a record has several rows.
func (f *file) noteOutputs() {
	if t, ok := f.reader.(*tableReader); ok && t.outputs != nil {
		f.found = "promptfoo"
		if f.from == f.opts.From {
			f.warnings.noteOnce(f.path, "read as an export of promptfoo (--from promptfoo), each output as a row")
		}
	}
}

// isLone reports whether the first records are one record.
func (f *file) isLone() bool { return len(f.peeked) == 2 && !is[*RowError](f.peeked[1].err) }

// openRecords creates the reader of the format, at the start of the file.
func (f *file) openRecords() error {
	f.rewind()
	f.mapped = &mappedColumns{found: map[Field]bool{}}
	f.stored = &countingReader{r: f.in}
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

// rewind closes the reader and returns to the start of the file, unless reading it has
// not begun.
func (f *file) rewind() {
	f.closeReader()
	f.in.pos = 0
	if f.temp != nil {
		f.in = &replayReader{r: io.NewSectionReader(f.temp, 0, math.MaxInt64)}
	}
	f.peeked = nil
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
	if !startsWith(head, "{") && !startsWith(head, "[") { // JSON is read as it arrives
		head, _ = r.Peek(readAhead) // the reader reports the error
	}
	if len(head) == 0 {
		return ErrEmpty
	}
	if f.opts.Format == "" && isYAML(f.path) && !startsWith(head, "{") && !startsWith(head, "[") {
		if err := checkText(head); err != nil {
			return err
		}
		if r, err = yamlToJSON(r, maxYAML); err != nil {
			return err
		}
		head, _ = r.Peek(readAhead) // in memory
		f.format, unchanged = JSON, false
	}
	consumed := func(int64) int64 { return f.stored.n }
	if unchanged && uncompressed {
		start := f.stored.n - int64(r.Buffered())
		consumed = func(parsed int64) int64 { return start + parsed }
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
		f.reader, err = newTable(r, f, consumed)
	case f.document:
		f.reader, err = newDocument(r, f, f.preset)
	case f.format == JSONL:
		f.reader = newJSONL(r, f, consumed)
	default:
		f.reader, err = newJSON(r, f, consumed)
	}
	return err
}

// limit returns the maximum size of a record.
func (f *file) limit() int { return cmp.Or(f.opts.MaxRowBytes, DefaultMaxRowBytes) }

// next returns the next record.
func (f *file) next(row *Row) error {
	var err error
	if len(f.peeked) > 0 {
		*row, err = f.peeked[0].row, f.peeked[0].err
		f.peeked = f.peeked[1:]
	} else {
		err = f.reader.next(row)
	}
	if err == nil && isMissingAnswer(row.Answer) {
		err = &RowError{Line: row.Line, Err: fmt.Errorf("answer: want text, got %s, which stands for a missing value", quote(trim(row.Answer)))}
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
	f.removeTemp()
	f.peeked = nil
}
