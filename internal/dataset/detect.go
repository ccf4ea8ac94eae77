package dataset

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// HasExtension reports whether a file name has the extension of a format.
func HasExtension(name string) bool { return formatOf(name) != "" }

// formatOf returns the format implied by a file name, or "".
func formatOf(path string) Format {
	switch filepath.Ext(uncompressedName(path)) {
	case ".jsonl", ".ndjson":
		return JSONL
	case ".json":
		return JSON
	case ".csv":
		return CSV
	case ".tsv", ".tab":
		return TSV
	case ".parquet":
		return Parquet
	}
	return ""
}

// uncompressedName returns the name of a file without directories and extensions of compressed files, in lower case.
func uncompressedName(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, ext := range Compressions() {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// textFormat returns the format of a text that starts with head. Content that
// can't be mistaken overrides the format implied by the file name, which is ""
// if there is none.
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

// isLines reports whether a text is JSONL: its first line is an object and
// another object follows.
func isLines(head []byte) bool {
	line, rest, _ := bytes.Cut(trimSpace(head), []byte("\n"))
	line = trimSpace(line)
	return len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' && bytes.HasPrefix(trimSpace(rest), []byte("{"))
}

// startsWithJSON reports whether a text starts like an object, or an array of
// objects.
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

// startsWith reports whether a text starts with the given words, separated only
// by white space.
func startsWith(text []byte, words ...string) bool {
	for _, word := range words {
		var found bool
		if text, found = bytes.CutPrefix(trimSpace(text), []byte(word)); !found {
			return false
		}
	}
	return true
}
