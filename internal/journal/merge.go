package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// merge replaces .part with the rows of .part.new, followed by the remaining rows of
// .part. If the process is killed before the end, both files still exist.
func merge(part string) error {
	path := part + newSuffix
	file, err := safefile.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rows, size, err := countValid(file)
	if err == nil && rows == 0 {
		return errors.Join(file.Close(), os.Remove(path))
	}
	if err == nil {
		err = file.Truncate(size)
	}
	if err == nil {
		_, err = file.Seek(size, io.SeekStart)
	}
	if err == nil {
		err = appendRest(file, part, rows)
	}
	if err == nil {
		err = file.Sync()
	}
	err = cmp.Or(err, file.Close())
	if err == nil {
		err = safefile.Rename(path, part)
	}
	if err != nil {
		return fmt.Errorf("merging %s and %s: %w", part, path, err)
	}
	return nil
}

// appendRest appends the rows of part to dst, skipping the first n rows.
func appendRest(dst io.Writer, part string, n int) error {
	src, err := safefile.OpenFile(part, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close()
	got, size, err := countLines(src, n)
	if err != nil || got < n {
		return err
	}
	if _, err := src.Seek(size, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return err
}

// countValid counts the results at the start of r and the bytes up to the end of the last
// one. An error is one of reading r.
func countValid(r io.Reader) (rows int, size int64, err error) {
	results := result.NewReader(r, result.Check)
	for {
		_, err := results.Next()
		line := results.Line()
		switch {
		case err != nil && line == nil && !errors.Is(err, io.EOF):
			return rows, size, err
		case err != nil || !bytes.HasSuffix(line, []byte("\n")):
			return rows, size, nil //nolint:nilerr // an invalid line ends the rows
		}
		rows, size = rows+1, results.Offset()
	}
}

// countLines counts the complete lines of r that are not blank, up to limit, and the bytes
// up to the end of the last one.
func countLines(r io.Reader, limit int) (n int, size int64, err error) {
	b := bufio.NewReaderSize(r, 256<<10)
	read, blank := int64(0), true
	for n < limit {
		piece, err := b.ReadSlice('\n')
		read += int64(len(piece))
		blank = blank && len(bytes.TrimSpace(piece)) == 0
		switch {
		case err == nil && blank:
		case err == nil:
			n, size, blank = n+1, read, true
		case errors.Is(err, io.EOF):
			return n, size, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return n, size, err
		}
	}
	return n, size, nil
}
