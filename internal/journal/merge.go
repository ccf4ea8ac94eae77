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

// merge makes one file of .part and .part.new: the rows of the second and,
// where the first has more, the rest of those. A process that is killed here
// leaves both as before, but for rows that both have then.
func merge(part string) error {
	path := part + newSuffix
	file, err := safefile.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rows, size := valid(file)
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
		return fmt.Errorf("joining %s and %s: %w", part, path, err)
	}
	return nil
}

// appendRest appends what part has behind the first rows of it.
func appendRest(to io.Writer, part string, rows int) error {
	from, err := safefile.OpenFile(part, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	n, size, err := lines(from, rows)
	if err != nil || n < rows {
		return err
	}
	if _, err := from.Seek(size, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return err
}

// valid counts the results at the beginning of r and their bytes.
func valid(r io.Reader) (rows int, size int64) {
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

// lines counts the whole lines of r, no more than most of them, and their bytes.
func lines(r io.Reader, most int) (n int, size int64, err error) {
	b := bufio.NewReaderSize(r, 256<<10)
	whole := int64(0)
	for n < most {
		piece, err := b.ReadSlice('\n')
		whole += int64(len(piece))
		switch {
		case err == nil:
			n, size = n+1, whole
		case errors.Is(err, io.EOF):
			return n, size, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return n, size, err
		}
	}
	return n, size, nil
}
