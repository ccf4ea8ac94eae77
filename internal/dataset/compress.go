package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	gzipMagic    = "\x1f\x8b"
	zstdMagic    = "\x28\xb5\x2f\xfd"
	parquetMagic = "PAR1"

	// maxLayers limits nested compression.
	maxLayers = 3

	// maxWindow is the maximum zstd window, which is that of zstd --long.
	maxWindow = 128 << 20

	// maxRatio limits the compression ratio once the output exceeds freeSize bytes.
	// Typical ratios are 5 to 10 for text and a few hundred for identical rows. A
	// decompression bomb reaches 1,000 with gzip, 30,000 with zstd and a million with
	// nested compression.
	maxRatio = 500
	freeSize = 1 << 30
)

// errBomb reports data with a suspicious compression ratio.
var errBomb = fmt.Errorf("expands to more than %d times its size: possible decompression bomb; decompress it first if it is genuine", maxRatio)

// decompress removes all layers of gzip and zstd, which it detects by their
// magic numbers. It returns r itself if r is not compressed, and a function
// that closes the decoders. The decoders run in the goroutine of the caller.
// Reading fails with errBomb if the output is too large for the input counted
// by stored.
func decompress(r *bufio.Reader, stored *countingReader) (*bufio.Reader, func(), error) {
	closeAll := func() {}
	for range maxLayers {
		head, err := r.Peek(len(zstdMagic))
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, closeAll, err
		}
		switch {
		case bytes.HasPrefix(head, []byte(gzipMagic)):
			z, err := gzip.NewReader(r)
			if err != nil {
				return nil, closeAll, layerError("gzip", err)
			}
			r = bufio.NewReaderSize(&layer{name: "gzip", r: z, stored: stored}, readAhead)
		case bytes.HasPrefix(head, []byte(zstdMagic)):
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
			if err != nil {
				return nil, closeAll, layerError("zstd", err)
			}
			closeOuter := closeAll
			closeAll = func() { z.Close(); closeOuter() }
			r = bufio.NewReaderSize(&layer{name: "zstd", r: z, stored: stored}, readAhead)
		default:
			return r, closeAll, nil
		}
	}
	return r, closeAll, nil
}

// A layer is one layer of compression. It detects decompression bombs and adds
// the name of the codec to errors.
type layer struct {
	name   string
	r      io.Reader
	stored *countingReader
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
