package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A foreignFormat is a file format that is not read.
type foreignFormat struct {
	name    string   // with its article
	magics  []string // the content starts with one of them
	binary  bool     // the content also has control characters
	exts    []string // file name extensions, sufficient on their own only for text
	convert string   // how to convert FILE, or ""
}

// Commands that convert FILE.
const (
	toJSONL   = `python -c "import pandas; pandas.%s('FILE').to_json('rows.jsonl', orient='records', lines=True)"`
	toParquet = `python -c "import pandas; pandas.%s('FILE').to_parquet('rows.parquet')"`
)

func foreignFormats() []foreignFormat {
	return []foreignFormat{
		{name: "a pickle, which may run code when it is loaded", magics: []string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"}, binary: true, exts: []string{".pkl", ".pickle"}, convert: fmt.Sprintf(toJSONL, "read_pickle")},
		{name: "an Arrow file", magics: []string{"ARROW1", "FEA1"}, binary: true, convert: fmt.Sprintf(toParquet, "read_feather")},
		{name: "an Arrow stream", magics: []string{"\xff\xff\xff\xff"}, binary: true, convert: `python -c "import datasets; datasets.Dataset.from_file('FILE').to_parquet('rows.parquet')"`},
		{name: "a SQLite database", magics: []string{"SQLite format 3\x00"}, convert: `sqlite3 -json FILE "SELECT * FROM TABLE_NAME" >rows.json`},
		{name: "a PDF document", magics: []string{"%PDF-"}},
		{name: "a Git LFS pointer instead of the file", magics: []string{"version https://git-lfs.github.com/"}, convert: "git lfs pull"},
		{name: "an HTML page", magics: []string{"<!doctype html", "<html"}, exts: []string{".html", ".htm"}},
		{name: "an XML file", magics: []string{"<?xml"}, exts: []string{".xml"}, convert: fmt.Sprintf(toJSONL, "read_xml")},
	}
}

// checkForeign returns an error if a file that starts with head has a format
// that is not read.
func checkForeign(path string, head []byte) error {
	start := bytes.ToLower(trimSpace(head[:min(len(head), textSample)]))
	binary := bytes.ContainsFunc(head[:min(len(head), textSample)], isBinary)
	ext := strings.ToLower(filepath.Ext(path))
	for _, f := range foreignFormats() {
		for _, magic := range f.magics {
			if bytes.HasPrefix(head, []byte(magic)) && (binary || !f.binary) || magic[0] == '<' && bytes.HasPrefix(start, []byte(magic)) {
				return f.err()
			}
		}
		for _, e := range f.exts {
			if ext == e && !startsWith(head, "{") && !startsWith(head, "[") {
				return f.err()
			}
		}
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		switch {
		case ext == ".eval":
			return foreignFormat{name: "a log of Inspect", convert: "inspect log convert FILE --to json --output-dir DIR"}.err()
		case bytes.Contains(head, []byte("xl/")):
			return foreignFormat{name: "an Excel workbook", convert: `duckdb -c "COPY (FROM read_xlsx('FILE')) TO 'rows.csv'"`}.err()
		}
		return foreignFormat{name: "a ZIP archive", convert: "unzip -p FILE | ragfaith score -"}.err()
	}
	if isMarkdownTable(head) {
		return foreignFormat{name: "a Markdown table"}.err()
	}
	return nil
}

func (f foreignFormat) err() error {
	if f.convert == "" {
		return errors.New(f.name + ": want rows as " + strings.Join(Formats(), ", "))
	}
	return fmt.Errorf("%s: convert it with: %s", f.name, f.convert)
}
