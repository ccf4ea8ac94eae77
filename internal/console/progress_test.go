package console

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestStatusLineBelowMessages(t *testing.T) {
	for _, size := range []int64{1000, -1} {
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
			if !strings.Contains(before, "\r1 rows, 0.5") || !strings.Contains(before, "mean 0.5000, 0 failed") {
				t.Errorf("size %d: got %q, want rows, rate and mean", size, before)
			}
			if (size > 0) != strings.Contains(before, "50%") {
				t.Errorf("size %d: got %q, want a percentage only if the size is known", size, before)
			}
			c.Printf("a message")
			if message := strings.TrimPrefix(b.String(), before); message != "\r\x1b[Kragfaith: a message\n" {
				t.Errorf("got %q, want the status cleared before the message", message)
			}
			advance(time.Second)
			synctest.Wait()
			p.Stop()
			if !strings.HasSuffix(b.String(), "\r\x1b[K") {
				t.Errorf("got %q, want the status cleared at the end", b.String())
			}
		})
	}
}

func TestStatusLineFitsTerminal(t *testing.T) {
	now := time.Unix(0, 0)
	var b bytes.Buffer
	p := newProgress(New(&b, report.Palette{}), ProgressOptions{Now: func() time.Time { return now }, Size: 1000})
	_ = p.Write(scoredRow(250, 0.5))
	now = now.Add(10 * time.Second)
	for columns, want := range map[int]string{
		120: "1 rows, 0.10 rows/s, mean 0.5000, 0 failed, 25%, about 30s left",
		30:  "1 rows, 0.10 rows/s, mean 0.5",
		1:   "",
		0:   "1 rows, 0.10 rows/s, mean 0.5000, 0 failed, 25%, about 30s left",
	} {
		b.Reset()
		p.columns = func() int { return columns }
		p.show(p.parts())
		if got := b.String(); got != "\r"+want+"\x1b[K" {
			t.Errorf("%d columns: got %q, want %q", columns, got, want)
		}
	}
}

func TestProgressShareWithLimit(t *testing.T) {
	now := time.Unix(0, 0)
	for _, tt := range []struct {
		size  int64
		limit int
		want  string
	}{
		{1000, 0, "0 failed, 1%, about 16m30s left"},
		{1000, 20, "0 failed, 25%, about 30s left"},
		{1000, 5, "0 failed, 100%, about 0s left"},
		{1000, 1000, "0 failed, 1%, about 16m30s left"}, // more rows than the file contains
		{-1, 20, "0 failed, 25%, about 30s left"},
		{-1, 0, "0 failed"},
	} {
		p := newProgress(New(io.Discard, report.Palette{}), ProgressOptions{Now: func() time.Time { return now }, Size: tt.size, Limit: tt.limit})
		row := scoredRow(10, 1)
		row.Index = 4
		_ = p.Write(row)
		now = now.Add(10 * time.Second)
		if got := joinNonEmpty(p.parts()); got != "1 rows, 0.10 rows/s, mean 1.0000, "+tt.want {
			t.Errorf("size %d, limit %d: got %s, want %s", tt.size, tt.limit, got, tt.want)
		}
	}
}

func TestProgressRateExcludesResumedRows(t *testing.T) {
	now := time.Unix(0, 0)
	p := newProgress(New(io.Discard, report.Palette{}), ProgressOptions{Now: func() time.Time { return now }, Size: 1000, Resuming: true})
	check := func(want string) {
		t.Helper()
		if got := joinNonEmpty(p.parts()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for i := range 900 {
		_ = p.Write(scoredRow(int64(i+1), 1))
	}
	now = now.Add(time.Second)
	check("900 rows, mean 1.0000, 0 failed, 90%")
	p.Resumed()
	check("900 rows, 0.00 rows/s, mean 1.0000, 0 failed, 90%")
	now = now.Add(10 * time.Second)
	_ = p.Write(scoredRow(910, 1))
	check("901 rows, 0.10 rows/s, mean 1.0000, 0 failed, 91%, about 1m30s left")
}

func TestTransferShowsSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		transfer := NewTransfer(New(&b, report.Palette{}), time.Now, "minilm-l6")
		transfer.Start()
		advance(statusInterval + statusInterval/2)
		transfer.SetTotal(100e6)
		transfer.Add(20e6) // downloaded by an earlier run
		for range 90 {
			transfer.Add(300e3)
			advance(statusInterval)
		}
		transfer.Stop()
		transfer.Stop()
		for _, want := range []string{"\rminilm-l6\x1b[K", "\rminilm-l6 20 MB of 100 MB", "\rminilm-l6 47 MB of 100 MB, 47%, 3.0 MB/s, 18s left"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("got output %q, want it to contain %q", b.String(), want)
			}
		}
	})
}
