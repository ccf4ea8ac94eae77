package dataset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// False sizes must be detected before memory is allocated for them.
func TestParquetWithFalseSizesIsRejected(t *testing.T) {
	const body = 100
	for name, tt := range map[string]struct {
		page  func(*format.PageHeader)
		chunk func(*format.ColumnMetaData)
		want  string
	}{
		"valid":                      {nil, nil, ""},
		"column beyond the file":     {nil, func(m *format.ColumnMetaData) { m.TotalCompressedSize = 1 << 40 }, "it lies beyond the end of the file"},
		"negative offset":            {nil, func(m *format.ColumnMetaData) { m.DataPageOffset = -1 }, "it lies beyond the end of the file"},
		"overflowing length":         {nil, func(m *format.ColumnMetaData) { m.TotalCompressedSize = 1<<63 - 1; m.DataPageOffset = 1 }, "it lies beyond the end of the file"},
		"negative number of values":  {nil, func(m *format.ColumnMetaData) { m.NumValues = -1 }, "negative number of values"},
		"page beyond its column":     {func(h *format.PageHeader) { h.CompressedPageSize = 1 << 30 }, nil, "a page is longer than its column"},
		"negative page size":         {func(h *format.PageHeader) { h.UncompressedPageSize = -1 }, nil, "a page is longer than its column"},
		"page of 2 GiB uncompressed": {func(h *format.PageHeader) { h.UncompressedPageSize = 1<<31 - 1 }, nil, "a page of 2147483647 bytes: the limit is 1 MiB"},
		"uncompressed page with two sizes": {
			func(h *format.PageHeader) { h.UncompressedPageSize = 1 << 20 }, func(m *format.ColumnMetaData) { m.Codec = format.Uncompressed },
			"a page that is not compressed has two sizes",
		},
		"page with too many values": {func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = 1<<31 - 1 }, nil, "a page of 2147483647 values: the limit is 16777216"},
		"invalid LZ4": {
			func(h *format.PageHeader) { h.UncompressedPageSize = 1 << 20 }, func(m *format.ColumnMetaData) { m.Codec = format.Lz4Raw },
			"a page can't be decompressed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &format.PageHeader{Type: format.DataPage, CompressedPageSize: body, UncompressedPageSize: body}
			h.DataPageHeader.Valid, h.DataPageHeader.V.NumValues = true, 1
			if tt.page != nil {
				tt.page(h)
			}
			file, err := thrift.Marshal(new(thrift.CompactProtocol), h)
			if err != nil {
				t.Fatal(err)
			}
			file = append(file, make([]byte, body)...)
			chunk := &format.ColumnChunk{MetaData: format.ColumnMetaData{Codec: format.Zstd, NumValues: 1, TotalCompressedSize: int64(len(file))}}
			if tt.chunk != nil {
				tt.chunk(&chunk.MetaData)
			}
			c := &pageChecker{r: bytes.NewReader(file), size: int64(len(file)), limit: 1 << 20}
			size := allocated(func() { err = c.chunk(chunk) })
			if got := errorText(err); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if size > 8<<20 {
				t.Errorf("allocated %d MiB, want at most 8", size>>20)
			}
		})
	}
	for name, footer := range map[string][]byte{
		"huge list":      {0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07},                        // field 1: list of 2^31-1 structs
		"huge text":      {0x18, 0xff, 0xff, 0xff, 0xff, 0x07},                              // field 1: binary of 2^31-1 bytes
		"nested structs": bytes.Repeat([]byte{0x1c}, 100_000),                               // field 1: struct with field 1, and so on
		"truncated":      binary.LittleEndian.AppendUint32([]byte{0x15, 0x02}, 1<<32-1)[:2], // field 1: i32 without a stop field
	} {
		file := append([]byte(parquetMagic), footer...)
		file = append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), parquetMagic...)
		c := &pageChecker{r: bytes.NewReader(file), size: int64(len(file)), limit: 1 << 20}
		if err := c.footer(); errorText(err) != "not a Parquet file: its footer is broken" {
			t.Errorf("%s: got error %v, want a broken footer", name, err)
		}
		if _, last := read(t, "x.parquet", string(file), Options{}); !strings.Contains(last, "its footer is broken") {
			t.Errorf("%s: got last error %q, want a broken footer", name, last)
		}
	}
}

// errorText returns the message of an error, or "".
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
