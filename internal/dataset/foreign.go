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
	name    string // with its article
	magic   string // the content starts with it, in lower case if it is a tag
	convert string // how to convert FILE, or ""
}

func foreignFormats() []foreignFormat {
	const pickle = `python -c "import pandas; pandas.read_pickle('FILE').to_json('rows.jsonl', orient='records', lines=True)"`
	return []foreignFormat{
		{"a pickle, which may run code when it is loaded", "\x80\x04", pickle},
		{"a pickle, which may run code when it is loaded", "\x80\x05", pickle},
		{"an Arrow file", "ARROW1\x00\x00", `python -c "import pandas; pandas.read_feather('FILE').to_parquet('rows.parquet')"`},
		{"an Arrow stream", "\xff\xff\xff\xff", `python -c "import datasets; datasets.Dataset.from_file('FILE').to_parquet('rows.parquet')"`},
		{"a SQLite database", "SQLite format 3\x00", `sqlite3 -json FILE "SELECT * FROM TABLE_NAME" >rows.json`},
		{"a file compressed with xz", "\xfd7zXZ\x00", "xz -d FILE"},
		{"a file compressed with bzip2", "BZh9", "bunzip2 FILE"},
		{"a Git LFS pointer instead of the file", "version https://git-lfs.github.com/", "git lfs pull"},
		{"an HTML page", "<!doctype html", ""},
		{"an HTML page", "<html", ""},
	}
}

// checkForeign returns an error if a file that starts with head has a format
// that is not read.
func checkForeign(path string, head []byte) error {
	start := bytes.ToLower(trimSpace(head[:min(len(head), textSample)]))
	for _, f := range foreignFormats() {
		if bytes.HasPrefix(head, []byte(f.magic)) || f.magic[0] == '<' && bytes.HasPrefix(start, []byte(f.magic)) {
			return f.err()
		}
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		switch {
		case strings.EqualFold(filepath.Ext(path), ".eval"):
			return foreignFormat{name: "a log of Inspect", convert: "inspect log convert FILE --to json --output-dir DIR"}.err()
		case bytes.Contains(head, []byte("xl/")):
			return foreignFormat{name: "an Excel workbook", convert: `duckdb -c "COPY (FROM read_xlsx('FILE')) TO 'rows.csv'"`}.err()
		}
		return foreignFormat{name: "a ZIP archive", convert: "unzip -p FILE | ragfaith score -"}.err()
	}
	return nil
}

func (f foreignFormat) err() error {
	if f.convert == "" {
		return errors.New(f.name + ": want rows as " + strings.Join(Formats(), ", "))
	}
	return fmt.Errorf("%s: convert it with: %s", f.name, f.convert)
}
