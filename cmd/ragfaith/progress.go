package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	barEvery  = 100 * time.Millisecond // on a terminal
	lineEvery = 30 * time.Second       // in a log

	barUnits   = 1 << 30 // of the bar for the whole of the input
	barMost    = 20      // columns of the bar itself
	barLeast   = 4       // with fewer it is left out
	anyColumns = 80      // of a terminal that does not say
)

// progress shows on the console how far a run is: as a bar on a terminal, and
// otherwise as a line now and then. It is an eval.Sink.
type progress struct {
	console *console
	now     func() time.Time
	size    int64      // of the input, in the units of Row.Offset; -1 where unknown
	columns func() int // of the terminal now; 0 where unknown
	quit    chan struct{}
	ended   chan struct{}

	mu           sync.Mutex // guards what follows
	rows, failed int
	scored       int
	sum          float64 // of faithfulness over scored
	offset       int64
	index        int // of the row that is furthest in the input, from 1
	limit        int // rows of the input that are read at most; 0 for all
	takingOver   bool
	since        milestone // where what is counted for the rate began
}

// A milestone is when the first row was judged that no earlier run had, and what there
// was before it.
type milestone struct {
	at   time.Time
	rows int
	part float64
}

// startProgress shows the progress until end is called.
func startProgress(c *console, now func() time.Time, size int64, terminal bool) *progress {
	p := newProgress(c, now, size)
	p.run(terminal)
	return p
}

func newProgress(c *console, now func() time.Time, size int64) *progress {
	start := now()
	return &progress{
		console: c, now: now, since: milestone{at: start}, size: size,
		columns: func() int { return terminalWidth(c.w) },
		quit:    make(chan struct{}), ended: make(chan struct{}),
	}
}

// run shows the progress now and then, in the background.
func (p *progress) run(terminal bool) {
	every, show := lineEvery, p.showLine
	if terminal {
		every, show = barEvery, p.showBar
	}
	go func() {
		defer close(p.ended)
		tick := time.NewTicker(every)
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

// Write counts r.
func (p *progress) Write(r *result.Row) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows++
	if r.Status == result.Failed {
		p.failed++
	}
	if r.Faithfulness >= 0 { // not NaN
		p.scored++
		p.sum += r.Faithfulness
	}
	p.offset = max(p.offset, r.Offset)
	p.index = max(p.index, r.Index+1)
	return nil
}

// end stops the display and clears the bar.
func (p *progress) end() {
	close(p.quit)
	<-p.ended
	c := p.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
}

// ofFirst says that no more than so many rows of the input are read.
func (p *progress) ofFirst(limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = limit
}

// takeOver says that rows come that an earlier run has finished. Until judging
// goes on, how fast they come tells nothing of the time that is left.
func (p *progress) takeOver() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.takingOver = true
}

// judge says that no more rows come that an earlier run has finished. May be
// called on nil.
func (p *progress) judge() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.takingOver = false
	p.since = milestone{at: p.now(), rows: p.rows, part: p.part()}
}

// part is how much of the input is done, 0 where that is not known.
func (p *progress) part() float64 {
	part := 0.0
	if p.size > 0 {
		part = float64(p.offset) / float64(p.size)
	}
	if p.limit > 0 {
		part = max(part, float64(p.index)/float64(p.limit))
	}
	return min(part, 1)
}

// A state is what there is to show.
type state struct {
	rows, rate, mean, failed, left string // empty for what is not known
	anyFailed                      bool
	known                          bool    // part is
	part                           float64 // of the input that is done
}

func (p *progress) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := state{
		rows:      fmt.Sprintf("%d rows", p.rows),
		failed:    fmt.Sprintf("%d failed", p.failed),
		anyFailed: p.failed > 0,
		known:     p.size > 0 || p.limit > 0,
		part:      p.part(),
	}
	if p.scored > 0 {
		s.mean = fmt.Sprintf("mean %.4f", p.sum/float64(p.scored))
	}
	if p.takingOver {
		return s
	}
	spent := p.now().Sub(p.since.at)
	rate := float64(p.rows-p.since.rows) / max(spent.Seconds(), 1e-3)
	s.rate = fmt.Sprintf("%.*f rows/s", decimalsOf(rate), rate)
	if done := s.part - p.since.part; done > 0 {
		s.left = time.Duration(float64(spent)*(1-s.part)/done).Round(time.Second).String() + " left"
	}
	return s
}

// decimalsOf shows slow rates finely enough to tell them from standing still.
func decimalsOf(rate float64) int {
	if rate < 10 {
		return 2
	}
	return 0
}

// list joins those of the parts that there are.
func list(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// fit lays the state out in so many columns: the text, and the columns of the
// bar behind it, 0 for none. In a narrow terminal the bar becomes shorter, and
// then parts go, what is missed least first.
func (s state) fit(columns int) (text string, bar int) {
	// Beside text and bar there are a percentage, the ends of the bar and the
	// spaces around it; or, where no part is known, a spinner with spaces. The
	// last column stays free, so that no terminal begins a new line.
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
		text = list(s.rows, s.rate, s.mean, s.failed, s.left)
		room := columns - 1 - len(text)
		switch {
		case !s.known && room >= withSpinner:
			return text, 0
		case s.known && room >= withBar+barLeast:
			return text, min(room-withBar, barMost)
		}
	}
	room := columns - 1 - withSpinner
	if s.known {
		room = columns - 1 - withoutBar
	}
	if len(text) > room {
		text = list(s.rows, s.failed)
	}
	return text[:max(min(len(text), room), 0)], 0
}

// newBar makes a bar, or a spinner where the whole is not known.
func newBar(w io.Writer, known bool) *progressbar.ProgressBar {
	whole := int64(barUnits)
	if !known {
		whole = -1
	}
	return progressbar.NewOptions64(
		whole,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetPredictTime(false), // it is part of the text
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetSpinnerChangeInterval(0), // it would need a goroutine that nothing ends
		// Blanks over a line that was drawn when the terminal was wider would
		// wrap; the code for an empty line does not.
		progressbar.OptionUseANSICodes(true),
	)
}

func (p *progress) showBar() {
	columns := p.columns()
	if columns <= 0 {
		columns = anyColumns
	}
	s := p.state()
	text, width := s.fit(columns)
	c := p.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil {
		c.bar = newBar(c.w, s.known)
	}
	theme := progressbar.ThemeDefault
	if width == 0 {
		theme = progressbar.Theme{}
	}
	progressbar.OptionSetTheme(theme)(c.bar)
	progressbar.OptionSetWidth(width)(c.bar)
	progressbar.OptionSetDescription(text)(c.bar)
	if s.known {
		// The bar ends itself when it is full.
		_ = c.bar.Set64(min(int64(s.part*barUnits), barUnits-1))
	}
	c.bar.Describe(text)
}

func (p *progress) showLine() {
	s := p.state()
	line := list(s.rows, s.rate, s.mean, s.failed)
	if s.part > 0 {
		line += fmt.Sprintf(", %.0f%%", 100*s.part)
	}
	if s.left != "" {
		line += ", about " + s.left
	}
	p.console.say("%s", line)
}
