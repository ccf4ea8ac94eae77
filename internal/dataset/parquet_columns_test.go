package dataset

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
)

// A countingReaderAt counts the bytes read from it.
type countingReaderAt struct {
	io.ReaderAt
	n int64
}

func (c *countingReaderAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.n += int64(n)
	return n, err
}

// wideRow is a row with one column that is much larger than the others, such as
// an embedding.
type wideRow struct {
	Answer    string   `parquet:"answer"`
	Contexts  []string `parquet:"contexts,list"`
	Embedding []byte   `parquet:"embedding"`
	ID        string   `parquet:"id"`
}

func TestParquetReadsOnlyRequiredColumns(t *testing.T) {
	const rows, wide = 400, 8 << 10
	random := rand.NewChaCha8([32]byte{})
	groups := make([][]wideRow, 4)
	for i := range rows {
		r := wideRow{Answer: "answer " + strconv.Itoa(i), Contexts: []string{"a", "b"}, Embedding: make([]byte, wide), ID: strconv.Itoa(i)}
		_, _ = random.Read(r.Embedding)
		groups[i*4/rows] = append(groups[i*4/rows], r)
	}
	data := writeGroups(t, groups)
	read := func(opts Options) int64 {
		columns, err := newColumnMap(opts)
		if err != nil {
			t.Fatal(err)
		}
		in := &countingReaderAt{ReaderAt: bytes.NewReader(data)}
		p, err := newParquet(in, int64(len(data)), fileColumns{columns: columns, warnings: newWarnings(opts), opts: &opts})
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		for n := 0; ; n++ {
			var row Row
			err := p.next(&row)
			if errors.Is(err, io.EOF) && n == rows {
				return in.n
			}
			if err != nil || row.ID != strconv.Itoa(n) || row.Answer != "answer "+row.ID {
				t.Fatalf("row %d of %d: got %+v, error %v", n, rows, row, err)
			}
		}
	}
	if n := read(Options{}); n > int64(len(data))/10 {
		t.Errorf("read %d of %d bytes, want at most a tenth without the large column", n, len(data))
	}
	if n := read(Options{Keep: []string{"embedding"}}); n < rows*wide {
		t.Errorf("read %d bytes, want at least %d with the large column", n, rows*wide)
	}
}
