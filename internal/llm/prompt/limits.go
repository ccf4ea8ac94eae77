package prompt

import (
	"bytes"
	"fmt"
	syntax "text/template/parse"

	template "github.com/DataDog/datadog-agent/pkg/template/text"
)

// Prompts may come from an untrusted repository. Since templates only need to insert
// texts, constructs that could run for a long time are rejected, and output is limited.
const (
	maxSteps  = 10_000   // nodes executed, including nested templates
	maxOutput = 64 << 20 // bytes of output, not counting dataset texts
)

// checkSteps rejects loops, recursion and excessive template calls.
func checkSteps(t *template.Template) error {
	c := counter{t: t, known: map[string]int{}}
	for _, part := range t.Templates() {
		if n, err := c.template(part.Name()); err != nil {
			return err
		} else if n > maxSteps {
			return fmt.Errorf("{{define %q}} exceeds %d steps", part.Name(), maxSteps)
		}
	}
	return nil
}

// disabledFuncs returns replacements for functions that make texts longer.
// Nested calls of these could exhaust memory before anything is written.
func disabledFuncs() template.FuncMap {
	funcs := template.FuncMap{}
	for _, name := range []string{"print", "printf", "println", "html", "js", "urlquery"} {
		funcs[name] = func(...any) (string, error) {
			return "", fmt.Errorf("function %s is not supported in prompts", name)
		}
	}
	return funcs
}

// A counter counts the nodes that templates may execute.
type counter struct {
	t     *template.Template
	known map[string]int // -1 while counting
}

func (c *counter) template(name string) (int, error) {
	switch n, ok := c.known[name]; {
	case ok && n < 0:
		return 0, fmt.Errorf("{{template %q}} calls itself", name)
	case ok:
		return n, nil
	}
	t := c.t.Lookup(name)
	if t == nil || t.Tree == nil || t.Root == nil {
		return 1, nil // executing it returns an error
	}
	c.known[name] = -1
	n, err := c.steps(1, t.Root) // 1, so that calls of an empty template count
	c.known[name] = n
	return n, err
}

// steps returns own plus the nodes in lists, which may be nil.
func (c *counter) steps(own int, lists ...*syntax.ListNode) (int, error) {
	sum := own
	for _, l := range lists {
		if l == nil {
			continue
		}
		for _, node := range l.Nodes {
			n, err := c.node(node)
			if err != nil {
				return 0, err
			}
			sum = min(sum+n, maxSteps+1)
		}
	}
	return sum, nil
}

func (c *counter) node(node syntax.Node) (int, error) {
	switch n := node.(type) {
	case *syntax.RangeNode:
		return 0, fmt.Errorf("line %d: {{range}} is not supported in prompts: lists are already encoded as text", n.Line)
	case *syntax.IfNode:
		return c.steps(1, n.List, n.ElseList)
	case *syntax.WithNode:
		return c.steps(1, n.List, n.ElseList)
	case *syntax.TemplateNode:
		return c.template(n.Name)
	}
	return 1, nil
}

// A limitedBuffer is a buffer that accepts at most limit bytes.
type limitedBuffer struct {
	bytes.Buffer
	limit int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, fmt.Errorf("output exceeds %d bytes", maxOutput)
	}
	return b.Buffer.Write(p)
}
