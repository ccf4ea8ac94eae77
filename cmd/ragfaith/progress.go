package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/ragfaith/ragfaith/internal/eval"
)

const (
	barEvery  = 100 * time.Millisecond // on a terminal
	lineEvery = 30 * time.Second       // in a log
)

// progress shows on the console how far a run is: as a bar on a terminal, and
// otherwise as a line now and then. It is an eval.Sink.
type progress struct {
	console *console
	now     func() time.Time
	start   time.Time
	size    int64 // of the input, in the units of Row.Offset; -1 where unknown
	quit    chan struct{}
	ended   chan struct{}

	mu           sync.Mutex // guards what follows
	rows, failed int
	scored       int
	sum          float64 // of faithfulness over scored
	offset       int64
}

// startProgress shows the progress until end is called.
func startProgress(c *console, now func() time.Time, size int64, terminal bool) *progress {
	p := &progress{console: c, now: now, start: now(), size: size, quit: make(chan struct{}), ended: make(chan struct{})}
	every, show := lineEvery, p.showLine
	if terminal {
		every, show = barEvery, p.showBar
		full := size
		if full <= 0 {
			full = -1 // a spinner
		}
		c.bar = progressbar.NewOptions64(
			full,
			progressbar.OptionSetWriter(c.w),
			progressbar.OptionSetWidth(20),
			progressbar.OptionSetPredictTime(size > 0),
			progressbar.OptionSetSpinnerChangeInterval(0), // it would need a goroutine that nothing ends
		)
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
	return p
}

// Write counts r.
func (p *progress) Write(r *eval.Result) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows++
	if r.Status == eval.Failed {
		p.failed++
	}
	if r.Faithfulness >= 0 { // not NaN
		p.scored++
		p.sum += r.Faithfulness
	}
	p.offset = max(p.offset, r.Row.Offset)
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

// state is what there is to show: the counts, and the part of the input that is
// done, 0 where that is unknown.
func (p *progress) state() (counts string, offset int64, part float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rate := float64(p.rows) / max(p.now().Sub(p.start).Seconds(), 1e-3)
	counts = fmt.Sprintf("%d rows, %.*f rows/s", p.rows, decimalsOf(rate), rate)
	if p.scored > 0 {
		counts += fmt.Sprintf(", mean %.4f", p.sum/float64(p.scored))
	}
	counts += fmt.Sprintf(", %d failed", p.failed)
	if p.size > 0 {
		part = min(float64(p.offset)/float64(p.size), 1)
	}
	return counts, p.offset, part
}

// decimalsOf shows slow rates finely enough to tell them from standing still.
func decimalsOf(rate float64) int {
	if rate < 10 {
		return 2
	}
	return 0
}

func (p *progress) showBar() {
	counts, offset, _ := p.state()
	c := p.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.size > 0 {
		offset = min(offset, p.size-1) // the bar ends itself when it is full
	}
	c.bar.Describe(counts)
	_ = c.bar.Set64(offset)
}

func (p *progress) showLine() {
	counts, _, part := p.state()
	if part > 0 {
		spent := p.now().Sub(p.start)
		left := time.Duration(float64(spent) * (1 - part) / part).Round(time.Second)
		counts += fmt.Sprintf(", %.0f%%, about %v left", 100*part, left)
	}
	p.console.say("%s", counts)
}
