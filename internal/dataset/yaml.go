package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

const (
	// maxYAML limits the size of a YAML file, which is read as a whole, and of its JSON, in which aliases are repeated.
	maxYAML = 32 << 20

	// maxYAMLDepth limits the nesting, and so the aliases that refer to themselves.
	maxYAMLDepth = 200
)

// yamlToJSON converts the YAML documents in r to JSON values, both of at most limit bytes. A value starts in the line in
// which it does in YAML, so that errors name the line of the file.
func yamlToJSON(r io.Reader, limit int) (*bufio.Reader, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > limit {
		return nil, fmt.Errorf("a YAML file of more than %d MiB: convert it with: yq -o=json FILE >rows.json", limit>>20)
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	w := &yamlWriter{line: 1, limit: limit}
	for {
		var document yaml.Node
		err := loader.Load(&document)
		if errors.Is(err, io.EOF) {
			return bufio.NewReaderSize(&w.out, readAhead), nil
		}
		if load, ok := errors.AsType[*yaml.LoadError](err); ok {
			return nil, fmt.Errorf("line %d: invalid YAML: %s", load.Mark.Line, load.Message)
		}
		if err != nil {
			return nil, fmt.Errorf("invalid YAML: %w", err)
		}
		if err := w.write(&document, 0); err != nil {
			return nil, err
		}
		w.out.WriteByte('\n')
		w.line++
	}
}

// A yamlWriter writes YAML nodes as JSON.
type yamlWriter struct {
	out   bytes.Buffer
	line  int // of the end of out
	limit int // of the size of out
}

func (w *yamlWriter) write(n *yaml.Node, depth int) error {
	switch {
	case depth > maxYAMLDepth:
		return fmt.Errorf("line %d: YAML is nested too deeply", n.Line)
	case w.out.Len() > w.limit:
		return fmt.Errorf("line %d: the aliases of the YAML file repeat more than %d MiB", n.Line, w.limit>>20)
	}
	for ; w.line < n.Line; w.line++ {
		w.out.WriteByte('\n')
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return w.write(n.Content[0], depth+1)
	case yaml.AliasNode:
		return w.write(n.Alias, depth+1)
	case yaml.SequenceNode:
		return w.writeAll(n, '[', ']', depth)
	case yaml.MappingNode:
		return w.writeAll(n, '{', '}', depth)
	case yaml.ScalarNode, yaml.StreamNode: // a stream has no node of its own
		w.out.Write(yamlScalar(n))
	}
	return nil
}

// writeAll writes the elements of a sequence, or the keys and values of a mapping.
func (w *yamlWriter) writeAll(n *yaml.Node, start, end byte, depth int) error {
	w.out.WriteByte(start)
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if c.Kind != yaml.ScalarNode {
				return fmt.Errorf("line %d: want a name as the key of a YAML mapping", c.Line)
			}
			if c.ShortTag() == "!!merge" {
				return fmt.Errorf("line %d: merge keys (<<) are not read: repeat the members", c.Line)
			}
			c = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: c.Value, Line: c.Line}
		}
		switch {
		case i == 0:
		case n.Kind == yaml.MappingNode && i%2 == 1:
			w.out.WriteByte(':')
		default:
			w.out.WriteByte(',')
		}
		if err := w.write(c, depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte(end)
	return nil
}

// yamlScalar returns a scalar as JSON. What JSON has no type for, such as a time or .nan, is a string.
func yamlScalar(n *yaml.Node) []byte {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return []byte("null")
	case "!!bool", "!!int", "!!float":
		if value := []byte(strings.ToLower(n.Value)); json.Valid(value) {
			return value
		}
	}
	text, _ := json.Marshal(n.Value) // a string
	return text
}
