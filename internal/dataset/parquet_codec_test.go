package dataset

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	pqcompress "github.com/parquet-go/parquet-go/compress"
)

type textRow struct {
	Answer   string   `parquet:"answer"`
	Contexts []string `parquet:"contexts,list"`
}

// noisyRows returns rows of three kinds of texts in turn, which compress well,
// hardly, and by about a third.
func noisyRows(kind, n int) []textRow {
	random := rand.New(rand.NewPCG(1, uint64(kind)))
	rows := make([]textRow, n)
	for i := range rows {
		text := "The fee is $40 and the library is open. "
		noise := fmt.Sprintf("%016x%016x%016x", random.Uint64(), random.Uint64(), random.Uint64())
		switch kind % 3 {
		case 1:
			text = noise
		case 2:
			text += noise
		}
		rows[i] = textRow{text, []string{text, noise}}
	}
	return rows
}

// A page that hardly compresses needs other buffers than one that does.
func TestParquetPagesOfAnyCompression(t *testing.T) {
	var groups [][]textRow // of each kind
	for kind := range 6 {
		groups = append(groups, noisyRows(kind, 300))
	}
	want := slices.Concat(groups...)
	for _, codec := range []pqcompress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw} {
		for version := 1; version <= 2; version++ {
			data := writeGroups(t, groups, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(8<<10))
			rows, last := read(t, "x.parquet", string(data), Options{})
			var got []textRow
			for _, r := range rows {
				got = append(got, textRow{r.Row.Answer, r.Row.Contexts})
			}
			if d := cmp.Diff(want, got); d != "" || last != "" {
				t.Errorf("%s, pages of version %d: last error %q (-want +got):\n%s", codec, version, last, d)
			}
		}
	}
}

// checkTexts must report a page whose texts are not those that its header
// declares.
func TestParquetPageWithOtherTextsIsRejected(t *testing.T) {
	texts, offsets := []byte("abcdef"), []uint32{0, 2, 4, 6}
	for _, tt := range []struct {
		values int
		want   string
	}{
		{3, ""},
		{2, "a page does not contain the 2 values that its header declares"},
	} {
		typ := parquet.ByteArrayType
		page := typ.NewPage(0, tt.values, typ.NewValues(texts, offsets))
		if err := checkTexts(page); errorText(err) != tt.want {
			t.Errorf("%d values: got error %v, want %q", tt.values, err, tt.want)
		}
	}
}

// writeCodecs writes rows to Parquet files with all codecs, encodings and page
// versions, and beside each the rows as pyarrow reads them.
const writeCodecs = `
import itertools, json, random, sys
import pyarrow as pa, pyarrow.parquet as pq

random.seed(1)
text = pa.string()
schema = pa.schema([("answer", text), ("contexts", pa.list_(text)), ("n", pa.int64())])

def rows(kind):
    for i in range(200):
        noise = "%048x" % random.getrandbits(192)
        a = ["The fee is $40. " * 4, noise, "The fee is $40 and the library is open. " + noise][kind % 3]
        yield {"answer": a, "contexts": [a, noise] if i % 7 else [noise], "n": random.getrandbits(60) if i % 5 else None}

tables = [pa.Table.from_pylist(list(rows(kind)), schema) for kind in range(6)]
for codec, encoding, version, page in itertools.product(
        ["none", "snappy", "gzip", "brotli", "zstd", "lz4"],
        ["PLAIN", "dictionary", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"], ["1.0", "2.0"], [1, 4096, 1 << 22]):
    name = "%s/%s-%s-%s-%d" % (sys.argv[1], codec, encoding, version, page)
    columns = dict(use_dictionary=True)
    if encoding != "dictionary":
        columns = dict(use_dictionary=False, column_encoding={
            "answer": encoding, "contexts.list.element": encoding,
            "n": "PLAIN" if encoding == "PLAIN" else "BYTE_STREAM_SPLIT" if encoding == "DELTA_BYTE_ARRAY" else "DELTA_BINARY_PACKED"})
    with pq.ParquetWriter(name + ".parquet", schema, compression=codec, data_page_version=version, data_page_size=page,
                          write_batch_size=64, **columns) as w:
        for table in tables:
            w.write_table(table)
    with open(name + ".jsonl", "w") as f:
        for row in pq.read_table(name + ".parquet").to_pylist():
            f.write(json.dumps(row) + "\n")
`

func TestParquetReadsWhatPyarrowReads(t *testing.T) {
	python := os.Getenv("TEST_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import pyarrow.parquet").Run(); err != nil {
		t.Skipf("%s (set TEST_PYTHON to use another) cannot import pyarrow: %v", python, err)
	}
	dir := t.TempDir()
	if out, err := exec.Command(python, "-c", writeCodecs, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	if err != nil || len(names) < 100 {
		t.Fatalf("got %d files, error %v, want at least 100", len(names), err)
	}
	for _, name := range names {
		want, wantErr := readFiles(t, Options{KeepAll: true}, strings.TrimSuffix(name, ".parquet")+".jsonl")
		got, gotErr := readFiles(t, Options{KeepAll: true}, name)
		if d := cmp.Diff(want, got, ignorePosition()); d != "" || wantErr != nil || gotErr != nil {
			t.Errorf("%s: errors %v and %v (-pyarrow +got):\n%s", filepath.Base(name), wantErr, gotErr, d)
		}
	}
}
