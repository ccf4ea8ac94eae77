// Package console writes messages and progress bars to standard error.
package console

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A Console writes lines to standard error, above the progress bar if one is shown. It is
// safe for concurrent use. Write errors can't be reported anywhere, so they are ignored.
type Console struct {
	palette report.Palette

	mu  sync.Mutex // guards the fields below
	w   io.Writer
	bar *progressbar.ProgressBar // nil if no bar is shown
}

// New returns a Console that writes to w in the colors of palette.
func New(w io.Writer, palette report.Palette) *Console {
	return &Console{w: w, palette: palette}
}

// Printf writes a message with the prefix "ragfaith: ". It escapes control
// characters and highlights the prefix "warning:".
func (c *Console) Printf(format string, args ...any) {
	const warning = "warning:"
	text := report.Printable(fmt.Sprintf(format, args...))
	if rest, ok := strings.CutPrefix(text, warning); ok {
		text = c.palette.Warning(warning) + rest
	}
	c.Println("ragfaith: " + text)
}

// Error writes err as a message, or each error that it joins.
func (c *Console) Error(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			c.Error(e)
		}
		return
	}
	c.Printf("%v", err)
}

// Warn writes err as a warning.
func (c *Console) Warn(err error) { c.Printf("warning: %v", err) }

// Gate writes the outcome of a gate.
func (c *Console) Gate(g *report.Gate) {
	color := c.palette.Failure
	if g.Passed {
		color = c.palette.Success
	}
	c.Println("gate: " + g.Text + ": " + color(g.Outcome()))
}

// Println writes text as a line without escaping it.
func (c *Console) Println(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
	}
	_, _ = io.WriteString(c.w, text+"\n")
}

// WriteRaw writes text to w, which must be another writer for standard error,
// while holding the lock of the console.
func (c *Console) WriteRaw(w io.Writer, text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = w.Write(text)
}

// Width returns the number of columns of w, or 0 if w is not a terminal.
func Width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// A FailureLog lists failed rows on the console. It is an eval.Sink.
type FailureLog struct {
	console    *Console
	limit      int // maximum number of rows to list, or -1 for all
	showStacks bool
	failed     int
}

// NewFailureLog returns a log of the first limit failed rows, or of all if
// limit is -1. If stacks is set, it prints the stack traces of panics.
func NewFailureLog(c *Console, limit int, stacks bool) *FailureLog {
	return &FailureLog{console: c, limit: limit, showStacks: stacks}
}

// Write prints r if it failed.
func (f *FailureLog) Write(r *result.Row) error {
	if r.Status != result.Failed {
		return nil
	}
	if f.failed++; f.limit >= 0 && f.failed > f.limit {
		return nil
	}
	if r.Reason == result.StageRead { // the error already contains file and line
		f.console.Printf("%v", r.Err)
	} else {
		f.console.Printf("%v", &dataset.RowError{File: r.File, Line: r.Line, Err: r.Err})
	}
	if panicErr, ok := errors.AsType[*eval.PanicError](r.Err); ok && f.showStacks {
		f.console.Println(string(panicErr.Stack))
	}
	return nil
}

// Close prints how many failed rows were not listed.
func (f *FailureLog) Close() {
	if f.limit > 0 && f.failed > f.limit {
		f.console.Printf("and %s (--verbose lists all)", report.Count(f.failed-f.limit, "more failed row", "more failed rows"))
	}
}
