// Package dataset reads rows of question, answer and retrieved contexts from JSONL, JSON, CSV, TSV
// and Parquet files. Files can be compressed. Rows are read one at a time.
//
// An invalid record results in a [*RowError], after which reading continues.
// Memory use depends on the size of the largest record, not on the number of
// records, except in a JSON document in which the rows are nested more deeply than in one object.
package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A Row is a record to be scored.
type Row struct {
	Index    int      // zero-based position in all files, counting invalid rows
	ID       string   // text of the id column, or Index in decimal
	Question string   // may be empty
	Answer   string   // may be empty
	Contexts []string // in input order; all may be blank, see HasText
	Sources  []Source // source of each context, or nil if none is known
	Kept     []Column // columns selected by Options.Keep, in file order
	File     string   // path passed to Open; "-" for standard input
	Line     int      // one-based line at which the record starts, or row number in Parquet and JSON documents
	Offset   int64    // input consumed so far, in the unit of Set.Size
}

// A Column is a column that is copied to the results unchanged.
type Column struct {
	Name  string
	Value []byte // JSON
}

// A Source identifies the origin of a context. Unknown fields are empty. An
// answer can cite a context by any field of its source.
type Source struct {
	ID    string // document id
	Part  string // chunk id
	Title string
	File  string // file name or path
	URL   string
}

// A Field identifies a field of a row.
type Field = shape.Field

// Fields of a row. Answer and contexts are required.
const (
	FieldID       = shape.ID
	FieldQuestion = shape.Question
	FieldAnswer   = shape.Answer
	FieldContexts = shape.Contexts
)

func fields() []Field {
	return []Field{FieldID, FieldQuestion, FieldAnswer, FieldContexts}
}

// A Format is a file format, independent of compression.
type Format string

// Supported formats.
const (
	JSONL   Format = "jsonl"
	JSON    Format = "json"
	CSV     Format = "csv"
	TSV     Format = "tsv"
	Parquet Format = "parquet"
)

// Formats returns the names of the supported formats.
func Formats() []string {
	return []string{string(JSONL), string(JSON), string(CSV), string(TSV), string(Parquet)}
}

// Exporters returns the names of the tools whose exports can be read.
func Exporters() []string {
	var names []string
	for _, tool := range shape.Tools() {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// DefaultMaxRowBytes is the default value of Options.MaxRowBytes.
const DefaultMaxRowBytes = 256 << 20

// Required is a column that the first row must have, and the flag that names it.
type Required struct{ Flag, Column string }

// Options configures how files are read. The zero value detects formats and
// columns, and keeps no additional columns.
type Options struct {
	Stdin       io.Reader        // standard input, for the path "-"
	Format      Format           // format of all files, or "" to detect it by extension, then by content
	Map         map[Field]string // columns of fields, or paths such as outputs.documents[*].text; missing ones are detected
	From        string           // tool that wrote the files, one of Exporters, or "" to detect it
	AllTurns    bool             // each answered turn of a conversation is a row, with the id ID#TURN, not only the last one
	Note        func(string)     // called with how files of an unusual layout are read; may be nil
	Keep        []string         // columns to copy to Row.Kept
	KeepAll     bool             // keep all columns that are not used for a field
	Required    []Required       // additional columns to keep, which the first row must have
	NeedText    bool             // reject rows whose contexts have no text
	Delimiter   byte             // delimiter of CSV files, or 0 to detect it
	MaxRowBytes int              // maximum size of a record, or 0 for DefaultMaxRowBytes
	Warn        func(error)      // called with each warning; may be nil

	// OpenPipe opens a path that is not a regular file. It defaults to os.Open,
	// which can block on a named pipe.
	OpenPipe func(path string) (io.ReadCloser, error)
}

// A RowError reports an invalid record. Reading continues after it.
type RowError struct {
	File string // same as Row.File
	Line int    // same as Row.Line
	Err  error

	Damaged bool // the record is malformed, and columns of Row can hold parts of others
}

// Error returns "FILE:LINE: " followed by the cause.
func (e *RowError) Error() string {
	return DisplayName(e.File) + ":" + strconv.Itoa(e.Line) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// A UsageError reports options that are invalid or do not match the files.
type UsageError = shape.UsageError

func usagef(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// is reports whether an error in the chain of err has the type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isEnd reports whether err is the end of a file that is complete.
func isEnd(err error) bool { return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) }

// errNoRows is returned if the files are valid but contain no rows.
var errNoRows = errors.New("no rows")

// ErrEmpty is returned for a file of 0 bytes.
var ErrEmpty = errors.New("empty file")

// stdinPath is the path that denotes standard input.
const stdinPath = "-"

// DisplayName returns the name of a path in messages.
func DisplayName(path string) string {
	if path == stdinPath {
		return "standard input"
	}
	return path
}
