// Command benchrows writes rows of about 1 KB that look like real ones, the same
// for the same seed, to measure speed and memory with. With -check it reads
// results instead, as JSONL from standard input, and fails unless there are as
// many as -n says, each in its place.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

func main() {
	n := flag.Int("n", 1_000_000, "rows")
	out := flag.String("o", "rows.jsonl", "file to write: .jsonl, .csv or .parquet")
	seed := flag.Uint64("seed", 1, "seed")
	check := flag.Bool("check", false, "read results")
	flag.Parse()
	var err error
	if *check {
		err = checkOrder(os.Stdin, *n)
	} else {
		err = write(*n, *out, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchrows:", err)
		os.Exit(1)
	}
}

// A row is one of the dataset, its columns in the order of a JSON encoder.
type row struct {
	Answer   string   `parquet:"answer"`
	Contexts []string `parquet:"contexts,list"`
	ID       string   `parquet:"id"`
	Question string   `parquet:"question"`
}

func write(n int, out string, seed uint64) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	m := newMaker(seed)
	switch filepath.Ext(out) {
	case ".jsonl":
		err = each(m, n, w, row.appendJSON)
	case ".csv":
		if _, err = w.WriteString("answer,contexts,id,question\n"); err == nil {
			err = each(m, n, w, row.appendCSV)
		}
	case ".parquet":
		err = writeParquet(m, n, w)
	default:
		err = errors.New("want .jsonl, .csv or .parquet")
	}
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func each(m *maker, n int, w io.Writer, line func(row, []byte) []byte) error {
	var buf []byte
	for i := range n {
		buf = line(m.row(i), buf[:0])
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// appendJSON appends the row as a line of JSON. Its texts have nothing to escape.
func (r row) appendJSON(dst []byte) []byte {
	dst = append(append(dst, `{"answer":"`...), r.Answer...)
	dst = append(append(append(dst, `","contexts":["`...), r.Contexts[0]...), `","`...)
	dst = append(append(append(dst, r.Contexts[1]...), `"],"id":"`...), r.ID...)
	return append(append(append(dst, `","question":"`...), r.Question...), "\"}\n"...)
}

// appendCSV appends the row as a line of CSV, its contexts as a list in JSON.
func (r row) appendCSV(dst []byte) []byte {
	dst = append(append(append(dst, '"'), r.Answer...), `","[""`...)
	dst = append(append(append(dst, r.Contexts[0]...), `"",""`...), r.Contexts[1]...)
	dst = append(append(append(dst, `""]",`...), r.ID...), ',')
	return append(append(dst, r.Question...), '\n')
}

// writeParquet writes row groups of 100,000 rows.
func writeParquet(m *maker, n int, out io.Writer) error {
	const batch, group = 1000, 100_000
	w := parquet.NewGenericWriter[row](out, parquet.Compression(&parquet.Snappy))
	rows := make([]row, 0, batch)
	for i := range n {
		rows = append(rows, m.row(i))
		if len(rows) < batch && i+1 < n {
			continue
		}
		if _, err := w.Write(rows); err != nil {
			return err
		}
		rows = rows[:0]
		if (i+1)%group == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// checkOrder reads results. Only the beginning of a line is looked at, so that
// what is measured has the processor to itself.
func checkOrder(in io.Reader, n int) error {
	const prefix = `{"index":`
	r := bufio.NewReaderSize(in, 1<<20)
	for i := 0; ; i++ {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			if i != n {
				return fmt.Errorf("%d results, want %d", i, n)
			}
			return nil
		}
		if err != nil {
			return err
		}
		rest, ok := bytes.CutPrefix(line, []byte(prefix))
		index, _, _ := bytes.Cut(rest, []byte(","))
		if !ok || string(index) != strconv.Itoa(i) || i%1000 == 0 && !json.Valid(line) {
			return fmt.Errorf("line %d is not the result of that row: %s", i+1, strings.ToValidUTF8(string(line[:min(len(line), 100)]), "?"))
		}
	}
}
