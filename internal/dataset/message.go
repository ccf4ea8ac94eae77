package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset/shape"
)

// A warnings value reports warnings about columns and notes, without repeating them.
type warnings struct {
	warn func(error)  // not nil
	note func(string) // not nil
	seen map[string]bool
}

func newWarnings(opts Options) *warnings {
	w := &warnings{warn: opts.Warn, note: opts.Note, seen: map[string]bool{}}
	if w.warn == nil {
		w.warn = func(error) {}
	}
	if w.note == nil {
		w.note = func(string) {}
	}
	return w
}

// maxWarnings limits the number of distinct warnings about columns.
const maxWarnings = 20

// once reports a warning unless it has been reported before.
func (w *warnings) once(err error) {
	if text := err.Error(); !w.seen[text] && len(w.seen) < maxWarnings {
		w.seen[text] = true
		w.warn(err)
	}
}

// noteOnce reports how a file is read, unless it has been reported before.
func (w *warnings) noteOnce(path, text string) {
	if text = DisplayName(path) + ": " + text; !w.seen[text] {
		w.seen[text] = true
		w.note(text)
	}
}

const maxListed = 30 // names in a list

// list joins column names for a message, quoting those with special characters.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	needsQuotes := func(c rune) bool { return c <= ' ' || c == ',' || c > '~' && !strconv.IsPrint(c) }
	var shown []string
	for _, name := range names[:min(len(names), maxListed)] {
		if name == "" || len(name) > shape.MaxQuoted || strings.ContainsFunc(name, needsQuotes) {
			name = shape.Quote(name)
		}
		shown = append(shown, name)
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
