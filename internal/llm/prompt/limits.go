package prompt

import (
	"bytes"
	"fmt"
	syntax "text/template/parse"

	template "github.com/DataDog/datadog-agent/pkg/template/text"
)

// maxOutput limits the bytes of output, not counting dataset texts: prompts may come from an
// untrusted repository.
const maxOutput = 64 << 20

// checkNodes rejects constructs that could run for a long time: loops, and calls of other
// templates. Templates only need to insert texts.
func checkNodes(lists ...*syntax.ListNode) error {
	for _, l := range lists {
		if l == nil {
			continue
		}
		for _, node := range l.Nodes {
			var err error
			switch n := node.(type) {
			case *syntax.RangeNode:
				return fmt.Errorf("line %d: {{range}} is not supported in prompts: lists are already encoded as text", n.Line)
			case *syntax.TemplateNode:
				return fmt.Errorf("line %d: {{template}} is not supported in prompts", n.Line)
			case *syntax.IfNode:
				err = checkNodes(n.List, n.ElseList)
			case *syntax.WithNode:
				err = checkNodes(n.List, n.ElseList)
			}
			if err != nil {
				return err
			}
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
