// Command signals writes what the embedded judge knows of each claim before it
// decides, for training/fit.py. It reads rows of an answer, or of claims, and
// contexts as JSONL from standard input, and writes each row back with its texts
// taken out and the signals of its claims put in.
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
	model := flag.String("model", "", "file of the model")
	precision := flag.String("precision", "int8", "float32 or int8")
	windows := flag.Int("windows", 3, "windows of a claim")
	room := flag.Int("room", 200, "tokens of a window")
	packed := flag.Int("packed", 160, "tokens of a packed window; 0 for none")
	flag.Parse()
	f := embedded.Formula{Windows: *windows, Room: *room, Packed: *packed, Margin: 0.01, Max: 8}
	if err := run(os.Stdin, os.Stdout, *model, *precision == "int8", f); err != nil {
		fmt.Fprintln(os.Stderr, "signals:", err)
		os.Exit(1)
	}
}

// texts are the columns that are not written back.
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
	j := embedded.New(embedded.Options{Model: m, Formula: f, Words: words, Sentences: sentences})
	in, out := json.NewDecoder(bufio.NewReaderSize(r, 1<<20)), bufio.NewWriterSize(w, 1<<20)
	for err == nil {
		err = block(in, out, j)
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

// blockRows is how many rows are in flight.
const blockRows = 64

// block measures the next rows, io.EOF after the last.
func block(in *json.Decoder, out io.Writer, j *embedded.Judge) error {
	var raws []json.RawMessage
	var end error
	for len(raws) < blockRows && end == nil {
		var raw json.RawMessage
		if end = in.Decode(&raw); end == nil {
			raws = append(raws, raw)
		}
	}
	lines := make([][]byte, len(raws))
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	for i, raw := range raws {
		group.Go(func() (err error) {
			lines[i], err = measure(ctx, j, raw)
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
	return end
}

func measure(ctx context.Context, j *embedded.Judge, raw json.RawMessage) ([]byte, error) {
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
	signals, err := j.Measure(ctx, task)
	if err != nil {
		return nil, err
	}
	for _, k := range []string{"question", "answer", "claims", "contexts"} {
		delete(row, k)
	}
	row["signals"] = signals
	return json.Marshal(row)
}
