package tokenizer

import "unicode/utf8"

// A model turns a piece into tokens.
type model interface {
	// tokenize emits the tokens of a piece, which isn't empty. Where it has no
	// token for something, and no unknown token, it sets s.unknown and emits one
	// with the id 0.
	tokenize(s *state, p piece)
	// size is the number of tokens, and id that of one.
	size() int
	id(token string) (int32, bool)
	// each calls f for all tokens.
	each(f func(token string, id int32))
	// unknownID is the id of the unknown token, if there is one.
	unknownID() (int32, bool)
}

// A vocabulary has the tokens of a model in the order of the file.
type vocabulary struct {
	tokens []string
	ids    []int32
	index  map[string]int32 // of ids
}

func (v *vocabulary) size() int { return len(v.tokens) }

func (v *vocabulary) id(token string) (int32, bool) {
	i, ok := v.index[token]
	if !ok {
		return 0, false
	}
	return v.ids[i], true
}

func (v *vocabulary) each(f func(token string, id int32)) {
	for i, t := range v.tokens {
		f(t, v.ids[i])
	}
}

// A wordPiece is BERT's model: the longest token that the word begins with, then
// the longest ones, marked with a prefix, that the rest begins with.
type wordPiece struct {
	vocabulary
	trie     *trie
	rest     int32 // the node behind the prefix
	anyRest  bool
	unknown  int32
	hasUnk   bool
	maxChars int // of a word; a longer one is unknown
}

func newWordPiece(v vocabulary, unknown, prefix string, maxChars int) *wordPiece {
	w := &wordPiece{vocabulary: v, trie: newTrie(v.tokens), maxChars: maxChars}
	w.rest, w.anyRest = w.trie.walk(0, prefix)
	w.unknown, w.hasUnk = v.id(unknown)
	return w
}

func (w *wordPiece) unknownID() (int32, bool) { return w.unknown, w.hasUnk }

func (w *wordPiece) tokenize(s *state, p piece) {
	src := s.of(p)
	before := len(s.tokens)
	known := len(src) <= w.maxChars || utf8.RuneCount(src) <= w.maxChars
	for at := 0; known && at < len(src); {
		var i int32
		n := 0
		if at == 0 {
			i, n = w.trie.longest(0, src)
		} else if w.anyRest {
			i, n = w.trie.longest(w.rest, src[at:])
		}
		if n == 0 {
			known = false
			break
		}
		s.emit(w.ids[i], int(p.lo)+at, int(p.lo)+at+n)
		at += n
	}
	if !known {
		s.tokens = s.tokens[:before]
		s.unknown = s.unknown || !w.hasUnk
		s.emit(w.unknown, int(p.lo), int(p.hi))
	}
}
