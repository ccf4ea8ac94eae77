package tokenizer

import (
	"slices"
	"unicode/utf8"
)

// A model splits a piece into tokens.
type model interface {
	// tokenize emits the tokens of a non-empty piece. If a character has no token
	// and there is no unknown token, it sets s.unknown and emits id 0.
	tokenize(s *state, p piece)
	// size returns the number of tokens.
	size() int
	// maxID returns the largest id, or -1 if there is none.
	maxID() int32
	// id returns the id of a token.
	id(token string) (int32, bool)
	// unknownID returns the id of the unknown token, if any.
	unknownID() (int32, bool)
}

// A vocabulary holds the tokens of a model in file order.
type vocabulary struct {
	tokens []string
	ids    []int32
	index  map[string]int32 // index in tokens
}

func (v *vocabulary) size() int { return len(v.tokens) }

// maxID returns the largest id, or -1 if there is none.
func (v *vocabulary) maxID() int32 {
	if len(v.ids) == 0 {
		return -1
	}
	return slices.Max(v.ids)
}

func (v *vocabulary) id(token string) (int32, bool) {
	i, ok := v.index[token]
	if !ok {
		return 0, false
	}
	return v.ids[i], true
}

// A wordPiece is BERT's model. It repeatedly takes the longest matching token;
// tokens after the first are marked by a prefix.
type wordPiece struct {
	vocabulary
	trie     *trie
	rest     int32 // trie node of the prefix
	hasRest  bool  // whether any token has the prefix
	unknown  int32
	hasUnk   bool
	maxChars int // longer words are unknown
}

func (w *wordPiece) unknownID() (int32, bool) { return w.unknown, w.hasUnk }

func (w *wordPiece) tokenize(s *state, p piece) {
	src := s.bytes(p)
	before := len(s.tokens)
	known := len(src) <= w.maxChars || utf8.RuneCount(src) <= w.maxChars
	for at := 0; known && at < len(src); {
		var i int32
		n := 0
		if at == 0 {
			i, n = w.trie.longest(0, src)
		} else if w.hasRest {
			i, n = w.trie.longest(w.rest, src[at:])
		}
		if known = n > 0; known {
			s.emit(w.ids[i], int(p.lo)+at, int(p.lo)+at+n)
			at += n
		}
	}
	if !known {
		s.tokens = s.tokens[:before]
		s.unknown = s.unknown || !w.hasUnk
		s.emit(w.unknown, int(p.lo), int(p.hi))
	}
}
