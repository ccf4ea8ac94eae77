package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A Stored is the results of an earlier run, read one by one beside the rows of
// the dataset. Its methods are for one goroutine, but for Kept and Again.
type Stored struct {
	Part string      // the file that holds them
	Warn func(error) // is told of lines that are no results, or not to be trusted; may be nil
	Done func()      // is called once, when there are no more; may be nil

	file    *os.File
	lines   *result.Reader
	scratch []byte
	seen    int
	altered int   // results that contradict themselves
	first   error // what is wrong with the first of these
	ended   bool
	end     atomic.Int64 // rows, when all are read, and -1 before
	kept    atomic.Int64
	again   atomic.Int64
	shut    bool
}

// A ChangedError says that a dataset is not the one that stored results are of.
type ChangedError struct {
	Part string
	What string // which row, of which file, and which field
}

// Error names the first difference.
func (e *ChangedError) Error() string {
	return e.What + ": " + e.Part + " can't be gone on with, and is kept as it is"
}

func openStored(part string, settings Settings) (*Stored, error) {
	file, err := safefile.Open(part)
	if err != nil {
		return nil, err
	}
	s := &Stored{Part: part, file: file, lines: result.NewReader(file, eval.NewChecker(settings.get).Check)}
	s.end.Store(-1)
	return s, nil
}

// Kept returns how many rows so far were taken as they are stored.
func (s *Stored) Kept() int { return int(s.kept.Load()) }

// Again returns how many rows so far had failed and are judged again.
func (s *Stored) Again() int { return int(s.again.Load()) }

// Next is an eval.Earlier: it returns the result that is stored for the row,
// nil where there is none. It returns nil as well where the row was read and
// then failed, since what made it fail may have passed, and where the result
// contradicts itself, as one that was edited. A row that could not be
// read stays failed. It returns a *ChangedError where the row is not the one
// that was stored.
func (s *Stored) Next(row *dataset.Row, err error) (*result.Row, error) {
	r, ok := s.next()
	if !ok {
		return nil, nil
	}
	s.seen++
	if r == nil {
		return nil, nil
	}
	fresh := rowOf(row, err)
	if field := difference(r, &fresh); field != "" {
		return nil, &ChangedError{s.Part, fmt.Sprintf("%s: %s", rowName(&fresh), field)}
	}
	if r.Status == result.Failed && r.Reason != result.StageRead {
		s.again.Add(1)
		return nil, nil
	}
	r.ID, r.Question, r.Answer, r.Contexts, r.Kept = row.ID, row.Question, row.Answer, row.Contexts, row.Kept
	r.File, r.Line, r.Offset, r.Err = row.File, row.Line, row.Offset, err // not stored
	s.kept.Add(1)
	return r, nil
}

// Rest returns a *ChangedError where results are left although the dataset has
// no more rows.
func (s *Stored) Rest() error {
	r, ok := s.next()
	switch {
	case !ok:
		return nil
	case r == nil:
		return &ChangedError{s.Part, "it has more results than the dataset has rows"}
	}
	return &ChangedError{s.Part, fmt.Sprintf("row %d is not in the dataset any more", r.Index)}
}

// next returns the next result: one that is a whole line, and exactly as it would
// be written. It is nil if it contradicts itself. After the first other line there
// is none, and next returns false.
func (s *Stored) next() (*result.Row, bool) {
	if s.ended {
		return nil, false
	}
	r, err := s.lines.Next()
	line, whole := bytes.CutSuffix(s.lines.Line(), []byte("\n"))
	if whole && err == nil {
		if s.scratch = r.AppendJSON(s.scratch[:0]); bytes.Equal(s.scratch, line) {
			return r, true
		}
		err = fmt.Errorf("row %d is not as results are written", r.Index)
	}
	if bad := (*result.MismatchError)(nil); whole && errors.As(err, &bad) {
		if s.altered++; s.first == nil {
			s.first = err
		}
		return nil, true
	}
	s.ended = true
	s.end.Store(int64(s.seen))
	// A last line that is cut off is what a kill leaves. Anything else is worth
	// a word, because what comes after it is judged again.
	if whole && err != nil && !errors.Is(err, io.EOF) && s.Warn != nil {
		s.Warn(fmt.Errorf("%s: %w: that row and those after it are judged again", s.Part, err))
	}
	if s.first != nil && s.Warn != nil {
		s.Warn(fmt.Errorf("%s: rows that contradict themselves are judged again: %d, the first at %w", s.Part, s.altered, s.first))
	}
	s.close()
	if s.Done != nil {
		s.Done()
	}
	return nil, false
}

// overtaken reports whether so many rows are all that were stored.
func (s *Stored) overtaken(rows int) bool {
	end := s.end.Load()
	return end >= 0 && int64(rows) >= end
}

// close closes the file.
func (s *Stored) close() {
	if !s.shut {
		s.shut = true
		_ = s.file.Close()
	}
}

// rowOf returns the fields of a result that come from the dataset.
func rowOf(row *dataset.Row, err error) result.Row {
	return result.Row{
		Index: row.Index, ID: row.ID, Question: row.Question, Answer: row.Answer, Contexts: row.Contexts,
		Kept: row.Kept, File: row.File, Line: row.Line, Err: err,
	}
}

// difference names the first field in which a row is not the stored one, or
// returns nothing.
func difference(was, is *result.Row) string {
	unread := was.Status == result.Failed && was.Reason == result.StageRead
	switch {
	case was.Index != is.Index:
		return fmt.Sprintf("index was %d, is %d", was.Index, is.Index)
	case unread && is.Err == nil:
		return "it could not be read, and now it can"
	case !unread && is.Err != nil:
		return "it can't be read any more: " + is.Err.Error()
	case unread && was.Err.Error() != is.Err.Error() && !bytes.Equal(text(was.Err.Error()), text(is.Err.Error())):
		return "it can't be read for another reason: " + is.Err.Error()
	case !same(was.ID, is.ID):
		return "id is not the same"
	case !same(was.Question, is.Question):
		return "question is not the same"
	case !same(was.Answer, is.Answer):
		return "answer is not the same"
	case !slices.EqualFunc(was.Contexts, is.Contexts, same):
		return "contexts are not the same"
	}
	return keptDifference(was, is)
}

// keptDifference compares the kept columns.
func keptDifference(was, is *result.Row) string {
	a, b := was.Kept, is.Kept
	for i := range min(len(a), len(b)) {
		if !same(a[i].Name, b[i].Name) {
			return fmt.Sprintf("column %q was %q", b[i].Name, a[i].Name)
		}
		if !bytes.Equal(a[i].Value, b[i].Value) && !bytes.Equal(result.AppendValue(nil, a[i].Value), result.AppendValue(nil, b[i].Value)) {
			return fmt.Sprintf("column %q is not the same", b[i].Name)
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("it has %d kept columns, and had %d", len(b), len(a))
	}
	return ""
}

// same reports whether two texts are stored as the same bytes, which they are
// where they differ in what is no UTF-8 only.
func same(a, b string) bool {
	return a == b || bytes.Equal(text(a), text(b))
}

func text(s string) []byte { return result.AppendText(nil, s) }
