package dataset

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkRowInvariants checks the documented properties of rows.
func checkRowInvariants(t *testing.T, s *Set, err error) {
	t.Helper()
	if err != nil {
		if s != nil {
			t.Errorf("got a set and error %v, want only one of them", err)
		}
		return
	}
	index := 0
	for row, err := range s.Rows() {
		var r *RowError
		if err != nil && !errors.As(err, &r) {
			continue
		}
		if row.Index != index {
			t.Errorf("got index %d, want %d", row.Index, index)
		}
		index++
		for _, text := range append([]string{row.ID, row.Question, row.Answer}, row.Contexts...) {
			if !utf8.ValidString(text) {
				t.Errorf("got text %q, want valid UTF-8", text)
			}
		}
		for _, c := range row.Kept {
			if _, jsonErr := readJSONText(c.Value); jsonErr != nil {
				t.Errorf("got kept value %q, want valid JSON: %v", c.Value, jsonErr)
			}
		}
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("got error %q, want valid UTF-8", err)
			}
			continue
		}
		if row.ID == "" || row.Line == 0 {
			t.Errorf("got row %+v, want an ID and a line", row)
		}
	}
}

// readBytes writes data to a file and reads its rows.
func readBytes(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open([]string{path}, Options{KeepAll: true, MaxRowBytes: 1 << 20})
	checkRowInvariants(t, s, err)
}

// addFiles adds the content of the files that match a pattern to the corpus, and seeds.
func addFiles(f *testing.F, pattern string, seeds ...string) {
	f.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
}

// fuzzText reads files of a format, or of any format if it is empty.
func fuzzText(f *testing.F, format Format, pattern string, seeds ...string) {
	addFiles(f, pattern, seeds...)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Open([]string{"-"}, Options{Stdin: bytes.NewReader(data), Format: format, KeepAll: true, MaxRowBytes: 1 << 16})
		checkRowInvariants(t, s, err)
	})
}

func FuzzJSONL(f *testing.F) {
	fuzzText(f, JSONL, "testdata/*.jsonl", `{"answer":"a","contexts":["x"],"k":{"a":[1,"\ud83c\udfd4"]}}`, `{"id":1,"answer":"a","contexts":"['x', None]"}`, "\xff\xfe{\x00}\x00", "\xef\xbb\xbf{}",
		`{"id":1.50,"_":[],"status":[[[]],{"a":{"a":[{"a":1}]},"b":-0.5e+7}],"answer":"a","contexts":["x"]}`,
		`{"m":{"a":"\ud800\udc00`+"\xff"+`"},"answer":"a","contexts":["x"]}`, `{"m":NaN,"answer":"a","contexts":["x"]}`)
}

func FuzzJSON(f *testing.F) {
	fuzzText(f, JSON, "testdata/*.json", `[{"answer":"a","contexts":[{"text":"x"}]}, 7]`, `{"data":[{"answer":"a","contexts":["x"]}],"more":1}`,
		"{\n\"answer\":\"a\",\"contexts\":[\"x\"]}\n{\"score\":NaN,\"answer\":\"b\\u0041\",\"contexts\":[\"x\"]}",
		`{"score":-Infinity,"data":[{"answer":"a","contexts":["x"]}]}`, "[{\"answer\":\"a\x00\",\"contexts\":[\"x\"]},\n{}]\n[7] []", `"[{}]"`, `[{"a":1,}]`)
}

func FuzzCSV(f *testing.F) {
	fuzzText(f, CSV, "testdata/*.csv", "answer,contexts,k\n\"a\"\"\r\nb\",\"['x']\",1\n", "answer,contexts\n\"a", "answer,contexts\na\n",
		"sep=;\nanswer;contexts;\n\"a, b\";x|y;\n;;\nanswer;contexts;\n", "answer, contexts\na, \"x, y\" \n", "answer|contexts\r\"a \\\"b\\\" c\"|x\r",
		"answer\tcontexts\n\"a\" b\tx\"\n", "a\x00n\x00s\x00w\x00e\x00r\x00,\x00", "answer,contexts\ncaf\xe9,x\n\xfc,\x00\n\xe4,\xce\xd2\n")
}

// FuzzContent detects the format of any content.
func FuzzContent(f *testing.F) {
	fuzzText(f, "", "testdata/*.[jcg]*", "PK\x03\x04xl/", "| a |\n|---|\n", "{}{}\n", "\xff\xfe\x00\x00", "a;b\n1;2\n", "<html>", "\x80\x04\x95")
}

func FuzzPython(f *testing.F) {
	for _, seed := range []string{`['a', "b"]`, `{'text': ['a', None]}`, `['a' 'b']`, `[Document(page_content='\x41\u00e9\101')]`, `[array(['a'], dtype=object)]`, `('a', b'\xc3\xa9', r'\n')`, `{'a', 1.5e3, True}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := readPython(s)
		if err != nil || !utf8.ValidString(s) {
			return
		}
		if text := appendJSON(nil, v); !utf8.Valid(text) {
			t.Fatalf("%q: got invalid UTF-8 %q", s, text)
		}
		_, _, _ = contexts(v)
	})
}

func FuzzContexts(f *testing.F) {
	for _, seed := range []string{`["a"]`, `[{"text":"a"},"b"]`, `{"sentences":[["a"]]}`, `['a', 'b']`, "[1] text", `("a") b`, "[[x]]", `["a", 'b']`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		if !utf8.ValidString(cell) {
			return
		}
		got, _, err := textContexts(cell)
		if err == nil && (len(got) == 0 || isBlank(strings.Join(got, ""))) {
			t.Errorf("%q: got contexts %q", cell, got)
		}
		for _, text := range got {
			if !utf8.ValidString(text) {
				t.Errorf("%q: got invalid UTF-8 %q", cell, text)
			}
		}
	})
}

func FuzzParquet(f *testing.F) {
	addFiles(f, "testdata/*.parquet", string(encode(f, Parquet, []record{{"i", "q", "a", []string{"x", "y"}}})))
	path := filepath.Join(f.TempDir(), "x.parquet")
	f.Fuzz(func(t *testing.T, data []byte) { readBytes(t, path, data) })
}

func FuzzExports(f *testing.F) {
	for _, fixture := range exportFixtures() {
		f.Add(fixture.file, []byte(fixture.text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if formatOf(name) != CSV && formatOf(name) != JSON {
			name = "x.jsonl"
		}
		readBytes(t, filepath.Join(dir, "x"+filepath.Ext(name)), data)
	})
}
