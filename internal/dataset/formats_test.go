package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// A record is a row in the encoding used by the tests.
type record struct {
	ID       string   `json:"id" parquet:"id"`
	Question string   `json:"question" parquet:"question,optional"`
	Answer   string   `json:"answer" parquet:"answer,dict"`
	Contexts []string `json:"contexts" parquet:"contexts,list"`
}

// encode encodes records in the given format.
func encode(t testing.TB, f Format, rows []record) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	switch f {
	case JSONL:
		for _, r := range rows {
			_ = enc.Encode(r)
		}
	case JSON:
		enc.SetIndent("", "  ")
		_ = enc.Encode(rows)
	case CSV, TSV:
		w := csv.NewWriter(&b)
		if f == TSV {
			w.Comma = '\t'
		}
		_ = w.Write([]string{"id", "question", "answer", "contexts"})
		for _, r := range rows {
			list, _ := json.Marshal(r.Contexts)
			_ = w.Write([]string{r.ID, r.Question, r.Answer, string(list)})
		}
		w.Flush()
	case Parquet:
		if err := parquet.Write(&b, rows, parquet.MaxRowsPerRowGroup(7), parquet.PageBufferSize(100), parquet.Compression(&parquet.Zstd)); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func randomText(r *rand.Rand) string {
	pieces := []string{"a", "Ö", "日", "🏔", "\"", "'", ",", "\t", "\n", "\r\n", "\\", " ", "[", "]", "{", "é", "word", "\u2028", "'}", "null.", "1"}
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func TestRowsOfAllFormatsAndCompressions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		var rows []record
		var want []Row
		for i := range 1 + r.IntN(30) {
			rec := record{ID: "i" + strconv.Itoa(i), Question: randomText(r), Answer: randomText(r)}
			for range 1 + r.IntN(4) {
				rec.Contexts = append(rec.Contexts, "x"+randomText(r))
			}
			rows = append(rows, rec)
			want = append(want, Row{Index: i, ID: rec.ID, Question: rec.Question, Answer: rec.Answer, Contexts: rec.Contexts})
		}
		for _, name := range Formats() {
			text := encode(t, Format(name), rows)
			for ext, data := range map[string][]byte{"": text, ".gz": compress(t, "gzip", bytes.NewReader(text)), ".zst": compress(t, "zstd", bytes.NewReader(text))} {
				checkRows(t, write(t, "x."+name+ext, string(data)), nil, want)
				checkRows(t, "-", data, want)
			}
		}
	}
}

// checkRows checks the rows of a file or of standard input.
func checkRows(t *testing.T, path string, stdin []byte, want []Row) {
	t.Helper()
	s, err := Open([]string{path}, Options{Stdin: bytes.NewReader(stdin)})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readAll(t, s)
	var got []Row
	for _, r := range rows {
		got = append(got, r.Row)
	}
	if d := cmp.Diff(want, got, ignorePosition()); d != "" || err != nil || strings.TrimSpace(errorsOf(rows)) != "" {
		t.Fatalf("%s: row errors %q, last error %v (-want +got):\n%s", path, errorsOf(rows), err, d)
	}
	if size := s.Size(); (size < 0) != (path == "-") || size >= 0 && got[len(got)-1].Offset > size {
		t.Errorf("%s: got last offset %d of size %d", path, got[len(got)-1].Offset, size)
	}
}

func TestRowsOfTruncatedFiles(t *testing.T) {
	line := `{"answer":"a","contexts":["x"]}` + "\n"
	var text strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text.WriteString(strings.Replace(line, `"x"`, strconv.Quote(strconv.Itoa(int(r.Uint64()>>1))), 1))
	}
	for _, name := range []string{"gzip", "zstd"} {
		data := compress(t, name, strings.NewReader(text.String()))
		rows, last := read(t, "x.jsonl", string(data[:len(data)*2/3]), Options{})
		want := "x.jsonl: after row " + strconv.Itoa(len(rows)) + ": the " + name + " data is cut off: unexpected EOF"
		if len(rows) < 1000 || last != want {
			t.Errorf("%s: got %d rows, last error %q, want at least 1000 rows and %q", name, len(rows), last, want)
		}
	}
	whole := string(encode(t, Parquet, []record{{Answer: "a", Contexts: []string{"x"}}}))
	for _, tt := range []struct{ name, text, want string }{
		{"x.parquet", whole[:len(whole)-20], "not a Parquet file: it does not end with PAR1: is it cut off?"},
		{"x.json", "[" + line + "," + line + "\n{\"answer\"", "after row 2: line 4: element 2: invalid JSON: invalid character '{' after array element (expecting ',' or ']'), at column 1"},
		{"x.json", "[" + line + ",", "after row 1: line 2: element 1: invalid JSON: unexpected end of input, at column 2"},
	} {
		if last := lastError(read(t, tt.name, tt.text, Options{})); last != tt.name+": "+tt.want {
			t.Errorf("got last error %q, want %q", last, tt.want)
		}
	}
}

func TestJSONReportsLinesOfRowErrors(t *testing.T) {
	rows, last := read(t, "x.json", "[\n{\"answer\":\"a\",\n\"contexts\":[\"x\"]},\n\n7, {\"answer\":\"a\",\"answer\":\"b\"},\n [1], \n{\"answer\":\"\xff\",\"contexts\":[]}]\n", Options{})
	want := "\nx.json:5: element 1: want an object, got a number\nx.json:5: element 2: invalid JSON: duplicate name \"answer\", at column 15\n" +
		"x.json:6: element 3: want an object, got an array\nx.json:7: element 4: invalid JSON: invalid UTF-8, at column 12"
	if got := errorsOf(rows); got != want || last != "" {
		t.Errorf("got row errors %q, last error %q", got, last)
	}
	if rows[0].Row.Line != 2 {
		t.Errorf("got line %d, want 2", rows[0].Row.Line)
	}
}

func TestJSONReadsRowsInObject(t *testing.T) {
	const row = `{"answer":"a","contexts":["x"]}`
	texts := []string{
		`{"train":[{"loss":1}],"data":[` + row + `],"results":[{"mean":1}],"items":[],"runs":[1]}`,
		`{"data":[` + row + `],"config":{"examples":[` + row + `]},"eval":{"rows":[` + row + `]}}`,
		`{"eval_results":{"rows":[` + row + `]},"n":1}`,
		`{"answer":"a","contexts":["x"],"examples":[{"answer":"b","contexts":["y"]}]}`,
	}
	for _, name := range []string{"data", "rows", "examples", "samples"} {
		texts = append(texts, `{"version":[1], "`+name+`": [`+row+`], "more": {}}`)
	}
	for _, text := range texts {
		if d := cmp.Diff([]string{"|a|x"}, rowTexts(read(t, "x.json", text, Options{}))); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
	for text, want := range map[string]string{
		`{"data":[` + row + `],"rows":[` + row + `]}`:                                                     "x.json: after row 1: rows in both data and rows: extract one of them with jq",
		`{"data":[` + row + `],"more":[{"answer":null},{"llm_answer":"a","retrieved_docs":["x and y"]}]}`: "x.json: after row 1: rows in both data and more: extract one of them with jq",
		`{"train":[` + row + `],"data":[` + row + `]}`:                                                    "x.json: rows in both train and data: extract one of them with jq",
		`{"data":[` + row + `],"more":{"test":[` + row + `]}}`:                                            "x.json: after row 1: rows in both data and more.test: extract one of them with jq",
		`{"data":[` + row + `],"test":{"answer":["a"],"contexts":[["x"]]}}`:                               "x.json: after row 1: rows in both data and test: extract one of them with jq",
		`{"train":[` + row + `],"more":{"test":[` + row + `]}}`:                                           "x.json: rows in both train and more.test: extract one of them with jq",
		`{"examples":[` + row + `],"answer":"a","contexts":["x"]}`:                                        `x.json: after row 1: an answer and contexts beside the rows in "examples": extract one of them with jq`,
		`{"data":[` + row + `],"data":[` + row + `]}`:                                                     `x.json: after row 1: line 1: two members are named "data"`,
		`{"data":[` + row + `],"n":1,"n":1}`:                                                              `x.json: after row 1: line 1: two members are named "n"`,
		`{"data":[{"answer":"a","contexts":["x"]}]`:                                                       "x.json: after row 1: line 1: invalid JSON: unexpected end of input, at column 42",
		`[{"answer":"a","contexts":["x"]}] {}`:                                                            "x.json: after row 1: line 1: text after the end of the array",
		`[{"answer":"a","contexts":["x"]}] [7`:                                                            "x.json: after row 2: line 1: element 2: invalid JSON: unexpected end of input, at column 37",
		`[{"answer":"a","contexts":["x"]}] x`:                                                             "x.json: after row 1: line 1: invalid JSON: invalid character 'x' at start of value, at column 35",
		`{"a":1,`:                                                                                         "x.json: line 1: invalid JSON: unexpected end of input, at column 8",
		`{"a":x}`:                                                                                         "x.json: line 1: invalid JSON: invalid character 'x' at start of value, at column 6",
		`{"data":[{"answer":"a","contexts":["x"]}] x`:                                                     "x.json: after row 1: line 1: invalid JSON: invalid character 'x' after object value (expecting ',' or '}'), at column 43",
	} {
		if _, last := read(t, "x.json", text, Options{}); last != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, last, want)
		}
	}
}

func TestJSONRowsByIDHaveTheirNamesAsIDs(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"rows by id", `{"q7":{"answer":"a","contexts":["x y"]},"q3":{"answer":"b","contexts":["x y"]}}`, "q7 q3"},
		{"rows with ids", `{"q7":{"id":"A","answer":"a","contexts":["x y"]},"q3":{"answer":"b","contexts":["x y"]}}`, "A q3"},
		{"rows by id in a member", `{"rows":{"q7":{"answer":"a","contexts":["x y"]},"q3":{"answer":"b","contexts":["x y"]}}}`, "q7 q3"},
		{"columns by id", `{"answer":{"q7":"a","q3":"b"},"contexts":{"q7":["x y"],"q3":["x y"]}}`, "q7 q3"},
		{"columns as lists", `{"answer":["a","b"],"contexts":[["x y"],["x y"]]}`, "0 1"},
		{"array", `{"rows":[{"answer":"a","contexts":["x y"]},{"answer":"b","contexts":["x y"]}]}`, "0 1"},
		{"one row", `{"q7":{"answer":"a","contexts":["x y"]}}`, "q7"},
	} {
		rows, last := read(t, "x.json", tt.text, Options{})
		var ids []string
		for _, r := range rows {
			ids = append(ids, r.Row.ID)
		}
		if got := strings.Join(ids, " "); got != tt.want || last != "" || strings.Trim(errorsOf(rows), "\n") != "" {
			t.Errorf("%s: got ids %q, row errors %q, last error %q, want ids %q", tt.name, got, errorsOf(rows), last, tt.want)
		}
	}
}

func TestRowsReads50MiBRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	long := strings.Repeat("0123456789abcde\n", 50<<16)
	line, _ := json.Marshal(record{ID: "l", Answer: "a", Contexts: []string{long}})
	small := `{"answer":"a","contexts":["x"]}`
	for name, text := range map[string]string{
		"x.jsonl": small + "\n" + string(line) + "\n" + small,
		"x.json":  "[" + small + "," + string(line) + "," + small + "]",
		"x.csv":   "answer,contexts\na,x\na,\"" + long + "\"\na,x",
	} {
		rows, last := read(t, name, text, Options{})
		if len(rows) != 3 || last != "" || rows[1].Err != "" || rows[1].Row.Contexts[0] != long || rows[2].Row.Contexts[0] != "x" {
			t.Errorf("%s: got %d rows, last error %q", name, len(rows), last)
		}
	}
}

func TestCloseRemovesTemporaryFiles(t *testing.T) {
	data := encode(t, Parquet, []record{{Answer: "a", Contexts: []string{"x"}}})
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, stdin := range [][]byte{data, data[:len(data)-3], compress(t, "gzip", bytes.NewReader(data)), []byte("PAR1")} {
		s, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(stdin)})
		if err == nil {
			s.Close()
		}
		if files, _ := os.ReadDir(dir); len(files) > 0 {
			t.Errorf("got files %v, want none", files)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	_, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(data)})
	if err == nil || !strings.Contains(err.Error(), "temporary file") {
		t.Errorf("got error %v, want one about a temporary file", err)
	}
}

// A failingReader returns an error instead of io.EOF.
type failingReader struct{ r io.Reader }

func (f failingReader) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil {
		err = errors.New("connection lost")
	}
	return n, err
}

func TestRowsReturnsReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"answer":"a","contexts":["x"]}` + "\n{": "standard input: after row 1: connection lost",
		"answer,contexts\na,x\nb,y":               "standard input: after row 1: connection lost",
		`[{"answer":"a","contexts":["x"]},`:       "standard input: after row 1: connection lost",
		"":                                        "standard input: connection lost",
	} {
		s, err := Open([]string{"-"}, Options{Stdin: failingReader{strings.NewReader(text)}})
		if err == nil {
			_, err = readAll(t, s)
		}
		if errorText(err) != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// The column of the answer and of the contexts is the same in all rows: another one may have
// the expected answer, or the contexts of another retriever.
func TestNoOtherColumnIsReadInPlaceOfNull(t *testing.T) {
	const refused = `!contexts: want a value in column "contexts" as in earlier rows; "documents" is not read in its place`
	want := []string{"|a|x", refused, refused, "|a|x"}
	checkFixtures(t, []toolFixture{
		{"jsonl", "x.jsonl", `{"answer":"a","contexts":["x"],"documents":["y"]}
{"answer":"a","contexts":null,"documents":["y"]}
{"answer":"a","documents":["y"]}
{"answer":"a","contexts":["x"]}`, "", want},
		{"csv", "x.csv", "answer,contexts,documents\na,x,\na,,y\na,,y\na,x,\n", "", want},
	})
}

func TestReadsYAML(t *testing.T) {
	t.Parallel()
	const row = "q|a|It opened in 1937."
	for name, text := range map[string]string{
		"rows":      "- {question: q, answer: a, contexts: [It opened in 1937.]}\n- question: q\n  answer: a\n  contexts:\n    - >-\n      It opened\n      in 1937.\n",
		"documents": "question: q\nanswer: a\ncontexts: [&c It opened in 1937.]\n---\nquestion: q\nanswer: a\ncontexts: ['It opened in 1937.']\n",
		"alias":     "- question: q\n  answer: a\n  contexts: &x [It opened in 1937.]\n- question: q\n  answer: a\n  contexts: *x\n",
		"results":   "evalId: e\nresults:\n  rows:\n  - question: q\n    answer: a\n    contexts: [It opened in 1937.]\n  - question: q\n    answer: a\n    contexts: [It opened in 1937.]\n",
	} {
		if d := cmp.Diff([]string{row, row}, rowTexts(read(t, "x.yaml", text, Options{}))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for text, want := range map[string]string{
		"- question: q\n  answer: 'a\n":                            "line 3: invalid YAML: ",
		"- question: q\n  answer: &a [*a]\n  contexts: [x]\n":      "line 2: YAML is nested too deeply",
		"- ? [a]\n  : b\n":                                         "line 1: want a name as the key of a YAML mapping",
		"- answer: a\n  <<: {question: q}\n":                       "line 2: merge keys (<<) are not read",
		"x: &a0 [y, y, y, y, y, y, y, y, y]\n" + nestedAliases(12): "line 1: the aliases of the YAML file repeat more than 1 MiB",
	} {
		if _, err := yamlToJSON(strings.NewReader(text), 1<<20); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got error %v, want %s...", err, want)
		}
	}
	rows, _ := read(t, "x.yaml", "- answer: a\n  contexts: [x]\n- answer: [b]\n  contexts: [x]\n", Options{})
	if want := "x.yaml:3: element 1: answer: "; len(rows) != 2 || !strings.HasPrefix(rows[1].Err, want) {
		t.Errorf("got rows %+v, want error %s... for the second one", rows, want)
	}
}

// nestedAliases returns n YAML lists that each contain the previous one nine times.
func nestedAliases(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d: &a%d [%s]\n", i, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	return b.String()
}
