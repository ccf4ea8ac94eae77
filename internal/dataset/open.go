package dataset

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
)

// A Set reads one or more files as one sequence of rows. It must not be used by
// several goroutines at once.
type Set struct {
	files    []*file
	warnings *warnings
	ids      *idSet
	started  bool
}

// Open opens files in the given order; "-" is standard input. It checks every file
// before the first row is returned: that it exists, has the right format and the
// required columns, and that its first record can be reached. Wrong options give a
// [*UsageError]. After an error nothing is left open.
func Open(paths []string, opts Options) (*Set, error) {
	if len(paths) == 0 {
		return nil, usagef("no files to read")
	}
	if opts.Format != "" {
		if _, err := ParseFormat(string(opts.Format)); err != nil {
			return nil, err
		}
	}
	if opts.Warn == nil {
		opts.Warn = func(error) {}
	}
	columns, err := newColumnMap(opts)
	if err != nil {
		return nil, err
	}
	s := &Set{warnings: &warnings{warn: opts.Warn}, ids: newIDSet()}
	stdin := false
	for _, path := range paths {
		if path == stdinPath && stdin {
			_ = s.Close()
			return nil, usagef("standard input can only be read once")
		}
		stdin = stdin || path == stdinPath
		f := &file{path: path, opts: &opts, columns: columns, warnings: s.warnings}
		if err := f.open(); err != nil {
			_ = s.Close()
			return nil, err
		}
		if len(s.files) > 0 {
			f.suspend()
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

// Rows returns the rows in order. It can be iterated once; stopping early closes
// the files. A record that cannot be read comes with a [*RowError], and its Row
// holds its position and whatever could be read. Any other error is the last one:
// of a truncated file, or [ErrNoRows].
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
		var row Row // filled by the readers and yielded as a copy
		for _, f := range s.files {
			if err := f.resume(); err != nil {
				yield(Row{}, err)
				return
			}
			for {
				row = Row{}
				err := f.next(&row)
				if err == io.EOF { //nolint:errorlint // next returns io.EOF unwrapped
					break
				}
				if err != nil && !isRowError(err) {
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
		if err := s.ids.summary(); err != nil {
			s.warnings.warn(err)
		}
		if index == 0 {
			yield(Row{}, s.noRows())
		}
	}
}

// setID sets a missing id and checks a given one for duplicates. The id of an
// unreadable row is not checked, as it may be truncated.
func (s *Set) setID(row *Row, readable bool) {
	if row.ID == "" {
		row.ID = strconv.Itoa(row.Index)
		return
	}
	if !readable {
		return
	}
	if err := s.ids.check(row); err != nil {
		s.warnings.warn(err)
	}
}

func (s *Set) noRows() error {
	var names []string
	for _, f := range s.files {
		names = append(names, displayName(f.path))
	}
	return fmt.Errorf("%s: %w", strings.Join(names, ", "), ErrNoRows)
}

// Size returns the total for Row.Offset: the stored bytes of all files, or -1 if
// unknown, as with standard input.
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

// Close closes the files and removes temporary ones. It can be called more than
// once, but not while Rows is being iterated.
func (s *Set) Close() error {
	s.started = true
	for _, f := range s.files {
		f.close()
	}
	return nil
}

// warnings passes on warnings about columns, each once.
type warnings struct {
	warn func(error)
	seen map[string]bool
}

// maxWarnings limits the number of different warnings about columns.
const maxWarnings = 20

// once passes on a warning unless it has been seen.
func (w *warnings) once(err error) {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	if text := err.Error(); !w.seen[text] && len(w.seen) < maxWarnings {
		w.seen[text] = true
		w.warn(err)
	}
}

// header passes on the warnings about a header.
func (w *warnings) header(path string, h *header) {
	for _, err := range h.warnings {
		w.once(fmt.Errorf("%s: %w", displayName(path), err))
	}
}
