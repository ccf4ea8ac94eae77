package dataset

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A rowReader reads the rows of one format. It sets the fields that a record
// contains. The file and the Set add the remaining ones.
type rowReader interface {
	// next reads one record. It returns io.EOF after the last record and a *RowError without a file
	// name for an invalid record. After any other error reading cannot continue.
	next(row *Row) error
}

// A recordReader is a rowReader that does not look for fields if columnMap.raw is set.
type recordReader interface {
	rowReader
	// record returns the record that next read last, valid until the next call of next.
	record() (*value, error)
	// columnNames returns the names of the columns, or of the members of that record.
	columnNames() []string
}

// maxPeeked limits the number of records that are read to find the layout of a file.
const maxPeeked = 10

// fileColumns is what the readers of all formats know of a file.
type fileColumns struct {
	path     string
	opts     *Options
	format   Format
	columns  *columnMap
	warnings *warnings
	mapped   *mappedColumns
}

// limit returns the maximum size of a record.
func (c *fileColumns) limit() int { return cmp.Or(c.opts.MaxRowBytes, DefaultMaxRowBytes) }

// noteSplit reports that texts in the file are split into contexts.
func (c *fileColumns) noteSplit() {
	c.warnings.noteOnce(c.path, "contexts are split at |, with which DeepEval joins them; a JSON list prevents that")
}

// warnAbout reports the warnings about a header.
func (c *fileColumns) warnAbout(h *header) {
	for _, err := range h.warnings {
		c.warnings.once(fmt.Errorf("%s: %w", DisplayName(c.path), err))
	}
}

// rowError wraps err in a *RowError unless it is nil or a usage error.
func rowError(line int, err error) error {
	if err == nil || is[*UsageError](err) {
		return err
	}
	return &RowError{Line: line, Err: err, Damaged: is[badJSON](err)}
}

// set stores a value in a field. names returns the names of all columns. See
// separatedContexts for note.
func (r *Row) set(f Field, v *value, names func() []string, note func()) error {
	switch f {
	case FieldID:
		switch {
		case v.Kind == shape.Text || v.Kind == shape.Number:
			r.ID = v.Text
		case v.Kind != shape.Null:
			return fmt.Errorf("id: want a string or a number, got %s", v.Kind)
		}
	case FieldQuestion:
		switch {
		case v.Kind == shape.Text:
			r.Question = v.Text
		case v.Kind != shape.Null:
			return &layoutError{err: fmt.Errorf("question: want a string, got %s", v.Kind)}
		}
	case FieldAnswer:
		if v.Kind != shape.Text {
			return &layoutError{err: fmt.Errorf("answer: want a string, got %s", v.Kind)}
		}
		r.Answer = v.Text
	case FieldContexts:
		var err error
		if r.Contexts, r.Sources, err = contexts(v); err != nil {
			return &layoutError{err: err}
		}
		if v.Kind == shape.Text && strings.Contains(v.Text, "|") && len(r.Contexts) == 1 { // a tool may have joined them
			if parts, _, err := separatedContexts(v.Text, shape.ContextSeparator(names(), false), note); err == nil {
				r.Contexts = parts
			}
		}
	}
	return nil
}
