package html

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	maxWorstRows  = 500
	maxWorstBytes = 8 << 20
)

// worstRows keep the worst rows with unsupported claims of those that come after the page
// is full, in bounded memory.
type worstRows struct {
	rows  []worstRow // worst first
	bytes int
}

// A worstRow is an encoded row, see packer.encode.
type worstRow struct {
	faithfulness, support float64
	entry, line           []byte
}

func newWorstRow(r *result.Row) worstRow {
	return worstRow{faithfulness: r.Faithfulness, support: result.Round(r.Support)} // as stored
}

// compareWorst orders rows from worst to best.
func compareWorst(a, b worstRow) int {
	return cmp.Or(cmp.Compare(a.faithfulness, b.faithfulness), cmp.Compare(a.support, b.support))
}

// admits reports whether r belongs to the worst rows so far. Of equal rows the first ones
// do.
func (w *worstRows) admits(r *result.Row) bool {
	if r.Status != result.Scored || r.Supported() == r.JudgedClaims() {
		return false
	}
	n := len(w.rows)
	return n < maxWorstRows || compareWorst(newWorstRow(r), w.rows[n-1]) < 0
}

// add adds r and removes rows above the limits.
func (w *worstRows) add(r *result.Row, encode func(*result.Row) (entry, line []byte)) {
	entry, line := encode(r)
	row := newWorstRow(r)
	row.entry, row.line = bytes.Clone(entry), bytes.Clone(line)
	at, _ := slices.BinarySearchFunc(w.rows, row, func(other, row worstRow) int {
		return cmp.Or(compareWorst(other, row), -1) // after equal rows
	})
	w.rows = slices.Insert(w.rows, at, row)
	w.bytes += len(entry) + len(line)
	for n := len(w.rows) - 1; n >= maxWorstRows || w.bytes > maxWorstBytes; n-- {
		w.bytes -= len(w.rows[n].entry) + len(w.rows[n].line)
		w.rows[n] = worstRow{}
		w.rows = w.rows[:n]
	}
}
