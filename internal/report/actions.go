package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Annotation is what GitHub Actions shows of a run, at a line of a file where
// there is one.
type Annotation struct {
	Level   string // error, warning or notice
	Title   string
	Message string
	File    string // "" for none
	Line    int
}

// Command returns the workflow command for it, on one line. Nothing in its texts
// ends the line or begins another command. The escapes are those of GitHub's
// toolkit, packages/core/src/command.ts.
func (a *Annotation) Command() string {
	var properties []string
	if a.File != "" {
		properties = append(properties, "file="+commandProperty(a.File))
		if a.Line > 0 {
			properties = append(properties, "line="+strconv.Itoa(a.Line))
		}
	}
	properties = append(properties, "title="+commandProperty(a.Title))
	return "::" + a.Level + " " + strings.Join(properties, ",") + "::" + commandData(a.Message)
}

// commandData escapes the message of a command. That a "##[" in it is no command
// is not left to the order in which GitHub looks for the two kinds.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", "##[", "## [").Replace(s)
}

// commandProperty escapes a property of a command.
func commandProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandData(s))
}

// GateAnnotation shows a gate that failed.
func GateAnnotation(g *Gate) Annotation {
	return Annotation{Level: "error", Title: "ragfaith --" + g.Name, Message: g.Text}
}

// Annotations show the rows that failed, and then those with the lowest
// faithfulness. place says where in a file a row is found, "" for nowhere.
func (w *Worst) Annotations(place func(file string, line int) (string, int)) []Annotation {
	var all []Annotation
	for i := range w.failed {
		f := &w.failed[i]
		a := Annotation{Level: "warning", Title: f.ID + ": failed", Message: f.Error}
		a.File, a.Line = place(f.File, f.Line)
		all = append(all, a)
	}
	for i := range w.rows {
		r := &w.rows[i]
		a := Annotation{Level: "warning", Title: r.ID + ": faithfulness " + fourDecimals(r.Faithfulness)}
		a.File, a.Line = place(r.File, r.Line)
		var b strings.Builder
		fmt.Fprintf(&b, "%d of %d claims supported", r.Supported, r.Claims)
		for k := range r.Unsupported {
			c := &r.Unsupported[k]
			fmt.Fprintf(&b, "\n%s: %s", strings.ReplaceAll(string(c.Label), "_", " "), c.Text)
			if c.Reason != "" {
				b.WriteString(" (" + c.Reason + ")")
			}
		}
		a.Message = b.String()
		all = append(all, a)
	}
	return all
}

// NewActionsGuard returns a writer of whole lines to w in which GitHub Actions
// finds no workflow command, neither at the beginning of a line ("::error") nor,
// as older ones are written ("##[error]"), anywhere in it: a blank is put between.
func NewActionsGuard(w io.Writer) io.Writer { return &actionsGuard{w: w, begins: true} }

type actionsGuard struct {
	w      io.Writer
	begins bool // nothing but white space is written of the line
	last   [2]byte
}

// Write writes p, with blanks in it.
func (g *actionsGuard) Write(p []byte) (int, error) {
	b := make([]byte, 0, len(p)+len(p)/64)
	for _, c := range p {
		switch {
		case c == '[' && g.last == [2]byte{'#', '#'}, g.begins && c == ':' && g.last[1] == ':':
			b = append(b, ' ')
		}
		b = append(b, c)
		switch {
		case c == '\n' || c == '\r':
			g.begins = true
		case c != ':' && c > ' ' && c < utf8.RuneSelf: // of the others, some may be white space
			g.begins = false
		}
		g.last = [2]byte{g.last[1], c}
	}
	if _, err := g.w.Write(b); err != nil {
		return 0, err
	}
	return len(p), nil
}
