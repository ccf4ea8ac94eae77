package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

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
	// maxConfigDepth is the maximum nesting of values: the file, a section, an option that
	// is a mapping, a list in it, and a scalar in that.
	maxConfigDepth = 5
)

// A configFile is a parsed config file. It is a subset of YAML: one document, a mapping of
// names to scalars, lists and mappings. Anchors, aliases and tags are rejected, so that a
// file contains only what a reader sees in it.
type configFile struct {
	Path    string
	Entries []configEntry
	found   bool // in the working directory, so anyone may have written it
}

// A configEntry is a key with its value.
type configEntry struct {
	Key   string
	Line  int // line of Key, from 1
	Value configValue
}

// A configShape is the kind of a configValue.
type configShape int

const (
	shapeEmpty   configShape = iota // a key without a value
	shapeScalar                     // a string, number, boolean or null
	shapeList                       // a sequence of values
	shapeMapping                    // a mapping from keys to values
)

// A configValue is the value of a key or of a list item.
type configValue struct {
	Shape   configShape
	Line    int           // from 1
	Text    string        // text of a scalar, without quotes
	Items   []configValue // items of a list
	Entries []configEntry // entries of a mapping, with unique keys
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
		if err := checkFound(path); err != nil {
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

// checkFound returns an error if a config file that was found is a symbolic link or belongs
// to another user. Paths in a linked file would be relative to an unexpected directory, and
// in a shared directory anyone could have created the file.
func checkFound(path string) error {
	err := safefile.CheckPath(path)
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		return exit.Usagef("%s %w: use --config FILE to read it anyway, or --config none to ignore it", path, reason.Err)
	}
	return err
}

// parseConfig parses content, which was read from path. All errors are usage errors.
func parseConfig(path string, content []byte) (*configFile, error) {
	f := &configFile{Path: path}
	document, err := loadYAML(content)
	if err != nil {
		return f, f.syntaxError(err)
	}
	if document == nil || len(document.Content) == 0 {
		return f, nil
	}
	top, err := f.value(document.Content[0], maxConfigDepth)
	if err == nil && (top.Shape == shapeScalar || top.Shape == shapeList) {
		err = f.errorf(top.Line, "want options as NAME: VALUE")
	}
	f.Entries = top.Entries
	return f, err
}

// loadYAML returns the only YAML document in content, or nil if it is empty.
func loadYAML(content []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	var document, second yaml.Node
	if err := loader.Load(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
		return &document, nil
	case err != nil:
		return nil, err
	}
	return nil, errors.New("want a single YAML document, without ---")
}

// syntaxError adds the line to an error of the YAML parser.
func (f *configFile) syntaxError(err error) error {
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return f.errorf(0, "%w", err)
	}
	text := strings.Join(slices.DeleteFunc([]string{load.ContextMsg, load.Message}, func(s string) bool { return s == "" }), ": ")
	if start := load.ContextMark.Line; start > 0 && start != load.Mark.Line {
		text += fmt.Sprintf(" (started on line %d)", start)
	}
	return f.errorf(load.Mark.Line, "invalid YAML: %s", text)
}

// value converts a node with at most depth levels of nesting.
func (f *configFile) value(n *yaml.Node, depth int) (configValue, error) {
	v := configValue{Line: n.Line}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return v, f.errorf(n.Line, "anchors (&) and aliases (*) are not supported; quote a text that starts with one")
	case n.Style&yaml.TaggedStyle != 0:
		return v, f.errorf(n.Line, "tags (!) are not supported; quote a text that starts with one")
	case depth == 0:
		return v, f.errorf(n.Line, "values are nested too deeply")
	}
	if n.Kind == yaml.MappingNode {
		v.Shape = shapeMapping
		return v, f.mapping(n, &v, depth)
	}
	if n.Kind == yaml.SequenceNode {
		v.Shape = shapeList
		for _, c := range n.Content {
			item, err := f.value(c, depth-1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, item)
		}
		return v, nil
	}
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if v.Text = n.Value; v.Text != "" || quoted {
		v.Shape = shapeScalar
	}
	return v, nil
}

// mapping appends the entries of a mapping to v.
func (f *configFile) mapping(n *yaml.Node, v *configValue, depth int) error {
	if len(n.Content)%2 != 0 {
		return f.errorf(n.Line, "a key without a value")
	}
	seen := make(map[string]int)
	for pair := range slices.Chunk(n.Content, 2) {
		key, err := f.value(pair[0], depth)
		switch {
		case err != nil:
			return err
		case key.Shape != shapeScalar:
			return f.errorf(key.Line, "want a name")
		case seen[key.Text] > 0:
			return f.errorf(key.Line, "duplicate key %s (first on line %d)", key.Text, seen[key.Text])
		}
		seen[key.Text] = key.Line
		value, err := f.value(pair[1], depth-1)
		if err != nil {
			return err
		}
		v.Entries = append(v.Entries, configEntry{Key: key.Text, Line: key.Line, Value: value})
	}
	return nil
}

// errorf returns a usage error for a line of the file, or for the whole file if line is 0.
func (f *configFile) errorf(line int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if line == 0 {
		return exit.Usagef("%s: %w", f.Path, err)
	}
	return exit.Usagef("%s:%d: %w", f.Path, line, err)
}
