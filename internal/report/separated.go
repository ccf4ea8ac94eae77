package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/eval"
)

// separated writes CSV and TSV with a header, a line a row, and contexts and
// claims as JSON in their cells. An empty cell is a missing value.
type separated struct {
	w      *csv.Writer
	kept   keptColumns
	header bool
	cells  []string
	early  []eval.Result // rows before the header, which they decide
	size   int           // of the text of early, in bytes
	cites  bool          // there are columns of citations
	warn   func(error)
}

const (
	// earlyMax is how many rows at the start of a dataset are held back, to learn from
	// the first readable one what columns there are, and from any of them whether
	// answers cite.
	earlyMax = 100
	// earlyBytes is how much text they have: the row that reaches it is the last.
	earlyBytes = 4 << 20
)

func newSeparated(w io.Writer, comma rune, o Options) *separated {
	// Hidden from csv.Writer, which would take a bufio.Writer for its own and
	// flush it after every row.
	w = struct{ io.Writer }{w}
	s := &separated{w: csv.NewWriter(w), kept: newKeptColumns(o), warn: o.Warn}
	s.w.Comma = comma
	return s
}

// Write writes r as a line, and before the first one the header.
func (s *separated) Write(r *eval.Result) error {
	s.kept.see(r.Row.Kept)
	s.cites = s.cites || r.Cited != nil && !s.header
	if !s.header && (!s.cites || !s.kept.fixed) && len(s.early) < earlyMax && s.size < earlyBytes {
		s.early = append(s.early, *r)
		s.size += len(r.Row.Answer)
		for _, c := range r.Row.Contexts {
			s.size += len(c)
		}
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	return s.row(r)
}

// Close writes the header where no row has.
func (s *separated) Close() error { return s.begin() }

// begin writes the header and the rows that waited for it, once.
func (s *separated) begin() error {
	if s.header {
		return nil
	}
	s.header, s.kept.fixed = true, true
	names := []string{
		"index", "id", "question", "answer", "contexts", "faithfulness", "support", "status", "reason",
		"n_claims", "n_supported", "claims", "error",
	}
	if s.cites {
		names = append(names, citationRecall, citationPrecision, unresolvedCitations)
	}
	for _, name := range s.kept.names {
		names = append(names, inert(name))
	}
	if err := s.line(names); err != nil {
		return err
	}
	for i := range s.early {
		if err := s.row(&s.early[i]); err != nil {
			return err
		}
	}
	s.early = nil
	return nil
}

func (s *separated) row(r *eval.Result) error {
	if r.Cited != nil && !s.cites {
		if s.warn != nil {
			s.warn(fmt.Errorf("citations are left out of CSV and TSV: none of the first %d rows cites anything", earlyMax))
			s.warn = nil
		}
		without := *r
		without.Cited, r = nil, &without
	}
	counted, supported, message := "", "", ""
	if r.Status != eval.Failed {
		counted, supported = strconv.Itoa(len(r.Claims)), strconv.Itoa(r.Supported())
	}
	if r.Err != nil {
		message = r.Err.Error()
	}
	s.cells = append(
		s.cells[:0],
		strconv.Itoa(r.Row.Index), inert(r.Row.ID), inert(r.Row.Question), inert(r.Row.Answer),
		string(appendStrings(nil, r.Row.Contexts)),
		number(r.Faithfulness), number(round(r.Support)), r.Status.String(), r.Reason,
		counted, supported, string(appendClaims(nil, r)), inert(message),
	)
	switch c := r.Cited; {
	case c != nil:
		s.cells = append(s.cells, number(c.Recall), number(c.Precision), strconv.Itoa(c.Unresolved()))
	case s.cites:
		s.cells = append(s.cells, "", "", "")
	}
	for _, value := range s.kept.values(r.Row.Kept) {
		text, isText := Plain(value)
		if isText {
			text = inert(text)
		}
		s.cells = append(s.cells, text)
	}
	return s.line(s.cells)
}

func (s *separated) line(cells []string) error {
	if err := s.w.Write(cells); err != nil {
		return err
	}
	s.w.Flush()
	return s.w.Error()
}

// number writes x as in JSON, and nothing for NaN.
func number(x float64) string {
	if text := string(appendNumber(nil, x)); text != "null" {
		return text
	}
	return ""
}

// inert returns text as a cell that no spreadsheet takes for a formula: one that
// begins as a formula does gets an apostrophe before it. The beginnings are
// those that OWASP's "CSV Injection" lists, also behind white space and characters
// that are not visible, which some programs drop. A plain number stays one.
func inert(text string) string {
	if isFormula(strings.TrimLeft(text, "'")) { // one with an apostrophe of its own gets another
		return "'" + text
	}
	return text
}

func isFormula(text string) bool {
	shown := strings.TrimLeftFunc(text, invisible)
	return (strings.ContainsAny(firstRune(text), "\t\r\n") || strings.ContainsAny(firstRune(shown), "=+-@＝＋－＠")) && !isNumber(text)
}

// invisible reports whether a character at the start of a cell does not show:
// white space, controls, and what Unicode lets programs ignore, such as a byte
// order mark or a zero-width space.
func invisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// CellText returns the text of a cell of CSV or TSV without the apostrophe that
// keeps spreadsheets from taking it for a formula.
func CellText(cell string) string {
	if text, ok := strings.CutPrefix(cell, "'"); ok && isFormula(strings.TrimLeft(text, "'")) {
		return text
	}
	return cell
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// isNumber reports whether s is a number and nothing but that, as a spreadsheet
// reads one.
func isNumber(s string) bool {
	if strings.Trim(s, "+-0123456789.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
