package tokenizer

import (
	"cmp"
	"slices"
	"unicode/utf8"
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

// step follows one byte from a node; the root is node 0. It returns 0 if there is no such child.
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

// A wordPiece is BERT's model. It repeatedly takes the longest matching token;
// tokens after the first are marked by a prefix.
type wordPiece struct {
	trie     *trie
	rest     int32 // trie node of the prefix
	hasRest  bool  // whether any token has the prefix
	unknown  int32 // id of the unknown token, or noValue
	maxChars int   // longer words are unknown
}

func (w *wordPiece) tokenize(s *state, p piece) {
	src := s.bytes(p)
	before := len(s.tokens)
	known := len(src) <= w.maxChars || utf8.RuneCount(src) <= w.maxChars
	for at := 0; known && at < len(src); {
		var id int32
		n := 0
		if at == 0 {
			id, n = w.trie.longest(0, src)
		} else if w.hasRest {
			id, n = w.trie.longest(w.rest, src[at:])
		}
		if known = n > 0; known {
			s.emit(id, int(p.lo)+at, int(p.lo)+at+n)
			at += n
		}
	}
	if !known {
		s.tokens = s.tokens[:before]
		s.unknown = s.unknown || w.unknown == noValue
		s.emit(w.unknown, int(p.lo), int(p.hi))
	}
}

// unknownPenalty is the difference between the lowest token score and the score
// of an unknown character (kUnkPenalty in SentencePiece's unigram_model.cc).
const unknownPenalty = 10

// A unigram is SentencePiece's unigram model, which finds the most likely segmentation of a word.
type unigram struct {
	vocab   *vocabulary
	trie    *trie
	scores  []float64 // by id
	penalty float64   // score of an unknown character
	special []bool    // by id; not found in untrusted text
}

// tokenize runs the Viterbi algorithm. The first path found wins among equal
// scores, which is the one with the longest last token. Scores are summed from
// left to right as in the reference because rounding can decide.
func (u *unigram) tokenize(s *state, p piece) {
	src := s.bytes(p)
	s.best = s.best[:0]
	for range len(src) + 1 {
		s.best = append(s.best, step{from: noValue})
	}
	best := s.best
	split := len(s.untrustedSpans) > 0
	for at := 0; at < len(src); {
		_, width := utf8.DecodeRune(src[at:])
		here := best[at].score
		single := false
		node := int32(0)
		for i := at; i < len(src); i++ {
			if node = u.trie.step(node, src[i]); node == 0 {
				break
			}
			v := u.trie.nodes[node].value
			if v == noValue || split && u.special[v] {
				continue
			}
			to := &best[i+1]
			if score := u.scores[v] + here; to.from == noValue || score > to.score {
				*to = step{score, int32(at), v}
			}
			single = single || i+1-at == width
		}
		if !single {
			to := &best[at+width]
			if score := u.penalty + here; to.from == noValue || score > to.score {
				*to = step{score, int32(at), u.vocab.unknown}
				s.unknown = s.unknown || u.vocab.unknown == noValue
			}
		}
		at += width
	}
	// Reverse the path, so that from is the end of the next token.
	end := noValue
	for at := len(src); at >= 0; {
		from := int(best[at].from)
		best[at].from, end = int32(end), at
		at = from
	}
	for at := 0; at < len(src); {
		to := int(best[at].from)
		id := best[to].token
		if id == u.vocab.unknown && id != noValue {
			// Adjacent unknown characters are one token. If the text is that of the
			// unknown token itself, it is a known token.
			for to < len(src) && best[best[to].from].token == id {
				to = int(best[to].from)
			}
			if known, ok := u.vocab.ids[string(src[at:to])]; ok && (!split || !u.special[known]) {
				id = known
			}
		}
		s.unknown = s.unknown || id == noValue
		s.emit(id, int(p.lo)+at, int(p.lo)+to)
		at = to
	}
}
