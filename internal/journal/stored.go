package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A Stored reads the results of an earlier run in step with the rows of the dataset.
// Its methods, except Kept and Retried, must not be called concurrently.
type Stored struct {
	Part string      // path of the file
	Warn func(error) // called for the first damaged line; may be nil
	Done func()      // called once after the last result; may be nil

	file    *os.File
	lines   *result.Reader
	scratch []byte
	next    *result.Row // read, but its row has not been reached; nil for none
	gap     bool        // damaged lines precede next, so rows before it may have no result
	damaged bool        // any line was damaged
	rows    int         // number of rows before the end of the results
	atEnd   bool
	total   atomic.Int64 // rows, or -1 before the end
	kept    atomic.Int64
	retried atomic.Int64
}

// A ChangedError reports that the dataset differs from that of the stored results.
type ChangedError struct {
	Part string
	What string // row and field
}

// Error names the first difference.
func (e *ChangedError) Error() string {
	return e.What + ": cannot resume " + e.Part + ", which is unchanged"
}

func openStored(part string) (*Stored, error) {
	file, err := safefile.Open(part)
	if err != nil {
		return nil, err
	}
	s := &Stored{Part: part, file: file, lines: result.NewReader(file, result.Check)}
	s.total.Store(-1)
	return s, nil
}

// Kept returns the number of stored results used so far.
func (s *Stored) Kept() int { return int(s.kept.Load()) }

// Retried returns the number of stored failures so far that are retried.
func (s *Stored) Retried() int { return int(s.retried.Load()) }

// Next is an eval.Earlier. It returns the stored result of the row, or nil if the row
// must be scored: it has no result, its result is damaged, or its failure may be temporary. A
// row that could not be read remains failed. Next returns a *ChangedError if the stored result
// belongs to a different row, and an error if the file cannot be read.
func (s *Stored) Next(row *dataset.Row, err error) (*result.Row, error) {
	r, readErr := s.peek()
	if r == nil {
		return nil, readErr
	}
	s.rows++
	if s.gap && row.Index < r.Index {
		return nil, nil
	}
	s.next, s.gap = nil, false
	if field := difference(r, row, err); field != "" {
		return nil, &ChangedError{s.Part, fmt.Sprintf("row %d (%s:%d): %s", row.Index, filepath.Clean(row.File), row.Line, field)}
	}
	if r.Status == result.Failed && r.Reason != result.StageRead {
		s.retried.Add(1)
		return nil, nil
	}
	r.ID, r.Question, r.Answer, r.Contexts, r.Kept = row.ID, row.Question, row.Answer, row.Contexts, row.Kept
	r.File, r.Line, r.Offset, r.Err = row.File, row.Line, row.Offset, err // not stored
	s.kept.Add(1)
	return r, nil
}

// RejectUnmatched yields the rows of the dataset, and then a *ChangedError if there are more
// results, or an error if the file cannot be read. s can be nil.
func (s *Stored) RejectUnmatched(rows iter.Seq2[dataset.Row, error]) iter.Seq2[dataset.Row, error] {
	if s == nil {
		return rows
	}
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
		}
		if err := s.unmatched(); err != nil {
			yield(dataset.Row{}, err)
		}
	}
}

// unmatched returns an error if there are more results, see RejectUnmatched.
func (s *Stored) unmatched() error {
	r, err := s.peek()
	if r == nil {
		return err
	}
	return &ChangedError{s.Part, fmt.Sprintf("row %d is no longer in the dataset", r.Index)}
}

// peek returns the next result, or nil at the end of the file or at its last line if that is
// incomplete, as a killed process leaves it. It skips damaged lines: those that are not
// formatted exactly as they would be written, or whose fields contradict each other. An error
// is one of reading the file.
func (s *Stored) peek() (*result.Row, error) {
	for s.next == nil && !s.atEnd {
		r, err := s.lines.Next()
		line, complete := bytes.CutSuffix(s.lines.Line(), []byte("\n"))
		switch {
		case err != nil && s.lines.Line() == nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s: %w", s.Part, err)
		case !complete:
			s.end()
		case err != nil:
			s.skip(err)
		default:
			if s.scratch = r.AppendJSON(s.scratch[:0]); bytes.Equal(s.scratch, line) {
				s.next = r
			} else {
				s.skip(fmt.Errorf("row %d is not formatted as results are", r.Index))
			}
		}
	}
	return s.next, nil
}

// skip skips a damaged line. It warns of the first.
func (s *Stored) skip(err error) {
	if !s.damaged && s.Warn != nil {
		s.Warn(fmt.Errorf("%s: %w: rows of damaged lines are rescored", s.Part, err))
	}
	s.gap, s.damaged = true, true
}

// end marks the end of the results.
func (s *Stored) end() {
	s.atEnd = true
	s.total.Store(int64(s.rows))
	s.Close()
	if s.Done != nil {
		s.Done()
	}
}

// Close closes the file. It can be called more than once.
func (s *Stored) Close() { _ = s.file.Close() }

// difference describes the first field in which a stored row differs from the row of the
// dataset, which err reports as unreadable. It returns "" if there is none.
func difference(stored *result.Row, current *dataset.Row, err error) string {
	unreadable := stored.Status == result.Failed && stored.Reason == result.StageRead
	switch {
	case stored.Index != current.Index:
		return fmt.Sprintf("index changed from %d to %d", stored.Index, current.Index)
	case unreadable && err == nil:
		return "previously unreadable, now readable"
	case !unreadable && err != nil:
		return "now unreadable: " + err.Error()
	case unreadable && !sameBytes(stored.Err.Error(), err.Error()):
		return "unreadable for another reason: " + err.Error()
	case !sameBytes(stored.ID, current.ID):
		return "id changed"
	case !sameBytes(stored.Question, current.Question):
		return "question changed"
	case !sameBytes(stored.Answer, current.Answer):
		return "answer changed"
	case !slices.EqualFunc(stored.Contexts, current.Contexts, sameBytes):
		return "contexts changed"
	case !slices.EqualFunc(stored.Kept, current.Kept, sameColumn):
		return "kept columns changed"
	}
	return ""
}

func sameColumn(a, b dataset.Column) bool {
	return sameBytes(a.Name, b.Name) && (bytes.Equal(a.Value, b.Value) || bytes.Equal(result.AppendValue(nil, a.Value), result.AppendValue(nil, b.Value)))
}

// sameBytes reports whether two texts are stored as the same bytes. That includes texts
// that differ only in invalid UTF-8.
func sameBytes(a, b string) bool {
	return a == b || bytes.Equal(dataset.AppendText(nil, a), dataset.AppendText(nil, b))
}
