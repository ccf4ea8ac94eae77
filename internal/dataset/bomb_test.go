package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// zeros is a text of so many '0'.
func zeros(n int64) io.Reader { return io.LimitReader(same('0'), n) }

type same byte

func (s same) Read(p []byte) (int, error) {
	if len(p) > 0 {
		p[0] = byte(s)
	}
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
	return len(p), nil
}

// packed compresses r.
func packed(t *testing.T, how string, r io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	if how == "gzip" {
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

// allocated is how many bytes f allocates in all, whatever is freed again.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const goodRow = `{"answer":"a","contexts":["x"]}` + "\n"

func TestADecompressionBombIsAnError(t *testing.T) {
	const grown = harmless + 1<<26
	bomb := packed(t, "zstd", zeros(grown))
	for name, data := range map[string][]byte{"zstd": bomb, "zstd in gzip": packed(t, "gzip", bytes.NewReader(bomb))} {
		t.Run(name, func(t *testing.T) {
			t.Logf("%d bytes", len(data))
			path := filepath.Join(t.TempDir(), "rows.jsonl")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			taken := allocated(func() {
				if _, err := Open([]string{path}, Options{MaxRowBytes: 1 << 20}); !errors.Is(err, errBomb) || !strings.HasPrefix(err.Error(), path+": the zstd data: it is more than 500 times as large unpacked: a decompression bomb?") {
					t.Error(err)
				}
			})
			if taken > 64<<20 {
				t.Errorf("it took %d MiB", taken>>20)
			}
		})
	}
}

// Only what is beyond measure is a bomb: what is small, and what is alike.
func TestWhatGrowsAsDataDoesIsNoBomb(t *testing.T) {
	for _, tt := range []struct {
		name        string
		out, stored int64
		bomb        bool
	}{
		{name: "small", out: harmless, stored: 1},
		{name: "rows that are all the same", out: 10 << 30, stored: 64 << 20},
		{name: "a bomb", out: harmless + 1, stored: harmless/maxGrowth - 1, bomb: true},
		{name: "a large bomb", out: 1 << 40, stored: 1 << 30, bomb: true},
	} {
		l := &layer{name: "gzip", r: strings.NewReader("x"), stored: &counter{n: tt.stored}, n: tt.out}
		if _, err := l.Read(make([]byte, 1)); errors.Is(err, errBomb) != tt.bomb {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A line of 2 GB is refused without being held, and what follows it is read.
func TestALineOf2GBIsRefusedAndTheRestIsRead(t *testing.T) {
	rows := func() io.Reader {
		return io.MultiReader(strings.NewReader(goodRow+`{"contexts":["x"],"answer":"`), zeros(2<<30), strings.NewReader("\"}\n"+goodRow))
	}
	taken := allocated(func() {
		s, err := Open([]string{"-"}, Options{Stdin: rows(), Format: JSONL, MaxRowBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for row, err := range s.Rows() {
			got = append(got, fmt.Sprint(row.Answer, " ", err))
		}
		if want := "[a <nil>  standard input:2: record is too long: the limit is 1 MiB a <nil>]"; fmt.Sprint(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	if taken > 16<<20 {
		t.Errorf("it took %d MiB", taken>>20)
	}
}

// Nothing that reads a row goes down with it, and the row after it is read.
func TestJSONThatIsNestedWithoutEndFailsItsRowAlone(t *testing.T) {
	const deep = 100_000
	nested := map[string]string{
		"lists":        strings.Repeat("[", deep) + strings.Repeat("]", deep),
		"objects":      strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		"unclosed":     strings.Repeat("[", deep),
		"within 10000": strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
	}
	for name, value := range nested {
		for _, column := range []string{"contexts", "answer", "extra"} {
			bad := `{"answer":"a","contexts":["x"],"` + column + `":` + value + "}\n"
			if column != "extra" {
				bad = strings.Replace(bad, `"`+column+`":["x"],`, "", 1)
				bad = strings.Replace(bad, `"answer":"a",`, map[bool]string{true: "", false: `"answer":"a",`}[column == "answer"], 1)
			}
			rows, last := read(t, "x.jsonl", goodRow+bad+goodRow, Options{KeepAll: true})
			wrong := column != "extra" || name != "within 10000"
			if len(rows) != 3 || last != "" || rows[0].Err != "" || rows[2].Err != "" || rows[1].Err != "" != wrong {
				t.Errorf("%s, %s: %d rows, %q, %s", name, column, len(rows), last, errorsOf(rows))
			}
		}
		csv, last := read(t, "x.csv", "answer,contexts\na,x\na,\""+strings.ReplaceAll(value, `"`, `""`)+"\"\na,x\n", Options{})
		if len(csv) != 3 || last != "" || csv[0].Err != "" || csv[2].Err != "" {
			t.Errorf("%s, CSV: %d rows, %q, %s", name, len(csv), last, errorsOf(csv))
		}
	}
}

// Values of two bytes in a file take sixty in memory.
func TestARowOfTooManyValuesFailsAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	for _, value := range []string{"1", `""`} { // of the second, nothing but the number is too much
		many := "[" + strings.Repeat(value+",", maxNodes) + value + "]"
		rows, last := read(t, "x.jsonl", goodRow+`{"answer":"a","contexts":`+many+"}\n"+goodRow, Options{})
		if want := "\nx.jsonl:2: record is too long: more than 4194304 values\n"; errorsOf(rows) != want || last != "" {
			t.Errorf("%s: %q, %q, want %q", value, errorsOf(rows), last, want)
		}
	}
}

// A dictionary lets a file of some kilobytes mean a row of any size.
func TestAParquetRowThatIsSmallInItsFileAloneIsRefused(t *testing.T) {
	type row struct {
		ID       string   `parquet:"id"`
		Contexts []string `parquet:"contexts,list,dict"`
		Answer   string   `parquet:"answer"`
	}
	const size, times = 1 << 16, 4096 // 256 MiB
	big := make([]string, times)
	text := strings.Repeat("x", size)
	for i := range big {
		big[i] = text
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(&parquet.Zstd))
	if _, err := w.Write([]row{{"0", []string{"x"}, "a"}, {"1", big, "a"}, {"2", []string{"x"}, "a"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 1<<20 {
		t.Fatalf("the file has %d bytes", b.Len())
	}
	path := write(t, "x.parquet", b.String())
	taken := allocated(func() {
		s, err := Open([]string{path}, Options{MaxRowBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for row, err := range s.Rows() {
			got = append(got, fmt.Sprint(row.ID, row.Contexts, " ", strings.TrimPrefix(fmt.Sprint(err), path)))
		}
		if want := "[0[x] <nil> 1[] :2: record is too long: the limit is 1 MiB 2[x] <nil>]"; fmt.Sprint(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	if taken > 128<<20 {
		t.Errorf("it took %d MiB", taken>>20)
	}
}

// Ids that all fall on one place in one run fall on others in the next, so that
// nobody can write them down.
func TestWhereAnIDLiesIsNobodysToChoose(t *testing.T) {
	first, second := newIDs(), newIDs()
	const ids, places = 1 << 12, 1 << 8
	same := 0
	for i := range ids {
		id := strconv.Itoa(i)
		if first.hash(id)/2%places == second.hash(id)/2%places {
			same++
		}
	}
	if same > 10*ids/places {
		t.Errorf("%d of %d ids lie on the same one of %d places in both", same, ids, places)
	}
}
