package console

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"

	"github.com/ragfaith/ragfaith/internal/result"
)

// logInterval is the interval between lines when standard error is not a terminal.
const logInterval = 30 * time.Second

// A Progress shows how many rows of a dataset are done: as a bar on a terminal,
// or as periodic lines elsewhere. It is an eval.Sink.
type Progress struct {
	console       *Console
	columns       func() int // returns the width of the terminal, or 0 if unknown
	quit, stopped chan struct{}

	mu              sync.Mutex // guards the fields below
	options         ProgressOptions
	rows, failed    int
	scored          int
	faithfulnessSum float64 // sum of the faithfulness of scored rows
	offset          int64
	index           int // largest one-based row index so far
	baseline        rateBaseline
}

// A rateBaseline is the starting point for the rate: the start of the run, or
// the end of the rows completed by an earlier run.
type rateBaseline struct {
	at       time.Time
	rows     int
	fraction float64
}

// ProgressOptions configure StartProgress.
type ProgressOptions struct {
	Now      func() time.Time
	Size     int64 // size of the input in units of Row.Offset, or -1 if unknown
	Limit    int   // maximum number of rows, or 0 for all
	Resuming bool  // rows of an earlier run are written until Resumed is called
	Terminal bool  // show a bar instead of lines
}

// StartProgress shows progress on c until Stop is called.
func StartProgress(c *Console, o ProgressOptions) *Progress {
	p := newProgress(c, o)
	p.start()
	return p
}

func newProgress(c *Console, o ProgressOptions) *Progress {
	return &Progress{
		console: c, options: o, columns: func() int { return Width(c.w) },
		quit: make(chan struct{}), stopped: make(chan struct{}), baseline: rateBaseline{at: o.Now()},
	}
}

// start prints a line or redraws the bar periodically until Stop is called.
func (p *Progress) start() {
	interval, show := logInterval, p.printLine
	if p.options.Terminal {
		interval, show = barInterval, func() { p.console.redraw(p.state(), p.columns()) }
	}
	go func() {
		defer close(p.stopped)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				show()
			case <-p.quit:
				return
			}
		}
	}()
}

// Stop stops the display and removes the bar.
func (p *Progress) Stop() {
	close(p.quit)
	<-p.stopped
	p.console.RemoveBar()
}

// Write counts r.
func (p *Progress) Write(r *result.Row) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows++
	if r.Status == result.Failed {
		p.failed++
	}
	if r.Faithfulness >= 0 { // false for NaN
		p.scored++
		p.faithfulnessSum += r.Faithfulness
	}
	p.offset = max(p.offset, r.Offset)
	p.index = max(p.index, r.Index+1)
	return nil
}

// Resumed marks the end of the rows of an earlier run. It does nothing if p is nil.
func (p *Progress) Resumed() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.options.Resuming = false
	p.baseline = rateBaseline{at: p.options.Now(), rows: p.rows, fraction: p.fraction()}
}

// fraction returns the completed fraction of the input, or 0 if unknown.
func (p *Progress) fraction() float64 {
	fraction := 0.0
	if p.options.Size > 0 {
		fraction = float64(p.offset) / float64(p.options.Size)
	}
	if p.options.Limit > 0 {
		fraction = max(fraction, float64(p.index)/float64(p.options.Limit))
	}
	return min(fraction, 1)
}

func (p *Progress) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := state{
		count:    fmt.Sprintf("%d rows", p.rows),
		failed:   fmt.Sprintf("%d failed", p.failed),
		hasTotal: p.options.Size > 0 || p.options.Limit > 0,
		fraction: p.fraction(),
	}
	if p.scored > 0 {
		s.mean = fmt.Sprintf("mean %.4f", p.faithfulnessSum/float64(p.scored))
	}
	if p.options.Resuming {
		return s
	}
	elapsed := p.options.Now().Sub(p.baseline.at)
	rate := float64(p.rows-p.baseline.rows) / max(elapsed.Seconds(), 1e-3)
	decimals := 0
	if rate < 10 {
		decimals = 2
	}
	s.rate = fmt.Sprintf("%.*f rows/s", decimals, rate)
	if completed := s.fraction - p.baseline.fraction; completed > 0 {
		s.eta = time.Duration(float64(elapsed)*(1-s.fraction)/completed).Round(time.Second).String() + " left"
	}
	return s
}

func (p *Progress) printLine() {
	s := p.state()
	line := joinNonEmpty(s.count, s.rate, s.mean, s.failed)
	if s.fraction > 0 {
		line += fmt.Sprintf(", %.0f%%", 100*s.fraction)
	}
	if s.eta != "" {
		line += ", about " + s.eta
	}
	p.console.Printf("%s", line)
}

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
			// Blanks instead of an escape sequence would wrap in a narrower terminal.
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

// RemoveBar removes the bar if one is shown.
func (c *Console) RemoveBar() {
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

func joinNonEmpty(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// fit returns the text that fits into columns and the width of the bar, or 0 for
// none. If space is short, the bar shrinks first, then the text is cut.
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

// StartTransfer shows a bar for a total number of bytes, with a label of one word, until
// RemoveBar is called.
func (c *Console) StartTransfer(label string, total int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const width = 10 // the line then fits into 80 columns
	c.bar = progressbar.NewOptions64(
		max(total, 1),
		progressbar.OptionSetWriter(c.w),
		progressbar.OptionSetDescription(label),
		progressbar.OptionSetWidth(width),
		progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(barInterval),
		progressbar.OptionUseANSICodes(true),
	)
}

// Transferred adds n bytes to the bar. n may be negative to undo a failed attempt.
func (c *Console) Transferred(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Add64(n)
	}
}

// Bytes formats a number of bytes, such as "1.5 MB".
func Bytes(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }
