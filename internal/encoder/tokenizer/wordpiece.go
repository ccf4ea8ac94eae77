package tokenizer

import "unicode/utf8"

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
