package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A shapedReader reads records whose fields are nested, have unusual names, or are
// spread over several records. It finds them with package shape.
type shapedReader struct {
	fileColumns
	records recordReader
	shape   *shape.Reader
	ids     []*shape.Path // possible places of the id

	started bool        // a row has been returned
	count   int         // of records
	queue   []shapedRow // rows that are ready
	bytes   int         // size of the records of incomplete traces
	last    error       // reading cannot continue
}

// A shapedRow is a row, or the error of a record, with its position.
type shapedRow struct {
	shape.Record
	line   int
	key    string // name of the record in an object of records, or ""
	number int    // of the record in the file, from 0
	offset int64
	err    error
}

// maxTraceBytes limits the size of all traces of a file, whose spans can be in any order.
const maxTraceBytes = 1 << 30

func newShaped(records recordReader, f fileColumns, from string) *shapedReader {
	s := &shapedReader{fileColumns: f, records: records}
	if path, ok := f.columns.paths[FieldID]; ok {
		s.ids = []*shape.Path{path}
	} else {
		for _, name := range slices.Concat(aliases(FieldID)[0], []string{"trace_id", "traceId", "context.trace_id", "query_id", "test_id"}) {
			path, _ := shape.ParsePath(name) // valid
			s.ids = append(s.ids, path)
		}
	}
	s.shape = shape.NewReader(newFinder(), f.columns.preset(), from)
	s.shape.Turns, s.shape.Limit = f.opts.AllTurns, f.limit()
	return s
}

// next returns the next row. The first records are read together, because they must agree
// on where the fields are.
func (s *shapedReader) next(row *Row) error {
	for s.last == nil && (len(s.queue) == 0 || s.count < maxPeeked) {
		s.read()
		s.count++
	}
	if len(s.queue) == 0 {
		return s.last
	}
	next := s.queue[0]
	s.queue = s.queue[1:]
	row.Line, row.Offset = next.line, next.offset
	if next.err != nil {
		return next.err
	}
	return rowError(row.Line, s.fill(row, next))
}

// read reads a record and appends its rows, or the error, to the queue.
func (s *shapedReader) read() {
	var raw Row
	fail := func(err error) { s.queue = append(s.queue, shapedRow{line: raw.Line, offset: raw.Offset, err: err}) }
	err := s.records.next(&raw)
	switch {
	case isEnd(err):
		for _, record := range s.shape.Close() {
			s.queue = append(s.queue, shapedRow{Record: record, line: record.Line, offset: raw.Offset})
		}
		s.last = err
		fail(err)
		return
	case err != nil:
		if !is[*RowError](err) {
			s.last = err
		}
		fail(err)
		return
	}
	record, err := s.records.record()
	if err != nil {
		fail(&RowError{Line: raw.Line, Err: err})
		return
	}
	record.Line = raw.Line
	rows, err := s.shape.Read(record)
	if err != nil {
		if usage, ok := errors.AsType[*UsageError](err); ok && usage.Ambiguous && s.count < maxPeeked {
			s.queue = nil
		}
		fail(rowError(raw.Line, err))
		return
	}
	for _, r := range rows {
		s.queue = append(s.queue, shapedRow{Record: r, line: raw.Line, key: record.Name, number: s.count, offset: raw.Offset})
	}
	if len(rows) == 0 {
		if s.bytes += size(record); s.bytes > maxTraceBytes {
			s.last = fmt.Errorf("the traces exceed %s; split the file by trace", formatBytes(maxTraceBytes))
			fail(s.last)
		}
	}
}

// fill sets the fields of a row.
func (s *shapedReader) fill(row *Row, r shapedRow) error {
	if err := s.keep(row, r); err != nil {
		return err
	}
	s.mapped.record(func(f Field) bool {
		path := s.columns.paths[f]
		return path != nil && s.shape.Value(path, r.Value) != nil || f == FieldContexts && r.Contexts != nil
	}, func() []string { return r.Value.Paths(maxListed + 1) })
	for _, path := range s.ids {
		row.ID = cmp.Or(row.ID, s.id(path, r.Value))
	}
	row.ID = cmp.Or(row.ID, r.key)
	if answer := s.shape.Layout[FieldAnswer]; answer != nil && s.columns.paths[FieldID] == nil {
		for _, name := range aliases(FieldID)[0] {
			row.ID = cmp.Or(row.ID, s.id(answer.Sibling(name), r.Value))
		}
	}
	if r.Turn > 0 {
		row.ID = cmp.Or(row.ID, strconv.Itoa(r.number)) + "#" + strconv.Itoa(r.Turn)
	}
	if r.Question != nil {
		row.Question = *r.Question
	}
	if r.Answer != nil {
		row.Answer = *r.Answer
	}
	var err error
	if r.Contexts != nil {
		if r.Contexts.Kind == shape.Text {
			separator := shape.ContextSeparator(memberNames(r.Value), s.format == CSV || s.format == TSV)
			row.Contexts, row.Sources, err = separatedContexts(r.Contexts.Text, separator, s.noteSplit)
		} else {
			row.Contexts, row.Sources, err = contexts(r.Contexts)
		}
	}
	cut := r.Value.Member("truncated_cells") // as the dataset viewer of Hugging Face marks them
	switch {
	case r.Err != nil:
		return &layoutError{err: r.Err}
	case cut != nil && len(cut.Items) > 0:
		return fmt.Errorf("the file has only a part of %s (truncated_cells)", shape.Quote(cut.Items[0].Text))
	case r.Answer == nil:
		return s.missing(FieldAnswer, r.Value)
	case r.Contexts == nil:
		return s.missing(FieldContexts, r.Value)
	case err != nil:
		return &layoutError{err: err}
	}
	return nil
}

// id returns the text or number at a path, which can be nil, or "".
func (s *shapedReader) id(path *shape.Path, record *shape.Value) string {
	if path != nil {
		if v := s.shape.Value(path, record); v != nil && (v.Kind == shape.Text || v.Kind == shape.Number) {
			return v.Text
		}
	}
	return ""
}

// missing returns the error for a record without a field.
func (s *shapedReader) missing(f Field, record *shape.Value) error {
	if path := cmp.Or(s.columns.paths[f], s.shape.Layout[f]); path != nil {
		return &layoutError{fmt.Errorf("no %s: %s is missing or null", f, path), true, f}
	}
	if tool := s.shape.Tool; tool != nil {
		return &layoutError{fmt.Errorf("no %s found in an export of %s; found %s; choose one with --map %s=PATH",
			f, tool.Title, list(record.Paths(maxListed+1)), f), true, f}
	}
	return s.columns.missing(f, record.Paths(maxListed+1))
}

// keep copies the requested columns, which can also be paths, as they are in the file. The first record must
// contain the paths and the required columns.
func (s *shapedReader) keep(row *Row, r shapedRow) error {
	m, record := s.columns, r.Value
	first := !s.started
	s.started = true
	for _, name := range m.keep {
		kept := []byte("null")
		v := s.shape.Kept(name, r.Raw)
		if v == nil {
			v = s.shape.Kept(name, record)
		}
		switch {
		case v != nil:
			kept = appendJSON(nil, v)
		case first:
			if err := m.withoutKept(name, record.Paths(maxListed+1), s.warnings); err != nil {
				return err
			}
		}
		row.Kept = append(row.Kept, Column{Name: name, Value: kept})
	}
	if !m.keepAll {
		return nil
	}
	for _, v := range record.Items {
		rest := s.shape.Rest(v)
		if rest == nil || !m.keeps(v.Name) || slices.Contains(m.keep, v.Name) {
			continue
		}
		kept := appendJSON(nil, rest)
		if raw := r.Raw.Member(v.Name); raw != nil {
			// What is left of the member in the file is the same value, unless it is encoded in another way.
			raw = s.shape.Rest(raw)
			if raw != nil && bytes.Equal(kept, appendJSON(nil, s.shape.Normalize(&value{Kind: shape.Object, Items: []*value{raw}}).Items[0])) {
				kept = appendJSON(nil, raw)
			}
		}
		row.Kept = append(row.Kept, Column{Name: v.Name, Value: kept})
	}
	return nil
}

// A documentReader returns the records of a JSON document that is not an array of objects.
type documentReader struct {
	records []*shape.Value
	size    int64
	index   int // of the next record
}

// newDocument reads a whole JSON document.
func newDocument(r *bufio.Reader, limit int, columns *columnMap) (*documentReader, error) {
	raw, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > limit {
		return nil, fmt.Errorf("a JSON document of nested rows: %w", tooLong(limit))
	}
	doc, err := parseJSON(raw)
	if err != nil {
		return nil, err
	}
	d := &documentReader{size: int64(len(raw))}
	d.records, err = newFinder().Records(doc, columns.preset())
	if err != nil {
		return nil, err
	}
	switch i := slices.IndexFunc(d.records, func(v *shape.Value) bool { return v.Kind == shape.List }); {
	case i == 0:
		return nil, errArrays
	case i > 0:
		return nil, fmt.Errorf("row %d: the number of values is not that of the columns", i+1)
	}
	return d, nil
}

func (d *documentReader) next(row *Row) error {
	if d.index == len(d.records) {
		row.Offset = d.size
		return io.EOF
	}
	d.index++
	row.Line, row.Offset = d.index, d.size
	return nil
}

func (d *documentReader) record() (*value, error) { //nolint:unparam // of recordReader
	return d.records[d.index-1], nil
}

func (d *documentReader) columnNames() []string { return memberNames(d.records[d.index-1]) }
