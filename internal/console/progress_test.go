package console

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// advance lets d pass in a synctest bubble.
func advance(d time.Duration) { <-time.NewTimer(d).C }

func scoredRow(offset int64, faithfulness float64) *result.Row {
	return &result.Row{Offset: offset, Status: result.Scored, Faithfulness: faithfulness}
}

func TestProgressPrintsPeriodicLines(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int64
		want []string
	}{
		{"known size", 1000, []string{
			"ragfaith: 0 rows, 0.00 rows/s, 0 failed",
			"ragfaith: 2 rows, 0.03 rows/s, mean 0.7500, 1 failed, 25%, about 3m0s left",
			"",
		}},
		{"unknown size", -1, []string{
			"ragfaith: 0 rows, 0.00 rows/s, 0 failed",
			"ragfaith: 2 rows, 0.03 rows/s, mean 0.7500, 1 failed",
			"",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b bytes.Buffer
				p := StartProgress(New(&b, report.Palette{}), ProgressOptions{Now: time.Now, Size: tt.size})
				advance(31 * time.Second)
				_ = p.Write(scoredRow(100, 0.75))
				_ = p.Write(&result.Row{Offset: 250, Status: result.Failed, Faithfulness: math.NaN()})
				advance(30 * time.Second)
				p.Stop()
				got := strings.Split(b.String(), "\n")
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("output (-want +got):\n%s", d)
				}
			})
		})
	}
}

func TestProgressBarBelowMessages(t *testing.T) {
	for _, size := range []int64{1000, -1, 0} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			c := New(&b, report.Palette{})
			p := StartProgress(c, ProgressOptions{Now: time.Now, Size: size, Terminal: true})
			advance(time.Second)
			synctest.Wait()
			_ = p.Write(scoredRow(500, 0.5))
			advance(time.Second)
			synctest.Wait()
			before := b.String()
			if !strings.Contains(before, "1 rows, 0.5") || !strings.Contains(before, "mean 0.5000, 0 failed") {
				t.Errorf("size %d: got %q, want rows, rate and mean", size, before)
			}
			if (size > 0) != strings.Contains(before, "50%") {
				t.Errorf("size %d: got %q, want a percentage only if the size is known", size, before)
			}
			c.Printf("a message")
			if message := strings.TrimPrefix(b.String(), before); !strings.HasPrefix(message, clearLine) || !strings.HasSuffix(message, "\rragfaith: a message\n") {
				t.Errorf("got %q, want the bar cleared before the message", message)
			}
			_ = p.Write(scoredRow(1000, 1))
			advance(time.Second)
			synctest.Wait()
			p.Stop()
			if !strings.HasSuffix(b.String(), clearLine) {
				t.Errorf("got %q, want the bar cleared at the end", b.String())
			}
		})
	}
}

// clearLine is the escape sequence that clears the current line.
const clearLine = "\x1b[2K\r"

// splitRedraws splits terminal output into the successive versions of the bar.
func splitRedraws(text string) []string {
	text = strings.NewReplacer("\x1b[2K", "", "\x1b[0K", "").Replace(text)
	return strings.Split(text, "\r")
}

func TestBarFitsTerminal(t *testing.T) {
	var columns atomic.Int64
	for _, size := range []int64{1 << 30, -1} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			p := newProgress(New(&b, report.Palette{}), ProgressOptions{Now: time.Now, Size: size, Terminal: true})
			p.columns = func() int { return int(columns.Load()) }
			p.start()
			for _, n := range []int64{80, 40, 60, 20, 8, 3, 120} {
				columns.Store(n)
				synctest.Wait()
				b.Reset()
				for range 20 {
					for range 1000 {
						_ = p.Write(scoredRow(p.offset+1000, 0.5))
					}
					if p.rows > 100_000 {
						_ = p.Write(&result.Row{Status: result.Failed, Faithfulness: math.NaN()})
					}
					advance(time.Second)
					synctest.Wait()
				}
				if b.Len() == 0 {
					t.Fatal("got no output, want a bar")
				}
				for _, line := range splitRedraws(b.String()) {
					if got := utf8.RuneCountInString(line); got >= int(n) && n > 8 {
						t.Errorf("size %d: got %d columns, want fewer than %d: %q", size, got, n, line)
					}
				}
			}
			p.Stop()
		})
	}
}

func TestFitShrinksTheBarAndThenTheText(t *testing.T) {
	full := state{count: "12345 rows", rate: "6789 rows/s", mean: "mean 0.5000", failed: "0 failed", eta: "1m5s left", hasTotal: true, fraction: 0.5}
	unknown := full
	unknown.hasTotal, unknown.eta = false, ""
	for _, tt := range []struct {
		state   state
		columns int
		text    string
		bar     int
	}{
		{full, 120, "12345 rows, 6789 rows/s, mean 0.5000, 0 failed, 1m5s left", 20},
		{full, 80, "12345 rows, 6789 rows/s, mean 0.5000, 0 failed, 1m5s left", 12},
		{full, 70, "12345 rows, 6789 rows/s, mean 0.5000, 0 failed, 1m5s left", 0},
		{full, 32, "12345 rows, 6789 rows/s", 0},
		{full, 5, "", 0},
		{unknown, 60, "12345 rows, 6789 rows/s, mean 0.5000, 0 failed", 0},
		{unknown, 19, "12345 rows", 0},
	} {
		text, bar := tt.state.fit(tt.columns)
		if text != tt.text || bar != tt.bar {
			t.Errorf("%d columns: got %q with a bar of %d, want %q with %d", tt.columns, text, bar, tt.text, tt.bar)
		}
	}
}

func TestProgressFractionWithLimit(t *testing.T) {
	now := time.Unix(0, 0)
	p := newProgress(New(io.Discard, report.Palette{}), ProgressOptions{Now: func() time.Time { return now }, Size: 1000})
	now = now.Add(10 * time.Second)
	row := scoredRow(10, 1)
	row.Index = 4
	_ = p.Write(row)
	for _, tt := range []struct {
		limit    int
		fraction float64
		left     string
	}{
		{0, 0.01, "16m30s left"},
		{20, 0.25, "30s left"},
		{5, 1, "0s left"},
		{1000, 0.01, "16m30s left"}, // more rows than the file contains
	} {
		p.options.Limit = tt.limit
		if s := p.state(); s.fraction != tt.fraction || s.eta != tt.left {
			t.Errorf("limit %d: got %v, %s, want %v, %s", tt.limit, s.fraction, s.eta, tt.fraction, tt.left)
		}
	}
	p.options.Size = -1
	p.options.Limit = 20
	if s := p.state(); !s.hasTotal || s.fraction != 0.25 {
		t.Errorf("got %+v, want a known fraction of 0.25", s)
	}
}

func TestProgressRateExcludesResumedRows(t *testing.T) {
	now := time.Unix(0, 0)
	p := newProgress(New(io.Discard, report.Palette{}), ProgressOptions{Now: func() time.Time { return now }, Size: 1000, Resuming: true})
	for i := range 900 {
		_ = p.Write(scoredRow(int64(i+1), 1))
	}
	now = now.Add(time.Second)
	if s := p.state(); s.count != "900 rows" || s.rate != "" || s.eta != "" || s.fraction != 0.9 {
		t.Errorf("while resuming: got %+v, want 900 rows without rate", s)
	}
	p.Resumed()
	if s := p.state(); s.eta != "" || s.rate != "0.00 rows/s" {
		t.Errorf("after resuming: got %+v, want a rate of 0", s)
	}
	now = now.Add(10 * time.Second)
	_ = p.Write(scoredRow(910, 1))
	if s := p.state(); s.count != "901 rows" || s.rate != "0.10 rows/s" || s.eta != "1m30s left" {
		t.Errorf("got %+v, want 901 rows, 0.10 rows/s, 1m30s left", s)
	}
}

func TestProgressOfCompressedFiles(t *testing.T) {
	var plain bytes.Buffer
	for i := range 40_000 {
		fmt.Fprintf(&plain, `{"id":%d,"answer":"%x","contexts":["%x"]}`+"\n", i, i*i*7919, i*104729)
	}
	for name, compress := range map[string]func(io.Writer) io.WriteCloser{
		"x.jsonl":     func(w io.Writer) io.WriteCloser { return nopCloser{w} },
		"x.jsonl.gz":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"x.jsonl.zst": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	} {
		path := filepath.Join(t.TempDir(), name)
		var stored bytes.Buffer
		w := compress(&stored)
		if _, err := w.Write(plain.Bytes()); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, stored.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := dataset.Open([]string{path}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(0, 0)
		p := newProgress(New(io.Discard, report.Palette{}), ProgressOptions{Now: func() time.Time { return now }, Size: set.Size()})
		for row, err := range set.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			_ = p.Write(&result.Row{Index: row.Index, Offset: row.Offset})
			if s := p.state(); math.Abs(s.fraction-float64(row.Index+1)/40_000) > 0.3 || !s.hasTotal {
				t.Fatalf("%s: got fraction %.2f after %s, want about %.2f", name, s.fraction, s.count, float64(row.Index+1)/40_000)
			}
		}
		if s := p.state(); s.fraction < 0.999 || s.count != "40000 rows" {
			t.Errorf("%s: got fraction %.4f and %s at the end, want 1 and 40000 rows", name, s.fraction, s.count)
		}
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestTransferShowsBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		c := New(&b, report.Palette{})
		c.Transferred(1) // not shown yet
		c.StartTransfer("downloading", 100e6)
		c.Transferred(20e6) // downloaded by an earlier run
		for range 90 {
			c.Transferred(300e3)
			advance(barInterval)
		}
		c.RemoveBar()
		c.RemoveBar()
		lines := splitRedraws(b.String())
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n >= defaultWidth {
				t.Errorf("got %d columns, want fewer than %d: %q", n, defaultWidth, line)
			}
		}
		if !slices.ContainsFunc(lines, func(s string) bool {
			return strings.HasPrefix(s, "downloading  46% |") && strings.Contains(s, "/100 MB, 3.0 MB/s)")
		}) {
			t.Errorf("got %q, want a line with 46%% of 100 MB at 3.0 MB/s", lines)
		}
	})
}
