package dataset

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

const (
	gzipMagic    = "\x1f\x8b"
	zstdMagic    = "\x28\xb5\x2f\xfd"
	bzip2Magic   = "BZh"
	xzMagic      = "\xfd7zXZ\x00"
	parquetMagic = "PAR1"

	// bzip2Block is the start of a block, after bzip2Magic and a digit.
	bzip2Block = "1AY&SY"

	// maxLayers limits nested compression.
	maxLayers = 3

	// maxWindow is the maximum zstd window and xz dictionary. It is that of zstd --long,
	// and twice that of xz -9.
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

// Compressions returns the file extensions of compressed files.
func Compressions() []string {
	return []string{".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz"}
}

// decompress removes all layers of gzip, zstd, bzip2 and xz, which it detects by
// their magic numbers. It returns r itself if r is not compressed, and a function
// that closes the decoders. The decoders run in the goroutine of the caller.
// Reading fails with errBomb if the output is too large for the input counted
// by stored.
func decompress(r *bufio.Reader, stored *countingReader) (*bufio.Reader, func(), error) {
	closeAll := func() {}
	for range maxLayers {
		name, err := codecOf(r)
		var z io.Reader
		switch {
		case err != nil:
			return nil, closeAll, err
		case name == "":
			return r, closeAll, nil
		case name == "gzip":
			z, err = gzip.NewReader(r)
		case name == "bzip2":
			z = bzip2.NewReader(r)
		case name == "xz":
			z, err = xz.NewReader(r, maxWindow)
		default:
			var d *zstd.Decoder
			d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
			if err == nil {
				closeOuter := closeAll
				closeAll = func() { d.Close(); closeOuter() }
				z = d
			}
		}
		if err != nil {
			return nil, closeAll, layerError(name, err)
		}
		r = bufio.NewReaderSize(&layer{name: name, r: z, stored: stored}, readAhead)
	}
	return r, closeAll, nil
}

// codecOf returns the name of the compression of r, or "" if r is not compressed.
func codecOf(r *bufio.Reader) (string, error) {
	head, err := r.Peek(len(zstdMagic))
	if err == nil && (bytes.HasPrefix(head, []byte(bzip2Magic)) || head[0] == xzMagic[0]) {
		head, err = r.Peek(len(bzip2Magic) + 1 + len(bzip2Block))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	for name, magic := range map[string]string{"gzip": gzipMagic, "zstd": zstdMagic, "xz": xzMagic} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return name, nil
		}
	}
	if bytes.HasPrefix(head, []byte(bzip2Magic)) && bytes.HasSuffix(head, []byte(bzip2Block)) {
		return "bzip2", nil
	}
	return "", nil
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
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, xz.ErrBuf) {
		return fmt.Errorf("the %s data is cut off: %w", name, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("the %s data is broken: %w", name, err)
}
