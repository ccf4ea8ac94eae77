package tokenizer

import (
	"fmt"
	"unicode/utf8"
)

// An addedToken is one that is looked for in the text before the model sees it.
type addedToken struct {
	content                    string
	id                         int32
	singleWord, lstrip, rstrip bool
	normalized, special        bool // special: also if the post-processor adds it
}

// A matcher finds added tokens, of those that begin at one place the longest.
type matcher struct {
	tokens []addedToken
	trie   *trie
	begins [256]bool // first bytes
}

// maxAdded bounds the length of an added token in bytes, and with it the time
// that looking for them takes in the worst case.
const maxAdded = 1000

// newMatcher takes tokens and what each is looked for as.
func newMatcher(tokens []addedToken, patterns []string) (*matcher, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	m := &matcher{tokens: tokens}
	seen := make(map[string]int, len(patterns))
	for i, p := range patterns {
		switch j, ok := seen[p]; {
		case p == "":
			return nil, fmt.Errorf("%q has nothing left to look for when it is normalised", tokens[i].content)
		case len(p) > maxAdded:
			return nil, fmt.Errorf("%.20q... has %d bytes; at most %d are supported", p, len(p), maxAdded)
		case ok:
			return nil, fmt.Errorf("%q and %q are the same when they are normalised", tokens[j].content, tokens[i].content)
		}
		seen[p] = i
		m.begins[p[0]] = true
	}
	m.trie = newTrie(patterns)
	return m, nil
}

// extract cuts the added tokens out of the pieces. A token that takes the spaces
// behind it may take some that the next one begins with; the pieces then overlap,
// as they do in the reference.
func (m *matcher) extract(s *state, chars *characters) error {
	return s.split(func(p piece) error {
		src := s.of(p)
		done := 0                // up to where src is divided
		spaceLo, spaceHi := 0, 0 // the last run of spaces behind a token
		for i := 0; m != nil && i < len(src); {
			if !m.begins[src[i]] {
				i++
				continue
			}
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
			if t.special && s.inData(int(p.lo)+lo, int(p.lo)+hi) {
				continue
			}
			if t.lstrip {
				for lo > done {
					r, w := utf8.DecodeLastRune(src[:lo])
					if chars.of(r)&space == 0 {
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
			if done < lo {
				s.cut(p.lo+int32(done), p.lo+int32(lo), notAdded)
			}
			s.cut(p.lo+int32(lo), p.lo+int32(hi), t.id)
			done = hi
		}
		s.cut(p.lo+int32(done), p.hi, notAdded)
		return nil
	})
}

// standsAlone reports whether there is no word character next to src[lo:hi].
func (c *characters) standsAlone(src []byte, lo, hi int) bool {
	before, n := utf8.DecodeLastRune(src[:lo])
	after, k := utf8.DecodeRune(src[hi:])
	return (n == 0 || c.of(before)&word == 0) && (k == 0 || c.of(after)&word == 0)
}
