package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A Set reads one or more files as a single sequence of rows. It is not safe for concurrent use.
type Set struct {
	files    []*file
	warnings *warnings
	started  bool

	// Keyed 64-bit hashes of ids, so that long ids need no memory and crafted ids cause no false reports.
	ids        map[uint64]struct{}
	unnamed    int // leading rows without an id
	seed       maphash.Seed
	duplicates int
}

// Open opens files in the given order; "-" is standard input. Before it returns, it checks that
// each file exists, has a valid format and contains the required columns, and reads its first
// record. Invalid options result in a [*UsageError]. After an error all files are closed.
func Open(paths []string, opts Options) (*Set, error) {
	if len(paths) == 0 {
		return nil, usagef("no files to read")
	}
	if opts.Format != "" && !slices.Contains(Formats(), string(opts.Format)) {
		return nil, usagef("unknown format %q: want %s", opts.Format, strings.Join(Formats(), ", "))
	}
	columns, err := newColumnMap(opts)
	if err != nil {
		return nil, err
	}
	s := &Set{warnings: newWarnings(opts), ids: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	for _, path := range paths {
		f := &file{fileColumns: fileColumns{path: path, columns: columns, warnings: s.warnings, opts: &opts}}
		if err := f.open(); err != nil {
			s.Close()
			return nil, err
		}
		if len(s.files) > 0 && f.reopenable && f.temp == nil {
			f.close() // Rows reopens it; this limits the number of open files
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

// Rows returns an iterator over the rows. It can be used once; stopping early closes the files. An
// invalid record yields a [*RowError] together with a Row that contains its position and all valid
// fields. Any other error ends the iteration, for example a truncated file, or files without rows.
func (s *Set) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if s.started {
			yield(Row{}, errors.New("the rows have been read already"))
			return
		}
		s.started = true
		defer s.Close()
		var before int64
		index := 0
		var row Row // reused to avoid an allocation per row
		for _, f := range s.files {
			if f.reader == nil {
				if err := f.open(); err != nil {
					yield(Row{}, err)
					return
				}
			}
			for {
				row = Row{}
				err := f.next(&row)
				if err == io.EOF { //nolint:errorlint // next returns io.EOF unwrapped
					break
				}
				if err != nil && !is[*RowError](err) {
					yield(Row{}, err)
					return
				}
				row.Index, row.File = index, f.path
				row.Offset += before
				s.setID(&row, err == nil)
				if rowErr, ok := errors.AsType[*RowError](err); ok {
					rowErr.File = f.path
				}
				index++
				if !yield(row, err) {
					return
				}
			}
			f.close()
			before += max(f.size, 0)
		}
		if s.duplicates > 1 {
			s.warnings.warn(fmt.Errorf("%d rows have the id of an earlier row", s.duplicates))
		}
		if index == 0 {
			yield(Row{}, s.noRows())
		}
	}
}

// maxIDs limits the number of ids that later ones are compared with.
const maxIDs = 1 << 20

// setID sets a missing id and warns about the first duplicate, unless no row has an id. It does not
// check the id of an invalid row, which may be truncated.
func (s *Set) setID(row *Row, valid bool) {
	problem := "duplicate id "
	if row.ID == "" {
		problem, row.ID = "no id; its index is the id of an earlier row: ", strconv.Itoa(row.Index)
		if len(s.ids) == 0 {
			s.unnamed = row.Index + 1
			return
		}
	}
	if !valid {
		return
	}
	id := maphash.String(s.seed, row.ID)
	_, known := s.ids[id]
	if n, err := strconv.Atoi(row.ID); err == nil && strconv.Itoa(n) == row.ID {
		known = known || 0 <= n && n < s.unnamed
	}
	if known {
		if s.duplicates++; s.duplicates == 1 {
			s.warnings.warn(fmt.Errorf("%s:%d: %s%s", DisplayName(row.File), row.Line, problem, shape.Quote(row.ID)))
		}
	} else if len(s.ids) < maxIDs {
		s.ids[id] = struct{}{}
	}
}

func (s *Set) noRows() error {
	var names []string
	for _, f := range s.files {
		names = append(names, DisplayName(f.path))
	}
	return fmt.Errorf("%s: %w", strings.Join(names, ", "), errNoRows)
}

// Size returns the total size of all files on disk, which is the final value of
// Row.Offset. It returns -1 if the size is unknown, as for standard input.
func (s *Set) Size() int64 {
	var sum int64
	for _, f := range s.files {
		if f.size < 0 {
			return -1
		}
		sum += f.size
	}
	return sum
}

// Close closes the files and removes temporary files. It can be called more
// than once, but not during an iteration over Rows.
func (s *Set) Close() {
	s.started = true
	for _, f := range s.files {
		f.close()
	}
}

// A Record is an uninterpreted record of a file.
type Record struct {
	Line    int      // same as Row.Line
	Object  []byte   // JSONL and JSON: value of the record, possibly invalid or not an object
	Columns []Column // CSV, TSV and Parquet: named columns in order
}

// Members returns the members of Object by name. The floats of Python, such as NaN, are null.
func (r *Record) Members() (members map[string]json.RawMessage, err error) {
	if err = json.Unmarshal(r.Object, &members); err == nil {
		return members, nil
	}
	if json.Unmarshal(replacePythonFloats(r.Object), &members) != nil {
		return nil, fmt.Errorf("want a JSON object: %w", err)
	}
	return members, nil
}

// Records reads the records of a file. It is not safe for concurrent use.
type Records struct {
	file *file
}

// OpenRecords opens a file of any format without interpreting its columns. It uses the options
// Stdin, Format, MaxRowBytes, OpenPipe and Warn. After an error the file is closed.
func OpenRecords(path string, opts Options) (*Records, error) {
	columns := &columnMap{raw: true, exact: true, keepAll: true}
	f := &file{fileColumns: fileColumns{path: path, columns: columns, warnings: newWarnings(opts), opts: &opts}}
	if err := f.open(); err != nil {
		return nil, err
	}
	return &Records{f}, nil
}

// Format returns the format of the file, independent of compression.
func (r *Records) Format() Format { return r.file.format }

// Names returns the column names, or nil if the format has no header.
func (r *Records) Names() []string {
	if r.file.format == JSON || r.file.format == JSONL {
		return nil
	}
	return r.file.reader.(recordReader).columnNames() //nolint:forcetypeassert // all that openRecords creates
}

// Metadata returns the value of a key in the metadata of a Parquet file, or "".
func (r *Records) Metadata(name string) string {
	p, ok := r.file.reader.(*parquetReader)
	if !ok {
		return ""
	}
	value, _ := p.file.Lookup(name)
	return value
}

// Next returns the next record, or io.EOF after the last one. An invalid record results in a
// [*RowError], after which reading can continue. Any other error is final.
func (r *Records) Next() (Record, error) {
	var row Row
	err := r.file.next(&row)
	if rowErr, ok := errors.AsType[*RowError](err); ok {
		rowErr.File = r.file.path
		return Record{Line: row.Line}, err
	}
	if err != nil {
		return Record{}, err
	}
	record := Record{Line: row.Line, Columns: row.Kept}
	if f := r.file.format; f == JSONL || f == JSON {
		record.Object, record.Columns = row.Kept[0].Value, nil
	}
	return record, nil
}

// Close closes the file. It can be called more than once.
func (r *Records) Close() { r.file.close() }
