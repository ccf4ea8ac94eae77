package tokenizer

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// A trie finds the tokens at the start of a text. Nodes are in breadth-first
// order, so the children of a node are a range of labels. Its size is
// proportional to the total length of the keys.
type trie struct {
	root   [256]int32 // children of the root, 0 for none
	labels []byte     // label of the edge to each node
	nodes  []trieNode
}

type trieNode struct {
	first    int32 // first child
	children int32 // number of children
	value    int32 // noValue if no key ends here
}

const noValue = -1

// newTrie returns a trie of keys with their indexes as values. The last of
// equal keys wins; empty keys are ignored.
func newTrie(keys []string) *trie {
	order := make([]int32, 0, len(keys))
	total := 1
	for i, k := range keys {
		total += len(k)
		if k != "" {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(strings.Compare(keys[a], keys[b]), cmp.Compare(a, b))
	})

	for i := 1; i < len(order); i++ { // nodes of common prefixes are shared
		a, b := keys[order[i-1]], keys[order[i]]
		for k := 0; k < min(len(a), len(b)) && a[k] == b[k]; k++ {
			total--
		}
	}
	t := &trie{labels: make([]byte, 1, total), nodes: make([]trieNode, 1, total)}
	type group struct{ lo, hi int32 } // range of order
	t.nodes[0].value = noValue
	level := []group{{0, int32(len(order))}}
	at := int32(0) // node of level[0]
	for depth := 0; len(level) > 0; depth++ {
		var next []group
		for _, g := range level {
			node := &t.nodes[at]
			at++
			lo := g.lo
			for lo < g.hi && len(keys[order[lo]]) == depth {
				node.value = order[lo]
				lo++
			}
			first := int32(len(t.nodes))
			for lo < g.hi {
				c := keys[order[lo]][depth]
				hi := lo + 1
				for hi < g.hi && keys[order[hi]][depth] == c {
					hi++
				}
				t.labels = append(t.labels, c)
				t.nodes = append(t.nodes, trieNode{value: noValue})
				next = append(next, group{lo, hi})
				lo = hi
			}
			t.nodes[at-1].first, t.nodes[at-1].children = first, int32(len(t.nodes))-first
		}
		level = next
	}
	for i := range t.nodes[0].children {
		t.root[t.labels[t.nodes[0].first+i]] = t.nodes[0].first + i
	}
	return t
}

// step follows one byte from a node; the root is node 0. It returns 0 if there
// is no such child.
func (t *trie) step(node int32, c byte) int32 {
	if node == 0 {
		return t.root[c]
	}
	n := &t.nodes[node]
	switch n.children {
	case 0:
		return 0
	case 1:
		if t.labels[n.first] == c {
			return n.first
		}
		return 0
	}
	i := bytes.IndexByte(t.labels[n.first:n.first+n.children], c)
	if i < 0 {
		return 0
	}
	return n.first + int32(i)
}

// walk follows a string from a node; ok is false if it leaves the trie.
func (t *trie) walk(node int32, s string) (end int32, ok bool) {
	for i := range len(s) {
		if node = t.step(node, s[i]); node == 0 {
			return 0, false
		}
	}
	return node, true
}

// longest returns the value and length of the longest key, starting at a node,
// that is a prefix of src. The length is 0 if there is none.
func (t *trie) longest(node int32, src []byte) (value int32, length int) {
	for i, c := range src {
		if node = t.step(node, c); node == 0 {
			break
		}
		if v := t.nodes[node].value; v != noValue {
			value, length = v, i+1
		}
	}
	return value, length
}

// find returns the value of a key.
func (t *trie) find(key []byte) (int32, bool) {
	node, ok := t.walk(0, string(key))
	v := t.nodes[node].value
	return v, ok && v != noValue
}
