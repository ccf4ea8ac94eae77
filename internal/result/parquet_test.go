package result_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

// python returns a Python interpreter with the modules, or skips the test.
func python(t *testing.T, modules ...string) string {
	t.Helper()
	name := os.Getenv("RAGFAITH_PYTHON")
	if name == "" {
		name = "python3"
	}
	if out, err := exec.Command(name, "-c", "import "+strings.Join(modules, ", ")).CombinedOutput(); err != nil {
		t.Skipf("%s (set RAGFAITH_PYTHON to use another) cannot import %s: %v: %s", name, strings.Join(modules, ", "), err, out)
	}
	return name
}

func TestPythonReadsSameRowsFromParquetAndJSONL(t *testing.T) {
	interpreter := python(t, "pyarrow", "pandas", "duckdb")
	withoutKept := []*result.Row{resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.WithOptionalFields()}
	for _, r := range withoutKept {
		r.Kept = nil
	}
	args, want, dir := []string{"testdata/parquet_check.py"}, "", t.TempDir()
	for i, tt := range []struct {
		rows []*result.Row
		opts result.Options
	}{
		{resulttest.WithKeptColumns(), result.Options{KeepAll: true}},
		{withoutKept, result.Options{}},
		{[]*result.Row{resulttest.Scored(), resulttest.NoClaims()}, result.Options{Keep: []string{"n", "model", "n"}}},
		{nil, result.Options{}},
		{resulttest.LongRows(300), result.Options{KeepAll: true}},
	} {
		name := filepath.Join(dir, fmt.Sprint("results", i))
		for _, f := range []dataset.Format{dataset.JSONL, dataset.Parquet} {
			if err := os.WriteFile(name+"."+string(f), []byte(write(t, f, tt.opts, tt.rows...)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args, want = append(args, name), want+fmt.Sprintf("same %d\n", len(tt.rows))
	}
	if out, err := exec.Command(interpreter, args...).CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("got %v, %s, want %s", err, out, want)
	}
}

// A parquetRow is the expected schema of a row. Its names, values and nulls are those of
// JSON; a field that JSON omits is null.
type parquetRow struct {
	Index        int64            `json:"index" parquet:"index"`
	ID           string           `json:"id" parquet:"id"`
	Question     string           `json:"question" parquet:"question"`
	Answer       string           `json:"answer" parquet:"answer"`
	Contexts     []string         `json:"contexts" parquet:"contexts,list"`
	Faithfulness *float64         `json:"faithfulness" parquet:"faithfulness,optional"`
	Support      *float64         `json:"support" parquet:"support,optional"`
	Confidence   *float64         `json:"confidence" parquet:"confidence,optional"`
	Status       string           `json:"status" parquet:"status,dict"`
	Reason       *string          `json:"reason" parquet:"reason,optional,dict"`
	Claims       []parquetClaim   `json:"claims" parquet:"claims,list"`
	Skipped      []parquetSkipped `json:"skipped" parquet:"skipped,list"`
	Unjudged     *float64         `json:"unjudged_share" parquet:"unjudged_share,optional"`
	Error        *string          `json:"error" parquet:"error,optional"`
	Usage        parquetUsage     `json:"usage" parquet:"usage"`
	Marks        []string         `json:"marks" parquet:"marks,optional,list"`

	CitationRecall      *float64 `json:"citation_recall" parquet:"citation_recall,optional"`
	CitationPrecision   *float64 `json:"citation_precision" parquet:"citation_precision,optional"`
	UnresolvedCitations *int64   `json:"unresolved_citations" parquet:"unresolved_citations,optional"`
}

type parquetClaim struct {
	ID          int64             `json:"id" parquet:"id"`
	Text        string            `json:"text" parquet:"text"`
	Lead        *string           `json:"lead" parquet:"lead,optional"`
	JudgedAs    *string           `json:"judged_as" parquet:"judged_as,optional"`
	Start       *int64            `json:"start" parquet:"start,optional"`
	End         *int64            `json:"end" parquet:"end,optional"`
	From        *parquetSpan      `json:"from" parquet:"from,optional"`
	Invented    *bool             `json:"invented" parquet:"invented,optional"`
	Verdict     *string           `json:"verdict" parquet:"verdict,optional,dict"`
	Score       *float64          `json:"score" parquet:"score,optional"`
	Confidence  *float64          `json:"confidence" parquet:"confidence,optional"`
	Graded      *bool             `json:"graded" parquet:"graded,optional"`
	Reason      *string           `json:"reason" parquet:"reason,optional"`
	ChunkIDs    []int64           `json:"chunk_ids" parquet:"chunk_ids,list"`
	Evidence    []parquetEvidence `json:"evidence" parquet:"evidence,list"`
	Unsupported []parquetSpan     `json:"unsupported" parquet:"unsupported,optional,list"`
	Citations   []parquetCitation `json:"citations" parquet:"citations,optional,list"`
	Cached      *string           `json:"cached" parquet:"cached,optional"`
	CachedFrom  *string           `json:"cached_from" parquet:"cached_from,optional"`
	Cosine      *float64          `json:"cosine" parquet:"cosine,optional"`
}

type parquetEvidence struct {
	Chunk int64   `json:"chunk" parquet:"chunk"`
	Start *int64  `json:"start" parquet:"start,optional"`
	End   *int64  `json:"end" parquet:"end,optional"`
	Quote string  `json:"quote" parquet:"quote"`
	Role  *string `json:"role" parquet:"role,optional,dict"`
}

type parquetCitation struct {
	Text    string  `json:"text" parquet:"text"`
	Start   int64   `json:"start" parquet:"start"`
	End     int64   `json:"end" parquet:"end"`
	Chunk   *int64  `json:"chunk" parquet:"chunk,optional"`
	Verdict *string `json:"verdict" parquet:"verdict,optional,dict"`
}

type parquetSkipped struct {
	Kind  string `json:"kind" parquet:"kind,dict"`
	Text  string `json:"text" parquet:"text"`
	Start *int64 `json:"start" parquet:"start,optional"`
	End   *int64 `json:"end" parquet:"end,optional"`
}

type parquetSpan struct {
	Start int64 `json:"start" parquet:"start"`
	End   int64 `json:"end" parquet:"end"`
}

type parquetUsage struct {
	Requests         int64 `json:"requests" parquet:"requests"`
	PromptTokens     int64 `json:"prompt_tokens" parquet:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens" parquet:"completion_tokens"`
	CachedRequests   int64 `json:"cached_requests" parquet:"cached_requests"`
}

// readParquet reads a Parquet file and its rows.
func readParquet(t *testing.T, content string) (*parquet.File, []parquetRow) {
	t.Helper()
	file, err := parquet.OpenFile(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	r := parquet.NewGenericReader[parquetRow](file)
	defer r.Close()
	rows := make([]parquetRow, r.NumRows())
	if n, err := r.Read(rows); n != len(rows) || err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("got %d rows and error %v, want %d rows", n, err, len(rows))
	}
	return file, rows
}

func TestParquetHasSameFieldsAsJSON(t *testing.T) {
	results := resulttest.WithKeptColumns()
	_, rows := readParquet(t, write(t, dataset.Parquet, result.Options{KeepAll: true}, results...))
	for i, r := range results {
		if d := cmp.Diff(jsonMembers(t, r), parquetMembers(t, &rows[i])); d != "" {
			t.Errorf("row %d: %s", i, d)
		}
	}
}

// jsonMembers returns the members of r in JSON, without kept columns.
func jsonMembers(t *testing.T, r *result.Row) map[string]any {
	t.Helper()
	row := *r
	row.Kept = nil
	return members(t, row.AppendJSON(nil))
}

// parquetMembers returns the members of r in JSON.
func parquetMembers(t *testing.T, r *parquetRow) map[string]any {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return members(t, text)
}

// members decodes an object, without members that are null or empty.
func members(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	dropEmpty(object)
	return object
}

// dropEmpty removes members that are null or empty lists.
func dropEmpty(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if list, ok := v.([]any); v == nil || ok && len(list) == 0 {
				delete(value, name)
				continue
			}
			dropEmpty(v)
		}
	case []any:
		for _, v := range value {
			dropEmpty(v)
		}
	}
}

func TestParquetKeptColumnTypes(t *testing.T) {
	file, _ := readParquet(t, write(t, dataset.Parquet, result.Options{KeepAll: true}, resulttest.WithKeptColumns()...))
	var got []string
	for _, c := range file.Root().Columns()[19:] {
		got = append(got, c.Name()+" "+c.Type().String())
	}
	want := []string{
		"text STRING", "flag BOOLEAN", "whole INT(64,true)", "number DOUBLE", "exact STRING", "huge STRING",
		"mixed STRING", "list STRING", "none STRING", "a.b DOUBLE", "ÄÖ STRING", "late INT(64,true)",
	}
	checkDiff(t, want, got)
	if names, _ := file.Lookup(result.JSONColumnsKey); names != `["exact","huge","mixed","list"]` {
		t.Errorf("got JSON columns %s, want exact, huge, mixed and list", names)
	}
}

func TestParquetRowGroupSizeIsBounded(t *testing.T) {
	var b bytes.Buffer
	p := result.NewParquetWriter(&b, result.Options{KeepAll: true}, 64<<10)
	rows := resulttest.LongRows(1000)
	for _, r := range rows {
		if err := p.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	file, got := readParquet(t, b.String())
	if len(got) != len(rows) || got[999].ID != "row 999" {
		t.Errorf("got %d rows, want %d in order", len(got), len(rows))
	}
	groups := file.Metadata().RowGroups
	if len(groups) < 5 {
		t.Errorf("got %d row groups, want at least 5", len(groups))
	}
	for i := range groups {
		if n := groups[i].TotalByteSize; n > 3*64<<10 {
			t.Errorf("row group %d: got %d bytes, want at most %d", i, n, 3*64<<10)
		}
	}
}

func TestParquetIsDeterministic(t *testing.T) {
	o := result.Options{KeepAll: true}
	first := write(t, dataset.Parquet, o, resulttest.WithKeptColumns()...)
	if again := write(t, dataset.Parquet, o, resulttest.WithKeptColumns()...); first != again {
		t.Error("got different bytes for equal rows")
	}
}

func TestParquetDropsColumnsAboveLimit(t *testing.T) {
	var warnings []string
	columns := make([]dataset.Column, result.MaxKept+2)
	for i := range columns {
		columns[i] = dataset.Column{Name: fmt.Sprint("c", i), Value: []byte("1")}
	}
	r := resulttest.NoClaims()
	r.Kept = columns
	w, err := result.NewWriter(dataset.Parquet, io.Discard, result.Options{KeepAll: true, Warn: func(err error) { warnings = append(warnings, err.Error()) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(r); err != nil {
		t.Fatal(err)
	}
	want := []string{`column "c30000" and others are left out of the Parquet file, which holds 30000 kept columns at most`}
	checkDiff(t, want, warnings)
}

// BenchmarkParquet reports the peak memory, which does not depend on the number of rows
// except for the index of the file.
func BenchmarkParquet(b *testing.B) {
	for _, kept := range []bool{false, true} {
		for _, n := range []int{10_000, 40_000} {
			b.Run(fmt.Sprintf("kept=%v/%d", kept, n), func(b *testing.B) {
				peak := 0.0
				for b.Loop() {
					w, _ := result.NewWriter(dataset.Parquet, io.Discard, result.Options{KeepAll: kept, TempDir: b.TempDir()})
					r := resulttest.LongRows(1)[0]
					for i := range n {
						r.Index, r.Contexts[0] = i, strings.Repeat(fmt.Sprint("a context ", i, " "), 200)
						_ = w.Write(r)
						if i%1000 == 0 {
							peak = max(peak, heap())
						}
					}
					_ = w.Close()
				}
				b.ReportMetric(peak, "peak-MiB")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}

// heap returns the size of the heap after a collection in MiB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

func TestDiscardRemovesTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	w, err := result.NewWriter(dataset.Parquet, io.Discard, result.Options{KeepAll: true, TempDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r := resulttest.Scored()
	r.Contexts[0] = strings.Repeat("x", 1<<12)
	for range 3000 {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if !result.SpoolInFile(w) {
		t.Fatal("got all rows in memory, want a temporary file")
	}
	w.(interface{ Discard() }).Discard()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v after Discard, want no file", left, err)
	}
}
