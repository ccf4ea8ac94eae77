package console

import (
	"sync"
	"time"

	"github.com/dustin/go-humanize"
)

// rateWindow is the period over which the speed of a transfer is averaged. Bytes that
// an earlier run downloaded are added at once and soon leave the window.
const rateWindow = 5 * time.Second

// A Transfer shows the progress of reading or downloading bytes.
type Transfer struct {
	display
	now   func() time.Time
	label string
	once  sync.Once

	mu          sync.Mutex // guards the fields below
	done, total int64
	samples     []sample // progress during the last rateWindow
}

// A sample is the number of bytes done at a point in time.
type sample struct {
	at   time.Time
	done int64
}

// NewTransfer returns a Transfer labeled name. It shows nothing before Start.
func NewTransfer(c *Console, now func() time.Time, name string) *Transfer {
	return &Transfer{display: newDisplay(c), now: now, label: name}
}

// SetTotal sets the total number of bytes.
func (t *Transfer) SetTotal(bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total = bytes
}

// Add adds n bytes. n may be negative to undo a failed attempt.
func (t *Transfer) Add(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
}

// Start shows the bar until Stop is called.
func (t *Transfer) Start() { t.run(barInterval, func() { t.redraw(t.state()) }) }

// Stop removes the bar. It may be called repeatedly, and without Start.
func (t *Transfer) Stop() {
	t.once.Do(func() {
		if t.quit != nil {
			t.stop()
		}
	})
}

func (t *Transfer) state() state {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.samples = append(t.samples, sample{now, t.done})
	for len(t.samples) > 2 && now.Sub(t.samples[1].at) >= rateWindow {
		t.samples = t.samples[1:]
	}
	s := state{count: t.label}
	if t.total <= 0 {
		return s
	}
	s.hasTotal = true
	s.fraction = min(max(float64(t.done)/float64(t.total), 0), 1)
	s.count += " " + Bytes(t.done) + " of " + Bytes(t.total)
	first := t.samples[0]
	if elapsed, n := now.Sub(first.at), t.done-first.done; elapsed > 0 && n > 0 {
		perSecond := float64(n) / elapsed.Seconds()
		s.rate = Bytes(int64(perSecond)) + "/s"
		s.eta = time.Duration(float64(t.total-t.done)/perSecond*float64(time.Second)).Round(time.Second).String() + " left"
	}
	return s
}

// Bytes formats a number of bytes, such as "1.5 MB".
func Bytes(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }
