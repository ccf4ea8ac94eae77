package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	gzipMagic    = "\x1f\x8b"
	zstdMagic    = "\x28\xb5\x2f\xfd"
	parquetMagic = "PAR1"

	// maxWindow is the maximum zstd window, that of zstd --long.
	maxWindow = 128 << 20

	// maxRatio limits the compression ratio once the output exceeds freeSize bytes.
	// Typical ratios are 5 to 10 for text and a few hundred for identical rows. A
	// decompression bomb reaches 1,000 with gzip and 30,000 with zstd.
	maxRatio = 500
	freeSize = 1 << 30
)

// errBomb reports data with a suspicious compression ratio.
var errBomb = fmt.Errorf("expands to more than %d times its size: possible decompression bomb; decompress it first if it is genuine", maxRatio)

// Compressions returns the file extensions of compressed files.
func Compressions() []string {
	return []string{".gz", ".gzip", ".zst", ".zstd"}
}

// decompress removes gzip or zstd compression, which it detects by its magic number. It
// returns r itself if r is not compressed, and a function that closes the decoder, which runs
// in the goroutine of the caller, or nil. Reading fails with errBomb if the output is too large
// for the input counted by stored.
func decompress(r *bufio.Reader, stored *replayReader) (*bufio.Reader, func(), error) {
	head, err := r.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	l := &layer{stored: stored}
	var closeDecoder func()
	switch {
	case strings.HasPrefix(string(head), gzipMagic):
		l.name = "gzip"
		l.r, err = gzip.NewReader(r)
	case string(head) == zstdMagic:
		l.name = "zstd"
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err == nil {
			l.r, closeDecoder = d, d.Close
		}
	default:
		return r, nil, nil
	}
	if err != nil {
		return nil, nil, layerError(l.name, err)
	}
	return bufio.NewReaderSize(l, readAhead), closeDecoder, nil
}

// A layer reads decompressed data. It detects decompression bombs and adds
// the name of the codec to errors.
type layer struct {
	name   string
	r      io.Reader
	stored *replayReader
	n      int64 // decompressed bytes
}

func (l *layer) Read(p []byte) (int, error) {
	if l.n > freeSize && l.n/maxRatio > l.stored.n {
		return 0, fmt.Errorf("the %s data: %w", l.name, errBomb)
	}
	n, err := l.r.Read(p)
	l.n += int64(n)
	if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF unwrapped
		err = layerError(l.name, err)
	}
	return n, err
}

func layerError(name string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the %s data is cut off: %w", name, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("the %s data is broken: %w", name, err)
}

// A replayReader reads r and can return to the start as long as it records what it reads.
type replayReader struct {
	r         io.Reader
	recording bool
	recorded  []byte
	pos       int   // of the next byte in recorded
	n         int64 // bytes read from the start
}
