package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// runRows writes a dataset of realistic rows of about 1 KB. The same seed produces the
// same rows.
func runRows(args []string) error {
	flags := flag.NewFlagSet("rows", flag.ExitOnError)
	n := flags.Int("n", 1_000_000, "number of rows")
	out := flags.String("o", "rows.jsonl", "file to write: .jsonl, .csv or .parquet")
	seed := flags.Uint64("seed", 1, "random seed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return write(*n, *out, *seed)
}

// A row is one row of the dataset.
type row struct {
	Answer   string   `parquet:"answer" json:"answer"`
	Contexts []string `parquet:"contexts,list" json:"contexts"`
	ID       string   `parquet:"id" json:"id"`
	Question string   `parquet:"question" json:"question"`
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
		enc := json.NewEncoder(w)
		for i := 0; i < n && err == nil; i++ {
			err = enc.Encode(g.row(i))
		}
	case ".csv":
		err = writeCSV(g, n, w)
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

// writeCSV writes the contexts as a JSON list.
func writeCSV(g *generator, n int, out io.Writer) error {
	w := csv.NewWriter(out)
	err := w.Write([]string{"answer", "contexts", "id", "question"})
	for i := 0; i < n && err == nil; i++ {
		r := g.row(i)
		var contexts []byte
		if contexts, err = json.Marshal(r.Contexts); err == nil {
			err = w.Write([]string{r.Answer, string(contexts), r.ID, r.Question})
		}
	}
	w.Flush()
	return errors.Join(err, w.Error())
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
