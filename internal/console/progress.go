package console

import (
	"fmt"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/result"
)

// logInterval is the interval between lines when standard error is not a terminal.
const logInterval = 30 * time.Second

// A Progress shows how many rows of a dataset are done: as a bar on a terminal,
// or as periodic lines elsewhere. It is an eval.Sink.
type Progress struct {
	console       *Console
	columns       func() int // returns the width of the terminal, or 0 if unknown
	now           func() time.Time
	size          int64 // size of the input in units of Row.Offset, or -1 if unknown
	quit, stopped chan struct{}

	mu              sync.Mutex // guards the fields below
	rows, failed    int
	scored          int
	faithfulnessSum float64 // sum of the faithfulness of scored rows
	offset          int64
	index           int  // largest one-based row index so far
	limit           int  // maximum number of rows, or 0 for all
	resuming        bool // only rows of an earlier run were written so far
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
	p.start(o.Terminal)
	return p
}

func newProgress(c *Console, o ProgressOptions) *Progress {
	return &Progress{
		console: c, columns: func() int { return Width(c.w) }, now: o.Now, size: o.Size, limit: o.Limit, resuming: o.Resuming,
		quit: make(chan struct{}), stopped: make(chan struct{}), baseline: rateBaseline{at: o.Now()},
	}
}

// start prints a line or redraws the bar periodically until Stop is called.
func (p *Progress) start(terminal bool) {
	interval, show := logInterval, p.printLine
	if terminal {
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
	p.console.removeBar()
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

// Resumed marks the end of the rows completed by an earlier run. It does
// nothing if p is nil.
func (p *Progress) Resumed() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resuming = false
	p.baseline = rateBaseline{at: p.now(), rows: p.rows, fraction: p.fraction()}
}

// fraction returns the completed fraction of the input, or 0 if unknown.
func (p *Progress) fraction() float64 {
	fraction := 0.0
	if p.size > 0 {
		fraction = float64(p.offset) / float64(p.size)
	}
	if p.limit > 0 {
		fraction = max(fraction, float64(p.index)/float64(p.limit))
	}
	return min(fraction, 1)
}

func (p *Progress) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := state{
		count:    fmt.Sprintf("%d rows", p.rows),
		failed:   fmt.Sprintf("%d failed", p.failed),
		hasTotal: p.size > 0 || p.limit > 0,
		fraction: p.fraction(),
	}
	if p.scored > 0 {
		s.mean = fmt.Sprintf("mean %.4f", p.faithfulnessSum/float64(p.scored))
	}
	if p.resuming {
		return s
	}
	elapsed := p.now().Sub(p.baseline.at)
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
