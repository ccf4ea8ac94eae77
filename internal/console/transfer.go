package console

import (
	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
)

// A Transfer shows the progress of reading or downloading bytes.
type Transfer struct {
	console *Console
	label   string
}

// NewTransfer returns a Transfer with a label of one word. It shows nothing before Start.
func NewTransfer(c *Console, label string) *Transfer {
	return &Transfer{console: c, label: label}
}

// Start shows a bar for a total number of bytes until Stop is called.
func (t *Transfer) Start(total int64) {
	t.console.mu.Lock()
	defer t.console.mu.Unlock()
	const width = 10 // the line then fits into 80 columns
	t.console.bar = progressbar.NewOptions64(
		max(total, 1),
		progressbar.OptionSetWriter(t.console.w),
		progressbar.OptionSetDescription(t.label),
		progressbar.OptionSetWidth(width),
		progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(barInterval),
		progressbar.OptionUseANSICodes(true),
	)
}

// Add adds n bytes. n may be negative to undo a failed attempt.
func (t *Transfer) Add(n int64) {
	t.console.mu.Lock()
	defer t.console.mu.Unlock()
	if t.console.bar != nil {
		_ = t.console.bar.Add64(n)
	}
}

// Stop removes the bar. It may be called repeatedly, and without Start.
func (t *Transfer) Stop() { t.console.removeBar() }

// Bytes formats a number of bytes, such as "1.5 MB".
func Bytes(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }
