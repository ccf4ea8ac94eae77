package resultfile

import (
	"container/heap"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
)

// Merge returns the results of all files in the order of their index, as one run
// over the dataset would have written them: shards of a dataset interleave. It holds
// one row of each file, and closes the files.
//
// The rows of a file have to ascend by index, as they are written, and no index may
// come twice: the same row judged twice, or rows of two datasets, would count for
// more than they are. Either is an error that names both places and is the last
// thing that is yielded, like any error of a file.
func Merge(files []*File) iter.Seq2[*result.Row, error] {
	return func(yield func(*result.Row, error) bool) {
		next, err := openHeads(files)
		defer func() { closeAll(files, next) }()
		if err != nil {
			yield(nil, err)
			return
		}
		for heap.Init(&next); len(next) > 0; {
			h := next[0]
			if other := next.second(); other != nil && other.index == h.index {
				yield(nil, twice(h, other))
				return
			}
			if !yield(h.row, nil) {
				return
			}
			if err := h.advance(); err == io.EOF { //nolint:errorlint // advance returns it alone
				heap.Pop(&next)
			} else if err != nil {
				yield(nil, err)
				return
			} else {
				heap.Fix(&next, 0)
			}
		}
	}
}

// Append returns the results of the files one after another, as one run over all
// their datasets would have written them: the index of a row goes on from the
// highest of the files before. It holds one row, and closes the files. Within a
// file it asks for what [Merge] does.
func Append(files []*File) iter.Seq2[*result.Row, error] {
	return func(yield func(*result.Row, error) bool) {
		base := 0
		for _, f := range files {
			next := base
			for r, err := range Merge([]*File{f}) {
				if err == nil && base > result.MaxIndex-r.Index {
					r, err = nil, fmt.Errorf("%s:%d: index %d, counted on from %d by --append, is more than 2^53", f.name(), f.Line(), r.Index, base)
				}
				if err == nil {
					r.Index += base
					next = r.Index + 1
				}
				if !yield(r, err) || err != nil {
					closeAll(files, nil)
					return
				}
			}
			base = next
		}
	}
}

// A head is the next row of a file, which there is.
type head struct {
	file  *File
	order int // of the file among all
	pull  func() (*result.Row, error, bool)
	stop  func()
	row   *result.Row
	// index and line are those of the row, which belongs to another once it is
	// yielded.
	index, line int
}

// openHeads reads the first row of each file that has one.
func openHeads(files []*File) (heads, error) {
	var all heads
	for i, f := range files {
		h := &head{file: f, order: i}
		h.pull, h.stop = iter.Pull2(f.Rows())
		switch err := h.advance(); {
		case err == io.EOF: //nolint:errorlint // advance returns it alone
			h.stop()
		case err != nil:
			h.stop()
			return all, err
		default:
			all = append(all, h)
		}
	}
	return all, nil
}

// advance reads the next row, or returns io.EOF alone.
func (h *head) advance() error {
	first, before := h.row == nil, h.index
	r, err, ok := h.pull()
	switch {
	case !ok:
		h.stop()
		return io.EOF
	case err != nil:
		return err
	}
	h.row, h.index, h.line = r, r.Index, h.file.Line()
	if !first && h.index <= before {
		return fmt.Errorf("%s: index %d after %d: the rows of a file of results ascend by index; where it was put together of several, name those instead",
			h.place(), h.index, before)
	}
	return nil
}

// place is where the row lies.
func (h *head) place() string { return fmt.Sprintf("%s:%d", h.file.name(), h.line) }

// twice is the error of two rows with one index.
func twice(a, b *head) error {
	if sameRow(a.row, b.row) {
		return fmt.Errorf("%s and %s are the same row, with index %d and id %q: it would count twice",
			a.place(), b.place(), a.index, a.row.ID)
	}
	return fmt.Errorf("%s and %s both have index %d, with ids %q and %q: are they of two datasets? --append counts on from one file to the next",
		a.place(), b.place(), a.index, a.row.ID, b.row.ID)
}

// sameRow reports whether two results are of the same row of a dataset.
func sameRow(a, b *result.Row) bool {
	x, y := a, b
	return x.ID == y.ID && x.Question == y.Question && x.Answer == y.Answer && slices.Equal(x.Contexts, y.Contexts)
}

// closeAll ends the reading of all files.
func closeAll(files []*File, next heads) {
	for _, h := range next {
		h.stop()
	}
	for _, f := range files {
		_ = f.Close() // it was only read
	}
}
