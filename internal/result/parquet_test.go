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
	name := os.Getenv("TEST_PYTHON")
	if name == "" {
		name = "python3"
	}
	if out, err := exec.Command(name, "-c", "import "+strings.Join(modules, ", ")).CombinedOutput(); err != nil {
		t.Skipf("%s (set TEST_PYTHON to use another) cannot import %s: %v: %s", name, strings.Join(modules, ", "), err, out)
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
		{longRows(300), result.Options{KeepAll: true}},
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

// readParquet reads a Parquet file and its rows, which are of type map[string]any.
func readParquet(t *testing.T, content string) (*parquet.File, []any) {
	t.Helper()
	file, err := parquet.OpenFile(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	r := parquet.NewGenericReader[any](file)
	defer r.Close()
	rows := make([]any, r.NumRows())
	if n, err := r.Read(rows); n != len(rows) || err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("got %d rows and error %v, want %d rows", n, err, len(rows))
	}
	return file, rows
}

func TestParquetHasSameFieldsAsJSON(t *testing.T) {
	withoutKept := resulttest.WithKeptColumns()
	for _, r := range withoutKept {
		r.Kept = nil
	}
	_, rows := readParquet(t, write(t, dataset.Parquet, result.Options{}, withoutKept...))
	for i, r := range withoutKept {
		text, err := json.Marshal(rows[i])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(members(t, r.AppendJSON(nil)), members(t, text)); d != "" {
			t.Errorf("row %d: %s", i, d)
		}
	}
}

// members decodes an object, without members that are null or empty lists.
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
	rows := longRows(1000)
	for _, r := range rows {
		if err := p.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	file, got := readParquet(t, b.String())
	if len(got) != len(rows) || got[999].(map[string]any)["id"] != "row 999" {
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

func TestParquetRejectsTooManyColumns(t *testing.T) {
	columns := make([]dataset.Column, result.MaxKept+1)
	for i := range columns {
		columns[i] = dataset.Column{Name: fmt.Sprint("c", i), Value: []byte("1")}
	}
	r := resulttest.NoClaims()
	r.Kept = columns
	w, err := result.NewWriter(dataset.Parquet, io.Discard, result.Options{KeepAll: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(r); err == nil || err.Error() != "more than 30000 kept columns: choose some with --keep" {
		t.Errorf("got %v, want an error for more than 30000 columns", err)
	}
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

// longRows returns n scored rows with long texts.
func longRows(n int) []*result.Row {
	rows := make([]*result.Row, n)
	for i := range rows {
		r := resulttest.Scored()
		r.Index, r.ID = i, fmt.Sprint("row ", i)
		r.Contexts = []string{strings.Repeat(fmt.Sprint("a context ", i, " "), 40)}
		r.Kept = []dataset.Column{{Name: "n", Value: fmt.Append(nil, i)}}
		rows[i] = r
	}
	return rows
}
