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
	"github.com/ragfaith/ragfaith/internal/setting"
)

// A Stored reads the results of an earlier run in step with the rows of the dataset. Its
// methods, except Kept and Again, must not be called concurrently.
type Stored struct {
	Part string      // the file
	Warn func(error) // called for lines that are not valid results; may be nil
	Done func()      // called once after the last result; may be nil

	file    *os.File
	lines   *result.Reader
	scratch []byte
	seen    int
	altered int   // results whose fields contradict each other
	first   error // the error of the first of these
	ended   bool
	end     atomic.Int64 // number of rows once all are read, -1 before
	kept    atomic.Int64
	retried atomic.Int64
	closed  bool
}

// A ChangedError reports that the dataset differs from that of the stored results.
type ChangedError struct {
	Part string
	What string // the row and the field
}

// Error names the first difference.
func (e *ChangedError) Error() string {
	return e.What + ": cannot resume " + e.Part + ", which is unchanged"
}

func openStored(part string, settings setting.List) (*Stored, error) {
	file, err := safefile.Open(part)
	if err != nil {
		return nil, err
	}
	s := &Stored{Part: part, file: file, lines: result.NewReader(file, eval.NewChecker(settings.Get).Check)}
	s.end.Store(-1)
	return s, nil
}

// Kept returns the number of rows so far whose stored result was used.
func (s *Stored) Kept() int { return int(s.kept.Load()) }

// Retried returns the number of stored failures so far that Next left to be rescored.
func (s *Stored) Retried() int { return int(s.retried.Load()) }

// Next is an eval.Earlier. It returns the stored result of the row, or nil if the row must
// be judged: it has no result, it failed for a reason that may have passed, or its result
// was edited. A row that could not be read stays failed. Next returns a *ChangedError if
// the stored result is that of a different row.
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
		s.retried.Add(1)
		return nil, nil
	}
	r.ID, r.Question, r.Answer, r.Contexts, r.Kept = row.ID, row.Question, row.Answer, row.Contexts, row.Kept
	r.File, r.Line, r.Offset, r.Err = row.File, row.Line, row.Offset, err // not stored
	s.kept.Add(1)
	return r, nil
}

// Unmatched returns a *ChangedError if there are more results after the last row of the
// dataset.
func (s *Stored) Unmatched() error {
	r, ok := s.next()
	switch {
	case !ok:
		return nil
	case r == nil:
		return &ChangedError{s.Part, "it has more results than the dataset has rows"}
	}
	return &ChangedError{s.Part, fmt.Sprintf("row %d is no longer in the dataset", r.Index)}
}

// next returns the next result, or nil if its fields contradict each other. It returns
// false at the end, which is the first line that is incomplete or not exactly as it would
// be written.
func (s *Stored) next() (*result.Row, bool) {
	if s.ended {
		return nil, false
	}
	r, err := s.lines.Next()
	line, complete := bytes.CutSuffix(s.lines.Line(), []byte("\n"))
	if complete && err == nil {
		if s.scratch = r.AppendJSON(s.scratch[:0]); bytes.Equal(s.scratch, line) {
			return r, true
		}
		err = fmt.Errorf("row %d is not formatted as results are", r.Index)
	}
	if bad := (*result.MismatchError)(nil); complete && errors.As(err, &bad) {
		if s.altered++; s.first == nil {
			s.first = err
		}
		return nil, true
	}
	s.ended = true
	s.end.Store(int64(s.seen))
	// A killed process leaves an incomplete last line. Anything else deserves a warning,
	// because the rows after it are judged again.
	if complete && err != nil && !errors.Is(err, io.EOF) && s.Warn != nil {
		s.Warn(fmt.Errorf("%s: %w: this row and those after it are judged again", s.Part, err))
	}
	if s.first != nil && s.Warn != nil {
		s.Warn(fmt.Errorf("%s: rows with fields that contradict each other are judged again: %d, the first at %w", s.Part, s.altered, s.first))
	}
	s.Close()
	if s.Done != nil {
		s.Done()
	}
	return nil, false
}

// overtaken reports whether there are no more than rows stored results.
func (s *Stored) overtaken(rows int) bool {
	end := s.end.Load()
	return end >= 0 && int64(rows) >= end
}

// Close closes the file. It can be called more than once.
func (s *Stored) Close() {
	if !s.closed {
		s.closed = true
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

// difference describes the first field in which a row differs from the stored one, or
// returns "".
func difference(was, is *result.Row) string {
	unread := was.Status == result.Failed && was.Reason == result.StageRead
	switch {
	case was.Index != is.Index:
		return fmt.Sprintf("index was %d, is %d", was.Index, is.Index)
	case unread && is.Err == nil:
		return "it could not be read before, and can be now"
	case !unread && is.Err != nil:
		return "it can no longer be read: " + is.Err.Error()
	case unread && was.Err.Error() != is.Err.Error() && !bytes.Equal(text(was.Err.Error()), text(is.Err.Error())):
		return "it cannot be read for another reason: " + is.Err.Error()
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

// same reports whether two texts are stored as the same bytes. Texts that differ only in
// invalid UTF-8 are.
func same(a, b string) bool {
	return a == b || bytes.Equal(text(a), text(b))
}

func text(s string) []byte { return result.AppendText(nil, s) }
