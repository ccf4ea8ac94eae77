package dataset

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// The columns that promptfoo writes after each column of outputs, whose name is the prompt.
func outputColumns() []string { return []string{"Status", "Score", "Named Scores"} }

// An outputTable is a table of promptfoo, which has several outputs in a record. Each is a row.
type outputTable struct {
	names  []string   // columns of a row
	starts []int      // columns of the outputs in a record, after the variables
	labels [][]byte   // prompt of each output
	rows   [][][]byte // rows of the current record that have not been read
}

// Columns of a row: the output, and the prompt that it is of.
const (
	outputColumn = "output"
	labelColumn  = "prompt_label"
)

// newOutputTable returns the outputs in a table, or nil if the table has none or a column is
// mapped by its name in the file.
func newOutputTable(columns []string, m *columnMap) *outputTable {
	var starts []int
	for i := range columns {
		if rest := columns[i+1:]; len(rest) > 2 && slices.Equal(rest[:3], outputColumns()) {
			starts = append(starts, i)
		}
	}
	if len(starts) == 0 {
		return nil
	}
	variables := starts[0]
	for _, name := range m.mapped {
		if slices.Contains(columns[variables:], name) {
			return nil
		}
	}
	if slices.Contains(columns[:variables], outputColumn) || slices.Contains(columns[:variables], labelColumn) {
		return nil
	}
	t := &outputTable{names: slices.Concat(columns[:variables], []string{outputColumn, labelColumn}, outputColumns()), starts: starts}
	for _, start := range starts {
		t.labels = append(t.labels, []byte(columns[start]))
	}
	return t
}

// split splits the record of a reader into the rows of its outputs. An output without a status is skipped.
func (t *outputTable) split(csv *csvReader) {
	var fields [][]byte
	for i := range csv.ends {
		fields = append(fields, withoutMark(bytes.Clone(csv.field(i))))
	}
	for i, start := range t.starts {
		if len(fields[start+1]) > 0 {
			t.rows = append(t.rows, slices.Concat(fields[:t.starts[0]], [][]byte{fields[start], t.labels[i]}, fields[start+1:start+4]))
		}
	}
}

// next makes the next row the record of a reader, and reports whether there is one. The table
// can be nil.
func (t *outputTable) next(csv *csvReader) bool {
	if t == nil || len(t.rows) == 0 {
		return false
	}
	csv.record, csv.ends = csv.record[:0], csv.ends[:0]
	for _, field := range t.rows[0] {
		csv.record = append(csv.record, field...)
		csv.ends = append(csv.ends, len(csv.record))
	}
	t.rows = t.rows[1:]
	return true
}

// withoutMark removes the apostrophe that promptfoo puts before a text that a spreadsheet
// would run as a formula.
func withoutMark(cell []byte) []byte {
	text, marked := bytes.CutPrefix(cell, []byte("'"))
	if start := bytes.TrimLeft(text, " \t\r\n\u200b\u200c\u200d"); marked && len(start) > 0 && strings.IndexByte("=@+-", start[0]) >= 0 {
		return text
	}
	return cell
}

// failed reports whether the current row is that of a provider that failed. The table can be nil.
func (t *outputTable) failed(csv *csvReader) bool {
	return t != nil && string(csv.field(len(t.names)-len(outputColumns()))) == "ERROR"
}

// joinedList matches a list of texts that JavaScript joined with commas.
var joinedList = regexp.MustCompile(`\pL[.!?。！？]["')\]]*,["'(\[]?[\p{Lu}\p{Lo}]`)

// errJoinedList reports a file whose contexts were lists.
var errJoinedList = errors.New("contexts: a list joined with commas cannot be split; export JSON with promptfoo eval -o results.json")
