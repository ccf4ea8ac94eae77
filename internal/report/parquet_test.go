package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// marked is a result that has all that is only there at times.
func marked() *eval.Result {
	r := scored()
	r.Row.Index, r.Row.ID = 10, "m"
	r.Claims[0].Lead, r.Claims[0].As = "Life:", "He was born."
	r.Claims[1].From, r.Claims[1].Invented = &extract.Span{Start: 13, End: 18}, true
	r.Verdicts[1].Unsupported = []extract.Span{{Start: 0, End: 2}, {Start: 3, End: 7}}
	r.Verdicts[1].Reused = &verdict.Reused{By: "semantic", Statement: "He has \"died\".", Cosine: 0.91234567}
	return r
}

// hostile is a result whose texts are made to break out of what they stand in.
func hostile() *eval.Result {
	r := scored()
	r.Row = dataset.Row{
		Index: 11, ID: "\x00|`<b>\u202e@evil #1 ]]>", Question: "\xff\xfe\U0001f315\u2028\ufffe", Answer: "x\r\n::error::EVIL\n##[error]EVIL",
		Contexts: []string{"", "\x1b[31m", strings.Repeat("]]>", 9)}, File: "a\"<&>.jsonl", Line: 3,
	}
	r.Claims[1].Text = "``` EVIL\n\n# EVIL <img src=x onerror=EVIL> ![EVIL](http://evil.example) @EVIL #12 | EVIL | https://evil.example <!-- \u202eEVIL -->"
	r.Verdicts[1].Reason = "`` ` <script>EVIL</script> %0A::set-output name=EVIL:: ]]> &lt; \x07\x00\u0085"
	r.Verdicts[1].Evidence = []verdict.Evidence{{Quote: "EVIL </failure> \ufffe \\` \\| [EVIL]: http://evil.example"}}
	return r
}

// keeping returns r with a kept column of each value.
func keeping(r *eval.Result, values map[string]string) *eval.Result {
	r.Row.Kept = nil
	for _, name := range []string{"text", "flag", "whole", "number", "exact", "huge", "mixed", "list", "none", "late", "a.b", "ÄÖ"} {
		if value, ok := values[name]; ok {
			r.Row.Kept = append(r.Row.Kept, dataset.Column{Name: name, Value: []byte(value)})
		}
	}
	return r
}

// parquetRowsOf are results of all kinds, with kept columns of all types.
func parquetRowsOf() []*eval.Result {
	return []*eval.Result{
		keeping(failed(), nil),
		keeping(scored(), map[string]string{
			"text": `"a \"b\" é"`, "flag": "true", "whole": "-9223372036854775808", "number": "1", "exact": "9007199254740993",
			"huge": "18446744073709551616", "mixed": `"1"`, "list": `["a", {"b": null}]`, "none": "null", "a.b": "1e3", "ÄÖ": `""`,
		}),
		keeping(noClaims(), map[string]string{
			"text": `"null"`, "flag": "false", "whole": "9223372036854775807", "number": "-0.5", "exact": "0.5",
			"huge": "1", "mixed": "1", "list": "3", "none": "null", "a.b": "-2.50", "ÄÖ": `"\u0000"`,
		}),
		keeping(marked(), map[string]string{"text": "null", "late": "7", "number": "null"}),
		keeping(hostile(), nil),
		citing(),
	}
}

// python returns a Python that has the modules, which a test can't do without.
func python(t *testing.T, modules ...string) string {
	t.Helper()
	name := os.Getenv("RAGFAITH_PYTHON")
	if name == "" {
		name = "python3"
	}
	if out, err := exec.Command(name, "-c", "import "+strings.Join(modules, ", ")).CombinedOutput(); err != nil {
		t.Skipf("%s (or what RAGFAITH_PYTHON names) has not all of %s: %v: %s", name, strings.Join(modules, ", "), err, out)
	}
	return name
}

func TestOthersReadFromParquetWhatJSONLHas(t *testing.T) {
	interpreter := python(t, "pyarrow", "pandas", "duckdb")
	bare := []*eval.Result{scored(), noClaims(), failed(), marked()}
	for _, r := range bare {
		r.Row.Kept = nil
	}
	args, want, folder := []string{"testdata/parquet_check.py"}, "", t.TempDir()
	for i, tt := range []struct {
		rows []*eval.Result
		o    Options
	}{
		{parquetRowsOf(), Options{KeepAll: true}},
		{bare, Options{}},
		{[]*eval.Result{scored(), noClaims()}, Options{Keep: []string{"n", "model", "n"}}},
		{nil, Options{}},
		{many(300), Options{KeepAll: true}},
	} {
		name := filepath.Join(folder, fmt.Sprint("results", i))
		for _, f := range []Format{FormatJSONL, FormatParquet} {
			if err := os.WriteFile(name+f.Extension(), []byte(write(t, f, tt.o, tt.rows...)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args, want = append(args, name), want+fmt.Sprintf("same %d\n", len(tt.rows))
	}
	if out, err := exec.Command(interpreter, args...).CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
}

// many makes n rows with much text.
func many(n int) []*eval.Result {
	rows := make([]*eval.Result, n)
	for i := range rows {
		r := scored()
		r.Row.Index, r.Row.ID = i, fmt.Sprint("row ", i)
		r.Row.Contexts = []string{strings.Repeat(fmt.Sprint("a context ", i, " "), 40)}
		r.Row.Kept = []dataset.Column{{Name: "n", Value: fmt.Append(nil, i)}}
		rows[i] = r
	}
	return rows
}

// reread reads results from Parquet.
func reread(t *testing.T, content string) (*parquet.File, []parquetResult) {
	t.Helper()
	file, err := parquet.OpenFile(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	r := parquet.NewGenericReader[parquetResult](file)
	defer r.Close()
	rows := make([]parquetResult, r.NumRows())
	if n, err := r.Read(rows); n != len(rows) || err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(n, err)
	}
	return file, rows
}

func TestParquetHasARowForEachResult(t *testing.T) {
	results := parquetRowsOf()
	_, rows := reread(t, write(t, FormatParquet, Options{KeepAll: true}, results...))
	for i, r := range results {
		want, _ := parquetShape(r)
		if d := cmp.Diff(normal(*want), normal(rows[i])); d != "" {
			t.Errorf("row %d: %s", i, d)
		}
	}
}

// normal makes no difference between a list that is empty and none.
func normal(r parquetResult) parquetResult {
	for i := range r.Claims {
		c := &r.Claims[i]
		if len(c.ChunkIDs) == 0 {
			c.ChunkIDs = nil
		}
		if len(c.Evidence) == 0 {
			c.Evidence = nil
		}
		if len(c.Unsupported) == 0 {
			c.Unsupported = nil
		}
		if len(c.Citations) == 0 {
			c.Citations = nil
		}
	}
	for _, list := range []any{&r.Claims, &r.Skipped} {
		if v := reflect.ValueOf(list).Elem(); v.Len() == 0 {
			v.SetZero()
		}
	}
	return r
}

func TestKeptColumnsHaveTheTypeOfTheirValues(t *testing.T) {
	file, _ := reread(t, write(t, FormatParquet, Options{KeepAll: true}, parquetRowsOf()...))
	var got []string
	for _, c := range file.Root().Columns()[16:] {
		got = append(got, c.Name()+" "+c.Type().String())
	}
	want := []string{
		"text STRING", "flag BOOLEAN", "whole INT(64,true)", "number DOUBLE", "exact STRING", "huge STRING",
		"mixed STRING", "list STRING", "none STRING", "a.b DOUBLE", "ÄÖ STRING", "late INT(64,true)",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if names, _ := file.Lookup(JSONColumns); names != `["exact","huge","mixed","list"]` {
		t.Error(names)
	}
}

func TestRowGroupsAreBounded(t *testing.T) {
	var b bytes.Buffer
	p := newParquet(&b, Options{KeepAll: true})
	p.limit = 64 << 10
	rows := many(1000)
	for _, r := range rows {
		if err := p.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	file, back := reread(t, b.String())
	if len(back) != len(rows) || back[999].ID != "row 999" {
		t.Error(len(back))
	}
	groups := file.Metadata().RowGroups
	if len(groups) < 5 {
		t.Errorf("%d row groups", len(groups))
	}
	for i := range groups {
		if n := groups[i].TotalByteSize; n > 3*64<<10 {
			t.Errorf("row group %d has %d bytes", i, n)
		}
	}
}

func TestEqualResultsGiveEqualParquet(t *testing.T) {
	o := Options{KeepAll: true}
	first := write(t, FormatParquet, o, parquetRowsOf()...)
	if again := write(t, FormatParquet, o, parquetRowsOf()...); first != again {
		t.Error("the bytes are not the same")
	}
}

func TestMoreColumnsThanParquetHoldsAreLeftOutAndNamed(t *testing.T) {
	var warned []string
	k := newParquetKept(Options{KeepAll: true, Warn: func(err error) { warned = append(warned, err.Error()) }})
	columns := make([]dataset.Column, keptMost+2)
	for i := range columns {
		columns[i] = dataset.Column{Name: fmt.Sprint("c", i), Value: []byte("1")}
	}
	k.see(columns)
	want := []string{`column "c30000" and others are left out of the Parquet file, which holds 30000 kept columns at most`}
	if d := cmp.Diff(want, warned); d != "" || len(k.names) != keptMost {
		t.Error(d, len(k.names))
	}
}

// What is in memory is the same at both numbers of rows, but for the index of the
// file.
func BenchmarkParquet(b *testing.B) {
	for _, kept := range []bool{false, true} {
		for _, n := range []int{10_000, 40_000} {
			b.Run(fmt.Sprintf("kept=%v/%d", kept, n), func(b *testing.B) {
				peak := 0.0
				for b.Loop() {
					w, _ := New(FormatParquet, counter{}, Options{KeepAll: kept, TempDir: b.TempDir()})
					r := many(1)[0]
					for i := range n {
						r.Row.Index, r.Row.Contexts[0] = i, strings.Repeat(fmt.Sprint("a context ", i, " "), 200)
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

// heap is what is in use after a collection, in MiB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}
