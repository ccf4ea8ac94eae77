package dataset

import (
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// benchRows returns n records of about 1 KB each.
func benchRows(n int) []record {
	chunk := strings.Repeat("Albert Einstein (born 14 March 1879) was a German-born physicist. ", 3)
	rows := make([]record, n)
	for i := range rows {
		rows[i] = record{
			ID: "row-" + strconv.Itoa(i), Question: "Where and when was Einstein born?",
			Answer:   "Einstein was born in Germany on 14th March 1879, and he said: \"relative\".",
			Contexts: []string{chunk + strconv.Itoa(i), chunk + "Österreich", chunk + "a \"quoted\" word", chunk},
		}
	}
	return rows
}

func benchmarkFormat(b *testing.B, f Format) {
	rows := benchRows(20000)
	var data []byte
	if f == Parquet {
		data = writeGroups(b, [][]record{rows}, parquet.Compression(&parquet.Snappy))
	} else {
		data = encode(b, f, rows)
	}
	path := write(b, "x."+string(f), string(data))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := Open([]string{path}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range s.Rows() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 20000 {
			b.Fatalf("got %d rows, want 20000", n)
		}
	}
}

func BenchmarkJSONL(b *testing.B)   { benchmarkFormat(b, JSONL) }
func BenchmarkJSON(b *testing.B)    { benchmarkFormat(b, JSON) }
func BenchmarkCSV(b *testing.B)     { benchmarkFormat(b, CSV) }
func BenchmarkParquet(b *testing.B) { benchmarkFormat(b, Parquet) }
