// Package config parses config files. It knows the syntax and the line of
// each value, but not which options exist.
//
// A file is a subset of YAML: one document, a mapping of names to scalars, lists and
// mappings. Anchors, aliases and tags are rejected, so that a file contains only what
// a reader sees in it.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// Name is the name of the config file in a working directory.
const Name = "ragfaith.yaml"

const (
	// maxBytes is the maximum size of a file.
	maxBytes = 1 << 20
	// maxDepth is the maximum nesting of values: the file, a section, an option that
	// is a mapping, a list in it, and a scalar in that.
	maxDepth = 5
)

// A File is a parsed config file.
type File struct {
	Path    string // as passed to Read
	Entries []Entry
}

// An Entry is a key with its value.
type Entry struct {
	Key   string
	Line  int // line of Key, from 1
	Value Value
}

// A Shape is the kind of a Value.
type Shape int

// The shapes.
const (
	Empty   Shape = iota // a key without a value
	Scalar               // a string, number, boolean or null
	List                 // a sequence of values
	Mapping              // a mapping from keys to values
)

// A Value is the value of a key or of a list item.
type Value struct {
	Shape   Shape
	Line    int     // from 1
	Text    string  // text of a scalar, without quotes
	Items   []Value // items of a list
	Entries []Entry // entries of a mapping, with unique keys
}

// An Error is an error at a line of a config file.
type Error struct {
	Path string
	Line int // from 1, or 0 for the whole file
	Err  error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Read parses the file at path. Errors in its content are of type *Error; other
// errors mean that it can't be read.
func Read(path string) (*File, error) {
	content, err := safefile.ReadFile(path, maxBytes)
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		err = reason.Err // the path is added below
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Parse(path, content)
}

// Parse parses content, which was read from path. All errors are of type
// *Error.
func Parse(path string, content []byte) (*File, error) {
	document, err := load(content)
	if err != nil {
		return nil, syntaxError(path, err)
	}
	file := &File{Path: path}
	if document == nil || len(document.Content) == 0 {
		return file, nil
	}
	p := parser{path}
	top, err := p.value(document.Content[0], maxDepth)
	if err != nil {
		return nil, err
	}
	switch top.Shape {
	case Empty:
	case Mapping:
		file.Entries = top.Entries
	case Scalar, List:
		return nil, p.errorf(document.Content[0], "want options as NAME: VALUE")
	}
	return file, nil
}

// load returns the only YAML document in content, or nil if it is empty.
func load(content []byte) (*yaml.Node, error) {
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

// syntaxError converts an error of the YAML parser to an *Error with its line.
func syntaxError(path string, err error) error {
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &Error{Path: path, Err: err}
	}
	text := strings.Join(slices.DeleteFunc([]string{load.ContextMsg, load.Message}, func(s string) bool { return s == "" }), ": ")
	if start := load.ContextMark.Line; start > 0 && start != load.Mark.Line {
		text += fmt.Sprintf(" (started on line %d)", start)
	}
	return &Error{Path: path, Line: load.Mark.Line, Err: errors.New("invalid YAML: " + text)}
}

// A parser converts YAML nodes to values.
type parser struct{ path string }

// value converts a node with at most depth levels of nesting.
func (p parser) value(n *yaml.Node, depth int) (Value, error) {
	v := Value{Line: n.Line}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return v, p.errorf(n, "anchors (&) and aliases (*) are not supported; quote a text that starts with one")
	case n.Style&yaml.TaggedStyle != 0:
		return v, p.errorf(n, "tags (!) are not supported; quote a text that starts with one")
	case depth == 0:
		return v, p.errorf(n, "values are nested too deeply")
	}
	if n.Kind == yaml.MappingNode {
		v.Shape = Mapping
		return v, p.mapping(n, &v, depth)
	}
	if n.Kind == yaml.SequenceNode {
		v.Shape = List
		for _, c := range n.Content {
			item, err := p.value(c, depth-1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, item)
		}
		return v, nil
	}
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if v.Text = n.Value; v.Text != "" || quoted {
		v.Shape = Scalar
	}
	return v, nil
}

// mapping appends the entries of a mapping to v.
func (p parser) mapping(n *yaml.Node, v *Value, depth int) error {
	if len(n.Content)%2 != 0 {
		return p.errorf(n, "a key without a value")
	}
	seen := make(map[string]int)
	for pair := range slices.Chunk(n.Content, 2) {
		key, err := p.value(pair[0], depth)
		switch {
		case err != nil:
			return err
		case key.Shape != Scalar:
			return p.errorf(pair[0], "want a name")
		case seen[key.Text] > 0:
			return p.errorf(pair[0], "duplicate key %s (first on line %d)", key.Text, seen[key.Text])
		}
		seen[key.Text] = key.Line
		value, err := p.value(pair[1], depth-1)
		if err != nil {
			return err
		}
		v.Entries = append(v.Entries, Entry{Key: key.Text, Line: key.Line, Value: value})
	}
	return nil
}

func (p parser) errorf(n *yaml.Node, format string, args ...any) error {
	return &Error{Path: p.path, Line: n.Line, Err: fmt.Errorf(format, args...)}
}
