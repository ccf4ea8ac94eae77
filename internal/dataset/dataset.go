// Package dataset reads rows of question, answer and retrieved contexts from
// JSONL, JSON, CSV, TSV and Parquet, plain or compressed, one row at a time.
//
// A record that cannot be read is a [*RowError] and stops nothing else; what
// memory holds is bounded by the longest record and never by their number.
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
	Index    int      // place in the whole input, from 0, over all files and unreadable rows
	ID       string   // the id column as text, or Index in decimal where there is none
	Question string   // may be empty: nothing is judged against it
	Answer   string   // may be empty; never missing
	Contexts []string // at least one, and not all of them white space; positions are those of the input
	Sources  []Source // of Contexts, one for each; nil if none says where it is from
	Kept     []Column // the columns asked for by Options.Keep, in the order of the file
	File     string   // name of the file as it was given; "-" for standard input
	Line     int      // line on which the record starts, from 1; in Parquet the row number, from 1
	Offset   int64    // how much of the input is consumed with this row, in the units of Set.Size
}

// A Column is a column that is carried into the results unchanged.
type Column struct {
	Name  string
	Value []byte // JSON
}

// A Field is one of the texts that a row is made of.
type Field string

// The fields. Answer and contexts are required.
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

// A Format is how a file holds its rows. Compression is no part of it.
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

// DefaultMaxRowBytes is the longest record that is read where Options says
// nothing else.
const DefaultMaxRowBytes = 256 << 20

// Options say how files are read. The zero value reads files by their
// extension, or else by their content, and keeps no further column.
type Options struct {
	Stdin       io.Reader        // read for the path "-"
	Format      Format           // of every file, within its compression; "" finds it out
	Map         map[Field]string // the column of a field, where its name is not to be guessed
	Keep        []string         // further columns for Row.Kept
	KeepAll     bool             // every column that is not used for a field
	Cluster     string           // one more for Row.Kept, which the first row must have; "" for none
	Reserved    []string         // names that a kept column may not have
	MaxRowBytes int              // longest record, in bytes; 0 means DefaultMaxRowBytes
	TempDir     string           // for Parquet that cannot be read in place; "" means the system's
	Warn        func(error)      // told what is odd and stops nothing; may be nil

	// OpenPipe opens a path that is no regular file, such as a named pipe, which
	// can block. nil means os.Open.
	OpenPipe func(path string) (io.ReadCloser, error)
}

// A RowError is a record that could not be read. Reading goes on after it.
type RowError struct {
	File string // as it was given; "-" for standard input
	Line int    // as in Row
	Err  error
}

// Error returns "FILE:LINE: " and what is wrong.
func (e *RowError) Error() string {
	return displayName(e.File) + ":" + strconv.Itoa(e.Line) + ": " + e.Err.Error()
}

// Unwrap returns what is wrong, without the place.
func (e *RowError) Unwrap() error { return e.Err }

// A UsageError is a wish that these files cannot fulfil: the caller has to ask
// for something else.
type UsageError struct {
	Err error
}

// Error returns what is wrong and how to say what is meant.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

func usagef(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// ErrNoRows ends the rows of files that are sound and hold none.
var ErrNoRows = errors.New("no rows")

// ErrEmpty is the error of a file without a byte.
var ErrEmpty = errors.New("empty file")

// stdinPath is the path that means standard input.
const stdinPath = "-"

func displayName(path string) string {
	if path == stdinPath {
		return "standard input"
	}
	return path
}
