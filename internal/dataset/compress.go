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

	// maxLayers is how often a file may be compressed over.
	maxLayers = 3

	// maxWindow is the largest zstd window, that of zstd --long.
	maxWindow = 128 << 20

	// maxGrowth is how many times its size a file may grow to when it is unpacked,
	// beyond what is no harm to anybody. Text comes to 5 or 10 times, rows that
	// are all the same to some hundred; a byte of a bomb stands for 1,000 of gzip
	// and 30,000 of zstd, and for a million where one lies in another.
	maxGrowth = 500
	harmless  = 1 << 30
)

// errBomb is compressed data that grows beyond all measure.
var errBomb = fmt.Errorf("it is more than %d times as large unpacked: a decompression bomb? If it is not, unpack it before", maxGrowth)

// decompress takes off r every layer of gzip and zstd, told by its first bytes.
// It returns r itself where there is none, and what has to be called when the
// reader is done with. The decoders run in the caller's goroutine. What comes out
// ends with errBomb where it is too much for what stored has counted by then.
func decompress(r *bufio.Reader, stored *counter) (*bufio.Reader, func(), error) {
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
			before := closeAll
			closeAll = func() { z.Close(); before() }
			r = bufio.NewReaderSize(&layer{name: "zstd", r: z, stored: stored}, readAhead)
		default:
			return r, closeAll, nil
		}
	}
	return r, closeAll, nil
}

// A layer names the compression in the errors that it meets, and ends a bomb.
type layer struct {
	name   string
	r      io.Reader
	stored *counter
	n      int64 // bytes that came out
}

func (l *layer) Read(p []byte) (int, error) {
	if l.n > harmless && l.n/maxGrowth > l.stored.n {
		return 0, fmt.Errorf("the %s data: %w", l.name, errBomb)
	}
	n, err := l.r.Read(p)
	l.n += int64(n)
	if err != nil && err != io.EOF { //nolint:errorlint // a reader's io.EOF is never wrapped
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
