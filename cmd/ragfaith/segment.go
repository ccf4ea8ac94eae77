package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/segment"
)

type segmentOptions struct {
	lang string
	to   string
}

func newSegment() *cobra.Command {
	var o segmentOptions
	cmd := &cobra.Command{
		Use:   "segment [FILE|-]",
		Short: "Split a text into sentences",
		Long: `Split a text into sentences and write one sentence per line: as JSONL with offsets in
code points, or as plain text with line breaks within a sentence replaced by spaces.
FILE defaults to standard input. --lang x-claims splits quotations and clauses as score
does.`,
		Example: `  ragfaith segment answer.md
  ragfaith segment answer.txt --lang de --to text
  pbpaste | ragfaith segment | jq .text`,
		Annotations: map[string]string{notesKey: `Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted.`},
		Args:        argCount(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			return runSegment(cmd.Context(), o, name, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	addFlags(cmd, flagGroup{defaultGroup, []flagSpec{
		{"lang", "LANG", flagvalue.Language(&o.lang, segment.Languages()), "language, such as de or de-x-claims (default: detected)"},
		formatFlag(&o.to, "jsonl", "text"),
	}})
	return cmd
}

func runSegment(ctx context.Context, o segmentOptions, name string, stdin io.Reader, stdout io.Writer) error {
	text, err := readText(ctx, name, stdin)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(stdout)
	if err = writeSentences(ctx, w, text, o); err == nil {
		err = w.Flush()
	}
	if output.IsClosedPipe(err) {
		return nil
	}
	return err
}

// readText reads a file, or stdin for "-". Text above the default row limit is an error.
func readText(ctx context.Context, name string, stdin io.Reader) (string, error) {
	var in io.Reader
	if name == "-" {
		name, in = "standard input", safefile.Interruptible(ctx, stdin)
	} else {
		file, err := safefile.OpenPipe(ctx)(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, dataset.DefaultMaxRowBytes+1))
	if err == nil && len(data) > dataset.DefaultMaxRowBytes {
		err = fmt.Errorf("longer than %d MiB", dataset.DefaultMaxRowBytes>>20)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(data), nil
}

// A sentence is one line of the JSONL output. Offsets are in code points.
type sentence struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// writeSentences writes the sentences of text in the format of --to.
func writeSentences(ctx context.Context, w io.Writer, text string, o segmentOptions) error {
	const byteOrderMark = "\ufeff"
	at, points := 0, 0
	if strings.HasPrefix(text, byteOrderMark) {
		text, points = text[len(byteOrderMark):], 1
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, span := range segment.Sentences(text, o.lang) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		points += utf8.RuneCountInString(text[at:span.Start])
		s := sentence{Start: points, Text: text[span.Start:span.End]}
		points += utf8.RuneCountInString(s.Text)
		s.End, at = points, span.End
		var err error
		if o.to == "jsonl" {
			err = enc.Encode(s)
		} else {
			_, err = fmt.Fprintln(w, fold(s.Text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var lineBreak = regexp.MustCompile(`[\s\v\x{85}\p{Z}]*[\n\r\v\f\x{85}\x{2028}\x{2029}][\s\v\x{85}\p{Z}]*`)

// fold replaces each line break in s and the surrounding white space with a space.
func fold(s string) string { return lineBreak.ReplaceAllString(s, " ") }
