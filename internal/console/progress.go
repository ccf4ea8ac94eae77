package console

import (
	"fmt"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/result"
)

// logInterval is the interval between lines when standard error is not a terminal.
const logInterval = 30 * time.Second

// A Progress shows how many rows of a dataset are done: as a status line on a
// terminal, or as periodic lines elsewhere. It is an eval.Sink.
type Progress struct {
	statusLine
	now  func() time.Time
	size int64 // size of the input in units of Row.Offset, or -1 if unknown

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
	Terminal bool  // show a status line instead of lines
}

// StartProgress shows progress on c until Stop is called.
func StartProgress(c *Console, o ProgressOptions) *Progress {
	p := newProgress(c, o)
	p.start(o.Terminal)
	return p
}

func newProgress(c *Console, o ProgressOptions) *Progress {
	return &Progress{
		statusLine: newStatusLine(c), now: o.Now, size: o.Size, limit: o.Limit, resuming: o.Resuming,
		baseline: rateBaseline{at: o.Now()},
	}
}

func (p *Progress) start(terminal bool) {
	if terminal {
		p.run(statusInterval, func() { p.show(p.parts()) })
	} else {
		p.run(logInterval, func() { p.console.Printf("%s", joinNonEmpty(p.parts())) })
	}
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

// parts returns the figures to show: rows, rate, mean, failed rows, the completed share and
// the time left, "" for those that are unknown.
func (p *Progress) parts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var rate, mean, share, left string
	fraction := p.fraction()
	if p.scored > 0 {
		mean = fmt.Sprintf("mean %.4f", p.faithfulnessSum/float64(p.scored))
	}
	if fraction > 0 {
		share = fmt.Sprintf("%.0f%%", 100*fraction)
	}
	if !p.resuming {
		elapsed := p.now().Sub(p.baseline.at)
		perSecond, decimals := float64(p.rows-p.baseline.rows)/max(elapsed.Seconds(), 1e-3), 0
		if perSecond < 10 {
			decimals = 2
		}
		rate = fmt.Sprintf("%.*f rows/s", decimals, perSecond)
		if completed := fraction - p.baseline.fraction; completed > 0 {
			left = fmt.Sprintf("about %v left", time.Duration(float64(elapsed)*(1-fraction)/completed).Round(time.Second))
		}
	}
	return []string{fmt.Sprintf("%d rows", p.rows), rate, mean, fmt.Sprintf("%d failed", p.failed), share, left}
}
