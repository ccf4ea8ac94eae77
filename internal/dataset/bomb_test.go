package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// zeros returns a reader of n '0' characters.
func zeros(n int64) io.Reader { return io.LimitReader(repeatReader('0'), n) }

// A repeatReader returns the same byte forever.
type repeatReader byte

func (r repeatReader) Read(p []byte) (int, error) {
	if len(p) > 0 {
		p[0] = byte(r)
	}
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
	return len(p), nil
}

// compress compresses r with gzip or zstd.
func compress(t *testing.T, codec string, r io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	if codec == "gzip" {
		w, err = gzip.NewWriterLevel(&b, gzip.BestSpeed)
	} else {
		w, err = zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// allocated returns the total number of bytes that f allocates, including freed
// memory.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const goodRow = `{"answer":"a","contexts":["x"]}` + "\n"

func TestOpenRejectsDecompressionBombs(t *testing.T) {
	path := write(t, "x.jsonl.zst", string(compress(t, "zstd", zeros(freeSize+1<<26))))
	size := allocated(func() {
		want := path + ": the zstd data: expands to more than 500 times its size: possible decompression bomb"
		if _, err := Open([]string{path}, Options{Format: JSONL, MaxRowBytes: 1 << 20}); !errors.Is(err, errBomb) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	})
	if size > 64<<20 {
		t.Errorf("allocated %d MiB, want at most 64", size>>20)
	}
}

func TestLayerDetectsBombsByRatio(t *testing.T) {
	for _, tt := range []struct {
		name        string
		out, stored int64
		bomb        bool
	}{
		{name: "small", out: freeSize, stored: 1},
		{name: "identical rows", out: 10 << 30, stored: 64 << 20},
		{name: "bomb", out: freeSize + 1, stored: freeSize/maxRatio - 1, bomb: true},
		{name: "large bomb", out: 1 << 40, stored: 1 << 30, bomb: true},
	} {
		l := &layer{name: "gzip", r: strings.NewReader("x"), stored: &replayReader{n: tt.stored}, n: tt.out}
		if _, err := l.Read(make([]byte, 1)); errors.Is(err, errBomb) != tt.bomb {
			t.Errorf("%s: got error %v, want errBomb = %t", tt.name, err, tt.bomb)
		}
	}
}

func TestRowsSkipsOverlongLineWithoutBuffering(t *testing.T) {
	rows := func() io.Reader {
		return io.MultiReader(strings.NewReader(goodRow+`{"contexts":["x"],"answer":"`), zeros(2<<30), strings.NewReader("\"}\n"+goodRow))
	}
	size := allocated(func() {
		s, err := Open([]string{"-"}, Options{Stdin: rows(), Format: JSONL, MaxRowBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for row, err := range s.Rows() {
			got = append(got, fmt.Sprint(row.Answer, " ", err))
		}
		if want := "[a <nil>  standard input:2: record is too long: the limit is 1 MiB a <nil>]"; fmt.Sprint(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	if size > 16<<20 {
		t.Errorf("allocated %d MiB, want at most 16", size>>20)
	}
}

func TestDeeplyNestedJSONFailsOnlyItsRow(t *testing.T) {
	const deep = 100_000
	nested := map[string]string{
		"lists":        strings.Repeat("[", deep) + strings.Repeat("]", deep),
		"objects":      strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		"unclosed":     strings.Repeat("[", deep),
		"within 10000": strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
	}
	for name, value := range nested {
		for _, column := range []string{"contexts", "answer", "extra"} {
			members := map[string]string{"answer": `"a"`, "contexts": `["x"]`, "extra": "0"}
			members[column] = value
			bad := `{"answer":` + members["answer"] + `,"contexts":` + members["contexts"] + `,"extra":` + members["extra"] + "}\n"
			rows, last := read(t, "x.jsonl", goodRow+bad+goodRow, Options{KeepAll: true})
			wantErr := column != "extra" || name != "within 10000"
			if len(rows) != 3 || last != "" || rows[0].Err != "" || rows[2].Err != "" || rows[1].Err != "" != wantErr {
				t.Errorf("%s, %s: got %d rows, row errors %q, last error %q, want 3 rows with an error in row 1 = %t", name, column, len(rows), errorsOf(rows), last, wantErr)
			}
		}
		csv, last := read(t, "x.csv", "answer,contexts\na,x\na,\""+strings.ReplaceAll(value, `"`, `""`)+"\"\na,x\n", Options{})
		if len(csv) != 3 || last != "" || csv[0].Err != "" || csv[2].Err != "" {
			t.Errorf("%s, CSV: got %d rows, row errors %q, last error %q, want 3 rows with at most an error in row 1", name, len(csv), errorsOf(csv), last)
		}
	}
}

func TestRowWithTooManyValuesFailsAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	for _, value := range []string{"1", `""`} { // the second exceeds only the number of values
		many := "[" + strings.Repeat(value+",", maxValues) + value + "]"
		rows, last := read(t, "x.jsonl", goodRow+`{"answer":"a","contexts":`+many+"}\n"+goodRow, Options{})
		if want := "\nx.jsonl:2: record is too long: more than 4194304 values\n"; errorsOf(rows) != want || last != "" {
			t.Errorf("%s: got row errors %q, last error %q, want row errors %q", value, errorsOf(rows), last, want)
		}
	}
}

// A dictionary lets a file of a few kilobytes contain a row of any size.
func TestParquetRowExpandedByDictionaryIsRejected(t *testing.T) {
	type row struct {
		ID       string   `parquet:"id"`
		Contexts []string `parquet:"contexts,list,dict"`
		Answer   string   `parquet:"answer"`
	}
	const textSize, times = 1 << 16, 4096 // 256 MiB
	big := slices.Repeat([]string{strings.Repeat("x", textSize)}, times)
	data := writeGroups(t, [][]row{{{"0", []string{"x"}, "a"}, {"1", big, "a"}, {"2", []string{"x"}, "a"}}}, parquet.Compression(&parquet.Zstd))
	if len(data) > 1<<20 {
		t.Fatalf("got a file of %d bytes, want at most 1 MiB", len(data))
	}
	path := write(t, "x.parquet", string(data))
	size := allocated(func() {
		s, err := Open([]string{path}, Options{MaxRowBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for row, err := range s.Rows() {
			got = append(got, fmt.Sprint(row.ID, row.Contexts, " ", strings.TrimPrefix(fmt.Sprint(err), path)))
		}
		if want := "[0[x] <nil> 1[] :2: record is too long: the limit is 1 MiB 2[x] <nil>]"; fmt.Sprint(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	if size > 128<<20 {
		t.Errorf("allocated %d MiB, want at most 128", size>>20)
	}
}
