// Command benchrows writes a dataset of realistic rows of about 1 KB for benchmarks.
// The same seed produces the same rows. With -check it reads results as JSONL from
// standard input and fails unless there are -n of them in order.
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
	n := flag.Int("n", 1_000_000, "number of rows")
	out := flag.String("o", "rows.jsonl", "file to write: .jsonl, .csv or .parquet")
	seed := flag.Uint64("seed", 1, "random seed")
	check := flag.Bool("check", false, "check results instead")
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

// A row is one row of the dataset.
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
	g := newGenerator(seed)
	switch filepath.Ext(out) {
	case ".jsonl":
		err = writeLines(g, n, w, row.appendJSON)
	case ".csv":
		if _, err = w.WriteString("answer,contexts,id,question\n"); err == nil {
			err = writeLines(g, n, w, row.appendCSV)
		}
	case ".parquet":
		err = writeParquet(g, n, w)
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

// writeLines writes n rows with appendRow.
func writeLines(g *generator, n int, w io.Writer, appendRow func(row, []byte) []byte) error {
	var buf []byte
	for i := range n {
		buf = appendRow(g.row(i), buf[:0])
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// appendJSON appends the row as a line of JSON. Its texts need no escaping.
func (r row) appendJSON(dst []byte) []byte {
	dst = append(append(dst, `{"answer":"`...), r.Answer...)
	dst = append(append(append(dst, `","contexts":["`...), r.Contexts[0]...), `","`...)
	dst = append(append(append(dst, r.Contexts[1]...), `"],"id":"`...), r.ID...)
	return append(append(append(dst, `","question":"`...), r.Question...), "\"}\n"...)
}

// appendCSV appends the row as a line of CSV, with the contexts as a JSON list.
func (r row) appendCSV(dst []byte) []byte {
	dst = append(append(append(dst, '"'), r.Answer...), `","[""`...)
	dst = append(append(append(dst, r.Contexts[0]...), `"",""`...), r.Contexts[1]...)
	dst = append(append(append(dst, `""]",`...), r.ID...), ',')
	return append(append(dst, r.Question...), '\n')
}

// writeParquet writes row groups of 100,000 rows.
func writeParquet(g *generator, n int, out io.Writer) error {
	const batch, group = 1000, 100_000
	w := parquet.NewGenericWriter[row](out, parquet.Compression(&parquet.Snappy))
	rows := make([]row, 0, batch)
	for i := range n {
		rows = append(rows, g.row(i))
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

// checkOrder checks the index of each result. It only parses the beginning of a line,
// to leave the processor to the command being measured.
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
			return fmt.Errorf("line %d: want the result of row %d, got %s", i+1, i, strings.ToValidUTF8(string(line[:min(len(line), 100)]), "?"))
		}
	}
}
