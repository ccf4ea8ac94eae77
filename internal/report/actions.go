package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Annotation is a message that GitHub Actions shows for a run, at a line of a file
// if it has one.
type Annotation struct {
	Level   string // error, warning or notice
	Title   string
	Message string
	File    string // may be ""
	Line    int
}

// Command returns the workflow command of a, on one line. Its texts are escaped as in
// GitHub's toolkit, packages/core/src/command.ts, so that they cannot start another
// command.
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

// commandData escapes the message of a command. It also breaks up "##[", which starts a
// command in the older syntax.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", "##[", "## [").Replace(s)
}

// commandProperty escapes a property of a command.
func commandProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandData(s))
}

// GateAnnotation returns the annotation of a failed gate.
func GateAnnotation(g *Gate) Annotation {
	return Annotation{Level: "error", Title: "ragfaith --" + g.Name, Message: g.Text}
}

// Annotations returns annotations of the failed rows, followed by those of the rows
// with the lowest faithfulness. place maps the location of a row in the dataset to the
// one to show, "" for none.
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
		a := Annotation{Level: "warning", Title: r.ID + ": faithfulness " + Score(r.Faithfulness)}
		a.File, a.Line = place(r.File, r.Line)
		var b strings.Builder
		fmt.Fprintf(&b, "%d of %d claims supported", r.Supported, r.Claims)
		for k := range r.Listed {
			c := &r.Listed[k]
			fmt.Fprintf(&b, "\n%s: %s", c.Label.Words(), c.Text)
			if c.Reason != "" {
				b.WriteString(" (" + c.Reason + ")")
			}
		}
		a.Message = b.String()
		all = append(all, a)
	}
	return all
}

// NewActionsGuard returns a writer to w that breaks up workflow commands of GitHub
// Actions with a space: "::error" at the start of a line, and "##[error]" anywhere. Its
// input must consist of whole lines.
func NewActionsGuard(w io.Writer) io.Writer { return &actionsGuard{w: w, atStart: true} }

type actionsGuard struct {
	w       io.Writer
	atStart bool // only white space of the line has been written
	last    [2]byte
}

// Write writes p with the spaces inserted.
func (g *actionsGuard) Write(p []byte) (int, error) {
	b := make([]byte, 0, len(p)+len(p)/64)
	for _, c := range p {
		switch {
		case c == '[' && g.last == [2]byte{'#', '#'}, g.atStart && c == ':' && g.last[1] == ':':
			b = append(b, ' ')
		}
		b = append(b, c)
		switch {
		case c == '\n' || c == '\r':
			g.atStart = true
		case c != ':' && c > ' ' && c < utf8.RuneSelf: // other runes may be white space
			g.atStart = false
		}
		g.last = [2]byte{g.last[1], c}
	}
	if _, err := g.w.Write(b); err != nil {
		return 0, err
	}
	return len(p), nil
}
