package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/result"
)

// pause lets time pass on the clock of the test.
func pause(d time.Duration) { <-time.NewTimer(d).C }

func scoredRow(offset int64, faithfulness float64) *result.Row {
	return &result.Row{Offset: offset, Status: result.Scored, Faithfulness: faithfulness}
}

func TestProgressLogLines(t *testing.T) {
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
				p := startProgress(&console{w: &b}, time.Now, tt.size, false)
				pause(31 * time.Second)
				_ = p.Write(scoredRow(100, 0.75))
				_ = p.Write(&result.Row{Offset: 250, Status: result.Failed, Faithfulness: math.NaN()})
				pause(30 * time.Second)
				p.end()
				got := strings.Split(b.String(), "\n")
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

func TestProgressBarIsClearedForMessages(t *testing.T) {
	for _, size := range []int64{1000, -1, 0} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			c := &console{w: &b}
			p := startProgress(c, time.Now, size, true)
			pause(time.Second)
			synctest.Wait()
			_ = p.Write(scoredRow(500, 0.5))
			pause(time.Second)
			synctest.Wait()
			before := b.String()
			if !strings.Contains(before, "1 rows, 0.5") || !strings.Contains(before, "mean 0.5000, 0 failed") {
				t.Errorf("size %d: %q", size, before)
			}
			if (size > 0) != strings.Contains(before, "50%") {
				t.Errorf("size %d: %q", size, before)
			}
			c.say("a message")
			if said := strings.TrimPrefix(b.String(), before); !strings.HasPrefix(said, clearLine) || !strings.HasSuffix(said, "\rragfaith: a message\n") {
				t.Errorf("%q", said)
			}
			_ = p.Write(scoredRow(1000, 1))
			pause(time.Second)
			synctest.Wait()
			p.end()
			if !strings.HasSuffix(b.String(), clearLine) {
				t.Errorf("the bar is left: %q", b.String())
			}
		})
	}
}

// clearLine empties the line on which the cursor stands.
const clearLine = "\x1b[2K\r"

// drawn returns the lines that were drawn over each other.
func drawn(text string) []string {
	text = strings.NewReplacer("\x1b[2K", "", "\x1b[0K", "").Replace(text)
	return strings.Split(text, "\r")
}

func TestProgressFitsTerminalWidth(t *testing.T) {
	var columns atomic.Int64
	for _, size := range []int64{1 << 30, -1} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			p := newProgress(&console{w: &b}, time.Now, size)
			p.columns = func() int { return int(columns.Load()) }
			p.run(true)
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
					pause(time.Second)
					synctest.Wait()
				}
				if b.Len() == 0 {
					t.Fatal("nothing is drawn")
				}
				for _, line := range drawn(b.String()) {
					if got := utf8.RuneCountInString(line); got >= int(n) && n > 8 {
						t.Errorf("size %d: %d of %d columns: %q", size, got, n, line)
					}
				}
			}
			p.end()
		})
	}
}

func TestProgressFit(t *testing.T) {
	full := state{rows: "12345 rows", rate: "6789 rows/s", mean: "mean 0.5000", failed: "0 failed", left: "1m5s left", known: true, part: 0.5}
	failed := full
	failed.failed, failed.anyFailed = "7 failed", true
	unknown := full
	unknown.known, unknown.left = false, ""
	for _, tt := range []struct {
		state   state
		columns int
		text    string
		bar     int
	}{
		{full, 120, "12345 rows, 6789 rows/s, mean 0.5000, 0 failed, 1m5s left", 20},
		{full, 80, "12345 rows, 6789 rows/s, mean 0.5000, 0 failed, 1m5s left", 12},
		{full, 60, "12345 rows, mean 0.5000, 0 failed, 1m5s left", 5},
		{full, 50, "12345 rows, 0 failed, 1m5s left", 8},
		{full, 40, "12345 rows, 1m5s left", 8},
		{full, 35, "12345 rows, 1m5s left", 0},
		{full, 25, "12345 rows", 0},
		{full, 15, "12345 ", 0},
		{full, 5, "", 0},
		{failed, 50, "12345 rows, 7 failed, 1m5s left", 8},
		{failed, 40, "12345 rows, 7 failed, 1m5s left", 0},
		{failed, 35, "12345 rows, 7 failed", 0},
		{unknown, 60, "12345 rows, 6789 rows/s, mean 0.5000, 0 failed", 0},
		{unknown, 40, "12345 rows, mean 0.5000, 0 failed", 0},
		{unknown, 20, "12345 rows", 0},
	} {
		text, bar := tt.state.fit(tt.columns)
		if text != tt.text || bar != tt.bar {
			t.Errorf("%d columns: %q with a bar of %d, want %q with %d", tt.columns, text, bar, tt.text, tt.bar)
		}
	}
}

func TestProgressWithRowLimit(t *testing.T) {
	now := time.Unix(0, 0)
	p := newProgress(&console{}, func() time.Time { return now }, 1000)
	now = now.Add(10 * time.Second)
	row := scoredRow(10, 1)
	row.Index = 4
	_ = p.Write(row)
	for _, tt := range []struct {
		limit int
		part  float64
		left  string
	}{
		{0, 0.01, "16m30s left"},
		{20, 0.25, "30s left"},
		{5, 1, "0s left"},
		{1000, 0.01, "16m30s left"}, // the file ends before
	} {
		p.ofFirst(tt.limit)
		if s := p.state(); s.part != tt.part || s.left != tt.left {
			t.Errorf("limit %d: %v, %s", tt.limit, s.part, s.left)
		}
	}
	p.size = -1
	p.ofFirst(20)
	if s := p.state(); !s.known || s.part != 0.25 {
		t.Errorf("%+v", s)
	}
}

func TestProgressAfterResume(t *testing.T) {
	now := time.Unix(0, 0)
	p := newProgress(&console{}, func() time.Time { return now }, 1000)
	p.takeOver()
	for i := range 900 {
		_ = p.Write(scoredRow(int64(i+1), 1))
	}
	now = now.Add(time.Second)
	if s := p.state(); s.rows != "900 rows" || s.rate != "" || s.left != "" || s.part != 0.9 {
		t.Errorf("while rows are taken over: %+v", s)
	}
	p.judge()
	if s := p.state(); s.left != "" || s.rate != "0.00 rows/s" {
		t.Errorf("before a row is judged: %+v", s)
	}
	now = now.Add(10 * time.Second)
	_ = p.Write(scoredRow(910, 1))
	if s := p.state(); s.rows != "901 rows" || s.rate != "0.10 rows/s" || s.left != "1m30s left" {
		t.Errorf("%+v", s)
	}
}

func TestProgressOfCompressedFile(t *testing.T) {
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
		writeFile(t, path, stored.String())
		set, err := dataset.Open([]string{path}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(0, 0)
		p := newProgress(&console{}, func() time.Time { return now }, set.Size())
		for row, err := range set.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			_ = p.Write(&result.Row{Index: row.Index, Offset: row.Offset})
			if s := p.state(); math.Abs(s.part-float64(row.Index+1)/40_000) > 0.3 || !s.known {
				t.Fatalf("%s: %.2f of the input after %s", name, s.part, s.rows)
			}
		}
		if s := p.state(); s.part < 0.999 || s.rows != "40000 rows" {
			t.Errorf("%s: %.4f of the input at the end, %s", name, s.part, s.rows)
		}
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestFailuresAreReportedOnceWithPosition(t *testing.T) {
	var b bytes.Buffer
	f := failures{console: &console{w: &b}, most: -1, stacks: true}
	for _, r := range []*result.Row{
		{File: "rows.jsonl", Line: 3, Status: result.Scored},
		{File: "rows.jsonl", Line: 3, Status: result.Failed, Reason: "read", Err: &dataset.RowError{File: "rows.jsonl", Line: 3, Err: errors.New("bad \x1b[31m")}},
		{File: "rows.jsonl", Line: 3, Status: result.Failed, Reason: "verdict", Err: &eval.StageError{Stage: "verdict", Err: &eval.PanicError{Value: "oops", Stack: []byte("stack")}}},
	} {
		if err := f.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	f.end()
	want := "ragfaith: rows.jsonl:3: bad \\x1b[31m\nragfaith: rows.jsonl:3: verdict: panic: oops\nstack\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
