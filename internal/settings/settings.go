// Package settings reads settings from a file of YAML, with the place of each, and
// finds the file. What a setting means is no matter of this package.
//
// Of YAML it reads what settings need: one document, a mapping of names to
// scalars, lists and mappings. Anchors, aliases and tags are refused, so that a
// file holds no more than what a person sees in it.
package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ragfaith/ragfaith/internal/regular"
)

const (
	// MostBytes is how large a file may be.
	MostBytes = 1 << 20
	// mostDeep is how many values may lie in one another: the whole, a section, a
	// setting that is a mapping, a list in it, and a text in that.
	mostDeep = 5
)

// A File is what a file of settings says.
type File struct {
	Path    string // as it was named
	Sum     string // SHA-256 of the content, in hexadecimal
	Entries []Entry
}

// An Entry is a name with its value.
type Entry struct {
	Key   string
	Line  int // of Key, from 1
	Value Value
}

// A Shape is what a value is made of.
type Shape int

// The shapes.
const (
	Empty   Shape = iota // nothing stands behind the name
	Scalar               // a text, a number, true or false, or the word null
	List                 // of values
	Mapping              // of names to values
)

// A Value is what stands behind a name.
type Value struct {
	Shape   Shape
	Line    int     // from 1
	Text    string  // of a scalar, as it is written but for quotes
	Items   []Value // of a list
	Entries []Entry // of a mapping; no two have one key
}

// An Error is a mistake at a place in a file.
type Error struct {
	Path string
	Line int // from 1; 0 for the file as a whole
	Err  error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Read reads the file of a name. What is wrong with what it says is an [*Error];
// another error is that the file can't be read.
func Read(path string) (*File, error) {
	f, err := regular.Open(path)
	if err != nil {
		if reason, ok := errors.AsType[*fs.PathError](err); ok {
			err = reason.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, MostBytes+1))
	if err != nil {
		if reason, ok := errors.AsType[*fs.PathError](err); ok {
			err = reason.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Parse(path, content)
}

// Parse reads the content of a file of that name. All errors are [*Error].
func Parse(path string, content []byte) (*File, error) {
	if len(content) > MostBytes {
		return nil, &Error{Path: path, Err: fmt.Errorf("more than %d bytes: these are no settings", MostBytes)}
	}
	document, err := load(content)
	if err != nil {
		return nil, syntaxError(path, err)
	}
	sum := sha256.Sum256(content)
	file := &File{Path: path, Sum: hex.EncodeToString(sum[:])}
	if document == nil || len(document.Content) == 0 {
		return file, nil // nothing, or comments alone
	}
	p := parser{path}
	top, err := p.value(document.Content[0], mostDeep)
	if err != nil {
		return nil, err
	}
	switch top.Shape {
	case Empty:
	case Mapping:
		file.Entries = top.Entries
	case Scalar, List:
		return nil, p.fault(document.Content[0], "want settings as NAME: VALUE")
	}
	return file, nil
}

// load reads the one document of a file; nil where there is none.
func load(content []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(strings.NewReader(string(content)))
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
	return nil, errors.New("there is more than one document (---)")
}

// A parser turns nodes into values.
type parser struct{ path string }

// value reads a node in which others lie at most so deep.
func (p parser) value(n *yaml.Node, deep int) (Value, error) {
	v := Value{Line: n.Line}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return v, p.fault(n, "anchors (&) and aliases (*) have no place in settings; a text that begins with one needs quotes")
	case n.Style&yaml.TaggedStyle != 0:
		return v, p.fault(n, "tags (!) have no place in settings; a text that begins with one needs quotes")
	case deep == 0:
		return v, p.fault(n, "too many values in one another")
	}
	switch n.Kind { //nolint:exhaustive // the others are no values, and don't come here
	case yaml.SequenceNode:
		v.Shape = List
		for _, c := range n.Content {
			item, err := p.value(c, deep-1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, item)
		}
		return v, nil
	case yaml.MappingNode:
		v.Shape = Mapping
		return v, p.mapping(n, &v, deep)
	}
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if v.Text = n.Value; v.Text != "" || quoted {
		v.Shape = Scalar
	}
	return v, nil
}

// mapping reads the names and values of a mapping into v.
func (p parser) mapping(n *yaml.Node, v *Value, deep int) error {
	if len(n.Content)%2 != 0 {
		return p.fault(n, "a name without a value")
	}
	seen := make(map[string]int)
	for pair := range slices.Chunk(n.Content, 2) {
		key, err := p.value(pair[0], deep)
		switch {
		case err != nil:
			return err
		case key.Shape != Scalar:
			return p.fault(pair[0], "want a name")
		case seen[key.Text] > 0:
			return p.fault(pair[0], fmt.Sprintf("%s is there twice, on line %d as well", key.Text, seen[key.Text]))
		}
		seen[key.Text] = key.Line
		value, err := p.value(pair[1], deep-1)
		if err != nil {
			return err
		}
		v.Entries = append(v.Entries, Entry{Key: key.Text, Line: key.Line, Value: value})
	}
	return nil
}

func (p parser) fault(n *yaml.Node, what string) error {
	return &Error{Path: p.path, Line: n.Line, Err: errors.New(what)}
}
