// Package dataset reads rows of question, answer and retrieved contexts from
// JSONL, JSON, CSV, TSV and Parquet, plain or compressed, one row at a time.
//
// A record that cannot be read gives a [*RowError], and reading continues after it.
// Memory use depends on the longest record, not on the number of records.
package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Row is one record to be scored.
type Row struct {
	Index    int      // position in the whole input, from 0, counting all files and unreadable rows
	ID       string   // the id column as text, or Index in decimal
	Question string   // may be empty
	Answer   string   // may be empty
	Contexts []string // at least one, not all of them white space; in the order of the input
	Sources  []Source // one for each context; nil if no context names its source
	Kept     []Column // the columns asked for by Options.Keep, in the order of the file
	File     string   // path as given; "-" for standard input
	Line     int      // line on which the record starts, or row number in Parquet, from 1
	Offset   int64    // how much of the input has been consumed, in the units of Set.Size
}

// A Column is a column that is copied into the results unchanged.
type Column struct {
	Name  string
	Value []byte // JSON
}

// A Field is one of the fields of a row.
type Field string

// The fields of a row. Answer and contexts are required.
const (
	FieldID       Field = "id"
	FieldQuestion Field = "question"
	FieldAnswer   Field = "answer"
	FieldContexts Field = "contexts"
)

// ParseField returns the field of that name, or a [*UsageError] that lists them.
func ParseField(name string) (Field, error) {
	if f := Field(name); slices.Contains(fields(), f) {
		return f, nil
	}
	return "", usagef("unknown field %q: want id, question, answer or contexts", name)
}

func fields() []Field {
	return []Field{FieldID, FieldQuestion, FieldAnswer, FieldContexts}
}

// A Format is a file format, regardless of compression.
type Format string

// The formats.
const (
	JSONL   Format = "jsonl"
	JSON    Format = "json"
	CSV     Format = "csv"
	TSV     Format = "tsv"
	Parquet Format = "parquet"
)

// Formats returns the names of the formats.
func Formats() []string {
	return []string{string(JSONL), string(JSON), string(CSV), string(TSV), string(Parquet)}
}

// ParseFormat returns the format of that name, or a [*UsageError] that lists
// them.
func ParseFormat(name string) (Format, error) {
	if slices.Contains(Formats(), name) {
		return Format(name), nil
	}
	return "", usagef("unknown format %q: want %s", name, strings.Join(Formats(), ", "))
}

// DefaultMaxRowBytes is the default of Options.MaxRowBytes.
const DefaultMaxRowBytes = 256 << 20

// Options configures how files are read. The zero value detects formats and
// columns, and keeps no further columns.
type Options struct {
	Stdin       io.Reader        // read for the path "-"
	Format      Format           // of every file; "" detects it by extension, then by content
	Map         map[Field]string // column names of fields; others are detected
	Keep        []string         // columns for Row.Kept
	KeepAll     bool             // keep every column that is not used for a field
	Cluster     string           // another column for Row.Kept, which the first row must have; "" for none
	Reserved    []string         // names that a kept column must not have
	MaxRowBytes int              // size of the longest record; 0 means DefaultMaxRowBytes
	TempDir     string           // for Parquet that cannot be read in place; "" means the system's directory
	Warn        func(error)      // receives warnings; may be nil

	// OpenPipe opens a path that is not a regular file, such as a named pipe, which
	// can block. nil means os.Open.
	OpenPipe func(path string) (io.ReadCloser, error)
}

// A RowError reports a record that cannot be read. Reading continues after it.
type RowError struct {
	File string // as Row.File
	Line int    // as Row.Line
	Err  error
}

// Error returns "FILE:LINE: " followed by the cause.
func (e *RowError) Error() string {
	return displayName(e.File) + ":" + strconv.Itoa(e.Line) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// A UsageError reports options that do not fit the files.
type UsageError struct {
	Err error
}

// Error describes the problem and the options that solve it.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

func usagef(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// ErrNoRows reports valid files without rows.
var ErrNoRows = errors.New("no rows")

// ErrEmpty reports a file of 0 bytes.
var ErrEmpty = errors.New("empty file")

// stdinPath stands for standard input.
const stdinPath = "-"

func displayName(path string) string {
	if path == stdinPath {
		return "standard input"
	}
	return path
}
