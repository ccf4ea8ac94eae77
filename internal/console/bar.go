package console

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	barInterval  = 100 * time.Millisecond
	barTotal     = 1 << 30 // resolution of the bar
	maxBarWidth  = 20
	minBarWidth  = 4
	defaultWidth = 80 // columns, if the width of the terminal is unknown
)

// A display redraws a progress bar in the background.
type display struct {
	console *Console
	columns func() int    // returns the width of the terminal, or 0 if unknown
	quit    chan struct{} // nil before run
	stopped chan struct{}
	spinner bool // the current bar is a spinner; guarded by console.mu
}

func newDisplay(c *Console) display {
	return display{console: c, columns: func() int { return Width(c.w) }}
}

// run calls redraw periodically until stop is called.
func (d *display) run(interval time.Duration, redraw func()) {
	d.quit, d.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(d.stopped)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				redraw()
			case <-d.quit:
				return
			}
		}
	}()
}

// stop ends run and removes the bar.
func (d *display) stop() {
	close(d.quit)
	<-d.stopped
	d.console.mu.Lock()
	defer d.console.mu.Unlock()
	d.clear()
}

// clear removes the bar. The caller holds console.mu.
func (d *display) clear() {
	if c := d.console; c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
}

// redraw shows s as a bar, or as a spinner if the total is unknown.
func (d *display) redraw(s state) {
	columns := d.columns()
	if columns <= 0 {
		columns = defaultWidth
	}
	text, width := s.fit(columns)
	c := d.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.spinner && s.hasTotal {
		d.clear()
	}
	if c.bar == nil {
		c.bar, d.spinner = newBar(c.w, s.hasTotal), !s.hasTotal
	}
	theme := progressbar.ThemeDefault
	if width == 0 {
		theme = progressbar.Theme{}
	}
	progressbar.OptionSetTheme(theme)(c.bar)
	progressbar.OptionSetWidth(width)(c.bar)
	progressbar.OptionSetDescription(text)(c.bar)
	if s.hasTotal {
		_ = c.bar.Set64(min(int64(s.fraction*barTotal), barTotal-1)) // the library stops drawing a full bar
	}
	c.bar.Describe(text)
}

// newBar returns a bar, or a spinner if the total is unknown.
func newBar(w io.Writer, hasTotal bool) *progressbar.ProgressBar {
	total := int64(barTotal)
	if !hasTotal {
		total = -1
	}
	return progressbar.NewOptions64(
		total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetPredictTime(false), // part of the description
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetSpinnerChangeInterval(0), // 0 avoids leaking a goroutine
		// Clear the line with an escape sequence: blanks would wrap if the terminal
		// has become narrower.
		progressbar.OptionUseANSICodes(true),
	)
}

// A state is the content of a progress bar. Unknown texts are empty.
type state struct {
	count, rate, mean, failed, eta string
	hasFailures                    bool
	hasTotal                       bool    // fraction and eta are known
	fraction                       float64 // completed fraction of the input
}

// joinNonEmpty joins the non-empty parts with commas.
func joinNonEmpty(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// fit returns the text that fits into columns and the width of the bar, which
// is 0 if there is no space for one. If space is short, the bar shrinks first,
// then the least important parts of the text are dropped.
func (s state) fit(columns int) (text string, barWidth int) {
	// The library adds a percentage and the ends of the bar, or a spinner. The last
	// column stays empty because some terminals wrap there.
	const withBar, withoutBar, withSpinner = 10, 8, 4
	for level := range 4 {
		switch level {
		case 1:
			s.rate = ""
		case 2:
			s.mean = ""
		case 3:
			if !s.hasFailures {
				s.failed = ""
			}
		}
		text = joinNonEmpty(s.count, s.rate, s.mean, s.failed, s.eta)
		free := columns - 1 - len(text)
		switch {
		case !s.hasTotal && free >= withSpinner:
			return text, 0
		case s.hasTotal && free >= withBar+minBarWidth:
			return text, min(free-withBar, maxBarWidth)
		}
	}
	free := columns - 1 - withSpinner
	if s.hasTotal {
		free = columns - 1 - withoutBar
	}
	if len(text) > free {
		text = joinNonEmpty(s.count, s.failed)
	}
	return text[:max(min(len(text), free), 0)], 0
}
