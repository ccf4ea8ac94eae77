package dataset

import (
	"errors"
	"fmt"
	"slices"
)

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
	// --from must not reject a file that can be read without it.
	switch other := f.openLayout(""); {
	case other != nil && !is[*layoutError](other) && !is[*UsageError](other):
		return other
	case other != nil || f.found != "" && f.found != f.opts.From:
		return err
	}
	if f.found == "" {
		f.warnings.noteOnce(f.path, fmt.Sprintf("not a known export of %s; fields are found by column name", f.opts.From))
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
			if t, ok := f.reader.(*tableReader); ok && t.outputs != nil {
				f.found = "promptfoo"
				if f.from == f.opts.From {
					f.warnings.noteOnce(f.path, "read as an export of promptfoo (--from promptfoo), each output as a row")
				}
			}
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
	if missing := layoutOf(usual); missing.missing {
		if still := layoutOf(err); still.field == FieldContexts || still.field != missing.field && !errors.Is(err, errNoLayout) || f.format == JSON && still.missing {
			return err // about the rows inside the document, or with one of the fields
		}
		return usual
	}
	return f.openUsual(1) // the columns exist, and the first rows are invalid
}

// openUsual opens the file with its columns under the usual or mapped names. It reads
// the first records, up to a maximum, until one is valid and all mapped columns are found,
// and returns a [*layoutError] if one is not found, or the first one if no record is valid.
func (f *file) openUsual(limit int) error {
	if err := f.openRecords(); err != nil {
		return err
	}
	return f.peek(limit)
}

// peek reads the first records, see openUsual.
func (f *file) peek(limit int) error {
	var layout error
	valid := false
	for range limit {
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
	if limit > 1 {
		if err := f.mapped.check(f.columns); err != nil {
			return err
		}
		f.mapped.checked = true
	}
	if rowErr, ok := errors.AsType[*RowError](layout); ok && limit > 1 {
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
	if is[*layoutError](err) && (f.format == JSON || f.format == JSONL && f.hasOneRecord() && layoutOf(err).field == FieldAnswer) {
		document, docErr := f.peekShaped(true)
		if !is[badJSON](docErr) && (f.format == JSON || docErr == nil) { // otherwise there are several documents
			shaped, err = document, docErr
		}
	}
	if err != nil {
		return err
	}
	if tool := shaped.shape.Tool; tool != nil {
		f.found = tool.Name
	}
	if note := shaped.shape.Describe(); note != "" {
		f.warnings.noteOnce(f.path, note)
	}
	if _, ok := shaped.records.(*documentReader); ok {
		return nil
	}
	if columns := f.columns.detected(shaped.shape.Layout); columns != nil {
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

// peekShaped opens the file for detecting its layout: record by record, or as one document.
func (f *file) peekShaped(document bool) (*shapedReader, error) {
	columns := f.columns
	f.columns = &columnMap{raw: true, keepAll: true}
	f.document, f.preset = document, columns
	err := f.openRecords()
	f.columns, f.document, f.preset = columns, false, nil
	if err != nil {
		return nil, err
	}
	shaped := newShaped(f.reader.(recordReader), f.fileColumns, f.from) //nolint:forcetypeassert // all that openRecords creates
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
	record, ok := f.reader.(recordReader)
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

// hasOneRecord reports whether the file has a single record.
func (f *file) hasOneRecord() bool { return len(f.peeked) == 2 && !is[*RowError](f.peeked[1].err) }
