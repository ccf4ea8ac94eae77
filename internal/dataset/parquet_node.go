package dataset

import "github.com/parquet-go/parquet-go"

// A pnode puts the values of one node of a Parquet schema together, from the
// definition and repetition levels of its leaves, as the Dremel paper has it
// (Melnik et al., 2010). Levels and not names say what is a list, so that every
// writer's way to nest one reads the same.
type pnode struct {
	name     string
	optional bool
	repeated bool
	rep, def int // levels of the node itself
	leaf     *leaf
	first    *leaf // the leaf whose levels decide
	leaves   []*leaf
	children []*pnode
	list     bool // the one child is repeated, and its elements are the list's
	inner    bool // a layer that holds a list's element and is no value itself
	keyed    bool // a map: the one child repeats keys and values
}

// newNode plans the reading of a column, and adds its leaves to all.
func newNode(c *parquet.Column, all *[]*leaf) *pnode {
	n := &pnode{
		name: c.Name(), optional: c.Optional(), repeated: c.Repeated(),
		rep: c.MaxRepetitionLevel(), def: c.MaxDefinitionLevel(),
	}
	if c.Leaf() {
		n.leaf = &leaf{column: c.Index(), path: columnPath(c), rep: n.rep, def: n.def, text: converter(c)}
		n.first, n.leaves = n.leaf, []*leaf{n.leaf}
		*all = append(*all, n.leaf)
		return n
	}
	for _, child := range c.Columns() {
		k := newNode(child, all)
		n.children = append(n.children, k)
		n.leaves = append(n.leaves, k.leaves...)
	}
	if len(n.leaves) > 0 {
		n.first = n.leaves[0]
	}
	if len(n.children) == 1 && n.children[0].repeated {
		child := n.children[0]
		switch {
		case isMap(c) && len(child.children) == 2 && !child.children[0].repeated:
			n.keyed = true
		case isList(c):
			n.list = true
			child.inner = isLayer(child, c.Name())
		}
	}
	return n
}

// isLayer tells a list's middle layer from an element that is a group itself,
// by the rules that the format gives for files of old writers.
func isLayer(child *pnode, parent string) bool {
	return child.leaf == nil && len(child.children) == 1 && !child.children[0].repeated &&
		child.name != "array" && child.name != parent+"_tuple"
}

// build appends the value of the current record to t. Exactly the values that
// belong to it are read from every leaf.
func (n *pnode) build(t *tree, name string) error {
	if n.first == nil {
		t.add(kindNull, name, "") // a group of nothing
		return nil
	}
	v, err := n.first.peek()
	if err != nil {
		return err
	}
	if !n.repeated {
		if n.optional && v.DefinitionLevel() < n.def {
			t.add(kindNull, name, "")
			return n.skip()
		}
		return n.present(t, name)
	}
	i := t.open(kindList, name)
	err = n.elements(func() error { return n.present(t, "") })
	t.close(i)
	return err
}

// elements calls element for each of a repeated node's elements.
func (n *pnode) elements(element func() error) error {
	v, err := n.first.peek()
	if err != nil {
		return err
	}
	if v.DefinitionLevel() < n.def {
		return n.skip()
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if more, err := n.first.repeats(n.rep); err != nil || !more {
			return err
		}
	}
}

// present appends a value that is there.
func (n *pnode) present(t *tree, name string) error {
	switch {
	case n.leaf != nil:
		return n.leaf.take(t, name)
	case n.inner:
		return n.children[0].build(t, name)
	case n.list:
		return n.children[0].build(t, name)
	case n.keyed:
		return n.pairs(t, name)
	}
	i := t.open(kindObject, name)
	for _, child := range n.children {
		if err := child.build(t, child.name); err != nil {
			return err
		}
	}
	t.close(i)
	return nil
}

// pairs appends a map as an object.
func (n *pnode) pairs(t *tree, name string) error {
	i := t.open(kindObject, name)
	pair := n.children[0]
	err := pair.elements(func() error {
		at := len(t.nodes)
		if err := pair.children[0].build(t, ""); err != nil {
			return err
		}
		key := ""
		if at < len(t.nodes) {
			key = t.nodes[at].text
			t.nodes = t.nodes[:at]
		}
		return pair.children[1].build(t, key)
	})
	t.close(i)
	return err
}

// skip passes over the one entry that a null or an empty list has in every
// leaf.
func (n *pnode) skip() error {
	for _, l := range n.leaves {
		if _, err := l.peek(); err != nil {
			return err
		}
		l.at++
	}
	return nil
}
