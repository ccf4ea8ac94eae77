package tokenizer

import "unicode/utf8"

// unknownPenalty is the difference between the lowest token score and the score
// of an unknown character (kUnkPenalty in SentencePiece's unigram_model.cc).
const unknownPenalty = 10

// A unigram is SentencePiece's unigram model, which finds the most likely
// segmentation of a word.
type unigram struct {
	vocab   *vocabulary
	trie    *trie
	scores  []float64 // by id
	penalty float64   // score of an unknown character
	special []bool    // by id; not found in untrusted text
}

// setSpecials sets the ids of special tokens.
func (u *unigram) setSpecials(special map[int32]bool) {
	u.special = make([]bool, len(u.scores))
	for id := range u.special {
		u.special[id] = special[int32(id)]
	}
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
