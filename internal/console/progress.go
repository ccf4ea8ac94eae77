package console

import (
	"fmt"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/result"
)

const logInterval = 30 * time.Second // between lines, if there is no terminal

// Progress shows how much of a dataset is done: as a bar on a terminal, or as a line
// from time to time. It is an eval.Sink.
type Progress struct {
	display
	now  func() time.Time
	size int64 // of the input, in the units of Row.Offset; -1 if unknown

	mu           sync.Mutex // guards what follows
	rows, failed int
	scored       int
	sum          float64 // of faithfulness over scored
	offset       int64
	index        int // of the row that is furthest in the input, from 1
	limit        int // maximum number of rows that are read; 0 for all
	resuming     bool
	baseline     rateBaseline
}

// A rateBaseline is the point from which the rate is measured: the start of the run,
// or the end of the rows that an earlier run finished.
type rateBaseline struct {
	at       time.Time
	rows     int
	fraction float64
}

// ProgressOptions configures StartProgress.
type ProgressOptions struct {
	Now      func() time.Time
	Size     int64 // of the input, in the units of Row.Offset; -1 if unknown
	Limit    int   // maximum number of rows that are read; 0 for all
	Resuming bool  // rows of an earlier run come first, until Resumed is called
	Terminal bool  // show a bar
}

// StartProgress shows progress on c until Stop is called.
func StartProgress(c *Console, o ProgressOptions) *Progress {
	p := newProgress(c, o)
	p.start(o.Terminal)
	return p
}

func newProgress(c *Console, o ProgressOptions) *Progress {
	return &Progress{
		display: newDisplay(c), now: o.Now, size: o.Size, limit: o.Limit, resuming: o.Resuming,
		baseline: rateBaseline{at: o.Now()},
	}
}

func (p *Progress) start(terminal bool) {
	if terminal {
		p.run(barInterval, func() { p.draw(p.state()) })
	} else {
		p.run(logInterval, p.printLine)
	}
}

// Stop ends the display and removes the bar.
func (p *Progress) Stop() { p.stop() }

// Write counts r.
func (p *Progress) Write(r *result.Row) error {
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

// Resumed marks the end of the rows that an earlier run finished. A nil Progress
// ignores it.
func (p *Progress) Resumed() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resuming = false
	p.baseline = rateBaseline{at: p.now(), rows: p.rows, fraction: p.fraction()}
}

// fraction returns how much of the input is done, 0 if unknown.
func (p *Progress) fraction() float64 {
	done := 0.0
	if p.size > 0 {
		done = float64(p.offset) / float64(p.size)
	}
	if p.limit > 0 {
		done = max(done, float64(p.index)/float64(p.limit))
	}
	return min(done, 1)
}

func (p *Progress) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := state{
		count:     fmt.Sprintf("%d rows", p.rows),
		failed:    fmt.Sprintf("%d failed", p.failed),
		anyFailed: p.failed > 0,
		known:     p.size > 0 || p.limit > 0,
		fraction:  p.fraction(),
	}
	if p.scored > 0 {
		s.mean = fmt.Sprintf("mean %.4f", p.sum/float64(p.scored))
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
	if done := s.fraction - p.baseline.fraction; done > 0 {
		s.left = time.Duration(float64(elapsed)*(1-s.fraction)/done).Round(time.Second).String() + " left"
	}
	return s
}

func (p *Progress) printLine() {
	s := p.state()
	line := joinNonEmpty(s.count, s.rate, s.mean, s.failed)
	if s.fraction > 0 {
		line += fmt.Sprintf(", %.0f%%", 100*s.fraction)
	}
	if s.left != "" {
		line += ", about " + s.left
	}
	p.console.Printf("%s", line)
}
