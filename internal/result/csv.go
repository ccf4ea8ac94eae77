package result

import (
	"encoding/csv"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxEarly is the number of rows that are held back until one of them is readable,
	// which determines the kept columns.
	maxEarly = 100
	// maxEarlyBytes limits the size of their texts.
	maxEarlyBytes = 4 << 20
)

// A csvWriter writes CSV or TSV with a header. Contexts and claims are JSON in
// their cells. An empty cell is a missing value.
type csvWriter struct {
	w      *csv.Writer
	kept   KeptColumns
	header bool
	cells  []string
	early  []Row // rows before the header
	size   int   // size of the texts of early in bytes
}

func newCSVWriter(w io.Writer, comma rune, o Options) *csvWriter {
	// The struct hides a bufio.Writer, which csv.Writer would use as its own buffer
	// and flush after every row.
	c := &csvWriter{w: csv.NewWriter(struct{ io.Writer }{w}), kept: NewKeptColumns(o)}
	c.w.Comma = comma
	return c
}

// Write writes r, and the header before the first row.
func (c *csvWriter) Write(r *Row) error {
	c.kept.Observe(r.Kept)
	if !c.header && !c.kept.fixed && len(c.early) < maxEarly && c.size < maxEarlyBytes {
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
		"n_claims", "n_supported", "unjudged_share", "claims", "error", "citation_recall", "citation_precision", "unresolved_citations",
	}
}

func (c *csvWriter) writeRow(r *Row) error {
	c.cells = c.cells[:0]
	for _, name := range csvColumns() {
		var value []byte
		switch {
		case name == "error" && r.Err != nil: // as it is, even if a file name in it is not UTF-8
			c.cells = append(c.cells, escapeFormula(r.Err.Error()))
			continue
		case name != "n_claims" && name != "n_supported":
			value = rowFields().appendField(nil, reflect.ValueOf(r).Elem(), name)
		case r.Status == Failed:
		case name == "n_claims":
			value = strconv.AppendInt(nil, int64(len(r.Claims)), 10)
		default:
			value = strconv.AppendInt(nil, int64(r.Supported()), 10)
		}
		c.cells = append(c.cells, cell(value))
	}
	for _, value := range c.kept.Values(r.Kept) {
		c.cells = append(c.cells, cell(value))
	}
	return c.writeLine(c.cells)
}

// cell returns a JSON value as a cell.
func cell(value []byte) string {
	text, isString := PlainText(value)
	if isString {
		return escapeFormula(text)
	}
	return text
}

func (c *csvWriter) writeLine(cells []string) error {
	if err := c.w.Write(cells); err != nil {
		return err
	}
	c.w.Flush()
	return c.w.Error()
}

// escapeFormula returns text as a cell that spreadsheets do not evaluate: text
// that starts like a formula gets an apostrophe in front. The prefixes are those
// of OWASP's "CSV Injection", also behind white space and invisible characters,
// which some programs drop. Plain numbers stay as they are.
func escapeFormula(text string) string {
	if isFormula(strings.TrimLeft(text, "'")) { // text with an apostrophe gets another
		return "'" + text
	}
	return text
}

// UnescapeFormula reverses [escapeFormula].
func UnescapeFormula(cell string) string {
	if text, ok := strings.CutPrefix(cell, "'"); ok && isFormula(strings.TrimLeft(text, "'")) {
		return text
	}
	return cell
}

func isFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	visible, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, isInvisible))
	return (strings.ContainsRune("\t\r\n", first) || strings.ContainsRune("=+-@＝＋－＠", visible)) && !IsNumber(text)
}

// isInvisible reports whether a character at the start of a cell is not visible:
// white space, control characters, and characters that Unicode allows programs to
// ignore, such as a byte order mark or a zero-width space.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// IsNumber reports whether s is a decimal number as a spreadsheet reads it.
func IsNumber(s string) bool {
	if strings.Trim(s, "+-0123456789.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
