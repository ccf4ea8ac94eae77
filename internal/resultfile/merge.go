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
		var next []*File // with a row
		for _, f := range files {
			f.index = -1
			if err := f.advance(); errors.Is(err, io.EOF) {
				continue
			} else if err != nil {
				yield(nil, err)
				return
			}
			next = append(next, f)
		}
		for len(next) > 0 {
			f := slices.MinFunc(next, func(a, b *File) int { return a.index - b.index })
			if i := slices.IndexFunc(next, func(other *File) bool { return other != f && other.index == f.index }); i >= 0 {
				yield(nil, duplicate(f, next[i]))
				return
			}
			if !yield(f.last, nil) {
				return
			}
			if err := f.advance(); errors.Is(err, io.EOF) {
				next = slices.DeleteFunc(next, func(other *File) bool { return other == f })
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
					r, err = nil, fmt.Errorf("%s: index %d, continued from %d by --append, is more than 2^53", f.location(), r.Index, base)
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

// advance reads the next row. It returns io.EOF at the end.
func (f *File) advance() error {
	r, err := f.next()
	if err != nil {
		return err
	}
	before := f.index
	if f.last, f.index = r, r.Index; f.index <= before {
		return fmt.Errorf("%s: index %d after %d: rows of a result file must be in ascending order; if it was concatenated from several files, pass those instead",
			f.location(), f.index, before)
	}
	return nil
}

// location returns the file and line of the last row.
func (f *File) location() string { return fmt.Sprintf("%s:%d", f.name(), f.line) }

// duplicate returns the error of two files whose last rows have the same index.
func duplicate(a, b *File) error {
	return fmt.Errorf("%s and %s both have index %d, with ids %q and %q, and would count twice; if they are from two datasets, --append continues the index from one file to the next",
		a.location(), b.location(), a.index, a.last.ID, b.last.ID)
}

// closeAll closes all files.
func closeAll(files []*File) {
	for _, f := range files {
		f.Close()
	}
}
