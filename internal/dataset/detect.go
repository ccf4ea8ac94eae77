package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// HasExtension reports whether a file name has the extension of a dataset.
func HasExtension(name string) bool {
	return formatOf(name) != "" || slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(uncompressedName(name)))
}

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
	ext     string // the extension that the file has, or "" for any
	within  string // the first bytes also contain it
}

func foreignFormats() []foreignFormat {
	const pickle = `python -c "import pandas; pandas.read_pickle('FILE').to_json('rows.jsonl', orient='records', lines=True)"`
	const zip = "PK\x03\x04"
	return []foreignFormat{
		{name: "a pickle, which may run code when it is loaded", magic: "\x80\x04", convert: pickle},
		{name: "a pickle, which may run code when it is loaded", magic: "\x80\x05", convert: pickle},
		{name: "an Arrow file", magic: "ARROW1\x00\x00", convert: `python -c "import pandas; pandas.read_feather('FILE').to_parquet('rows.parquet')"`},
		{name: "an Arrow stream", magic: "\xff\xff\xff\xff", convert: `python -c "import datasets; datasets.Dataset.from_file('FILE').to_parquet('rows.parquet')"`},
		{name: "a SQLite database", magic: "SQLite format 3\x00", convert: `sqlite3 -json FILE "SELECT * FROM TABLE_NAME" >rows.json`},
		{name: "a file compressed with xz", magic: "\xfd7zXZ\x00", convert: "xz -d FILE"},
		{name: "a file compressed with bzip2", magic: "BZh9", convert: "bunzip2 FILE"},
		{name: "a Git LFS pointer instead of the file", magic: "version https://git-lfs.github.com/", convert: "git lfs pull"},
		{name: "an HTML page", magic: "<!doctype html"},
		{name: "an HTML page", magic: "<html"},
		{name: "a log of Inspect", magic: zip, ext: ".eval", convert: "inspect log convert FILE --to json --output-dir DIR"},
		{name: "an Excel workbook", magic: zip, within: "xl/", convert: `duckdb -c "COPY (FROM read_xlsx('FILE')) TO 'rows.csv'"`},
		{name: "a ZIP archive", magic: zip, convert: "unzip -p FILE | ragfaith score -"},
	}
}

// checkForeign returns an error if a file that starts with head has a format that is not read.
func checkForeign(path string, head []byte) error {
	start := bytes.ToLower(trimSpace(head[:min(len(head), textSample)]))
	for _, f := range foreignFormats() {
		isTag := f.magic[0] == '<' && bytes.HasPrefix(start, []byte(f.magic))
		switch {
		case !isTag && !bytes.HasPrefix(head, []byte(f.magic)) || !bytes.Contains(head, []byte(f.within)):
		case f.ext != "" && !strings.EqualFold(filepath.Ext(path), f.ext):
		case f.convert == "":
			return errors.New(f.name + ": want rows as " + strings.Join(Formats(), ", "))
		default:
			return fmt.Errorf("%s: convert it with: %s", f.name, f.convert)
		}
	}
	return nil
}
