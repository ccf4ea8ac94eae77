package dataset

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// A Set is one or more files that are read as one sequence of rows. It is for
// one goroutine.
type Set struct {
	sources []*source
	note    *notes
	ids     *ids
	started bool
}

// Open opens the files in the given order; "-" is standard input. Every file is
// checked before the first row is handed out: that it is there, that it is of
// its format, that it has the columns, and that its first record can be got at.
// What is wrong with a wish is a [*UsageError]. After an error nothing is left
// open.
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
	b, err := newBinding(opts)
	if err != nil {
		return nil, err
	}
	s := &Set{note: &notes{warn: opts.Warn}, ids: newIDs()}
	for _, name := range b.keep {
		s.note.keep(name)
	}
	stdin := false
	for _, path := range paths {
		if path == stdinPath && stdin {
			_ = s.Close()
			return nil, usagef("standard input can be read once only")
		}
		stdin = stdin || path == stdinPath
		src := &source{path: path, opts: &opts, b: b, note: s.note}
		if err := src.open(); err != nil {
			_ = s.Close()
			return nil, err
		}
		if len(s.sources) > 0 {
			src.suspend()
		}
		s.sources = append(s.sources, src)
	}
	return s, nil
}

// Rows returns the rows in order. It can be read once, and in part: then the
// rest is closed unread. A record that cannot be read comes with a [*RowError],
// and its Row holds where it is and what of it could be read. Any other error
// is the last: of a file that breaks off, or [ErrNoRows].
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
		var row Row // the readers fill it; what is handed out is a copy
		for _, src := range s.sources {
			if err := src.resume(); err != nil {
				yield(Row{}, err)
				return
			}
			for {
				row = Row{}
				err := src.next(&row)
				if err == io.EOF { //nolint:errorlint // a source hands out io.EOF as it is
					break
				}
				if err != nil && !isRowError(err) {
					yield(Row{}, err)
					return
				}
				row.Index, row.File = index, src.path
				row.Offset += before
				s.name(&row)
				if r := (*RowError)(nil); errors.As(err, &r) {
					r.File = src.path
				}
				index++
				if !yield(row, err) {
					return
				}
			}
			src.close()
			before += max(src.size, 0)
		}
		if err := s.ids.rest(); err != nil {
			s.note.warn(err)
		}
		if index == 0 {
			yield(Row{}, s.noRows())
		}
	}
}

// name gives the row its id.
func (s *Set) name(row *Row) {
	if row.ID == "" {
		row.ID = strconv.Itoa(row.Index)
		return
	}
	if err := s.ids.see(row); err != nil {
		s.note.warn(err)
	}
}

func (s *Set) noRows() error {
	var names []string
	for _, src := range s.sources {
		names = append(names, displayName(src.path))
	}
	return fmt.Errorf("%s: %w", strings.Join(names, ", "), ErrNoRows)
}

// Size returns the total for Row.Offset: the bytes of all files as they are
// stored, or -1 where that is not known, as with standard input.
func (s *Set) Size() int64 {
	var sum int64
	for _, src := range s.sources {
		if src.size < 0 {
			return -1
		}
		sum += src.size
	}
	return sum
}

// Kept returns the names of the kept columns that are known so far: those asked
// for, and with Options.KeepAll those of the headers and of the JSON objects
// that have been read, in the order in which they were met.
func (s *Set) Kept() []string { return slices.Clone(s.note.kept) }

// Close closes what is open and removes temporary files. It can be called more
// than once, and while Rows is read by nobody.
func (s *Set) Close() error {
	s.started = true
	for _, src := range s.sources {
		src.close()
	}
	return nil
}

// notes are what a Set has to tell beside its rows.
type notes struct {
	warn func(error)
	said map[string]bool
	kept []string
	have map[string]bool
}

// maxNotes is how many different warnings about columns are given.
const maxNotes = 20

// once passes a warning on the first time that it comes.
func (n *notes) once(err error) {
	if n.said == nil {
		n.said = map[string]bool{}
	}
	if text := err.Error(); !n.said[text] && len(n.said) < maxNotes {
		n.said[text] = true
		n.warn(err)
	}
}

// maxKept is how many names Kept remembers.
const maxKept = 1 << 12

// keep notes the name of a kept column.
func (n *notes) keep(name string) {
	if n.have[name] || len(n.kept) >= maxKept {
		return
	}
	if n.have == nil {
		n.have = map[string]bool{}
	}
	n.have[name] = true
	n.kept = append(n.kept, name)
}

// header notes what a file's header tells.
func (n *notes) header(path string, h *header) {
	for _, err := range h.left {
		n.once(fmt.Errorf("%s: %w", displayName(path), err))
	}
	for _, i := range h.keep {
		n.keep(h.names[i])
	}
}
