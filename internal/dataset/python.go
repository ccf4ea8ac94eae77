package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// maxPythonDepth limits the nesting of a Python literal.
const maxPythonDepth = 100

// A pythonError is a syntax error in a Python literal.
type pythonError struct {
	offset    int
	what      string
	isLiteral bool // the text is a literal, but truncated, abbreviated or too deeply nested
}

func (e *pythonError) Error() string {
	return fmt.Sprintf("invalid Python literal: %s, at byte %d", e.what, e.offset+1)
}

// readPython appends the value of a Python literal to t. It accepts the output
// of repr, str and pandas' to_csv: strings, numbers, constants, lists, tuples,
// sets and dicts. These can contain numpy's array(...) and objects with keyword
// arguments such as Document(...). Adjacent strings without a comma, as in the
// output of numpy, are separate elements. A single value in parentheses without
// a comma is an error, since it is not a tuple.
func readPython(t *tree, s string) error {
	p := &pythonParser{s: s, t: t}
	if err := p.value("", 0); err != nil {
		return err
	}
	if p.space(); p.i < len(s) {
		return p.fail("unexpected text after the literal")
	}
	return nil
}

type pythonParser struct {
	s string
	i int
	t *tree
}

func (p *pythonParser) fail(what string) error {
	return &pythonError{offset: p.i, what: what, isLiteral: p.i >= len(p.s)}
}

// failLiteral returns an error for text that is a literal rather than prose.
func (p *pythonParser) failLiteral(what string) error {
	return &pythonError{offset: p.i, what: what, isLiteral: true}
}

func (p *pythonParser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n\f", p.s[p.i]) >= 0 {
		p.i++
	}
}

// peek returns the next byte after white space, or 0 at the end.
func (p *pythonParser) peek() byte {
	if p.space(); p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *pythonParser) value(name string, depth int) error {
	if len(p.t.nodes) >= maxNodes {
		return errTooMany
	}
	if depth > maxPythonDepth {
		return p.failLiteral(fmt.Sprintf("nested more than %d levels deep", maxPythonDepth))
	}
	c := p.peek()
	switch {
	case c == 0:
		return p.fail("unexpected end of input")
	case c == '[':
		return p.sequence(name, ']', depth)
	case c == '(':
		return p.sequence(name, ')', depth)
	case c == '{':
		return p.braces(name, depth)
	case startsWithString(p.s[p.i:min(len(p.s), p.i+3)]):
		text, err := p.str()
		if err == nil {
			p.t.add(kindText, name, text)
		}
		return err
	case p.abbreviated():
		return p.failLiteral("list is abbreviated (...)")
	case isWordByte(c) || c == '-' || c == '+' || c == '.':
		return p.word(name, depth)
	}
	return p.fail("expected a value")
}

// sequence reads a list or a tuple.
func (p *pythonParser) sequence(name string, end byte, depth int) error {
	p.i++
	at := p.t.open(kindList, name)
	commas, items := 0, 0
	for p.peek() != end {
		if err := p.value("", depth+1); err != nil {
			return err
		}
		items++
		last := p.s[p.i-1]
		switch c := p.peek(); {
		case end == ']' && p.adjacent(last, c):
			continue // NumPy separates elements with spaces
		case end == ']' && p.abbreviated():
			return p.failLiteral("list is abbreviated (...)")
		case c == ',':
			commas++
		}
		if err := p.separator(end, "list"); err != nil {
			return err
		}
	}
	if end == ')' && items == 1 && commas == 0 {
		return p.fail("parenthesized value is not a tuple")
	}
	p.i++
	p.t.close(at)
	return nil
}

// separator reads a comma, unless the end of a list, dict or call follows.
func (p *pythonParser) separator(end byte, what string) error {
	switch p.peek() {
	case ',':
		p.i++
	case end:
	case 0:
		return p.fail("unexpected end of input")
	default:
		return p.fail("expected a comma or the end of the " + what)
	}
	return nil
}

// abbreviated reports whether an ellipsis replaces omitted elements of a list.
func (p *pythonParser) abbreviated() bool {
	rest, ok := strings.CutPrefix(p.s[p.i:], "...")
	rest = strings.TrimLeft(rest, ", \t\r\n")
	return ok && (rest == "" || startsWithString(rest) || strings.IndexByte("[]({", rest[0]) >= 0)
}

// adjacent reports whether a value that ends with last can be followed without
// a comma by a value that starts with c.
func (p *pythonParser) adjacent(last, c byte) bool {
	switch last {
	case ']':
		return c == '['
	case '}':
		return c == '{'
	case ')':
		return wordLength(p.s[p.i:]) > 0 // array(...) array(...)
	}
	return startsWithString(p.s[p.i:min(len(p.s), p.i+3)]) || p.startsScalar()
}

// startsScalar reports whether a constant or a number follows.
func (p *pythonParser) startsScalar() bool {
	w := p.s[p.i:][:wordLength(p.s[p.i:])]
	switch w {
	case "None", "nan", "True", "False":
		return true
	}
	w = strings.TrimPrefix(p.s[p.i:], "-")
	return w != "" && w[0] >= '0' && w[0] <= '9'
}

// braces reads a dict into an object, or a set into a list.
func (p *pythonParser) braces(name string, depth int) error {
	p.i++
	at := p.t.open(kindObject, name)
	for p.peek() != '}' {
		key := len(p.t.nodes)
		if err := p.value("", depth+1); err != nil {
			return err
		}
		if p.peek() == ':' {
			if p.t.nodes[at].kind == kindList {
				return p.fail("key in a set")
			}
			p.i++
			k := p.t.nodes[key]
			if k.kind == kindList || k.kind == kindObject {
				return p.fail("unhashable dict key")
			}
			p.t.nodes = p.t.nodes[:key]
			if err := p.value(k.text, depth+1); err != nil {
				return err
			}
		} else {
			if p.t.nodes[at].kind == kindObject && key > at+1 {
				return p.fail("missing dict value")
			}
			p.t.nodes[at].kind = kindList
		}
		if err := p.separator('}', "dict"); err != nil {
			return err
		}
	}
	p.i++
	p.t.close(at)
	return nil
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// wordLength returns the length of the word at the start of s.
func wordLength(s string) int {
	n := 0
	for n < len(s) && isWordByte(s[n]) {
		n++
	}
	return n
}

// word reads a constant, a number or a call.
func (p *pythonParser) word(name string, depth int) error {
	start := p.i
	for p.i < len(p.s) && (isWordByte(p.s[p.i]) || p.s[p.i] == '.' || p.s[p.i] == '-' || p.s[p.i] == '+') {
		p.i++
	}
	w := p.s[start:p.i]
	switch {
	case w == "None" || w == "nan" || w == "NaN" || w == "null":
		p.t.add(kindNull, name, "")
	case w == "True" || w == "False" || w == "true" || w == "false":
		p.t.add(kindBool, name, strings.ToLower(w))
	case w[0] >= '0' && w[0] <= '9' || w[0] == '-' || w[0] == '+' || w[0] == '.':
		if len(strings.TrimLeft(w, "+-.")) == 0 {
			return p.fail("expected a value")
		}
		p.t.add(kindNumber, name, w)
	case w == "set" && strings.HasPrefix(p.s[p.i:], "()"):
		p.i += len("()")
		p.t.add(kindList, name, "")
	case p.peek() == '(':
		return p.call(name, depth)
	default:
		truncated := p.i == len(p.s)
		p.i = start
		if truncated {
			return p.failLiteral("unknown name " + quote(w))
		}
		return p.fail("unknown name " + quote(w))
	}
	return nil
}

// call reads a call. A call with a positional argument becomes the value of
// that argument, as in array([...]). Keyword arguments become an object, as in
// Document(...).
func (p *pythonParser) call(name string, depth int) error {
	p.i++
	at := p.t.open(kindObject, name)
	positional := false
	for p.peek() != ')' {
		key := ""
		rest := p.s[p.i:]
		if n := wordLength(rest); n > 0 && n < len(rest) && rest[n] == '=' {
			key = rest[:n]
			p.i += n + 1
		}
		before := len(p.t.nodes)
		if key == "dtype" && p.peek() != '\'' && p.peek() != '"' {
			// the dtype of an array is a bare name
			for p.i < len(p.s) && (isWordByte(p.s[p.i]) || p.s[p.i] == '.') {
				p.i++
			}
		} else if err := p.value(key, depth+1); err != nil {
			return err
		}
		if key == "" {
			if positional || before != at+1 {
				return p.fail("multiple positional arguments")
			}
			positional = true
		} else if positional {
			p.t.nodes = p.t.nodes[:before]
		}
		if err := p.separator(')', "call"); err != nil {
			return err
		}
	}
	p.i++
	if positional {
		// Replace the object with the value.
		copy(p.t.nodes[at:], p.t.nodes[at+1:])
		p.t.nodes = p.t.nodes[:len(p.t.nodes)-1]
		p.t.nodes[at].name = name
		for j := at; j < len(p.t.nodes); j++ {
			p.t.nodes[j].end--
		}
		return nil
	}
	p.t.close(at)
	return nil
}

// str reads a string literal as repr writes it: without a prefix, in single or double quotes.
func (p *pythonParser) str() (string, error) {
	start, mark := p.i, p.s[p.i:p.i+1]
	switch {
	case mark != "'" && mark != `"`:
		return "", p.fail("a string with the prefix " + mark)
	case strings.HasPrefix(p.s[p.i:], strings.Repeat(mark, 3)):
		return "", p.fail("a string in triple quotes")
	}
	rest := p.s[p.i+1:]
	if n := strings.Index(rest, mark); n >= 0 && strings.IndexByte(rest[:n], '\\') < 0 {
		p.i += n + 2
		return rest[:n], nil
	}
	var b strings.Builder
	for rest != "" && !strings.HasPrefix(rest, mark) {
		n := strings.IndexAny(rest, `\`+mark)
		if n < 0 {
			break
		}
		b.WriteString(rest[:n])
		if rest = rest[n:]; rest[0] != '\\' {
			continue
		}
		if len(rest) == 1 {
			break
		}
		c, _, tail, err := strconv.UnquoteChar(rest, rest[1]) // any quote can be escaped
		if err != nil {
			p.i = len(p.s) - len(rest)
			return "", p.failLiteral("unknown escape sequence")
		}
		b.WriteRune(c) // also of \xNN, which is not a byte in Python
		rest = tail
	}
	if !strings.HasPrefix(rest, mark) {
		p.i = start
		return "", p.failLiteral("unterminated string literal")
	}
	p.i = len(p.s) - len(rest) + 1
	return b.String(), nil
}
