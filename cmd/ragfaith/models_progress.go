package main

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// rateOver is the time over which the speed of a transfer is taken. What an
// earlier run left is counted at once, and is soon out of it.
const rateOver = 5 * time.Second

// transfer shows on a terminal how many bytes of a model have come.
type transfer struct {
	console *console
	now     func() time.Time
	what    string
	columns func() int // of the terminal now; 0 where unknown

	quit, ended chan struct{} // nil where nothing is shown
	once        sync.Once
	spinner     bool // is shown, and no bar; guarded by the console

	mu          sync.Mutex // guards what follows
	done, total int64
	seen        []moment
}

// A moment is how much there was at a time.
type moment struct {
	at   time.Time
	done int64
}

func newTransfer(c *console, now func() time.Time, what string) *transfer {
	return &transfer{console: c, now: now, what: what, columns: func() int { return terminalWidth(c.w) }}
}

// plan says how many bytes there will be.
func (t *transfer) plan(bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total = bytes
}

// add counts bytes, or takes them back.
func (t *transfer) add(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
}

// begin shows the bar until end is called.
func (t *transfer) begin() {
	t.quit, t.ended = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(t.ended)
		tick := time.NewTicker(barEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				t.show()
			case <-t.quit:
				return
			}
		}
	}()
}

// end removes the bar. It may be called again.
func (t *transfer) end() {
	t.once.Do(func() {
		if t.quit == nil {
			return
		}
		close(t.quit)
		<-t.ended
		c := t.console
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.bar != nil {
			_ = c.bar.Clear()
			c.bar = nil
		}
	})
}

// state is what there is to show. The number of bytes stands where that of rows
// does.
func (t *transfer) state() state {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.seen = append(t.seen, moment{now, t.done})
	for len(t.seen) > 2 && now.Sub(t.seen[1].at) >= rateOver {
		t.seen = t.seen[1:]
	}
	s := state{rows: t.what}
	if t.total <= 0 {
		return s
	}
	s.known = true
	s.part = min(max(float64(t.done)/float64(t.total), 0), 1)
	s.rows += " " + byteCount(t.done) + " of " + byteCount(t.total)
	first := t.seen[0]
	if spent, came := now.Sub(first.at), t.done-first.done; spent > 0 && came > 0 {
		perSecond := float64(came) / spent.Seconds()
		s.rate = byteCount(int64(perSecond)) + "/s"
		s.left = time.Duration(float64(t.total-t.done)/perSecond*float64(time.Second)).Round(time.Second).String() + " left"
	}
	return s
}

func (t *transfer) show() {
	columns := t.columns()
	if columns <= 0 {
		columns = anyColumns
	}
	s := t.state()
	text, width := s.fit(columns)
	c := t.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil && s.known && t.spinner {
		_ = c.bar.Clear() // it becomes a bar when the plan is known
		c.bar = nil
	}
	if c.bar == nil {
		c.bar, t.spinner = newBar(c.w, s.known), !s.known
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
