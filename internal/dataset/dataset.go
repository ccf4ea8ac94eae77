// Package dataset reads rows of question, answer and retrieved contexts from
// JSONL, JSON, CSV, TSV and Parquet, plain or compressed, one row at a time.
package dataset

// A Row is one record to be scored.
type Row struct {
	Index    int      // place in the whole input, from 0, over all files and unreadable rows
	ID       string   // the id column as text, or Index in decimal where there is none
	Question string   // may be empty: nothing is judged against it
	Answer   string   // may be empty; never missing
	Contexts []string // at least one, each with at least one character that is not white space
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
