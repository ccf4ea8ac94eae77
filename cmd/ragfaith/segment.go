package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/segment"
)

// segmentOptions are the flags of "ragfaith segment".
type segmentOptions struct {
	lang string
	to   string
}

const segmentLong = `Split a text into sentences, as score splits answers into claims, and write one
sentence per line: as JSONL with offsets in code points, or as plain text with line
breaks within a sentence replaced by spaces. FILE defaults to standard input.`

const segmentExample = `  ragfaith segment answer.md
  ragfaith segment answer.txt --lang de --to text
  pbpaste | ragfaith segment | jq .text`

const segmentNotes = `Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted.`

func newSegment() *cobra.Command {
	var o segmentOptions
	cmd := &cobra.Command{
		Use:         "segment [FILE|-]",
		Short:       "Split a text into sentences",
		Long:        segmentLong,
		Example:     segmentExample,
		Annotations: map[string]string{notesKey: segmentNotes},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want one FILE, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			return runSegment(cmd.Context(), o, name, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	addFlags(cmd, flagGroup{plainFlags, []flagSpec{
		{name: "lang", arg: "LANG", value: tag{&o.lang}, found: anyValue,
			help: "language such as de; de-x-claims to split as score does (default: detected)"},
		{name: "to", arg: "FORMAT", value: oneOf(&o.to, "jsonl", "jsonl", "text"), found: "table none", help: "format written to stdout: jsonl or text"},
	}})
	return cmd
}

// runSegment writes the sentences of the named text to stdout.
func runSegment(ctx context.Context, o segmentOptions, name string, stdin io.Reader, stdout io.Writer) error {
	text, err := readText(ctx, name, stdin)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(stdout)
	if err := writeSentences(ctx, w, text, o); err != nil {
		return err
	}
	return w.Flush()
}

// readText reads a file as a whole, or stdin for "-".
func readText(ctx context.Context, name string, stdin io.Reader) (string, error) {
	if name == "-" {
		text, err := readAll(untilDone(ctx, stdin))
		if err != nil {
			return "", fmt.Errorf("standard input: %w", err)
		}
		return text, nil
	}
	open := func(name string) (io.ReadCloser, error) { return safefile.Open(name) }
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		open = pipesUntilDone(ctx)
	}
	in, err := open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := readAll(in)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// readAll reads a text that is no longer than a row of a dataset may be.
func readAll(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, dataset.DefaultMaxRowBytes+1))
	if err == nil && len(data) > dataset.DefaultMaxRowBytes {
		err = fmt.Errorf("longer than %d bytes", dataset.DefaultMaxRowBytes)
	}
	return string(data), err
}

// A sentence is one line of the JSONL: where it stands, in code points of the
// text, and what it says.
type sentence struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

func writeSentences(ctx context.Context, w io.Writer, text string, o segmentOptions) error {
	const mark = "\ufeff" // of the byte order; some editors begin a file with it
	at, points := 0, 0
	if strings.HasPrefix(text, mark) {
		text, points = text[len(mark):], 1
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
			_, err = fmt.Fprintln(w, folded(s.Text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// folded is s in one line: a space for a line break and the white space around
// it.
func folded(s string) string {
	if !strings.ContainsAny(s, "\n\r\v\f\u0085\u2028\u2029") {
		return s
	}
	var b strings.Builder
	for line := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}

// tag is the tag of a language, such as de or de-AT.
type tag struct{ to *string }

func (t tag) String() string {
	if t.to == nil {
		return ""
	}
	return *t.to
}
func (t tag) Type() string { return "language" }
func (t tag) Set(s string) error {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return fmt.Errorf("%q is no language tag such as de or de-AT", s)
		}
	}
	*t.to = s
	return nil
}
