package tokenizer

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// unknownPenalty is how much less likely than the least likely token an unknown
// character is: kUnkPenalty of SentencePiece's unigram_model.cc.
const unknownPenalty = 10

// A unigram is the model of SentencePiece that takes the most likely of all ways
// to put a word together.
type unigram struct {
	vocabulary
	trie    *trie
	scores  []float64
	unknown int32 // its place in the vocabulary, or noValue
	penalty float64
	bytes   *[256]int32 // tokens that stand for a byte; nil without byte fallback
	trims   *characters // nil where offsets aren't trimmed
	special []bool      // by the place in the vocabulary: no text may make it where specials are split
}

func newUnigram(v vocabulary, scores []float64, unknown int32, byteFallback bool) *unigram {
	u := &unigram{vocabulary: v, trie: newTrie(v.tokens), scores: scores, unknown: unknown}
	least := math.Inf(1)
	for _, s := range scores {
		least = min(least, s)
	}
	u.penalty = least - unknownPenalty
	if byteFallback {
		u.bytes = v.byteTokens()
	}
	return u
}

// byteTokens returns the ids of <0x00> to <0xFF>, noValue for one there isn't.
func (v *vocabulary) byteTokens() *[256]int32 {
	var all [256]int32
	for i := range all {
		id, ok := v.id(fmt.Sprintf("<0x%02X>", i))
		if !ok {
			id = noValue
		}
		all[i] = id
	}
	return &all
}

func (u *unigram) unknownID() (int32, bool) {
	if u.unknown == noValue {
		return 0, false
	}
	return u.ids[u.unknown], true
}

// bar takes the ids of special tokens.
func (u *unigram) bar(special map[int32]bool) {
	u.special = make([]bool, len(u.ids))
	for i, id := range u.ids {
		u.special[i] = special[id]
	}
}

// A step is the best way to a place in a word.
type step struct {
	score float64
	from  int32 // where its last token begins, or noValue
	token int32 // place in the vocabulary
}

// tokenize is the Viterbi algorithm. Of equal scores the first found counts,
// which is the one whose last token is the longest; the sums are taken from left
// to right as the reference does, as their rounding decides.
func (u *unigram) tokenize(s *state, p piece) {
	src := s.of(p)
	s.best = s.best[:0]
	for range len(src) + 1 {
		s.best = append(s.best, step{from: noValue})
	}
	best := s.best
	split := len(s.data) > 0
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
				*to = step{score, int32(at), u.unknown}
				s.unknown = s.unknown || u.unknown == noValue
			}
		}
		at += width
	}
	// Turn the way round: from now on, from is where a token ends.
	end := noValue
	for at := len(src); at >= 0; {
		from := int(best[at].from)
		best[at].from, end = int32(end), at
		at = from
	}
	for at := 0; at < len(src); {
		to := int(best[at].from)
		token := best[to].token
		if token != u.unknown || u.unknown == noValue {
			u.emitKnown(s, token, p, at, to)
			at = to
			continue
		}
		for to < len(src) && best[best[to].from].token == u.unknown {
			to = int(best[to].from)
		}
		u.emitUnknown(s, p, at, to)
		at = to
	}
}

func (u *unigram) emitKnown(s *state, token int32, p piece, at, to int) {
	id := int32(0)
	if token == noValue {
		s.unknown = true
	} else {
		id = u.ids[token]
	}
	s.emit(id, int(p.lo)+at, int(p.lo)+to)
	if u.trims != nil {
		// Unlike for other models, the spaces are those of the text, also where it
		// is unknown.
		s.tokens[len(s.tokens)-1].margin = marginOf(u.trims, s.of(p)[at:to])
	}
}

// emitUnknown emits neighbouring unknown characters as one token, or as the
// tokens for their bytes, each with the offsets of the whole. The unknown token
// itself may be in the text and is found as such.
func (u *unigram) emitUnknown(s *state, p piece, at, to int) {
	src := s.of(p)[at:to]
	if i, ok := u.trie.find(src); ok && (len(s.data) == 0 || !u.special[i]) {
		u.emitKnown(s, i, p, at, to)
		return
	}
	if u.bytes != nil {
		all := true
		for _, c := range src {
			all = all && u.bytes[c] != noValue
		}
		if all {
			for _, c := range src {
				s.emit(u.bytes[c], int(p.lo)+at, int(p.lo)+to)
			}
			return
		}
	}
	u.emitKnown(s, u.unknown, p, at, to)
}
