package tokenizer

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// An addedToken is matched in the text before it reaches the model.
type addedToken struct {
	ID         ignored `json:"id"` // see addTokens
	Content    string  `json:"content"`
	SingleWord bool    `json:"single_word"`
	LStrip     bool    `json:"lstrip"`
	RStrip     bool    `json:"rstrip"`
	Normalized bool    `json:"normalized"`
	Special    bool    `json:"special"` // or inserted by the post-processor

	id      int32
	pattern string // content, normalized if Normalized is set
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

// newMatcher returns a matcher of tokens, or nil if there are none.
func newMatcher(tokens []addedToken) (*matcher, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	index := make(map[string]int32, len(tokens))
	for i, t := range tokens {
		switch j, ok := index[t.pattern]; {
		case t.pattern == "":
			return nil, fmt.Errorf("%q is empty after normalization", t.Content)
		case len(t.pattern) > maxAddedToken:
			return nil, fmt.Errorf("%.20q... has %d bytes, the limit is %d", t.pattern, len(t.pattern), maxAddedToken)
		case ok:
			return nil, fmt.Errorf("%q and %q are equal after normalization", tokens[j].Content, t.Content)
		}
		index[t.pattern] = int32(i)
	}
	return &matcher{tokens, newTrie(index)}, nil
}

// extract splits the pieces at added tokens. A token with rstrip may include spaces that also
// belong to the next token with lstrip. The pieces then overlap, as in the reference.
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
			if t.SingleWord && !chars.standsAlone(src, lo, hi) {
				continue
			}
			if t.Special && s.untrusted(int(p.lo)+lo, int(p.lo)+hi) {
				continue
			}
			if t.LStrip {
				for lo > done {
					r, w := utf8.DecodeLastRune(src[:lo])
					if chars.classOf(r)&space == 0 {
						break
					}
					lo -= w
				}
				lo = max(lo, done)
			}
			if t.RStrip {
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

// A preTokenizer splits pieces and may change their text.
type preTokenizer interface {
	divide(s *state)
}

// A wordSplitter is the pre-tokenizer WhitespaceSplit or BertPreTokenizer. It splits at
// white space, which it removes, and isolates each character of a class.
type wordSplitter struct {
	chars   *characters
	isolate class
}

func (w wordSplitter) divide(s *state) {
	s.split(func(p piece) {
		src := s.bytes(p)
		start := 0
		for i := 0; i < len(src); {
			r, n := utf8.DecodeRune(src[i:])
			if c := w.chars.classOf(r); c&(space|w.isolate) != 0 {
				s.cut(p, start, i, notAdded)
				if c&space == 0 {
					s.cut(p, i, i+n, notAdded)
				}
				start = i + n
			}
			i += n
		}
		s.cut(p, start, len(src), notAdded)
	})
}

// A splitter is the Split pre-tokenizer with the behavior MergedWithPrevious. It splits
// after each occurrence of a string.
type splitter struct{ after []byte }

func (x splitter) divide(s *state) {
	s.splitBy(func(src []byte, start int) int {
		if i := bytes.Index(src[start:], x.after); i >= 0 {
			return start + i + len(x.after)
		}
		return len(src)
	})
}

// A metaspace is the Metaspace pre-tokenizer. It replaces each space by a mark
// and splits before each mark.
type metaspace struct {
	mark  []byte // one character
	first bool   // prepend the mark only to pieces at the start of the text
	split bool
}

func (m metaspace) divide(s *state) {
	s.edit(func(e *editor) {
		src := e.remaining()
		starts := len(src) == 0 || src[0] == ' ' || bytes.HasPrefix(src, m.mark)
		if !starts && (!m.first || e.src.origins[e.pos].start == 0) {
			e.insert(m.mark)
		}
		for {
			i := bytes.IndexByte(e.remaining(), ' ')
			if i < 0 {
				e.keepRest()
				return
			}
			e.keep(i)
			e.replace(1, m.mark)
		}
	})
	if !m.split {
		return
	}
	s.splitBy(func(src []byte, start int) int {
		if i := bytes.Index(src[start+1:], m.mark); i >= 0 {
			return start + 1 + i
		}
		return len(src)
	})
}

// A gpt2Splitter is the ByteLevel pre-tokenizer. It splits a text into words like GPT-2,
// RoBERTa and ModernBERT:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// ByteLevel then maps the bytes of words to characters. A bpe reads them as bytes
// instead, with the same result.
type gpt2Splitter struct {
	chars    *characters
	addSpace bool
}

func (g gpt2Splitter) divide(s *state) {
	if g.addSpace {
		s.edit(func(e *editor) {
			if src := e.remaining(); len(src) > 0 && src[0] != ' ' {
				e.insert([]byte{' '})
			}
			e.keepRest()
		})
	}
	s.splitBy(g.wordEnd)
}

func (g gpt2Splitter) wordEnd(src []byte, i int) int {
	for _, contraction := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if bytes.HasPrefix(src[i:], []byte(contraction)) {
			return i + len(contraction)
		}
	}
	at := i
	kind, w := g.chars.kind(src, at)
	if src[at] == ' ' {
		if k, n := g.chars.kind(src, at+1); n > 0 && k != space {
			at, kind, w = at+1, k, n
		}
	}
	if kind != space {
		return g.chars.run(src, at+w, kind)
	}
	// \s+(?!\S)|\s+ excludes the last space of a run before other text, unless it is the only one.
	end := g.chars.run(src, i, space)
	_, w = utf8.DecodeLastRune(src[i:end])
	if end == len(src) || end-w == i {
		return end
	}
	return end - w
}

// kind returns the class of the character at i among those of GPT-2's pattern,
// and its length. The class is 0 for other characters and at the end.
func (c *characters) kind(src []byte, i int) (class, int) {
	if i >= len(src) {
		return 0, 0
	}
	r, w := utf8.DecodeRune(src[i:])
	return c.classOf(r) & (space | letter | number), w
}

// run returns the end of the run of characters of the given kind that starts at i.
func (c *characters) run(src []byte, i int, kind class) int {
	for {
		k, w := c.kind(src, i)
		if k != kind || w == 0 {
			return i
		}
		i += w
	}
}
