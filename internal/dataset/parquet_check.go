package dataset

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

const (
	parquetTail = 8 // size of the footer length and the magic number

	// maxPageValues limits the number of values of a page. Typical writers limit
	// pages to about 20,000 rows or 1 MiB.
	maxPageValues = 1 << 24
)

// A pageChecker validates the sizes declared in a Parquet file, because the library allocates
// memory for them without checks. The library reads the file through it.
type pageChecker struct {
	r      io.ReaderAt
	size   int64
	limit  int64
	hidden []byteRange // sorted
}

// A byteRange is the part of a file from one offset to another.
type byteRange struct{ from, to int64 }

// ReadAt reads the file, with zeros for the numbers in the hidden ranges.
//
// The library decompresses some pages of LZ4_RAW into a new buffer and then reads the old one, with
// zeros or another page, unless the new buffer is longer than the page header declares. So the
// declared length of these pages is hidden; lz4 has checked it. See
// https://github.com/parquet-go/parquet-go/issues/608.
func (c *pageChecker) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	end := off + int64(n)
	first, _ := slices.BinarySearchFunc(c.hidden, off, func(h byteRange, off int64) int { return cmp.Compare(h.to, off+1) })
	for _, h := range c.hidden[first:] {
		if h.from >= end {
			break
		}
		for i := max(h.from, off); i < min(h.to, end); i++ {
			p[i-off] = 0x80 // zero and a continuation bit
			if i == h.to-1 {
				p[i-off] = 0
			}
		}
	}
	return n, err
}

// group checks the columns of a row group before they are read.
func (c *pageChecker) group(g *format.RowGroup, leaves []*leaf) error {
	c.hidden = c.hidden[:0]
	for _, l := range leaves {
		if err := c.chunk(&g.Columns[l.column]); err != nil {
			return l.wrapError(err)
		}
	}
	slices.SortFunc(c.hidden, func(a, b byteRange) int { return cmp.Compare(a.from, b.from) })
	return nil
}

// footer checks the magic numbers and the structure of the metadata.
func (c *pageChecker) footer() error {
	notParquet := func(reason string) error { return errors.New("not a Parquet file: " + reason) }
	if c.size < int64(len(parquetMagic))+parquetTail {
		return notParquet(fmt.Sprintf("it has %d bytes", c.size))
	}
	var head [len(parquetMagic)]byte
	var tail [parquetTail]byte
	if _, err := c.r.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := c.r.ReadAt(tail[:], c.size-parquetTail); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case string(head[:]) == "PARE":
		return notParquet("it is encrypted")
	case string(head[:]) != parquetMagic:
		return notParquet("it does not begin with " + parquetMagic)
	case string(tail[4:]) != parquetMagic:
		return notParquet("it does not end with " + parquetMagic + ": is it cut off?")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > c.size-parquetTail-int64(len(parquetMagic)) || length > c.limit {
		return notParquet("its footer is longer than the file")
	}
	footer := make([]byte, length)
	if _, err := c.r.ReadAt(footer, c.size-parquetTail-length); err != nil {
		return err
	}
	if _, err := thriftLength(footer); err != nil {
		return notParquet("its footer is broken")
	}
	return nil
}

// chunk checks the pages of a column chunk.
func (c *pageChecker) chunk(chunk *format.ColumnChunk) error {
	m := &chunk.MetaData
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	end := at + m.TotalCompressedSize
	if at < 0 || m.TotalCompressedSize < 0 || end < at || end > c.size {
		return errors.New("it lies beyond the end of the file")
	}
	if m.NumValues < 0 {
		return errors.New("negative number of values")
	}
	for at < end {
		h, n, err := c.pageHeader(at, end)
		if err != nil {
			return err
		}
		header := byteRange{at, at + n}
		at += n
		values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
		switch {
		case int64(h.CompressedPageSize) > end-at || h.CompressedPageSize < 0 || h.UncompressedPageSize < 0:
			return errors.New("a page is longer than its column")
		case int64(h.UncompressedPageSize) > max(c.limit, DefaultMaxRowBytes):
			return fmt.Errorf("a page of %d bytes: the limit is %s", h.UncompressedPageSize, formatBytes(int(c.limit)))
		case m.Codec == format.Uncompressed && h.CompressedPageSize != h.UncompressedPageSize:
			return errors.New("a page that is not compressed has two sizes")
		case values > maxPageValues:
			return fmt.Errorf("a page of %d values: the limit is %d", values, maxPageValues)
		}
		if m.Codec == format.Lz4Raw {
			if err := c.lz4(at, h); err != nil {
				return err
			}
			if err := c.hideSize(header); err != nil {
				return err
			}
		}
		at += int64(h.CompressedPageSize)
	}
	return nil
}

// lz4 checks that a page can be decompressed to its declared size. The library treats every failure
// as a short buffer and doubles the buffer until memory runs out.
func (c *pageChecker) lz4(at int64, h *format.PageHeader) error {
	levels := 0 // size of the levels, which are uncompressed in version 2 pages
	if h.Type == format.DataPageV2 {
		if compressed := h.DataPageHeaderV2.V.IsCompressed; compressed.Valid && !compressed.V {
			return nil
		}
		levels = int(h.DataPageHeaderV2.V.RepetitionLevelsByteLength) + int(h.DataPageHeaderV2.V.DefinitionLevelsByteLength)
	}
	srcSize, dstSize := int(h.CompressedPageSize)-levels, int(h.UncompressedPageSize)-levels
	if levels < 0 || srcSize < 0 || dstSize < 0 {
		return errors.New("the levels of a page are longer than the page")
	}
	src := make([]byte, srcSize)
	if _, err := c.r.ReadAt(src, at+int64(levels)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	n, err := lz4.UncompressBlock(src, make([]byte, dstSize))
	if err != nil {
		return fmt.Errorf("a page can't be decompressed: %w", err)
	}
	if n != dstSize {
		return fmt.Errorf("a page of %d bytes is declared to have %d", n, dstSize)
	}
	return nil
}

// hideSize hides the uncompressed size in a page header, its second field.
func (c *pageChecker) hideSize(header byteRange) error {
	b := make([]byte, header.to-header.from)
	if _, err := c.r.ReadAt(b, header.from); err != nil {
		return err
	}
	r := newThriftReader(b)
	size := header
	for range 2 {
		if f, err := r.ReadField(); err != nil || !f.Delta || f.ID != 1 || f.Type != thrift.I32 {
			return errors.New("page header: it does not start with a type and a size")
		}
		size.from = header.from + int64(r.BytesRead())
		if _, err := r.ReadInt32(); err != nil {
			return fmt.Errorf("page header: %w", err)
		}
	}
	size.to = header.from + int64(r.BytesRead())
	c.hidden = append(c.hidden, size)
	return nil
}

// pageHeader reads the page header at an offset and returns it with its length.
func (c *pageChecker) pageHeader(at, end int64) (*format.PageHeader, int64, error) {
	for window := int64(256); ; window *= 16 {
		buf := make([]byte, min(window, end-at))
		if _, err := c.r.ReadAt(buf, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		n, err := thriftLength(buf)
		if errors.Is(err, io.ErrUnexpectedEOF) && int64(len(buf)) < end-at {
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("page header: %w", err)
		}
		h := &format.PageHeader{}
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), buf[:n], h); err != nil {
			return nil, 0, fmt.Errorf("page header: %w", err)
		}
		return h, int64(n), nil
	}
}

// thriftLength returns the size of the struct at the start of b, encoded in Thrift's compact
// protocol. It returns io.ErrUnexpectedEOF if the struct extends beyond b.
func thriftLength(b []byte) (int, error) {
	r := newThriftReader(b)
	err := skipThrift(r, len(b), 0, thrift.STRUCT)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return r.BytesRead(), err
}

func newThriftReader(b []byte) thrift.Reader {
	return new(thrift.CompactProtocol).NewReaderFromBytes(b)
}

// maxThriftDepth limits the nesting of Thrift values, which the library reads recursively.
const maxThriftDepth = 32

var errThriftType = errors.New("a value of an unknown type")

// skipThrift skips a value in an input of size bytes.
func skipThrift(r thrift.Reader, size, depth int, typ thrift.Type) (err error) {
	if depth > maxThriftDepth {
		return fmt.Errorf("nested more than %d deep", maxThriftDepth)
	}
	err = errThriftType
	switch typ {
	case thrift.STOP, thrift.UUID: // not used in Parquet
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = r.ReadFloat64()
	case thrift.BINARY:
		_, err = r.ReadBytes()
	case thrift.LIST, thrift.SET:
		l, err := r.ReadList()
		if err != nil {
			return err
		}
		return skipThriftList(r, size, depth, l.Size, l.Type)
	case thrift.MAP:
		m, err := r.ReadMap()
		if err != nil {
			return err
		}
		return skipThriftList(r, size, depth, m.Size, m.Key, m.Value)
	case thrift.STRUCT:
		for {
			f, err := r.ReadField()
			if err != nil || f.Type == thrift.STOP {
				return err
			}
			if f.Type == thrift.TRUE || f.Type == thrift.FALSE {
				continue // the type is the value
			}
			if err := skipThrift(r, size, depth+1, f.Type); err != nil {
				return err
			}
		}
	}
	return err
}

// skipThriftList skips n groups of values of the given types. Each value is at least one byte
// long; the library allocates memory for all of them before it reads them.
func skipThriftList(r thrift.Reader, size, depth int, n int32, types ...thrift.Type) error {
	if int(n) > size-r.BytesRead() {
		return io.ErrUnexpectedEOF
	}
	for range n {
		for _, typ := range types {
			if err := skipThrift(r, size, depth+1, typ); err != nil {
				return err
			}
		}
	}
	return nil
}
