package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/schollz/progressbar/v3"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A console is standard error: lines for a person, above a progress bar that
// may stand there. It is used from several goroutines.
type console struct {
	mu  sync.Mutex
	w   io.Writer
	bar *progressbar.ProgressBar // nil for none

	paint report.Palette
}

// say writes a line of ragfaith's own. Where standard error is gone there is
// nobody to tell.
func (c *console) say(format string, args ...any) {
	const warning = "warning:"
	text := report.Printable(fmt.Sprintf(format, args...))
	if rest, ok := strings.CutPrefix(text, warning); ok {
		text = c.paint.Doubtful(warning) + rest
	}
	c.line("ragfaith: " + text)
}

// gate says how a gate came out.
func (c *console) gate(g *report.Gate) {
	outcome := c.paint.Bad
	if g.Passed {
		outcome = c.paint.Good
	}
	c.line("gate: " + g.Text + ": " + outcome(g.Outcome()))
}

// line writes a line as it is.
func (c *console) line(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
	}
	_, _ = io.WriteString(c.w, text+"\n")
}

// raw writes to w, which is the same standard error without what c does to it.
func (c *console) raw(w io.Writer, text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = w.Write(text)
}

// shownFailures is how many failed rows are named without --verbose.
const shownFailures = 20

// failures names failed rows on the console. It is an eval.Sink.
type failures struct {
	console *console
	most    int  // rows to name; -1 for all
	stacks  bool // show where a stage panicked
	failed  int
}

// Write names r if it failed.
func (f *failures) Write(r *result.Row) error {
	if r.Status != result.Failed {
		return nil
	}
	if f.failed++; f.most >= 0 && f.failed > f.most {
		return nil
	}
	if r.Reason == result.StageRead { // the reader names the place itself
		f.console.say("%v", r.Err)
	} else {
		f.console.say("%v", &dataset.RowError{File: r.File, Line: r.Line, Err: r.Err})
	}
	var thrown *eval.PanicError
	if f.stacks && errors.As(r.Err, &thrown) {
		f.console.line(string(thrown.Stack))
	}
	return nil
}

// end counts the rows that were not named.
func (f *failures) end() {
	if f.most > 0 && f.failed > f.most {
		f.console.say("and %d more failed rows (--verbose names all)", f.failed-f.most)
	}
}
