package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

const (
	// maxEarly is the number of rows that are held back to determine the columns:
	// kept columns from the first readable row, citations from any of them.
	maxEarly = 100
	// maxEarlyBytes limits the size of their texts.
	maxEarlyBytes = 4 << 20
)

// A csvWriter writes CSV or TSV with a header. Contexts and claims are JSON in
// their cells. An empty cell is a missing value.
type csvWriter struct {
	w         *csv.Writer
	kept      KeptColumns
	header    bool
	cells     []string
	early     []Row // rows before the header
	size      int   // size of the texts of early in bytes
	citations bool  // there are columns of citations
	warn      func(error)
}

func newCSVWriter(w io.Writer, comma rune, o Options) *csvWriter {
	// The struct hides a bufio.Writer, which csv.Writer would use as its own buffer
	// and flush after every row.
	c := &csvWriter{w: csv.NewWriter(struct{ io.Writer }{w}), kept: NewKeptColumns(o), warn: o.Warn}
	c.w.Comma = comma
	return c
}

// Write writes r, and the header before the first row.
func (c *csvWriter) Write(r *Row) error {
	c.kept.Observe(r.Kept)
	c.citations = c.citations || r.Citations != nil && !c.header
	if !c.header && (!c.citations || !c.kept.fixed) && len(c.early) < maxEarly && c.size < maxEarlyBytes {
		c.early = append(c.early, *r)
		c.size += len(r.Answer)
		for _, text := range r.Contexts {
			c.size += len(text)
		}
		return nil
	}
	if err := c.writeEarly(); err != nil {
		return err
	}
	return c.writeRow(r)
}

// Close writes the rows that were held back, or the header alone.
func (c *csvWriter) Close() error { return c.writeEarly() }

// writeEarly writes the header and the rows that were held back, once.
func (c *csvWriter) writeEarly() error {
	if c.header {
		return nil
	}
	c.header, c.kept.fixed = true, true
	names := csvColumns()
	if c.citations {
		names = append(names, "citation_recall", "citation_precision", "unresolved_citations")
	}
	for _, name := range c.kept.Names {
		names = append(names, escapeFormula(name))
	}
	if err := c.writeLine(names); err != nil {
		return err
	}
	for i := range c.early {
		if err := c.writeRow(&c.early[i]); err != nil {
			return err
		}
	}
	c.early = nil
	return nil
}

// csvColumns returns the columns that every file contains.
func csvColumns() []string {
	return []string{
		"index", "id", "question", "answer", "contexts", "faithfulness", "support", "confidence", "status", "reason",
		"n_claims", "n_supported", "unjudged_share", "claims", "error",
	}
}

func (c *csvWriter) writeRow(r *Row) error {
	if r.Citations != nil && !c.citations {
		if c.warn != nil {
			c.warn(fmt.Errorf("citations are left out of CSV and TSV: none of the first %d rows cites anything", maxEarly))
			c.warn = nil
		}
		r = r.withoutCitations()
	}
	confidence, claims, supported, message := "", "", "", ""
	if r.Confidence > 0 {
		confidence = numberCell(Round(r.Confidence))
	}
	if r.Status != Failed {
		claims, supported = strconv.Itoa(len(r.Claims)), strconv.Itoa(r.Supported())
	}
	if r.Err != nil {
		message = r.Err.Error()
	}
	c.cells = append(
		c.cells[:0],
		strconv.Itoa(r.Index), escapeFormula(r.ID), escapeFormula(r.Question), escapeFormula(r.Answer),
		string(AppendTexts(nil, r.Contexts)),
		numberCell(r.Faithfulness), numberCell(Round(r.Support)), confidence, string(r.Status), r.Reason,
		claims, supported, numberCell(Round(r.Unjudged)), string(r.appendField(nil, "claims")), escapeFormula(message),
	)
	switch s := r.Citations; {
	case s != nil:
		c.cells = append(c.cells, numberCell(s.Recall), numberCell(s.Precision), strconv.Itoa(s.Unresolved))
	case c.citations:
		c.cells = append(c.cells, "", "", "")
	}
	for _, value := range c.kept.Values(r.Kept) {
		text, isString := PlainText(value)
		if isString {
			text = escapeFormula(text)
		}
		c.cells = append(c.cells, text)
	}
	return c.writeLine(c.cells)
}

func (c *csvWriter) writeLine(cells []string) error {
	if err := c.w.Write(cells); err != nil {
		return err
	}
	c.w.Flush()
	return c.w.Error()
}

// withoutCitations returns a copy of r.
func (r *Row) withoutCitations() *Row {
	row := *r
	row.Citations, row.Claims = nil, append([]Claim(nil), r.Claims...)
	for i := range row.Claims {
		row.Claims[i].Citations = nil
	}
	return &row
}

// numberCell returns x as in JSON, or "" for NaN.
func numberCell(x float64) string {
	if text := string(AppendNumber(nil, x)); text != "null" {
		return text
	}
	return ""
}
