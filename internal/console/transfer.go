package console

import (
	"fmt"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
)

// rateWindow is the period over which the speed of a transfer is averaged. Bytes that
// an earlier run downloaded are added at once and soon leave the window.
const rateWindow = 5 * time.Second

// A Transfer shows the progress of reading or downloading bytes.
type Transfer struct {
	statusLine
	now   func() time.Time
	label string

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
	return &Transfer{statusLine: newStatusLine(c), now: now, label: name}
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

// Start shows the progress until Stop is called.
func (t *Transfer) Start() { t.run(statusInterval, func() { t.show(t.parts()) }) }

// parts returns what to show: the bytes done, their share, the speed and the time left, ""
// for what is unknown.
func (t *Transfer) parts() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.samples = append(t.samples, sample{now, t.done})
	for len(t.samples) > 2 && now.Sub(t.samples[1].at) >= rateWindow {
		t.samples = t.samples[1:]
	}
	if t.total <= 0 {
		return []string{t.label}
	}
	var rate, left string
	first := t.samples[0]
	if elapsed, n := now.Sub(first.at), t.done-first.done; elapsed > 0 && n > 0 {
		perSecond := float64(n) / elapsed.Seconds()
		rate = Bytes(int64(perSecond)) + "/s"
		left = time.Duration(float64(t.total-t.done)/perSecond*float64(time.Second)).Round(time.Second).String() + " left"
	}
	share := min(max(float64(t.done)/float64(t.total), 0), 1)
	return []string{t.label + " " + Bytes(t.done) + " of " + Bytes(t.total), fmt.Sprintf("%.0f%%", 100*share), rate, left}
}

// Bytes formats a number of bytes, such as "1.5 MB".
func Bytes(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }
