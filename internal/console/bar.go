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
	barUnits     = 1 << 30 // of a complete bar
	maxBarWidth  = 20
	minBarWidth  = 4
	defaultWidth = 80 // of a terminal of unknown width
)

// A display redraws a progress bar in the background.
type display struct {
	console *Console
	columns func() int    // of the terminal; 0 if unknown
	quit    chan struct{} // nil until run
	ended   chan struct{}
	spinner bool // the bar on the console is a spinner; guarded by console.mu
}

func newDisplay(c *Console) display {
	return display{console: c, columns: func() int { return Width(c.w) }}
}

// run calls show regularly until stop is called.
func (d *display) run(interval time.Duration, show func()) {
	d.quit, d.ended = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(d.ended)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				show()
			case <-d.quit:
				return
			}
		}
	}()
}

// stop ends run and removes the bar.
func (d *display) stop() {
	close(d.quit)
	<-d.ended
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

// draw shows s as a bar, or as a spinner if the total is unknown.
func (d *display) draw(s state) {
	columns := d.columns()
	if columns <= 0 {
		columns = defaultWidth
	}
	text, width := s.fit(columns)
	c := d.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.spinner && s.known {
		d.clear()
	}
	if c.bar == nil {
		c.bar, d.spinner = newBar(c.w, s.known), !s.known
	}
	theme := progressbar.ThemeDefault
	if width == 0 {
		theme = progressbar.Theme{}
	}
	progressbar.OptionSetTheme(theme)(c.bar)
	progressbar.OptionSetWidth(width)(c.bar)
	progressbar.OptionSetDescription(text)(c.bar)
	if s.known {
		_ = c.bar.Set64(min(int64(s.fraction*barUnits), barUnits-1)) // a full bar would end itself
	}
	c.bar.Describe(text)
}

// newBar returns a bar, or a spinner if the total is unknown.
func newBar(w io.Writer, known bool) *progressbar.ProgressBar {
	total := int64(barUnits)
	if !known {
		total = -1
	}
	return progressbar.NewOptions64(
		total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetPredictTime(false), // the text has it
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetSpinnerChangeInterval(0), // avoids a goroutine that never ends
		// Overwriting a line with blanks would wrap if the terminal has become
		// narrower; the escape sequence that clears a line does not.
		progressbar.OptionUseANSICodes(true),
	)
}

// A state is what a bar shows. Texts are empty if unknown.
type state struct {
	count, rate, mean, failed, left string
	anyFailed                       bool
	known                           bool    // fraction is
	fraction                        float64 // of the input that is done
}

// joinNonEmpty joins the parts that are not empty.
func joinNonEmpty(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// fit returns the text and the width of the bar, 0 for none, that fit into columns.
// If space is short, the bar is shortened first; then the least important parts of
// the text are dropped.
func (s state) fit(columns int) (text string, bar int) {
	// The library adds a percentage, the ends of the bar and spaces, or a spinner and
	// spaces. The last column stays free so that terminals don't wrap.
	const withBar, withoutBar, withSpinner = 10, 8, 4
	for drop := range 4 {
		switch drop {
		case 1:
			s.rate = ""
		case 2:
			s.mean = ""
		case 3:
			if !s.anyFailed {
				s.failed = ""
			}
		}
		text = joinNonEmpty(s.count, s.rate, s.mean, s.failed, s.left)
		free := columns - 1 - len(text)
		switch {
		case !s.known && free >= withSpinner:
			return text, 0
		case s.known && free >= withBar+minBarWidth:
			return text, min(free-withBar, maxBarWidth)
		}
	}
	free := columns - 1 - withSpinner
	if s.known {
		free = columns - 1 - withoutBar
	}
	if len(text) > free {
		text = joinNonEmpty(s.count, s.failed)
	}
	return text[:max(min(len(text), free), 0)], 0
}
