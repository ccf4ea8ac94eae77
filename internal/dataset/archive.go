package dataset

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const zipMagic = "PK\x03\x04"

// isEvalLog reports whether a ZIP archive that starts with head is a log of Inspect (.eval),
// which contains a JSON file for each sample.
func isEvalLog(head []byte) bool {
	const nameSize, name = 26, 30 // offsets in the header of the first file
	if len(head) <= name || string(head[:len(zipMagic)]) != zipMagic {
		return false
	}
	first := string(head[name:min(len(head), name+int(head[nameSize])+int(head[nameSize+1])<<8)])
	return first == "header.json" || strings.HasPrefix(first, "_journal/") || isSample(first)
}

// isSample reports whether a file of a log contains a sample.
func isSample(name string) bool {
	return strings.HasPrefix(name, "samples/") && strings.HasSuffix(name, ".json")
}

// A logReader reads the samples in a log of Inspect.
type logReader struct {
	samples []*zip.File
	object  objectReader
	size    int64 // of the archive
	limit   int
	index   int   // of the next sample
	read    int64 // bytes of the samples that were read
}

// openLog creates the reader of a log of Inspect.
func (f *file) openLog(r *bufio.Reader, uncompressed bool) error {
	in, size, err := f.randomAccess(r, uncompressed)
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return fmt.Errorf("broken or incomplete log of Inspect: %w", err)
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)))
	l := &logReader{object: objectReader{fileColumns: f.fileColumns}, size: size, limit: f.limit()}
	for _, entry := range archive.File {
		if isSample(entry.Name) {
			l.samples = append(l.samples, entry)
		}
	}
	f.format, f.reader = JSONL, l
	return nil
}

func (l *logReader) next(row *Row) error {
	if l.index == len(l.samples) {
		return io.EOF
	}
	entry := l.samples[l.index]
	l.index++
	row.Line, row.Offset = l.index, int64(float64(l.size)*float64(l.index)/float64(len(l.samples)))
	raw, err := l.sample(entry)
	switch {
	case errors.Is(err, ErrTooLong):
		return &RowError{Line: row.Line, Err: err}
	case err != nil:
		return fmt.Errorf("%s: %w", entry.Name, err)
	}
	return rowError(row.Line, l.object.read(raw, row))
}

// sample reads a file of the log.
func (l *logReader) sample(entry *zip.File) ([]byte, error) {
	in, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, int64(l.limit)+1))
	if err != nil {
		return nil, err
	}
	if l.read += int64(len(raw)); l.read > freeSize && l.read/maxRatio > l.size {
		return nil, errBomb
	}
	if len(raw) > l.limit {
		return nil, tooLong(l.limit)
	}
	return trimSpace(raw), nil
}

// randomAccess returns the file if it can be read at any offset, and otherwise a temporary
// copy, with its size in bytes.
func (f *file) randomAccess(r *bufio.Reader, uncompressed bool) (in *os.File, size int64, err error) {
	in, ok := f.closer.(*os.File)
	switch {
	case f.temp != nil:
		in = f.temp
	case !ok || !uncompressed || !f.reopenable:
		f.in.recording = false // the copy can be read again
		if in, err = f.copyToTemp(r); err != nil {
			return nil, 0, err
		}
	}
	info, err := in.Stat()
	if err != nil {
		return nil, 0, err
	}
	return in, info.Size(), nil
}
