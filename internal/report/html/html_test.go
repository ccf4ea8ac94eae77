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

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
	"github.com/ragfaith/ragfaith/internal/result"
)

// rendered returns the page of results.
func rendered(t testing.TB, run Run, results ...*result.Row) string {
	t.Helper()
	var b bytes.Buffer
	w, err := New(&b, run)
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

// blocks unpacks the data blocks of a kind.
func blocks(t *testing.T, page, kind string) []string {
	t.Helper()
	var texts []string
	for _, m := range regexp.MustCompile(`<script type="application/gzip" data-block="`+kind+`">([A-Za-z0-9+/=]*)</script>`).FindAllStringSubmatch(page, -1) {
		z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[1])))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(must(io.ReadAll(z))))
	}
	return texts
}

func TestRowsAreInThePageAsResults(t *testing.T) {
	long := plainRow(4)
	long.Answer = strings.Repeat("長", indexText)
	long.Index = 4
	rows := []*result.Row{scoredRow(), hostileRow(), refusedRow(), failedRow(), long}
	page := rendered(t, Run{}, rows...)
	lines := strings.Split(strings.TrimSuffix(strings.Join(blocks(t, page, "rows"), ""), "\n"), "\n")
	var index [][]any
	if err := json.Unmarshal([]byte(strings.Join(blocks(t, page, "index"), "")), &index); err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(rows) || len(index) != len(rows) {
		t.Fatalf("%d rows and %d entries, want %d", len(lines), len(index), len(rows))
	}
	for i, r := range rows {
		var got, want map[string]any
		if err := errors.Join(json.Unmarshal([]byte(lines[i]), &got), json.Unmarshal(r.AppendJSON(nil), &want)); err != nil {
			t.Fatal(err)
		}
		if cut := index[i][len(index[i])-1] == 1.0; cut != (r == long) {
			t.Errorf("row %d: cut is %v", i, cut)
		} else if !cut {
			got["id"], got["question"], got["answer"] = index[i][2], index[i][3], index[i][4]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
	entry := []any{0.0, 0.0, "places", "東京タワーは？", scoredRow().Answer, "scored", 0.333333, 0.43, "", 1.0, 1.0, 1.0, 0.0}
	if diff := cmp.Diff(entry, index[0]); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if listed := index[4][4].(string); !strings.HasPrefix(long.Answer, listed) || len(listed) < indexText-utf8.UTFMax {
		t.Errorf("%d bytes of the long answer are listed", len(listed))
	}
}

func TestHostileTextsAreNoMarkup(t *testing.T) {
	page := rendered(t, Run{
		Datasets: []string{hostile, "-"},
		Settings: []Setting{{hostile, hostile}},
		Conclude: func(*report.Tally) Conclusion {
			return Conclusion{Figures: []Figure{{hostile, hostile, hostile}}, Gates: []Gate{{hostile, false}}}
		},
	}, hostileRow(), failedRow())
	for _, bad := range []string{"<img", "<a ", "<svg onload", "<!--", "\u2028", "\u202e"} {
		if strings.Contains(strings.TrimPrefix(page, "<!DOCTYPE"), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if got := strings.Count(page, "<script"); got != 3 { // rows, index, and the script of the page
		t.Errorf("%d elements of script", got)
	}
	if got := strings.Count(page, "</script>"); got != 3 {
		t.Errorf("%d ends of script", got)
	}
	if got := strings.Count(page, "</title>"); got != 1+strings.Count(page, "<title>")-1 {
		t.Errorf("%d ends of titles", got)
	}
}

func TestPolicyNamesTheOnlyScriptAndStyle(t *testing.T) {
	browsertest.HasPolicy(t, rendered(t, Run{Datasets: []string{"d.jsonl"}}, scoredRow()))
}

func TestPageNamesNothingOutsideIt(t *testing.T) {
	page := rendered(t, Run{}, scoredRow())
	if found := regexp.MustCompile(`https?:|\bsrc=|\bhref=|url\(|@import|\son\w+="`).FindAllString(page, -1); found != nil {
		t.Error(found)
	}
}

func TestRowsBeyondTheLimitAreCountedAndSaid(t *testing.T) {
	var rows []*result.Row
	for i := range 1500 {
		rows = append(rows, plainRow(i))
	}
	page := rendered(t, Run{MaxRows: 1200}, rows...)
	if want := "first 1,200 of 1,500 rows; 300 more"; !strings.Contains(page, want) {
		t.Errorf("the page does not say %q", want)
	}
	if got := strings.Count(strings.Join(blocks(t, page, "rows"), ""), "\n"); got != 1200 {
		t.Errorf("%d rows", got)
	}
	if want := "<dt>scored</dt><dd>1,500</dd>"; !strings.Contains(page, want) {
		t.Errorf("the page does not say %q", want)
	}
	if whole := rendered(t, Run{MaxRows: 1500}, rows...); strings.Contains(whole, "The table holds") {
		t.Error("a whole page says that it is not")
	}
	bytes := rendered(t, Run{MaxBytes: 1}, append(rows, rows...)...)
	if got := strings.Count(strings.Join(blocks(t, bytes, "rows"), ""), "\n"); got == 0 || got == 3000 {
		t.Errorf("%d rows within the limit of bytes", got)
	}
}

func TestMemoryIsOfABlock(t *testing.T) {
	w, err := New(io.Discard, Run{})
	if err != nil {
		t.Fatal(err)
	}
	r := plainRow(0)
	r.Contexts = []string{strings.Repeat("a text ", 1000)}
	for range 1500 { // 10 MB
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	p := &w.packer
	if held := p.rows.Cap() + p.index.Cap() + p.zip.Cap() + cap(p.line); held > 4*rowsBlock+2*indexBlock {
		t.Errorf("%d bytes are held back", held)
	}
}

func TestPageIsTheSameBytesEachTime(t *testing.T) {
	rows := []*result.Row{scoredRow(), hostileRow(), refusedRow(), failedRow()}
	first, second := rendered(t, Run{}, rows...), rendered(t, Run{}, rows...)
	if first != second {
		t.Error("two pages of the same rows differ")
	}
}

func TestPageOfRowsThatWereReadBackIsTheSame(t *testing.T) {
	rows := []*result.Row{scoredRow(), hostileRow(), refusedRow(), failedRow()}
	var lines []byte
	for _, r := range rows {
		lines = append(r.AppendJSON(lines), '\n')
	}
	var again []*result.Row
	for r, err := range result.NewReader(bytes.NewReader(lines), new(eval.Checker).Check).Rows() {
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, r)
	}
	if diff := cmp.Diff(rendered(t, Run{}, rows...), rendered(t, Run{}, again...)); diff != "" {
		t.Error(diff)
	}
}

func TestFiguresAreSaid(t *testing.T) {
	page := rendered(t, Run{
		Datasets: []string{"a.jsonl", "-"},
		Settings: []Setting{{"judge", "lexical"}},
		Conclude: func(tally *report.Tally) Conclusion {
			return Conclusion{
				Figures: []Figure{{"95% interval of the mean", "0.1 to 0.9", "n = 2 rows"}},
				Gates:   []Gate{{"rows were " + strconv.Itoa(tally.Rows), true}, {"mean: FAIL", false}},
			}
		},
	}, scoredRow(), refusedRow(), failedRow(), plainRow(4))
	for _, want := range []string{
		"<strong>0.6667</strong>", "mean faithfulness of 2 rows", "95% interval of the mean", "0.1 to 0.9", "n = 2 rows", "rows were 4", "Gate failed",
		"<dt>judge</dt><dd><bdi>lexical</bdi></dd>", "refusal 1", "<title>a.jsonl, standard input – Faithfulness report</title>",
		"Scores of 2 rows, mean 0.6667. Rows by score: 0.3 to below 0.4: 1, exactly 1: 1.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestPageWithoutRowsIsWhole(t *testing.T) {
	page := rendered(t, Run{})
	for _, want := range []string{"<!DOCTYPE html>", "<strong>–</strong>", "No row has a score.", "No gate was set.", "</html>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestEveryWriteErrorIsReturned(t *testing.T) {
	full := errors.New("disk full")
	whole := len(rendered(t, Run{}, scoredRow()))
	for room := 0; room < whole; room += whole / 40 {
		w, err := New(&small{room, full}, Run{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(scoredRow()), w.Close()); !errors.Is(err, full) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

// small takes so many bytes and then fails.
type small struct {
	room int
	err  error
}

func (s *small) Write(b []byte) (int, error) {
	if len(b) > s.room {
		return 0, s.err
	}
	s.room -= len(b)
	return len(b), nil
}

func TestBinsBeginAtTheirTenth(t *testing.T) {
	for x, want := range map[float64]int{
		0: 0, 0.0999: 0, 0.29: 2, 0.8999: 8, 0.9999: 9, 1: 10,
	} {
		if got := bin(x); got != want {
			t.Errorf("%v is in bin %d, want %d", x, got, want)
		}
	}
	tenth := 0.1
	for k := range 11 {
		for _, x := range []float64{float64(k) / 10, float64(k) * tenth} { // as floats they differ
			if got := bin(x); got != k {
				t.Errorf("%d tenths are in bin %d", k, got)
			}
		}
	}
	var b bins
	b.add(math.NaN())
	if b != (bins{}) {
		t.Error("a missing score is counted")
	}
}

func BenchmarkWrite(b *testing.B) {
	r := scoredRow()
	r.Contexts = append(r.Contexts, strings.Repeat("A text of some length that a context may have. ", 60))
	w := must(New(io.Discard, Run{MaxRows: math.MaxInt, MaxBytes: math.MaxInt64}))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Write(r); err != nil {
			b.Fatal(err)
		}
	}
}
