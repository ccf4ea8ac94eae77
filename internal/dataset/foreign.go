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
	toCSV     = "soffice --headless --convert-to csv FILE"
)

func foreignFormats() []foreignFormat {
	return []foreignFormat{
		{name: "a pickle, which may run code when it is loaded", magics: []string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"}, binary: true, exts: []string{".pkl", ".pickle"}, convert: fmt.Sprintf(toJSONL, "read_pickle")},
		{name: "a NumPy array", magics: []string{"\x93NUMPY"}, convert: `python -c "import json, numpy; json.dump(numpy.load('FILE').tolist(), open('rows.json', 'w'))"`},
		{name: "an Arrow file", magics: []string{"ARROW1", "FEA1"}, binary: true, convert: fmt.Sprintf(toParquet, "read_feather")},
		{name: "an Arrow stream", magics: []string{"\xff\xff\xff\xff"}, binary: true, convert: `python -c "import datasets; datasets.Dataset.from_file('FILE').to_parquet('rows.parquet')"`},
		{name: "an Avro file", magics: []string{"Obj\x01"}, convert: `duckdb -c "INSTALL avro; LOAD avro; COPY (FROM read_avro('FILE')) TO 'rows.parquet'"`},
		{name: "an ORC file", magics: []string{"ORC"}, binary: true, convert: fmt.Sprintf(toParquet, "read_orc")},
		{name: "an HDF5 file", magics: []string{"\x89HDF"}, convert: fmt.Sprintf(toParquet, "read_hdf")},
		{name: "a SQLite database", magics: []string{"SQLite format 3\x00"}, convert: `sqlite3 -json FILE "SELECT * FROM TABLE_NAME" >rows.json`},
		{name: "an old Excel workbook or Word document", magics: []string{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}, convert: toCSV},
		{name: "a PDF document", magics: []string{"%PDF-"}},
		{name: "a PNG image", magics: []string{"\x89PNG"}},
		{name: "a JPEG image", magics: []string{"\xff\xd8\xff"}},
		{name: "a 7-Zip archive", magics: []string{"7z\xbc\xaf\x27\x1c"}, convert: "7z x FILE"},
		{name: "a RAR archive", magics: []string{"Rar!\x1a\x07"}, convert: "unrar x FILE"},
		{name: "an LZ4 file", magics: []string{"\x04\x22\x4d\x18"}, convert: "lz4 -dc FILE | ragfaith score -"},
		{name: "a Git LFS pointer instead of the file", magics: []string{"version https://git-lfs.github.com/"}, convert: "git lfs pull"},
		{name: "an HTML page", magics: []string{"<!doctype html", "<html"}, exts: []string{".html", ".htm"}},
		{name: "an XML file", magics: []string{"<?xml"}, exts: []string{".xml"}, convert: fmt.Sprintf(toJSONL, "read_xml")},
		{name: "a Brotli file", exts: []string{".br"}, convert: "brotli -dc FILE | ragfaith score -"},
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
		return zipFormat(head).err()
	}
	if isMarkdownTable(head) {
		return foreignFormat{name: "a Markdown table"}.err()
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return foreignFormat{name: "a tar archive", convert: "tar -xf FILE"}.err()
	}
	return nil
}

// zipFormat returns the format of a ZIP archive by the names of its first files.
func zipFormat(head []byte) foreignFormat {
	for _, f := range []struct{ word, name, convert string }{
		{"opendocument.spreadsheet", "an OpenDocument spreadsheet", toCSV},
		{"xl/", "an Excel workbook", `duckdb -c "COPY (FROM read_xlsx('FILE')) TO 'rows.csv'"`},
		{"word/", "a Word document", ""},
		{".npy", "a NumPy archive", `python -c "import numpy, pandas; pandas.DataFrame(dict(numpy.load('FILE'))).to_parquet('rows.parquet')"`},
	} {
		if bytes.Contains(head, []byte(f.word)) {
			return foreignFormat{name: f.name, convert: f.convert}
		}
	}
	return foreignFormat{name: "a ZIP archive", convert: "unzip -p FILE | ragfaith score -"}
}

func (f foreignFormat) err() error {
	if f.convert == "" {
		return errors.New(f.name + ": want rows as " + strings.Join(Formats(), ", "))
	}
	return fmt.Errorf("%s: convert it with: %s", f.name, f.convert)
}
