package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

const (
	// configName is the name of the config file in a working directory.
	configName = "ragfaith.yaml"
	// noConfig is the value of --config that disables config files.
	noConfig = "none"
	// maxConfigBytes is the maximum size of a config file.
	maxConfigBytes = 1 << 20
)

// A configFile is a parsed config file: one YAML document, a mapping of names to scalars,
// lists and mappings. Aliases are rejected, so that a value is what a reader sees at its key.
type configFile struct {
	Path    string
	Entries []configEntry
	found   bool // in the working directory, so anyone may have written it
}

// A configEntry is a key with its value.
type configEntry struct {
	Key   string
	Line  int // line of Key, from 1
	Value *yaml.Node
}

// readConfig reads the file that --config names or, if it names none, the one in the
// working directory. It returns nil if there is no file. Invalid content is a usage error.
func readConfig(path string) (*configFile, error) {
	found := path == ""
	switch {
	case path == noConfig:
		return nil, nil
	case found:
		path = configName
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			const other = "ragfaith.yml"
			if _, err := os.Lstat(other); err == nil {
				return nil, exit.Usagef("%s is not read: name it %s, or use --config %[1]s, or --config none to ignore it", other, path)
			}
			return nil, nil
		}
		// Paths in a linked file would be relative to an unexpected directory, and in a shared
		// directory anyone could have created the file.
		err := safefile.CheckPath(path)
		if reason, ok := errors.AsType[*fs.PathError](err); ok {
			return nil, exit.Usagef("%s %w: use --config FILE to read it anyway, or --config none to ignore it", path, reason.Err)
		}
		if err != nil {
			return nil, err
		}
	}
	content, err := safefile.ReadFile(path, maxConfigBytes)
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		err = reason.Err // the path is added below
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := parseConfig(path, content)
	f.found = found
	return f, err
}

// parseConfig parses content, which was read from path. All errors are usage errors.
func parseConfig(path string, content []byte) (*configFile, error) {
	f := &configFile{Path: path}
	loader, err := yaml.NewLoader(bytes.NewReader(content))
	var document, second yaml.Node
	if err == nil {
		err = loader.Load(&document)
	}
	if errors.Is(err, io.EOF) {
		return f, nil
	}
	if err == nil && !errors.Is(loader.Load(&second), io.EOF) {
		err = errors.New("want a single YAML document, without ---")
	}
	if err != nil {
		return f, exit.Usagef("%s: %w", path, err)
	}
	if len(document.Content) == 0 || isEmpty(document.Content[0]) {
		return f, nil
	}
	f.Entries, err = f.entries(document.Content[0])
	return f, err
}

// isEmpty reports whether a value is missing after its key.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0
}

// entries returns the entries of a mapping, which must have unique keys.
func (f *configFile) entries(n *yaml.Node) ([]configEntry, error) {
	if n.Kind != yaml.MappingNode {
		return nil, f.errorf(n.Line, "want options as NAME: VALUE")
	}
	var entries []configEntry
	lines := make(map[string]int)
	for pair := range slices.Chunk(n.Content, 2) {
		key := pair[0]
		if key.Kind != yaml.ScalarNode {
			return nil, f.errorf(key.Line, "want a name")
		}
		if first, ok := lines[key.Value]; ok {
			return nil, f.errorf(key.Line, "duplicate key %s (first on line %d)", key.Value, first)
		}
		lines[key.Value] = key.Line
		entries = append(entries, configEntry{key.Value, key.Line, pair[1]})
	}
	return entries, nil
}

// errorf returns a usage error for a line of the file.
func (f *configFile) errorf(line int, format string, args ...any) error {
	return exit.Usagef("%s:%d: %w", f.Path, line, fmt.Errorf(format, args...))
}
