package main

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
)

// pause lets time pass on the clock of the test.
func pause(d time.Duration) { <-time.NewTimer(d).C }

func scoredRow(offset int64, faithfulness float64) *eval.Result {
	return &eval.Result{Row: dataset.Row{Offset: offset}, Status: eval.Scored, Faithfulness: faithfulness}
}

func TestProgressInALogIsALineEveryHalfMinute(t *testing.T) {
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
				_ = p.Write(&eval.Result{Row: dataset.Row{Offset: 250}, Status: eval.Failed, Faithfulness: math.NaN()})
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

func TestProgressOnATerminalIsABarThatMakesWayAndGoes(t *testing.T) {
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
			if said := strings.TrimPrefix(b.String(), before); !strings.HasPrefix(said, "\r ") || !strings.HasSuffix(said, "\rragfaith: a message\n") {
				t.Errorf("%q", said)
			}
			_ = p.Write(scoredRow(1000, 1))
			pause(time.Second)
			synctest.Wait()
			p.end()
			if !strings.HasSuffix(b.String(), " \r") {
				t.Errorf("the bar is left: %q", b.String())
			}
		})
	}
}

func TestFailuresAreNamedOnceWithTheirPlace(t *testing.T) {
	var b bytes.Buffer
	f := failures{console: &console{w: &b}, most: -1, stacks: true}
	row := dataset.Row{File: "rows.jsonl", Line: 3}
	for _, r := range []*eval.Result{
		{Row: row, Status: eval.Scored},
		{Row: row, Status: eval.Failed, Reason: "read", Err: &dataset.RowError{File: "rows.jsonl", Line: 3, Err: errors.New("bad \x1b[31m")}},
		{Row: row, Status: eval.Failed, Reason: "verdict", Err: &eval.StageError{Stage: "verdict", Err: &eval.PanicError{Value: "oops", Stack: []byte("stack")}}},
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
