package tokenizer

import (
	"cmp"
	"slices"
)

// A vocabulary holds the tokens of a model.
type vocabulary struct {
	ids     map[string]int32
	size    int   // number of tokens, including equal ones
	unknown int32 // id of the unknown token, or noValue
}

// A trie finds the tokens at the start of a text. Its size is proportional to the total
// length of the tokens.
type trie struct {
	root  [256]int32 // children of the root, or 0
	nodes []trieNode
}

type trieNode struct {
	value   int32 // noValue if no token ends here
	child   int32 // first child, or 0
	sibling int32 // next child of the parent, or 0
	label   byte  // of the edge from the parent
}

const noValue = -1

// newTrie returns a trie of tokens with their values. An empty token is ignored. Tokens
// with low values, the frequent ones, are found faster.
func newTrie(tokens map[string]int32) *trie {
	t := &trie{nodes: []trieNode{{value: noValue}}}
	type entry struct {
		token string
		value int32
	}
	order := make([]entry, 0, len(tokens))
	for token, value := range tokens {
		order = append(order, entry{token, value})
	}
	slices.SortFunc(order, func(a, b entry) int { return cmp.Compare(a.value, b.value) })
	for _, e := range order {
		node := int32(0)
		for i := range len(e.token) {
			c := e.token[i]
			link := t.first(node, c)
			for *link != 0 && t.nodes[*link].label != c {
				link = &t.nodes[*link].sibling
			}
			if *link == 0 {
				*link = int32(len(t.nodes))
				t.nodes = append(t.nodes, trieNode{value: noValue, label: c})
			}
			node = *link
		}
		if node != 0 {
			t.nodes[node].value = e.value
		}
	}
	return t
}

// first returns the link to the first child of a node that byte c may lead to.
func (t *trie) first(node int32, c byte) *int32 {
	if node == 0 {
		return &t.root[c]
	}
	return &t.nodes[node].child
}

// step follows one byte from a node; the root is node 0. It returns 0 if there
// is no such child.
func (t *trie) step(node int32, c byte) int32 {
	node = *t.first(node, c)
	for node != 0 && t.nodes[node].label != c {
		node = t.nodes[node].sibling
	}
	return node
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

// longest returns the value and length of the longest token, starting at a node,
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
