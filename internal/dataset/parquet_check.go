package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	parquetTail = 8 // size of the footer length and the magic number

	// maxPageValues limits the number of values of a page. Typical writers limit
	// pages to about 20,000 rows or 1 MiB.
	maxPageValues = 1 << 24
)

// A pageChecker validates the sizes declared in a Parquet file, because the
// library allocates memory for them without checks.
type pageChecker struct {
	io.ReaderAt
	size  int64
	limit int64
}

// group checks the columns of a row group before they are read.
func (c *pageChecker) group(g *format.RowGroup, leaves []*leaf) error {
	for _, l := range leaves {
		if g.Columns[l.column].MetaData.Codec == format.Lz4Raw { // some pages read as zeros: https://github.com/parquet-go/parquet-go/issues/608
			return errors.New("compressed with LZ4_RAW, which is not read: write the file with zstd or snappy")
		}
		if err := c.chunk(&g.Columns[l.column]); err != nil {
			return l.wrapError(err)
		}
	}
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
	if _, err := c.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := c.ReadAt(tail[:], c.size-parquetTail); err != nil && !errors.Is(err, io.EOF) {
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
	if _, err := c.ReadAt(footer, c.size-parquetTail-length); err != nil {
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
		at += int64(h.CompressedPageSize)
	}
	return nil
}

// pageHeader reads the page header at an offset and returns it with its length.
func (c *pageChecker) pageHeader(at, end int64) (*format.PageHeader, int64, error) {
	for window := int64(256); ; window *= 16 {
		buf := make([]byte, min(window, end-at))
		if _, err := c.ReadAt(buf, at); err != nil && !errors.Is(err, io.EOF) {
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

// thriftLength returns the size of the struct at the start of b, encoded in
// Thrift's compact protocol. It returns io.ErrUnexpectedEOF if the struct
// extends beyond b.
func thriftLength(b []byte) (int, error) {
	t := &thriftWalker{b: b}
	err := t.value(thriftStruct, 0)
	return t.i, err
}

// Type codes of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12

	maxThriftDepth = 32
)

type thriftWalker struct {
	b []byte
	i int
}

func (t *thriftWalker) skip(n uint64) error {
	if n > uint64(len(t.b)-t.i) {
		return io.ErrUnexpectedEOF
	}
	t.i += int(n)
	return nil
}

func (t *thriftWalker) byte() (byte, error) {
	if t.i == len(t.b) {
		return 0, io.ErrUnexpectedEOF
	}
	t.i++
	return t.b[t.i-1], nil
}

func (t *thriftWalker) varint() (uint64, error) {
	n, size := binary.Uvarint(t.b[t.i:])
	switch {
	case size == 0:
		return 0, io.ErrUnexpectedEOF
	case size < 0:
		return 0, errors.New("a number that is too long")
	}
	t.i += size
	return n, nil
}

func (t *thriftWalker) value(typ byte, depth int) error {
	if depth > maxThriftDepth {
		return fmt.Errorf("nested more than %d deep", maxThriftDepth)
	}
	switch typ {
	case thriftTrue, thriftFalse, thriftByte:
		return t.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := t.varint()
		return err
	case thriftDouble:
		return t.skip(8)
	case thriftBinary:
		n, err := t.varint()
		if err != nil {
			return err
		}
		return t.skip(n)
	case thriftList, thriftSet:
		head, err := t.byte()
		if err != nil {
			return err
		}
		n := uint64(head >> 4)
		if n == 15 {
			if n, err = t.varint(); err != nil {
				return err
			}
		}
		return t.values(n, depth, head&15)
	case thriftMap:
		n, err := t.varint()
		if err != nil || n == 0 {
			return err
		}
		head, err := t.byte()
		if err != nil {
			return err
		}
		return t.values(n, depth, head>>4, head&15)
	case thriftStruct:
		return t.fields(depth)
	}
	return fmt.Errorf("unknown type %d", typ)
}

// values skips n groups of values of the given types. Each value is at least
// one byte long.
func (t *thriftWalker) values(n uint64, depth int, types ...byte) error {
	if n > uint64(len(t.b)-t.i) {
		return io.ErrUnexpectedEOF
	}
	for range n {
		for _, typ := range types {
			if err := t.value(typ, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *thriftWalker) fields(depth int) error {
	for {
		head, err := t.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 {
			if _, err := t.varint(); err != nil {
				return err
			}
		}
		if typ := head & 15; typ != thriftTrue && typ != thriftFalse {
			if err := t.value(typ, depth+1); err != nil {
				return err
			}
		}
	}
}
