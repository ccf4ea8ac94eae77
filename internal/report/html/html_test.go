package html

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// render returns a page with rows.
func render(t testing.TB, run Run, rows ...*result.Row) string {
	t.Helper()
	var b bytes.Buffer
	if run.Tally == nil {
		run.Tally = new(report.Tally)
	}
	w := must(New(&b, run))
	for _, r := range rows {
		_ = run.Tally.Write(r) // never fails
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// blocks returns the decompressed data blocks of a kind.
func blocks(page, kind string) []string {
	var texts []string
	for _, m := range regexp.MustCompile(`<script type="application/gzip" data-block="`+kind+`">([A-Za-z0-9+/=]*)</script>`).FindAllStringSubmatch(page, -1) {
		z := must(gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[1]))))
		texts = append(texts, string(must(io.ReadAll(z))))
	}
	return texts
}

func TestPageContainsRows(t *testing.T) {
	long := plainRow(4)
	long.Answer = strings.Repeat("長", maxIndexText)
	long.Kept = []dataset.Column{{Name: "long", Value: must(json.Marshal(strings.Repeat("長", maxIndexKept)))}, {Name: "short", Value: []byte(`"s"`)}}
	rows := []*result.Row{scoredRow(), hostileRow(), refusedRow(), failedRow(), long}
	page := render(t, Run{}, rows...)
	lines := strings.Split(strings.TrimSuffix(strings.Join(blocks(page, "rows"), ""), "\n"), "\n")
	var index [][]any
	if err := json.Unmarshal([]byte(strings.Join(blocks(page, "index"), "")), &index); err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(rows) || len(index) != len(rows) {
		t.Fatalf("got %d rows and %d index entries, want %d of each", len(lines), len(index), len(rows))
	}
	for i, r := range rows {
		var got, want map[string]any
		if err := errors.Join(json.Unmarshal([]byte(lines[i]), &got), json.Unmarshal(r.AppendJSON(nil), &want)); err != nil {
			t.Fatal(err)
		}
		if truncated := index[i][13] == 1.0; truncated != (r == long) {
			t.Errorf("row %d: got truncated=%v, want %v", i, truncated, r == long)
		} else if !truncated {
			got["id"], got["question"], got["answer"] = index[i][2], index[i][3], index[i][4]
		}
		for _, c := range r.Kept {
			if _, stored := got[c.Name]; !stored {
				text, _ := result.PlainText(c.Value)
				want[c.Name], got[c.Name] = text, index[i][15].(map[string]any)[c.Name]
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
	entry := []any{0.0, 0.0, "spans", "東京タワーは？", scoredRow().Answer, "scored", 0.333333, 0.43, 0.62, "", 1.0, 1.0, 1.0, 0.0, 22.0, map[string]any{"model": "m-1", "big": "12345678901234567890"}}
	if diff := cmp.Diff(entry, index[0]); diff != "" {
		t.Errorf("index entry (-want +got):\n%s", diff)
	}
	if got := index[4][15].(map[string]any)["long"].(string); len(got) != maxIndexKept/3*3 {
		t.Errorf("got %d bytes of the long column, want %d", len(got), maxIndexKept/3*3)
	}
	if listed := index[4][4].(string); !strings.HasPrefix(long.Answer, listed) || len(listed) < maxIndexText-utf8.UTFMax {
		t.Errorf("got %d bytes of the long answer, want its first %d", len(listed), maxIndexText)
	}
}

func TestHostileTextsAreEscaped(t *testing.T) {
	page := render(t, Run{
		Datasets: []string{hostile, "-"},
		Settings: result.Settings{{Name: hostile, Value: hostile}},
		Tally:    report.NewTally(hostile, []string{hostile}, 0),
		Gates:    func() []report.Gate { return []report.Gate{{Text: hostile}} },
	}, hostileRow(), failedRow())
	for _, bad := range []string{"<img", "<a href=\"java", "<svg onload", "<!--", "\u2028", "\u202e"} {
		if strings.Contains(strings.TrimPrefix(page, "<!DOCTYPE"), bad) {
			t.Errorf("page contains %q", bad)
		}
	}
	if got := strings.Count(page, "<script"); got != 3 { // rows, index, and the script of the page
		t.Errorf("got %d script start tags, want 3", got)
	}
	if got := strings.Count(page, "</script>"); got != 3 {
		t.Errorf("got %d script end tags, want 3", got)
	}
	if got := strings.Count(page, "</title>"); got != 1+strings.Count(page, "<title>")-1 {
		t.Errorf("got %d title end tags for %d start tags", got, strings.Count(page, "<title>"))
	}
}

func TestPageHasNoExternalReferences(t *testing.T) {
	page := render(t, Run{Datasets: []string{"d.jsonl"}}, scoredRow())
	checkPolicy(t, page)
	if found := regexp.MustCompile(`https?:|\bsrc=|\bhref="[^#]|url\(|@import|\son\w+="`).FindAllString(page, -1); found != nil {
		t.Error(found)
	}
}

func TestPageReportsOmittedRows(t *testing.T) {
	rows := manyRows(1500)
	page := render(t, Run{MaxRows: 1200}, rows...)
	checkContains(t, page, "first 1,200 of 1,500 rows; 300 rows are omitted")
	if got := strings.Count(strings.Join(blocks(page, "rows"), ""), "\n"); got != 1200 {
		t.Errorf("got %d rows, want 1200", got)
	}
	checkContains(t, page, "<dt>scored</dt><dd>1,500</dd>")
	if whole := render(t, Run{MaxRows: 1500}, rows...); strings.Contains(whole, "The table contains") {
		t.Error("page reports omitted rows, but has none")
	}
	limited := render(t, Run{MaxBytes: 1}, append(rows, rows...)...)
	if got := strings.Count(strings.Join(blocks(limited, "rows"), ""), "\n"); got == 0 || got == 3000 {
		t.Errorf("got %d rows with MaxBytes, want some of 3000", got)
	}
}

func TestWriterBuffersOneBlock(t *testing.T) {
	w := must(New(io.Discard, Run{Tally: new(report.Tally)}))
	r := plainRow(0)
	r.Contexts = []string{strings.Repeat("a text ", 1000)}
	for range 1500 { // 10 MB
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	p := &w.packer
	if buffered := p.rows.Cap() + p.index.Cap() + p.compressed.Cap() + cap(p.line) + cap(p.entry); buffered > 4*rowsBlock+2*indexBlock {
		t.Errorf("got %d buffered bytes, want about the size of a block", buffered)
	}
}

func TestPageOfStoredRowsIsTheSame(t *testing.T) {
	rows := []*result.Row{scoredRow(), hostileRow(), refusedRow(), failedRow()}
	var lines []byte
	for _, r := range rows {
		lines = append(r.AppendJSON(lines), '\n')
	}
	var stored []*result.Row
	for r, err := range result.NewReader(bytes.NewReader(lines), result.Check).Rows() {
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, r)
	}
	if diff := cmp.Diff(render(t, Run{}, rows...), render(t, Run{}, stored...)); diff != "" {
		t.Error(diff)
	}
}

func TestPageShowsStatistics(t *testing.T) {
	tally := report.NewTally("", []string{"model"}, 0)
	page := render(t, Run{
		Datasets: []string{"a.jsonl", "-"},
		Settings: result.Settings{{Name: "judge", Value: "lexical"}},
		Tally:    tally,
		Gates: func() []report.Gate {
			return []report.Gate{{Text: "rows were " + strconv.Itoa(tally.Rows), Passed: true}, {Text: "mean"}, {Name: report.GateMaxFailed, Text: "passed silently", Passed: true}}
		},
	}, scoredRow(), refusedRow(), failedRow(), plainRow(4))
	checkContains(t, page,
		"<strong>0.6667</strong>", "mean faithfulness of 2 rows", "<dt>95% interval</dt><dd>none</dd>", "n = 2 rows: too few for an interval", "<dt>mean of claims</dt>",
		"rows were 4: pass", "mean: FAIL", "Gate failed",
		"<dt>judge</dt><dd><bdi>lexical</bdi></dd>", "refusal 1", "<title>a.jsonl, standard input – Faithfulness report</title>",
		"<caption>mean faithfulness by <bdi>model</bdi></caption>", `<tr><th scope="row">m-1</th><td class="numeric">0.3333</td>`,
		"Scores of 2 rows, mean 0.6667. Rows by score: 0.3 to below 0.4: 1, exactly 1: 1.",
	)
	if strings.Contains(page, "passed silently") {
		t.Error("page contains the gate --max-failed, which passed")
	}
}

func TestPageWithoutRows(t *testing.T) {
	page := render(t, Run{})
	checkContains(t, page, "<!DOCTYPE html>", "<strong>–</strong>", "No row has a score.", "<dt>gates</dt><dd>none</dd>", "</html>")
}

func TestWriterReturnsErrors(t *testing.T) {
	full := errors.New("disk full")
	size := len(render(t, Run{}, scoredRow()))
	for limit := 0; limit < size; limit += size / 40 {
		tally := new(report.Tally)
		w := must(New(&limitedWriter{limit, full}, Run{Tally: tally}))
		if err := errors.Join(tally.Write(scoredRow()), w.Write(scoredRow()), w.Close()); !errors.Is(err, full) {
			t.Errorf("limit of %d bytes: got error %v, want %v", limit, err, full)
		}
	}
}

// A limitedWriter fails after n bytes.
type limitedWriter struct {
	n   int
	err error
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	if len(b) > w.n {
		return 0, w.err
	}
	w.n -= len(b)
	return len(b), nil
}

func TestBin(t *testing.T) {
	for x, want := range map[float64]int{
		0: 0, 0.0999: 0, 0.29: 2, 0.8999: 8, 0.9999: 9, 1: 10,
	} {
		if got := bin(x); got != want {
			t.Errorf("bin(%v): got %d, want %d", x, got, want)
		}
	}
	tenth := 0.1
	for k := range 11 {
		for _, x := range []float64{float64(k) / 10, float64(k) * tenth} { // different float64 values
			if got := bin(x); got != k {
				t.Errorf("bin(%v): got %d, want %d", x, got, k)
			}
		}
	}
	var b bins
	b.add(math.NaN())
	if b != (bins{}) {
		t.Error("NaN is counted")
	}
}

func TestOverviewLinksToFilters(t *testing.T) {
	page := render(t, Run{}, append(manyRows(40), failedRow(), refusedRow())...)
	checkContains(t, page, `href="#status=failed"`, `href="#status=no_claims"`, `href="#verdict=not_mentioned"`)
}
