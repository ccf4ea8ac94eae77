package tokenizer

import (
	"fmt"
	"unicode/utf8"
)

// An addedToken is matched in the text before it reaches the model.
type addedToken struct {
	content                    string
	id                         int32
	singleWord, lstrip, rstrip bool
	normalized                 bool
	special                    bool // or inserted by the post-processor
}

// A matcher finds added tokens, preferring the longest at each position.
type matcher struct {
	tokens []addedToken
	trie   *trie
}

// Limits on added tokens: the length of each in bytes, and with it the worst-case time
// of matching, and the length of all. Tokenizers in use have some thousand.
const (
	maxAddedToken = 1000
	maxAddedBytes = 1 << 19
)

// newMatcher returns a matcher of tokens, each with the pattern to look for. It
// returns nil for no tokens.
func newMatcher(tokens []addedToken, patterns []string) (*matcher, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	m := &matcher{tokens: tokens}
	index := make(map[string]int32, len(patterns))
	for i, p := range patterns {
		switch j, ok := index[p]; {
		case p == "":
			return nil, fmt.Errorf("%q is empty after normalization", tokens[i].content)
		case len(p) > maxAddedToken:
			return nil, fmt.Errorf("%.20q... has %d bytes, the limit is %d", p, len(p), maxAddedToken)
		case ok:
			return nil, fmt.Errorf("%q and %q are equal after normalization", tokens[j].content, tokens[i].content)
		}
		index[p] = int32(i)
	}
	m.trie = newTrie(index)
	return m, nil
}

// extract splits the pieces at added tokens. A token with rstrip may include
// spaces that also belong to the next token with lstrip. The pieces then
// overlap, as in the reference.
func (m *matcher) extract(s *state, chars *characters) {
	s.split(func(p piece) {
		src := s.bytes(p)
		done := 0                // end of the last piece
		spaceLo, spaceHi := 0, 0 // last run of spaces after a token
		for i := 0; m != nil && i < len(src); {
			v, n := m.trie.longest(0, src[i:])
			if n == 0 {
				i++
				continue
			}
			t := &m.tokens[v]
			lo, hi := i, i+n
			i = hi
			if t.singleWord && !chars.standsAlone(src, lo, hi) {
				continue
			}
			if t.special && s.untrusted(int(p.lo)+lo, int(p.lo)+hi) {
				continue
			}
			if t.lstrip {
				for lo > done {
					r, w := utf8.DecodeLastRune(src[:lo])
					if chars.classOf(r)&space == 0 {
						break
					}
					lo -= w
				}
				lo = max(lo, done)
			}
			if t.rstrip {
				if hi < spaceLo || hi >= spaceHi {
					spaceLo, spaceHi = hi, chars.run(src, hi, space)
				}
				hi = max(hi, spaceHi)
			}
			s.cut(p, done, lo, notAdded)
			s.cut(p, lo, hi, t.id)
			done = hi
		}
		s.cut(p, done, len(src), notAdded)
	})
}

// standsAlone reports whether src[lo:hi] is not adjacent to a word character.
func (c *characters) standsAlone(src []byte, lo, hi int) bool {
	before, n := utf8.DecodeLastRune(src[:lo])
	after, k := utf8.DecodeRune(src[hi:])
	return (n == 0 || c.classOf(before)&word == 0) && (k == 0 || c.classOf(after)&word == 0)
}
