package dataset

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
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
	const rows, groups, wide = 400, 4, 8 << 10
	random := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	w := parquet.NewGenericWriter[wideRow](&b)
	for i := range rows {
		r := wideRow{Answer: "answer " + strconv.Itoa(i), Contexts: []string{"a", "b"}, Embedding: make([]byte, wide), ID: strconv.Itoa(i)}
		for j := range r.Embedding {
			r.Embedding[j] = byte(random.Uint32())
		}
		if _, err := w.Write([]wideRow{r}); err != nil {
			t.Fatal(err)
		}
		if (i+1)%(rows/groups) == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	read := func(opts Options) int64 {
		columns, err := newColumnMap(opts)
		if err != nil {
			t.Fatal(err)
		}
		in := &countingReaderAt{ReaderAt: bytes.NewReader(b.Bytes())}
		p, err := newParquet(in, int64(b.Len()), &file{opts: &opts, columns: columns, warnings: &warnings{warn: func(error) {}}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		n := 0
		for {
			var row Row
			err := p.next(&row)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || row.ID != strconv.Itoa(n) || row.Answer != "answer "+row.ID {
				t.Fatalf("row %d: got %+v, error %v", n, row, err)
			}
			n++
		}
		if n != rows {
			t.Fatalf("got %d rows, want %d", n, rows)
		}
		return in.n
	}
	if n := read(Options{}); n > int64(b.Len())/10 {
		t.Errorf("read %d of %d bytes, want at most a tenth without the large column", n, b.Len())
	}
	if n := read(Options{Keep: []string{"embedding"}}); n < rows*wide {
		t.Errorf("read %d bytes, want at least %d with the large column", n, rows*wide)
	}
}
