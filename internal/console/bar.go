package console

import (
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

// redraw shows s as a bar, or as a spinner if the total is unknown. columns is the width of
// the terminal, or 0 if it is unknown.
func (c *Console) redraw(s state, columns int) {
	if columns <= 0 {
		columns = defaultWidth
	}
	text, width := s.fit(columns)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil {
		total := int64(barTotal)
		if !s.hasTotal {
			total = -1
		}
		c.bar = progressbar.NewOptions64(
			total,
			progressbar.OptionSetWriter(c.w),
			progressbar.OptionSetPredictTime(false), // part of the description
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetSpinnerChangeInterval(0), // 0 avoids leaking a goroutine
			// Clear the line with an escape sequence: blanks would wrap if the terminal
			// has become narrower.
			progressbar.OptionUseANSICodes(true),
		)
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

// removeBar removes the bar if one is shown.
func (c *Console) removeBar() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
}

// A state is the content of a progress bar. Unknown texts are empty.
type state struct {
	count, rate, mean, failed, eta string
	hasTotal                       bool    // fraction and eta are known
	fraction                       float64 // completed fraction of the input
}

// joinNonEmpty joins the non-empty parts with commas.
func joinNonEmpty(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// fit returns the text that fits into columns and the width of the bar, which
// is 0 if there is no space for one. If space is short, the bar shrinks first,
// then the text is cut.
func (s state) fit(columns int) (text string, barWidth int) {
	// The library adds a percentage and the ends of the bar, or a spinner. The last
	// column stays empty because some terminals wrap there.
	const withBar, withoutBar = 10, 8
	text = joinNonEmpty(s.count, s.rate, s.mean, s.failed, s.eta)
	if free := columns - 1 - withBar - len(text); s.hasTotal && free >= minBarWidth {
		return text, min(free, maxBarWidth)
	}
	return text[:max(min(len(text), columns-1-withoutBar), 0)], 0
}
