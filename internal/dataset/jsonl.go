package dataset

import (
	"bufio"
	"bytes"
	"errors"
)

// A jsonlReader reads one object a line.
type jsonlReader struct {
	lines  lineReader
	object objectReader
	count  func(int64) int64
}

func newJSONL(r *bufio.Reader, s *source, count func(int64) int64) *jsonlReader {
	return &jsonlReader{
		lines:  lineReader{r: r, max: s.limit()},
		object: objectReader{b: s.b, note: s.note},
		count:  count,
	}
}

func (j *jsonlReader) next(row *Row) error {
	for {
		line, err := j.lines.next()
		if err != nil && !errors.Is(err, errTooLong) {
			return err
		}
		row.Line, row.Offset = j.lines.line, j.count(j.lines.size)
		if err != nil {
			return &RowError{Line: row.Line, Err: err}
		}
		line = bytes.Trim(line, " \t\r\n")
		if len(line) == 0 {
			continue
		}
		if err := j.object.read(line, row); err != nil {
			return rowError(row.Line, err)
		}
		return nil
	}
}

func (j *jsonlReader) close() {}

// rowError makes a row's error of err, unless it is a usage error.
func rowError(line int, err error) error {
	var u *UsageError
	if errors.As(err, &u) {
		return err
	}
	return &RowError{Line: line, Err: err}
}
