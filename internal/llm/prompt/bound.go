package prompt

import (
	"bytes"
	"fmt"
	"text/template"
	syntax "text/template/parse"
)

// A folder of prompts may have come with a repository. Its templates show texts,
// and have no need to compute: what could take for ever is refused when they are
// read, and what they write is bounded.
const (
	mostSteps  = 10_000   // of the parts of a template, those of {{template}} counted each time
	mostFilled = 64 << 20 // bytes that a template may write beside the texts
)

// checkSteps refuses loops, and templates that call one another so often that
// they would not end in reasonable time.
func checkSteps(t *template.Template) error {
	c := counter{t: t, known: map[string]int{}}
	for _, part := range t.Templates() {
		if part.Tree == nil {
			continue
		}
		if n, err := c.template(part.Name()); err != nil {
			return err
		} else if n > mostSteps {
			return fmt.Errorf("{{define %q}} takes more than %d steps", part.Name(), mostSteps)
		}
	}
	return nil
}

// refused are the functions that make texts longer: a few of them inside one
// another fill any memory before a byte is written.
func refused() template.FuncMap {
	funcs := template.FuncMap{}
	for _, name := range []string{"print", "printf", "println", "html", "js", "urlquery"} {
		funcs[name] = func(...any) (string, error) {
			return "", fmt.Errorf("%s has no place in a prompt: write the text as it is", name)
		}
	}
	return funcs
}

// A counter counts the steps of templates.
type counter struct {
	t     *template.Template
	known map[string]int // -1 while it is counted
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
		return 1, nil // executing it says so
	}
	c.known[name] = -1
	n, err := c.list(t.Root)
	c.known[name] = n
	return n, err
}

func (c *counter) list(l *syntax.ListNode) (int, error) {
	if l == nil {
		return 0, nil
	}
	sum := 0
	for _, node := range l.Nodes {
		n, err := c.node(node)
		if err != nil {
			return 0, err
		}
		sum = min(sum+n, mostSteps+1)
	}
	return sum, nil
}

func (c *counter) node(node syntax.Node) (int, error) {
	switch n := node.(type) {
	case *syntax.RangeNode:
		return 0, fmt.Errorf("line %d: {{range}} has no place in a prompt: the lists are texts already", n.Line)
	case *syntax.IfNode:
		return c.branches(n.List, n.ElseList)
	case *syntax.WithNode:
		return c.branches(n.List, n.ElseList)
	case *syntax.TemplateNode:
		return c.template(n.Name)
	}
	return 1, nil
}

func (c *counter) branches(first, second *syntax.ListNode) (int, error) {
	a, err := c.list(first)
	if err != nil {
		return 0, err
	}
	b, err := c.list(second)
	return 1 + a + b, err
}

// A bounded buffer takes so many bytes and no more.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, fmt.Errorf("it writes more than %d bytes beside the texts of the dataset", mostFilled)
	}
	return b.Buffer.Write(p)
}
