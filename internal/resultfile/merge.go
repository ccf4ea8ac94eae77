package resultfile

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
)

// Merge returns the rows of all files in index order, as a single run over the dataset would have
// written them. It keeps one row of each file in memory and closes the files.
//
// The rows of each file must be in ascending order, and each index must be unique:
// otherwise a row would count twice. An error is the last element.
func Merge(files []*File) iter.Seq2[*result.Row, error] {
	return func(yield func(*result.Row, error) bool) {
		defer closeAll(files)
		var next []*head
		for _, f := range files {
			h := &head{file: f, index: -1}
			if err := h.advance(); errors.Is(err, io.EOF) {
				continue
			} else if err != nil {
				yield(nil, err)
				return
			}
			next = append(next, h)
		}
		for len(next) > 0 {
			h := slices.MinFunc(next, func(a, b *head) int { return a.index - b.index })
			if i := slices.IndexFunc(next, func(other *head) bool { return other != h && other.index == h.index }); i >= 0 {
				yield(nil, duplicate(h, next[i]))
				return
			}
			if !yield(h.row, nil) {
				return
			}
			if err := h.advance(); errors.Is(err, io.EOF) {
				next = slices.DeleteFunc(next, func(other *head) bool { return other == h })
			} else if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// Append returns the rows of the files one after another, as one run over all their datasets would
// have written them: the indexes of each file continue those of the previous one. It keeps one row
// in memory and closes the files. Each file must be ordered as for [Merge].
func Append(files []*File) iter.Seq2[*result.Row, error] {
	return func(yield func(*result.Row, error) bool) {
		base := 0
		for _, f := range files {
			next := base
			for r, err := range Merge([]*File{f}) {
				if err == nil && base > result.MaxIndex-r.Index {
					r, err = nil, fmt.Errorf("%s:%d: index %d, continued from %d by --append, is more than 2^53", f.name(), f.line, r.Index, base)
				}
				if err == nil {
					r.Index += base
					next = r.Index + 1
				}
				if !yield(r, err) || err != nil {
					closeAll(files)
					return
				}
			}
			base = next
		}
	}
}

// A head is the next row of a file.
type head struct {
	file *File
	row  *result.Row
	// index and line belong to row, which must not be read after it was yielded.
	index, line int
}

// advance reads the next row. It returns io.EOF at the end.
func (h *head) advance() error {
	before := h.index
	r, err := h.file.next()
	if err != nil {
		return err
	}
	h.row, h.index, h.line = r, r.Index, h.file.line
	if h.index <= before {
		return fmt.Errorf("%s: index %d after %d: rows of a result file must be in ascending order; if it was concatenated from several files, pass those instead",
			h.location(), h.index, before)
	}
	return nil
}

// location returns the file and line of the row.
func (h *head) location() string { return fmt.Sprintf("%s:%d", h.file.name(), h.line) }

// duplicate returns the error of two rows with the same index.
func duplicate(a, b *head) error {
	return fmt.Errorf("%s and %s both have index %d, with ids %q and %q, and would count twice; if they are from two datasets, --append continues the index from one file to the next",
		a.location(), b.location(), a.index, a.row.ID, b.row.ID)
}

// closeAll closes all files.
func closeAll(files []*File) {
	for _, f := range files {
		_ = f.Close() // it was only read
	}
}
