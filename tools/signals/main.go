// Command signals writes the features from which the embedded judge computes its
// scores, for training/fit.py. It reads rows with an answer or claims, and contexts,
// as JSONL from standard input, and writes each row without its texts but with the
// signals of its claims.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/embedded"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
)

func main() {
	model := flag.String("model", "", "path of the model")
	precision := flag.String("precision", "int8", "float32 or int8")
	windows := flag.Int("windows", 3, "windows per claim")
	room := flag.Int("room", 200, "tokens per window")
	packed := flag.Int("packed", 160, "tokens per packed window, or 0")
	flag.Parse()
	f := embedded.Formula{Windows: *windows, Room: *room, Packed: *packed, Margin: 0.01, Max: 8}
	if err := run(os.Stdin, os.Stdout, *model, *precision == "int8", f); err != nil {
		fmt.Fprintln(os.Stderr, "signals:", err)
		os.Exit(1)
	}
}

// texts holds the columns that are not written.
type texts struct {
	Question string
	Answer   string
	Claims   []string
	Contexts []string
}

func run(r io.Reader, w io.Writer, model string, int8 bool, f embedded.Formula) error {
	precision := kernel.Float32
	if int8 {
		precision = kernel.Int8
	}
	m, err := encoder.OpenGrounding(model, encoder.Options{Precision: precision})
	if err != nil {
		return err
	}
	words, err := lexical.New(lexical.Options{Threshold: lexical.DefaultThreshold, Sentences: sentences})
	if err != nil {
		return errors.Join(err, m.Close())
	}
	judge := embedded.New(embedded.Options{Model: m, Formula: f, Words: words, Sentences: sentences})
	in, out := json.NewDecoder(bufio.NewReaderSize(r, 1<<20)), bufio.NewWriterSize(w, 1<<20)
	for err == nil {
		err = processBlock(in, out, judge)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, out.Flush(), m.Close())
}

func sentences(text string, yield func(start, end int)) {
	for _, s := range segment.Sentences(text, "") {
		yield(s.Start, s.End)
	}
}

// blockSize is the number of rows processed at a time.
const blockSize = 64

// processBlock processes the next rows. It returns io.EOF after the last one.
func processBlock(in *json.Decoder, out io.Writer, judge *embedded.Judge) error {
	var raws []json.RawMessage
	var readErr error
	for len(raws) < blockSize && readErr == nil {
		var raw json.RawMessage
		if readErr = in.Decode(&raw); readErr == nil {
			raws = append(raws, raw)
		}
	}
	lines := make([][]byte, len(raws))
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	for i, raw := range raws {
		group.Go(func() (err error) {
			lines[i], err = measure(ctx, judge, raw)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return readErr
}

// measure returns the output line of a row.
func measure(ctx context.Context, judge *embedded.Judge, raw json.RawMessage) ([]byte, error) {
	var t texts
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, err
	}
	row := map[string]any{}
	if err := json.Unmarshal(raw, &row); err != nil {
		return nil, err
	}
	task := verdict.Task{Question: t.Question, Contexts: t.Contexts}
	for i, c := range t.Claims {
		task.Claims = append(task.Claims, extract.Claim{ID: i, Text: c})
	}
	if t.Claims == nil {
		e, err := extract.Sentences{}.Extract(ctx, t.Question, t.Answer)
		if err != nil {
			return nil, err
		}
		task.Claims = e.Claims
	}
	signals, err := judge.Measure(ctx, task)
	if err != nil {
		return nil, err
	}
	for _, k := range []string{"question", "answer", "claims", "contexts"} {
		delete(row, k)
	}
	row["signals"] = signals
	return json.Marshal(row)
}
