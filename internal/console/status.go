package console

import (
	"io"
	"strings"
	"time"
)

const (
	statusInterval = 100 * time.Millisecond
	defaultWidth   = 80 // columns, if the width of the terminal is unknown
	clearRest      = "\x1b[K"
)

// A statusLine shows a line below the messages of a console, and redraws it in the
// background until it is stopped.
type statusLine struct {
	console *Console
	columns func() int    // returns the width of the terminal, or 0 if unknown
	quit    chan struct{} // nil unless it is running
	stopped chan struct{}
}

func newStatusLine(c *Console) statusLine {
	return statusLine{console: c, columns: func() int { return Width(c.w) }}
}

// run calls redraw periodically until Stop is called.
func (s *statusLine) run(interval time.Duration, redraw func()) {
	s.quit, s.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(s.stopped)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				redraw()
			case <-s.quit:
				return
			}
		}
	}()
}

// show replaces the line by the parts that are not empty, as far as they fit.
func (s *statusLine) show(parts []string) {
	columns := s.columns()
	if columns <= 0 {
		columns = defaultWidth
	}
	text := joinNonEmpty(parts)
	text = text[:min(len(text), columns-1)] // some terminals wrap in the last column
	c := s.console
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.w, "\r"+text+clearRest)
	c.hasStatus = true
}

// Stop removes the line. It may be called repeatedly, and without run.
func (s *statusLine) Stop() {
	if s.quit == nil {
		return
	}
	close(s.quit)
	<-s.stopped
	s.quit = nil
	s.console.mu.Lock()
	defer s.console.mu.Unlock()
	s.console.clearStatus()
}

// joinNonEmpty joins the non-empty parts with commas.
func joinNonEmpty(parts []string) string {
	var b strings.Builder
	for _, part := range parts {
		if part != "" && b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(part)
	}
	return b.String()
}
