// Command lexicalscores adds the score of the lexical judge, as "words", to the claims
// in the output of training/prepare.py. The network is trained to complement that
// score. It reads and writes JSONL.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lexicalscores:", err)
		os.Exit(1)
	}
}

// A group is a line of input: a window with claims. Other fields of claims are copied.
type group struct {
	Source string           `json:"source"`
	Window string           `json:"window"`
	Claims []map[string]any `json:"claims"`
}

func run(r io.Reader, w io.Writer) error {
	judge, err := lexical.New(lexical.Options{Threshold: lexical.DefaultThreshold, Sentences: func(text string, yield func(start, end int)) {
		for _, s := range segment.Sentences(text, "en") {
			yield(s.Start, s.End)
		}
	}})
	if err != nil {
		return err
	}
	in, out := json.NewDecoder(bufio.NewReaderSize(r, 1<<20)), bufio.NewWriterSize(w, 1<<20)
	for {
		var g group
		if err := in.Decode(&g); err != nil {
			if errors.Is(err, io.EOF) {
				return out.Flush()
			}
			return err
		}
		task := verdict.Task{Contexts: []string{g.Window}}
		for i, c := range g.Claims {
			text, _ := c["text"].(string)
			task.Claims = append(task.Claims, extract.Claim{ID: i, Text: text})
		}
		judged, err := judge.Judge(context.Background(), task)
		if err != nil {
			return err
		}
		for i, v := range judged.Verdicts {
			g.Claims[i]["words"] = v.Score
		}
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(g); err != nil {
			return err
		}
		if _, err := out.Write(line.Bytes()); err != nil {
			return err
		}
	}
}
