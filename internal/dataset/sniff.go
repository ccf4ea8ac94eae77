package dataset

import (
	"bytes"
	"path/filepath"
	"strings"
)

// formatOf returns the format that a file's name says, or "".
func formatOf(path string) Format {
	name := strings.ToLower(filepath.Base(path))
	for _, ext := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ext)
	}
	switch filepath.Ext(name) {
	case ".jsonl", ".ndjson":
		return JSONL
	case ".json":
		return JSON
	case ".csv":
		return CSV
	case ".tsv":
		return TSV
	case ".parquet":
		return Parquet
	}
	return ""
}

// sniff tells the format of a text by its beginning.
func sniff(head []byte) Format {
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(text) == 0 {
		return JSONL
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSpace(line)
	switch {
	case text[0] == '[':
		return JSON
	case len(line) == 1 && text[0] == '{': // an object over several lines
		return JSON
	case text[0] == '{':
		return JSONL
	case bytes.Count(line, []byte("\t")) > bytes.Count(line, []byte(",")):
		return TSV
	}
	return CSV
}

// isLines reports whether a text that is named JSON is JSONL: its first line is
// an object, and another follows.
func isLines(head []byte) bool {
	line, rest, more := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return more && len(line) > 1 && line[0] == '{' && bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte("}")) &&
		len(rest) > 0 && rest[0] == '{'
}
