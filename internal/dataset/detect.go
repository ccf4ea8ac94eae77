package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// HasExtension reports whether a file name has the extension of a format.
func HasExtension(name string) bool { return formatOf(name) != "" }

// formatOf returns the format implied by a file name, or "".
func formatOf(path string) Format {
	formats := map[string]Format{
		".jsonl": JSONL, ".ndjson": JSONL, ".json": JSON, ".csv": CSV, ".tsv": TSV, ".tab": TSV, ".parquet": Parquet,
	}
	return formats[filepath.Ext(uncompressedName(path))]
}

// uncompressedName returns the name of a file without directories and extensions of compressed files, in lower case.
func uncompressedName(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, ext := range Compressions() {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// textFormat returns the format of a text that starts with head. Content that can't be mistaken
// overrides the format implied by the file name, which is "" if there is none.
func textFormat(implied Format, head []byte) Format {
	found := detectFormat(head)
	isJSON := found == JSON || found == JSONL
	switch implied {
	case JSON:
		if isLines(head) || !isJSON && isTable(head) {
			return found
		}
	case JSONL:
		if found == JSON && (startsWith(head, "{") || startsWith(head, "[", "{")) || !isJSON && isTable(head) {
			return found
		}
	case CSV, TSV:
		if isJSON && startsWithJSON(string(head)) {
			return found
		}
	case Parquet:
	default:
		return found
	}
	return implied
}

// detectFormat guesses the format of a text from its first bytes.
func detectFormat(head []byte) Format {
	text := trimSpace(head)
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case len(text) == 0:
		return JSONL
	case text[0] == '[' || string(trimSpace(line)) == "{":
		return JSON
	case text[0] == '{':
		return JSONL
	case detectDialect(head, 0, ',').comma == '\t':
		return TSV
	}
	return CSV
}

// isLines reports whether a text is JSONL: its first line is an object and another object follows.
func isLines(head []byte) bool {
	line, rest, _ := bytes.Cut(trimSpace(head), []byte("\n"))
	line = trimSpace(line)
	return len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' && bytes.HasPrefix(trimSpace(rest), []byte("{"))
}

// startsWithJSON reports whether a text starts like an object, or an array of objects.
func startsWithJSON(text string) bool {
	return startsWith([]byte(text), "{", `"`) || startsWith([]byte(text), "[", "{")
}

// isTable reports whether a text has a header of several columns, and no line
// that starts like JSON or a comment.
func isTable(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = trimSpace(line)
		if len(line) > 0 && bytes.IndexByte([]byte("{[]}/#'"), line[0]) >= 0 || startsWith(line, `"`, "{") || startsWith(line, `"`, "[") {
			return false
		}
	}
	d := detectDialect(head, 0, ',')
	return slices.Contains(bytes.TrimRight(firstLine(head), "\r\n"), d.comma)
}

// startsWith reports whether a text starts with the given words, separated only by white space.
func startsWith(text []byte, words ...string) bool {
	for _, word := range words {
		var found bool
		if text, found = bytes.CutPrefix(trimSpace(text), []byte(word)); !found {
			return false
		}
	}
	return true
}

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

// checkForeign returns an error if a file that starts with head has a format that is not read.
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
