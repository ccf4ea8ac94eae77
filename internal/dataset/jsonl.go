package dataset

import (
	"bufio"
	"bytes"
	"errors"
)

// A jsonlReader reads one object per line.
type jsonlReader struct {
	objectReader
	lines    LineReader
	consumed func(int64) int64
}

func newJSONL(r *bufio.Reader, f fileColumns, consumed func(int64) int64) *jsonlReader {
	return &jsonlReader{
		objectReader: objectReader{fileColumns: f},
		lines:        NewLineReader(r, f.limit()),
		consumed:     consumed,
	}
}

func (j *jsonlReader) next(row *Row) error {
	for {
		line, err := j.lines.Next()
		if err != nil && !errors.Is(err, ErrTooLong) {
			return err
		}
		row.Line, row.Offset = j.lines.Number, j.consumed(j.lines.Offset)
		if err != nil {
			return &RowError{Line: row.Line, Err: err}
		}
		line = trimSpace(bytes.TrimPrefix(line, []byte(bomUTF8))) // a mark within concatenated files
		if len(line) == 0 {
			continue
		}
		if bytes.HasSuffix(line, []byte("},")) { // elements copied from an array
			line = line[:len(line)-1]
		}
		return rowError(row.Line, j.read(line, row))
	}
}
