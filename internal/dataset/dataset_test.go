package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A result is a row with its error.
type result struct {
	Row Row
	Err string
}

// readFiles reads all rows of files.
func readFiles(t testing.TB, opts Options, paths ...string) (rows []result, last error) {
	t.Helper()
	s, err := Open(paths, opts)
	if err != nil {
		t.Fatal(err)
	}
	return readAll(t, s)
}

func readAll(t testing.TB, s *Set) (rows []result, last error) {
	t.Helper()
	for row, err := range s.Rows() {
		var r *RowError
		switch {
		case err == nil:
			rows = append(rows, result{Row: row})
		case errors.As(err, &r):
			rows = append(rows, result{Row: row, Err: err.Error()})
		default:
			last = err
		}
	}
	return rows, last
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads a file with the given name and text. It returns the rows and the
// last error, removing the temporary directory from error messages.
func read(t testing.TB, name, text string, opts Options) ([]result, string) {
	t.Helper()
	path := write(t, name, text)
	clean := func(s string) string { return strings.ReplaceAll(s, filepath.Dir(path)+string(filepath.Separator), "") }
	s, err := Open([]string{path}, opts)
	if err != nil {
		return nil, clean(err.Error())
	}
	rows, err := readAll(t, s)
	for i := range rows {
		rows[i].Err = clean(rows[i].Err)
	}
	if err != nil {
		return rows, clean(err.Error())
	}
	return rows, ""
}

func errorsOf(rows []result) string {
	var all []string
	for _, r := range rows {
		all = append(all, r.Err)
	}
	return strings.Join(all, "\n")
}

// lastError returns the error that ended reading or, if there was none, that of the last row.
func lastError(rows []result, last string) string {
	if last == "" && len(rows) > 0 {
		return rows[len(rows)-1].Err
	}
	return last
}

func ignorePosition() cmp.Option { return cmpopts.IgnoreFields(Row{}, "File", "Line", "Offset") }

func wantRows() []Row {
	return []Row{
		{Index: 0, ID: "einstein", Question: "When was Einstein born?", Answer: "On 14 March 1879.", Contexts: []string{"Albert Einstein (born 14 March 1879)", "He said: \"it's relative\"\nand left."}},
		{Index: 1, ID: "umlaut", Question: "Wo?", Answer: "In Österreich 🏔.", Contexts: []string{"Österreich – 'Alpen', \"Wien\"", "back\\slash\ttab", "日本語"}},
		{Index: 2, ID: "one", Contexts: []string{"only one"}},
		{Index: 3, ID: "comma", Question: "a,b", Answer: "[1] As \"said\", so.", Contexts: []string{"[1] According to", "x"}},
	}
}

func TestRowsOfDifferentWriters(t *testing.T) {
	names, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range names {
		base := filepath.Base(name)
		switch base {
		case "gen.py", "kinds.parquet", "int96.parquet", "pyarrow_map.parquet", "pyarrow_lz4.parquet":
			continue
		}
		t.Run(base, func(t *testing.T) { checkRows(t, name, nil, wantRows()) })
		count++
	}
	if count < 20 {
		t.Errorf("got %d files, want at least 20", count)
	}
}

func TestParquetKeepsTypesAsJSON(t *testing.T) {
	rows, err := readFiles(t, Options{KeepAll: true}, "testdata/kinds.parquet", "testdata/int96.parquet")
	if err != nil || len(rows) != 4 {
		t.Fatalf("got %d rows, last error %v", len(rows), err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, keptText(r.Row))
	}
	if rows, err := readFiles(t, Options{Keep: []string{"nest.b.c"}}, "testdata/kinds.parquet"); err != nil || keptText(rows[0].Row) != `nest.b.c="d"` || keptText(rows[1].Row) != "nest.b.c=null" {
		t.Errorf("got %+v, error %v, want the values at the path", rows, err)
	}
	want := []string{
		`ts="1970-01-01T00:00:00Z" local="1970-01-01T00:00:00" day="1970-01-01" dec=1.5 raw="//4=" num=null u64=18446744073709551615 u32=4294967295 yes=true nest={"a":[1,null],"b":{"c":"d"}} map={"k":1} nil=null`,
		`ts="2023-11-14T22:13:20.123456Z" local=null day="1969-12-31" dec=-0.05 raw="ok" num=1.5 u64=1 u32=1 yes=null nest=null map={} nil=null`,
		`ts="1970-01-01T00:00:00"`,
		`ts="2023-11-14T22:13:20.123456"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOpenErrors(t *testing.T) {
	csv := "question,answer,contexts\n"
	wrongColumn := strings.Repeat(`{"question":"q","antwort":"a","contexts":["c"]}`+"\n", 1000)
	for _, tt := range []struct {
		name, text string
		opts       Options
		want       string
		usage      bool
	}{
		{name: "x.jsonl", want: "x.jsonl: empty file"},
		{name: "x.csv", text: "\xef\xbb\xbf", want: "x.csv: empty file"},
		{name: "x.csv", text: "\n\n", want: "x.csv: want a header line, got an empty file"},
		{name: "x.jsonl", text: "\x00\x01\x02\xff", want: "x.jsonl: not text (binary data, or UTF-16 without a byte order mark)"},
		{name: "x.jsonl", text: "PK\x03\x04\x00\x00", want: "x.jsonl: a ZIP archive: convert it with: unzip -p FILE | ragfaith score -"},
		{name: "x.jsonl", text: "PAR1\x00\x00", want: "x.jsonl: not a Parquet file: it has 6 bytes"},
		{name: "x.jsonl", text: "\x89\xfe\x80\x81\x82\x03abc", want: "x.jsonl: not text (binary data, or UTF-16 without a byte order mark)"},
		{name: "x.parquet", text: "garbage and more garbage", want: "x.parquet: not a Parquet file: it does not begin with PAR1"},
		{name: "x.parquet", text: "PAR1", want: "x.parquet: not a Parquet file: it has 4 bytes"},
		{name: "x.parquet", text: "PAR1aaaaaaaaaaaaaaaaaaaa", want: "x.parquet: not a Parquet file: it does not end with PAR1: is it cut off?"},
		{name: "x.parquet", text: "PAR1aaaaaa\xff\xff\xff\x7fPAR1", want: "x.parquet: not a Parquet file: its footer is longer than the file"},
		{name: "x.parquet", text: "PAR1aaaaaa\x05\x00\x00\x00PAR1", want: "x.parquet: not a Parquet file: its footer is broken"},
		{name: "x.parquet", text: "PAREaaaaaa\x05\x00\x00\x00PARE", want: "x.parquet: not a Parquet file: it is encrypted"},
		{name: "x.csv", text: "question,contexts\na,b\n", want: "x.csv: no answer: looked for answer, response, output, actual_output; found question, contexts; choose one with --map answer=COLUMN"},
		{name: "x.csv", text: "answer\na\n", want: "x.csv: no contexts: looked for contexts, retrieved_contexts, retrieval_context, context, documents; found answer; choose one with --map contexts=COLUMN"},
		{name: "x.csv", text: "answer,response,contexts\na,b,c\n", want: `x.csv: answer: ambiguous: both "answer" and "response" match; choose one with --map answer=answer or --map answer=response`, usage: true},
		{name: "x.jsonl", text: `{"answer":"a","context":["x"],"documents":["y"]}`, want: `x.jsonl: contexts: ambiguous: both "context" and "documents" match; choose one with --map contexts=context or --map contexts=documents`, usage: true},
		{name: "x.json", text: `[{"answer":"a","retrieved_contexts":["x"],"contexts":["y"]}]`, want: `x.json: contexts: ambiguous: both "retrieved_contexts" and "contexts" match; choose one with --map contexts=retrieved_contexts or --map contexts=contexts`, usage: true},
		{name: "x.csv", text: csv, opts: Options{Map: map[Field]string{FieldID: "nr"}}, want: "x.csv: --map id=nr: no such column; the columns are question, answer, contexts", usage: true},
		{name: "x.jsonl", text: `{"answer":"a","contexts":["x"]}`, opts: Options{Map: map[Field]string{FieldAnswer: "nr"}}, want: "x.jsonl: --map answer=nr: no such column; the columns are answer, contexts", usage: true},
		{name: "x.csv", text: csv, opts: Options{Keep: []string{"nr"}}, want: `x.csv: cannot keep column "nr": no such column; the columns are question, answer, contexts`, usage: true},
		{name: "x.csv", text: csv + "q,a,x\n", opts: Options{Keep: []string{"m.k"}}, want: `x.csv: cannot keep column "m.k": no such column; the columns are question, answer, contexts`, usage: true},
		{name: "x.jsonl", text: `{"answer":"{\"answer\":\"a\"}","contexts":["x"],"m":{"j":1}}`, opts: Options{Keep: []string{"m.k"}}, want: `x.jsonl: cannot keep column "m.k": no such column; the columns are answer, contexts, m.j`, usage: true},
		{name: "x.csv", text: csv, opts: Options{Keep: []string{"qestion"}}, want: `x.csv: cannot keep column "qestion": no such column; the columns are question, answer, contexts`, usage: true},
		{name: "x.csv", text: csv, opts: Options{Required: []Required{{"--cluster", "questions"}}}, want: `x.csv: --cluster "questions": no such column; the columns are question, answer, contexts`, usage: true},
		{name: "x.csv", text: csv, opts: Options{Map: map[Field]string{FieldID: "answer", FieldAnswer: "answer"}}, want: `--map gives column "answer" to both id and answer`, usage: true},
		{name: "x.csv", text: csv, opts: Options{Map: map[Field]string{"text": "answer"}}, want: `unknown field "text": want id, question, answer or contexts`, usage: true},
		{name: "x.csv", text: csv, opts: Options{Format: "xml"}, want: `unknown format "xml": want jsonl, json, csv, tsv, parquet`, usage: true},
		{name: "x.csv", text: "answer,answer,contexts\n", want: `x.csv: two columns are named "answer"`, usage: true},
		{name: "x.csv", text: "answer,contexts,a\xff\n", want: "x.csv: header: " + notUTF8},
		{name: "x.csv", text: "answer,contexts,a\xc3,\xa9\n", want: "x.csv: header: " + notUTF8},
		{name: "x.csv", text: "answer,\"contexts\n", want: "x.csv: header: a quote is opened on line 1 and never closed"},
		{name: "x.csv", text: csv, want: "x.csv: no rows"},
		{name: "x.json", text: "[]", want: "x.json: no rows"},
		{name: "x.json", text: " \n ", want: "x.json: no rows"},
		{name: "x.jsonl", text: "\n \n", want: "x.jsonl: no rows"},
		{name: "x.json", text: `"text"`, want: "x.json: want an array of objects, got a string"},
		{name: "x.json", text: "{\n\"text\": \"a\"}", want: "x.json: no answer: looked for answer, response, output, actual_output; found text; choose one with --map answer=COLUMN"},
		{name: "x.json", text: "[\n{\"answer\": tru}]", want: "x.json: line 2: element 0: invalid JSON: invalid character '}' in literal true (expecting 'e'), at column 15"},
		{name: "x.jsonl.gz", text: "\x1f\x8b\x08\x00", want: "x.jsonl.gz: the gzip data is cut off: unexpected EOF"},
		{name: "x.jsonl.gz", text: "\x1f\x8b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", want: "x.jsonl.gz: the gzip data is broken: gzip: invalid header"},
		{name: "x.jsonl", text: wrongColumn, want: "x.jsonl: no answer: looked for answer, response, output, actual_output; found question, antwort, contexts; choose one with --map answer=COLUMN"},
		{name: "x.jsonl", text: wrongColumn, opts: Options{Map: map[Field]string{FieldAnswer: "antword"}}, want: `x.jsonl: --map answer=antword: no such column; the columns are question, antwort, contexts`, usage: true},
		{name: "x.jsonl", text: `{"out":{"text":"a","docs":["c d"]}}`, opts: Options{Map: map[Field]string{FieldAnswer: "out.txt"}}, want: `x.jsonl: --map answer=out.txt: no such column; the columns are out.text, out.docs`, usage: true},
		{name: "x.jsonl", text: wrongColumn, opts: Options{Map: map[Field]string{FieldAnswer: "a[b"}}, want: `x.jsonl: --map answer=a[b: no such column; the columns are question, antwort, contexts`, usage: true},
		{name: "x.jsonl", text: `{"inputs":{"question":"q"},"reference_outputs":{"answer":"gold"},"documents":["some text"]}`, want: "x.jsonl: no answer: looked for answer, response, output, actual_output; found inputs, reference_outputs, documents; choose one with --map answer=COLUMN"},
		{name: "x.jsonl", text: `{"answer":"a","pieces":[{"kind":"claim","text":"one","start":0,"end":3}]}`, want: "x.jsonl: no contexts: looked for contexts, retrieved_contexts, retrieval_context, context, documents; found answer, pieces; choose one with --map contexts=COLUMN"},
		{name: "x.jsonl", text: `{"outputs":{"answer":"a","response":"b","contexts":["c"]}}`, want: `x.jsonl: answer: ambiguous: both "outputs.answer" and "outputs.response" match; choose one with --map answer=outputs.answer or --map answer=outputs.response`, usage: true},
		{name: "x.jsonl", text: `{"text":"a"}`, opts: Options{From: "langfuse"}, want: "x.jsonl: --from langfuse: the records are not an export of Langfuse", usage: true},
		{name: "x.json", text: `{"train":[{"question":"q","answer":"a","contexts":["c"]}],"test":[{"question":"q","answer":"b","contexts":["c"]}]}`, want: "x.json: rows in both train and test: extract one of them with jq"},
		{name: "x.json", text: `[["q","a",["c"]]]`, want: `x.json: want an array of objects, got an array of arrays without column names`},
		{name: "x.jsonl.zst", text: "\x28\xb5\x2f\xfd\x00", want: "x.jsonl.zst: the zstd data is cut off: unexpected EOF"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			rows, got := read(t, tt.name, tt.text, tt.opts)
			if got != tt.want || len(rows) > 0 {
				t.Errorf("got  %s %v\nwant %s", got, rows, tt.want)
			}
			_, err := Open([]string{write(t, tt.name, tt.text)}, tt.opts)
			if u := (*UsageError)(nil); errors.As(err, &u) != tt.usage {
				t.Errorf("got error %v, want usage error = %t", err, tt.usage)
			}
		})
	}
}

func TestOpenChecksEveryPath(t *testing.T) {
	good := write(t, "good.jsonl", `{"answer":"a","contexts":["x"]}`)
	dir := t.TempDir()
	for _, tt := range []struct {
		paths []string
		opts  Options
		want  string
	}{
		{nil, Options{}, "no files to read"},
		{[]string{good, filepath.Join(dir, "none.jsonl")}, Options{}, filepath.Join(dir, "none.jsonl") + ": no such file or directory"},
		{[]string{good, dir}, Options{}, dir + ": is a directory; save a Hugging Face dataset as a file with to_parquet"},
		{[]string{"-"}, Options{}, "standard input: there is no standard input"},
		{[]string{"-"}, Options{Stdin: strings.NewReader("")}, "standard input: empty file"},
	} {
		_, err := Open(tt.paths, tt.opts)
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestRowsReplacesPythonFloats(t *testing.T) {
	lines := []struct{ line, err, kept string }{
		{`{"answer":"a, NaN","contexts":["x, Infinity \" NaN"],"score":NaN,"k":{"a":[-Infinity,Infinity,1]}}`, "", `{"a":[null,null,1]}`},
		{`{"answer":"a","contexts":["x"],"k":NaN}`, "", "null"},
		{`{"answer":"a","contexts":[{"text":"x","score":NaN}],"k":1}`, "", "1"},
		{`{"answer":NaN,"contexts":["x"],"k":1}`, "answer: want a string, got null", "1"},
		{`{"answer":"a","contexts":["x",-Infinity],"k":1}`, "contexts[1]: want a string, got null", "1"},
		{`{"answer":"a","contexts":NaN,"k":1}`, "contexts: want a list of strings, got null", "1"},
		{`{"answer":"a","question":NaN,"contexts":["x"],"k":1}`, "", "1"},
		{`{"answer":"a","contexts":["x"],"k":2}`, "", "2"},
	}
	var all []string
	for _, l := range lines {
		all = append(all, l.line)
	}
	for name, text := range map[string]string{
		"x.jsonl":   strings.Join(all, "\n"),
		"x.json":    "[" + strings.Join(all, ",\n") + "]",
		"in.json":   `{"data":[` + strings.Join(all, ",\n") + `],"mean":NaN}`,
		"late.json": "[" + all[7] + ",\n" + strings.Join(all[1:], "\n , ") + "]\n",
	} {
		rows, last := read(t, name, text, Options{Keep: []string{"k"}})
		if len(rows) != len(lines) || last != "" {
			t.Errorf("%s: got %d rows, last error %q, want %d rows", name, len(rows), last, len(lines))
			continue
		}
		for i, l := range lines {
			if name == "late.json" && i == 0 {
				l = lines[7]
			}
			want := ""
			if l.err != "" {
				want = name + ":" + strconv.Itoa(i+1) + ": " + l.err
				if name != "x.jsonl" {
					want = strings.Replace(want, ": ", ": element "+strconv.Itoa(i)+": ", 1)
				}
			}
			if r := rows[i]; r.Err != want || r.Row.Line != i+1 || len(r.Row.Kept) != 1 || string(r.Row.Kept[0].Value) != l.kept {
				t.Errorf("%s: got %+v\nwant error %q and kept value %s", name, r, want, l.kept)
			}
		}
	}
	rows, _ := read(t, "x.jsonl", all[7]+"\n"+`{"answer":"a","contexts":["x"],"k":NaNs}`, Options{})
	if rows[1].Err != "x.jsonl:2: invalid JSON: invalid character 'N' at start of value, at column 36" {
		t.Errorf("got row error %q, want an invalid character", rows[1].Err)
	}
}

func TestRowsContinuesAfterRowErrors(t *testing.T) {
	good := `{"id":"g","answer":"a","contexts":["x"]}`
	for _, tt := range []struct{ line, want string }{
		{`["a"]`, "want an object, got an array"},
		{`7`, "want an object, got a number"},
		{`"x"`, "want an object, got a string"},
		{`null`, "want an object, got null"},
		{`true`, "want an object, got a boolean"},
		{`{"contexts":["x"]}`, "no answer: looked for answer, response, output, actual_output; found contexts; choose one with --map answer=COLUMN"},
		{`{"answer":"x"}`, "no contexts: looked for contexts, retrieved_contexts, retrieval_context, context, documents; found answer; choose one with --map contexts=COLUMN"},
		{`{"answer":null,"contexts":["x"]}`, "answer: want a string, got null"},
		{`{"answer":1,"contexts":["x"]}`, "answer: want a string, got a number"},
		{`{"answer":"a","question":[],"contexts":["x"]}`, "question: want a string, got a list"},
		{`{"answer":"a","id":true,"contexts":["x"]}`, "id: want a string or a number, got a boolean"},
		{`{"answer":"a","contexts":null}`, "contexts: want a list of strings, got null"},
		{`{"answer":"a","contexts":{}}`, "contexts: want a string, got an object without text, content, page_content"},
		{`{"answer":"a","contexts":7}`, "contexts: want a list of strings, got a number"},
		{`{"answer":"a","contexts":" "}`, "contexts: no text to judge against"},
		{`{"answer":"a","contexts":["x",null]}`, "contexts[1]: want a string, got null"},
		{`{"answer":"a","contexts":["x",[{"text":7}]]}`, "contexts[1][0].text: want a string, got a number"},
		{`{"answer":"a","contexts":["\ud800"]}`, "invalid JSON: unpaired surrogate, at column 28"},
		{"{\"answer\":\"\xff\",\"contexts\":[\"x\"]}", "invalid JSON: invalid UTF-8, at column 12"},
		{`{"answer":"a","answer":"b"}`, `invalid JSON: duplicate name "answer", at column 15`},
		{`{"answer":"a","contexts":["x"]} x`, "invalid JSON: text after the object, at column 32"},
		{`{"answer":"a","response":"b","contexts":["x"]}`, `answer: ambiguous: both "answer" and "response" match; choose one with --map answer=answer or --map answer=response`},
		{`{"answer":"a`, "invalid JSON: unexpected end of input, at column 13"},
		{`{"answer" "a"}`, "invalid JSON: invalid character '\"' after object name (expecting ':'), at column 11"},
	} {
		rows, last := read(t, "x.jsonl", good+"\n\n"+tt.line+"\n"+good, Options{})
		if len(rows) != 3 || last != "" {
			t.Fatalf("%s: got rows %+v, last error %q, want 3 rows", tt.line, rows, last)
		}
		if want := "x.jsonl:3: " + tt.want; rows[1].Err != want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.line, rows[1].Err, want)
		}
		if rows[1].Row.Index != 1 || rows[1].Row.Line != 3 || rows[2].Row.Index != 2 || rows[2].Err != "" {
			t.Errorf("%s: got rows %+v, want only an error at index 1, line 3", tt.line, rows)
		}
	}
}

func TestRowWithErrorKeepsValidFields(t *testing.T) {
	rows, _ := read(t, "x.jsonl", `{"id":"n7","question":"q","answer":"a","contexts":7,"k":1}`, Options{KeepAll: true})
	want := Row{ID: "n7", Question: "q", Answer: "a", Kept: []Column{{"k", []byte("1")}}}
	if d := cmp.Diff(want, rows[0].Row, ignorePosition()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	rows, _ = read(t, "x.csv", "id,answer,contexts\nn7,a\n", Options{})
	if rows[0].Row.ID != "n7" || rows[0].Row.Answer != "a" || rows[0].Err != "x.csv:2: want 3 fields, got 2" {
		t.Errorf("got rows %+v, want ID n7, answer a and an error", rows)
	}
}

func TestRowsDetectsColumnNames(t *testing.T) {
	for _, f := range []Field{FieldID, FieldQuestion, FieldAnswer, FieldContexts} {
		for _, name := range slices.Concat(aliases(f)[0], aliases(f)[1]) {
			line := map[Field]string{FieldID: `"id":"i"`, FieldQuestion: `"question":"q"`, FieldAnswer: `"answer":"a"`, FieldContexts: `"contexts":"c"`}
			line[f] = strings.Replace(line[f], string(f), name, 1)
			rows, last := read(t, "x.jsonl", "{"+line[FieldID]+","+line[FieldQuestion]+","+line[FieldAnswer]+","+line[FieldContexts]+"}", Options{})
			want := []result{{Row: Row{ID: "i", Question: "q", Answer: "a", Contexts: []string{"c"}}}}
			if d := cmp.Diff(want, rows, ignorePosition()); d != "" || last != "" {
				t.Errorf("%s (-want +got):\n%s\nlast error: %q", name, d, last)
			}
		}
	}
	rows, last := read(t, "x.csv", "input,output,context,text,query\nq,a,c,gold,other\n", Options{Map: map[Field]string{FieldAnswer: "text", FieldQuestion: "output"}, KeepAll: true})
	want := []result{{Row: Row{ID: "0", Question: "a", Answer: "gold", Contexts: []string{"c"}, Kept: []Column{{"input", []byte(`"q"`)}, {"query", []byte(`"other"`)}}}}}
	if d := cmp.Diff(want, rows, ignorePosition()); d != "" || last != "" {
		t.Errorf("(-want +got):\n%s\nlast error: %q", d, last)
	}
}

func TestRowsComparesIDsOfValidRows(t *testing.T) {
	row := func(id string) string { return `{"id":` + id + `,"answer":"a","contexts":["x"]}` + "\n" }
	for _, tt := range []struct{ text, ids, want string }{
		{row("1.0") + row("2") + row("null") + row("4"), "1.0 2 2 4", `x.jsonl:3: no id; its index is the id of an earlier row: "2"`},
		{row("1") + row("2") + row("2"), "1 2 2", `x.jsonl:3: duplicate id "2"`},
		{row(`"a"`) + row("null") + row(`"c"`), "a 1 c", ""},
		{row("null") + row("null"), "0 1", ""},
		{strings.ReplaceAll(row("7")+row("8"), `"id"`, `"ID"`), "7 8", ""},
		{`{"Id":6,` + row("7")[1:] + `{"Id":6,` + row("null")[1:], "7 6", ""},
		{`{"n":1,"row":` + strings.TrimSpace(row("7")) + "}\n" + `{"id":9,"row":` + strings.TrimSpace(row("8")) + "}", "7 9", ""},
		{row("null") + row("null") + row("7") + row("1"), "0 1 7 1", `x.jsonl:4: duplicate id "1"`},
		{strings.Repeat(row("1.50"), 3) + row(`""`) + row("null"), "1.50 1.50 1.50 3 4", "x.jsonl:2: duplicate id \"1.50\"\n2 rows have the id of an earlier row"},
		{row(`"a"`) + `{"id":"a","answer":"b","cont` + "\n" + `{"id":"b","answer":1,"contexts":["x"]}` + "\n" + row(`"b"`), "a a b b", ""},
	} {
		var warned, ids []string
		rows, _ := read(t, "x.jsonl", tt.text, Options{Warn: func(err error) { warned = append(warned, filepath.Base(err.Error())) }})
		for _, r := range rows {
			ids = append(ids, r.Row.ID)
		}
		if got := strings.Join(warned, "\n"); got != tt.want || strings.Join(ids, " ") != tt.ids {
			t.Errorf("%s: got ids %q, warnings %q, want ids %q, warning %q", tt.text, ids, got, tt.ids, tt.want)
		}
	}
}

func TestRowIndexCountsAllFiles(t *testing.T) {
	line := `{"answer":"a","contexts":["x"]}` + "\n"
	a := write(t, "a.jsonl", line+"bad\n")
	b := write(t, "b.csv", "answer,contexts\n1,x\n2,y\n")
	c := write(t, "c.json", "["+line+"]")
	s, err := Open([]string{a, b, c, "testdata/pandas.parquet"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, last := readAll(t, s)
	if last != nil || len(rows) != 9 {
		t.Fatalf("got %d rows, last error %v", len(rows), last)
	}
	var before int64
	for i, r := range rows {
		if r.Row.Index != i || r.Row.Offset < before {
			t.Errorf("row %d: got %+v, want index %d and an offset of at least %d", i, r.Row, i, before)
		}
		before = r.Row.Offset
	}
	if before != s.Size() || rows[3].Row.ID != "3" || rows[8].Row.Line != 4 {
		t.Errorf("got last offset %d of %d, rows %+v and %+v", before, s.Size(), rows[3].Row, rows[8].Row)
	}
	for _, err := range s.Rows() {
		if err == nil {
			t.Error("second iteration: got a row, want an error")
		}
	}
}

func TestRowsClosesFilesOnEarlyStop(t *testing.T) {
	s, err := Open([]string{"testdata/pandas.parquet", "testdata/rows.jsonl", "testdata/members.jsonl.gz"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Rows() {
		if err != nil {
			t.Error(err)
		}
		break
	}
	for _, f := range s.files {
		if f.reader != nil || f.closer != nil {
			t.Errorf("%s: got an open file, want it closed", f.path)
		}
	}
	s.Close()
}

func TestRowsKeepsColumns(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		opts             Options
		want             []string // NAME=JSON of each kept column, by row
		warning          string   // end of the only warning
	}{
		{
			"missing ones as null", "x.jsonl", `{"answer":"a","contexts":["x"],"b":1}` + "\n" + `{"answer":"a","contexts":["x"],"a":"\u0041","answer2":1}`,
			Options{Keep: []string{"a", "b", "answer"}},
			[]string{`answer="a" b=1 a=null`, `answer="a" a="\u0041" b=null`},
			`column "a" is missing in the first row; rows without it get null; the columns are answer, contexts, b`,
		},
		{
			"first of duplicate ones", "x.csv", "answer,contexts,index,k,k,\na,x,1,2,3,\n",
			Options{KeepAll: true},
			[]string{"index=1 k=2"},
			`column 5 is not kept: another column is also named "k"`,
		},
		{
			"misspelled", "x.jsonl", `{"answer":"a","contexts":["x"],"topic":1}`,
			Options{Keep: []string{"topics"}},
			[]string{"topics=null"},
			`; the columns are answer, contexts, topic`,
		},
		{
			"rest of nested ones", "x.jsonl", `{"id":"1","in":{"question":"q"},"out":{"answer":"a","documents":["c d"],"model":{"name":"m"}},"n":1}` + "\n",
			Options{KeepAll: true},
			[]string{`out={"model":{"name":"m"}} n=1`},
			"",
		},
		{
			"Python numbers that are none in JSON as text", "x.jsonl", `{"answer":"a","contexts":["x"],"k":"[2024-01-01, .5, 7]"}`,
			Options{Keep: []string{"k[0]", "k[1]", "k[2]"}},
			[]string{`k[0]="2024-01-01" k[1]=".5" k[2]=7`},
			"",
		},
		{
			"at a path beside an answer that contains JSON", "x.jsonl", `{"answer":"{\"answer\":\"b\"}","contexts":["x"],"m":{"k":"v","v1.2":{"a.b":1}}}` + "\n" + `{"answer":"c","contexts":["x"]}`,
			Options{Keep: []string{"m.k", "answer", `m["v1.2"]`}},
			[]string{`answer="{\"answer\":\"b\"}" m.k="v" m["v1.2"]={"a.b":1}`, `answer="c" m.k=null m["v1.2"]=null`},
			"",
		},
		{
			"at a path in a cell", "x.csv", "answer,contexts,m,n\n\"{'answer':'b'}\",x,\"{\"\"k\"\":{\"\"a.b\"\":1}}\",2\nc,,,\n",
			Options{Keep: []string{"m.k", "answer"}},
			[]string{`answer="{'answer':'b'}" m.k={"a.b":1}`, `answer="c" m.k=nullx.csv:3: contexts: no text to judge against`},
			"",
		},
		{
			"as they are in nested records", "x.jsonl", `{"out":{"answer":"a","contexts":["x"],"a.b":1},"tags":[{"key":"e","value":"a"},{"key":"e","value":"b"}],"c":{"x.y":1},"d":{"z":1},"d.e":2}`,
			Options{KeepAll: true, Keep: []string{"out.a.b", "tags.e"}},
			[]string{`out.a.b=1 tags.e="a" out={"a.b":1} tags=[{"key":"e","value":"a"},{"key":"e","value":"b"}] c={"x.y":1} d={"z":1,"e":2}`},
			"",
		},
	} {
		var warned []string
		tt.opts.Warn = func(err error) { warned = append(warned, err.Error()) }
		rows, last := read(t, tt.file, tt.text, tt.opts)
		var got []string
		for _, r := range rows {
			got = append(got, keptText(r.Row)+r.Err)
		}
		if d := cmp.Diff(tt.want, got); d != "" || last != "" {
			t.Errorf("%s: last error %q (-want +got):\n%s", tt.name, last, d)
		}
		if all := strings.Join(warned, "\n"); !strings.HasSuffix(all, tt.warning) || (all == "") != (tt.warning == "") || len(warned) > 1 {
			t.Errorf("%s: got warnings %q, want one that ends with %q", tt.name, warned, tt.warning)
		}
	}
}

// keptText returns NAME=JSON of each kept column.
func keptText(row Row) string {
	var columns []string
	for _, c := range row.Kept {
		columns = append(columns, c.Name+"="+string(c.Value))
	}
	return strings.Join(columns, " ")
}

func TestMissingAnswers(t *testing.T) {
	t.Parallel()
	for answer, missing := range map[string]bool{
		"nan": true, "NaN": true, "<NA>": true, "[object Object]": true, "#N/A": true, " #REF! ": true, `\N`: true, "#ERROR!": true, "#NUM!": true, "#NULL!": true,
		"<a.B object at 0x7f3c>": true, "<coroutine object A.run at 0x7f3c>": true, "[<a.B object at 0x7f>]": true, "<a.B object at 0x7f> is printed.": false,
		"": false, "None": false, "null": false, "undefined": false, "NA": false, "N/A": false, "nil": false, "NaT": false, "None.": false, "Nan": false, "undefined behavior": false, "[object Object] is printed.": false,
	} {
		for file, text := range map[string]string{
			"x.csv":   "answer,contexts\n" + answer + ",x\n",
			"x.jsonl": fmt.Sprintf(`{"answer":%q,"contexts":"x"}`, answer),
			"y.jsonl": fmt.Sprintf(`{"outputs":{"answer":%q,"contexts":["x y"]}}`, answer),
		} {
			rows, last := read(t, file, text, Options{})
			want := fmt.Sprintf(":1: answer: want text, got %q, which stands for a missing value", strings.TrimSpace(answer))
			if file == "x.csv" {
				want = strings.Replace(want, ":1:", ":2:", 1)
			}
			if len(rows) != 1 || last != "" || missing != strings.HasSuffix(rows[0].Err, want) || !missing && rows[0].Err != "" {
				t.Errorf("%s with %q: got rows %+v, last error %q, want it missing = %t", file, answer, rows, last, missing)
			}
		}
	}
}
