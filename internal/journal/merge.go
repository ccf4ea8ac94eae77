package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ragfaith/ragfaith/internal/eval"
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
	rows, size := countValid(file)
	if rows == 0 {
		return errors.Join(file.Close(), os.Remove(path))
	}
	err = file.Truncate(size)
	if err == nil {
		_, err = file.Seek(size, io.SeekStart)
	}
	if err == nil {
		err = appendRest(file, part, rows)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = safefile.Rename(path, part)
	}
	if err != nil {
		return fmt.Errorf("merging %s and %s: %w", part, path, err)
	}
	return nil
}

// appendRest appends the rows of part to dst, except for the first ones.
func appendRest(dst io.Writer, part string, rows int) error {
	src, err := safefile.OpenFile(part, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close()
	n, size, err := countLines(src, rows)
	if err != nil || n < rows {
		return err
	}
	if _, err := src.Seek(size, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return err
}

// countValid counts the results at the start of r and their bytes.
func countValid(r io.Reader) (rows int, size int64) {
	results := result.NewReader(r, new(eval.Checker).Check)
	for {
		_, err := results.Next()
		line := results.Line()
		if err != nil || len(line) == 0 || line[len(line)-1] != '\n' {
			return rows, size
		}
		rows, size = rows+1, size+int64(len(line))
	}
}

// countLines counts the complete lines of r, up to limit, and their bytes.
func countLines(r io.Reader, limit int) (n int, size int64, err error) {
	b := bufio.NewReaderSize(r, 256<<10)
	read := int64(0)
	for n < limit {
		piece, err := b.ReadSlice('\n')
		read += int64(len(piece))
		switch {
		case err == nil:
			n, size = n+1, read
		case errors.Is(err, io.EOF):
			return n, size, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return n, size, err
		}
	}
	return n, size, nil
}
