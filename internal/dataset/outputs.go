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

// An outputTable is a table of promptfoo, which has several outputs in a record. Each is
// a row.
type outputTable struct {
	names  []string // columns of a row
	groups [][]int  // columns of the record by output and column of a row
	labels []string // prompt of each output
	group  int      // current output
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
	t := &outputTable{names: slices.Concat(columns[:variables], []string{outputColumn, labelColumn}, outputColumns())}
	for _, start := range starts {
		var group []int
		for i := range variables {
			group = append(group, i)
		}
		t.groups = append(t.groups, append(group, start, start, start+1, start+2, start+3))
		t.labels = append(t.labels, columns[start])
	}
	t.skip()
	return t
}

// next moves to the next output of the record that has a status, and reports whether there
// is one.
func (t *outputTable) next(csv *csvReader) bool {
	for t.group++; t.group < len(t.groups); t.group++ {
		if status := t.groups[t.group][len(t.names)-3]; status >= len(csv.ends) || len(csv.field(status)) > 0 {
			return true
		}
	}
	return false
}

// skip skips the outputs of a damaged record. The table can be nil.
func (t *outputTable) skip() {
	if t != nil {
		t.group = len(t.groups)
	}
}

// cell returns a column of the current output, and false if its record is damaged.
func (t *outputTable) cell(csv *csvReader, column int) ([]byte, bool) {
	switch {
	case t.group == len(t.groups):
		return nil, false
	case t.names[column] == labelColumn:
		return []byte(t.labels[t.group]), true
	case t.groups[t.group][column] >= len(csv.ends):
		return nil, false
	}
	return withoutMark(csv.field(t.groups[t.group][column])), true
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

// failed reports whether the current output is that of a provider that failed. The table
// can be nil.
func (t *outputTable) failed(csv *csvReader) bool {
	if t == nil {
		return false
	}
	status, _ := t.cell(csv, len(t.names)-3)
	return string(status) == "ERROR"
}

// joinedList matches a list of texts that JavaScript joined with commas.
var joinedList = regexp.MustCompile(`\pL[.!?。！？]["')\]]*,["'(\[]?[\p{Lu}\p{Lo}]`)

// errJoinedList reports a file whose contexts were lists.
var errJoinedList = errors.New("contexts: joined with commas, where a list ends is unknown; export JSON with promptfoo eval -o results.json")
