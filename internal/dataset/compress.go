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
)

// decompress takes off r every layer of gzip and zstd, told by its first bytes.
// It returns r itself where there is none, and what has to be called when the
// reader is done with. The decoders run in the caller's goroutine.
func decompress(r *bufio.Reader) (*bufio.Reader, func(), error) {
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
			r = bufio.NewReaderSize(&layer{"gzip", z}, readAhead)
		case bytes.HasPrefix(head, []byte(zstdMagic)):
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
			if err != nil {
				return nil, closeAll, layerError("zstd", err)
			}
			before := closeAll
			closeAll = func() { z.Close(); before() }
			r = bufio.NewReaderSize(&layer{"zstd", z}, readAhead)
		default:
			return r, closeAll, nil
		}
	}
	return r, closeAll, nil
}

// A layer names the compression in the errors that it meets.
type layer struct {
	name string
	r    io.Reader
}

func (l *layer) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
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
