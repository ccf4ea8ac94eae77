package report

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

// write returns the output of a Writer.
func write(t *testing.T, f Format, o Options, results ...*result.Row) string {
	t.Helper()
	var b bytes.Buffer
	if o.Tally == nil {
		o.Tally = new(Tally)
	}
	feed(o.Tally, results...)
	w, err := New(f, &b, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// feed writes rows to w, which never fails, and returns it.
func feed[W interface{ Write(r *result.Row) error }](w W, rows ...*result.Row) W {
	for _, r := range rows {
		_ = w.Write(r)
	}
	return w
}

func TestFormatOfUsesExtension(t *testing.T) {
	for path, want := range map[string]Format{"a.jsonl": "jsonl", "x/B.JSON": "json", "a.b.csv": "csv", "a.tsv": "tsv", "a.Parquet": "parquet", "a.md": "markdown", "a.xml": "junit", "a.html": "html"} {
		if got, err := FormatOf(path); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
	}
	for path, want := range map[string]string{
		"a.markdown": "a.markdown: unknown extension .markdown, want .jsonl, .json, .csv, .tsv, .parquet, .md, .xml or .html",
		"a":          "a: no extension to determine the format from, want .jsonl, .json, .csv, .tsv, .parquet, .md, .xml or .html",
	} {
		if _, err := FormatOf(path); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	if _, err := New("xls", nil, Options{}); err == nil {
		t.Error("xls: got no error")
	}
}

func TestFormatNoneWritesNothing(t *testing.T) {
	if got := write(t, FormatNone, Options{}, resulttest.Scored()); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

// A limitedWriter fails with errFull after n bytes.
type limitedWriter struct{ n int }

var errFull = errors.New("no space left on device")

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(p) > w.n {
		n := w.n
		w.n = 0
		return n, errFull
	}
	w.n -= len(p)
	return len(p), nil
}

func TestFormatsReportFullDisk(t *testing.T) {
	for _, f := range append(FileFormats(), FormatTable) {
		if f == FormatHTML {
			continue // tested in package html
		}
		all := []*result.Row{resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed()}
		size, step := len(write(t, f, Options{}, all...)), 7
		if f == FormatParquet {
			step = 101 // a Parquet writer is slow
		}
		for limit := 0; limit < size; limit += step {
			w, err := New(f, &limitedWriter{limit}, Options{Tally: feed(new(Tally), all...)})
			for _, r := range all {
				if err == nil {
					err = w.Write(r)
				}
			}
			if err == nil {
				err = w.Close()
			}
			if !errors.Is(err, errFull) {
				t.Fatalf("%s: disk full after %d of %d bytes: got %v, want %v", f, limit, size, err, errFull)
			}
		}
	}
}

func TestTallyCountsStatuses(t *testing.T) {
	zero := resulttest.NoClaims()
	zero.Reason, zero.Faithfulness = "empty", 0
	other := resulttest.NoClaims()
	other.Reason = "nothing_claimed"
	tally := feed(new(Tally), resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), zero, other)
	if got, want := tally.String(), "scored 1, no claims 3 (75.0%; refusal 1, empty 1, nothing claimed 1), failed 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if tally.Rows != 5 || tally.Faithfulness.Count() != 2 || tally.Faithfulness.Mean() != 1.0/6 {
		t.Errorf("got %d rows, %d scores, mean %v, want 5, 2, %v", tally.Rows, tally.Faithfulness.Count(), tally.Faithfulness.Mean(), 1.0/6)
	}
	if got, want := (&Tally{RowCounts: RowCounts{Scored: 2}}).String(), "scored 2, no claims 0, failed 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDiscardRemovesTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	w := newJUnit(io.Discard, Options{TempDir: dir})
	r := resulttest.Scored()
	r.Claims[1].Text = strings.Repeat("so it is ", 300)
	for range 3000 {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if w.cases.InMemory() {
		t.Fatal("got all cases in memory, want a temporary file")
	}
	Discard(w)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v after Discard, want no file", left, err)
	}
}

func TestStoredResultsRenderIdentically(t *testing.T) {
	all := []*result.Row{resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.ReadFailed()}
	stored := read(t, write(t, FormatJSONL, Options{}, all...))
	for _, f := range StreamFormats() {
		o := Options{KeepAll: true}
		if d := cmp.Diff(write(t, f, o, all...), write(t, f, o, stored...)); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

// read reads JSONL without checking the rows.
func read(t *testing.T, text string) []*result.Row {
	t.Helper()
	var rows []*result.Row
	for r, err := range result.NewReader(strings.NewReader(text), nil).Rows() {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

func TestTallyCountsUncertainVerdicts(t *testing.T) {
	var got Tally
	if share := got.UncertainShare(); !math.IsNaN(share) {
		t.Errorf("without rows: got %v, want NaN", share)
	}
	r := resulttest.Scored()
	r.Claims = nil
	for _, x := range []float64{0, 0.5, 0.6999994, 0.6999996, 0.7, 1} { // the fourth is stored as 0.7
		r.Claims = append(r.Claims, result.Claim{Verdict: result.Supported, Confidence: x})
	}
	if _ = got.Write(r); got.Confident != 5 || got.Uncertain != 2 || got.UncertainShare() != 0.4 {
		t.Errorf("got %d of %d, share %v, want 2 of 5, share 0.4", got.Uncertain, got.Confident, got.UncertainShare())
	}
}

func TestConfidenceIsWordedByShare(t *testing.T) {
	for _, tt := range []struct {
		tally Tally
		want  string
	}{
		{Tally{Claims: 9}, ""},
		{Tally{Claims: 1, Confident: 1, Uncertain: 1}, "100% of 1 verdict is uncertain (confidence below 0.7): use the mean to compare systems, and check single rows with a better judge (such as --judge llm)"},
		{Tally{Claims: 233, Confident: 233, Uncertain: 96}, "41.2% of 233 verdicts are uncertain (confidence below 0.7): use the mean to compare systems, and check single rows with a better judge (such as --judge llm)"},
		{Tally{Claims: 10, Confident: 10, Uncertain: 3}, "30% of 10 verdicts are uncertain (confidence below 0.7): check the rows with the lowest confidence first"},
		{Tally{Claims: 10, Confident: 10, Uncertain: 1}, "10% of 10 verdicts are uncertain (confidence below 0.7): check the rows with the lowest confidence first"},
		{Tally{Claims: 20, Confident: 11, Uncertain: 1}, "9.1% of 11 verdicts with a confidence are uncertain (confidence below 0.7)"},
		{Tally{Claims: 5, Confident: 5}, "0% of 5 verdicts are uncertain (confidence below 0.7)"},
	} {
		if got := tt.tally.Confidence(); got != tt.want {
			t.Errorf("%d of %d: got %q, want %q", tt.tally.Uncertain, tt.tally.Confident, got, tt.want)
		}
	}
}

func TestTallyCountsCitations(t *testing.T) {
	none := feed(new(Tally), resulttest.Scored())
	if none.Cited() != "" || !math.IsNaN(none.Citations.Recall()) || none.Summary(new(Supports), nil).Citations != nil {
		t.Errorf("no citations: got %q, recall %v", none.Cited(), none.Citations.Recall())
	}
	all := feed(new(Tally), resulttest.WithCitations(), resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.WithCitations())
	want := "recall 0.4444, precision 0.7500 (2 of 5 rows cite, 2 citations resolve to nothing)"
	if got := all.Cited(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
