package lexical

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// Credit says how much of a claim's word a context's word gives, in
// twentieths, so that sums are exact and windows can be slid without drift.
const (
	exact     = 20
	adjective = 18
	synonym   = 16
	sameRoot  = 14
	loose     = 11
)

// A level is an index into credits.
type level uint8

func credit(v level) int64 { return int64([...]uint8{exact, adjective, synonym, sameRoot, loose}[v]) }

const levels = 5

// A term is a content word or a value of a claim.
type term struct {
	claim      int32
	key        uint64
	weight     int64 // IDF × occurrences, in thousandths
	start, end int32 // bytes in the claim, of the first occurrence
	value      int32 // index into scratch.claimValues, -1 for a word
	name       bool  // capitalised, and not because a sentence begins with it
	found      bool  // in some context
	seen, best level // the best level of a hit since the last flush, and in the best chunk; levels for none
	wide, near levelCounts
}

// maxValues is how many numbers and dates of a row's claims are compared by
// what they mean; the others are compared as words.
const maxValues = 1024

// An entry says that a key gives credit for a term; entries of one key are chained.
type entry struct {
	term  int32
	level level
	next  int32
	chain int32 // the entry that the chain ends with, which was its first
}

// claim is what is kept of one claim while its row is judged.
type claim struct {
	text       string
	lead       int      // bytes of the stem in text, 0 without one
	answer     string   // the short answer that text was made of, with its question
	siblings   []string // items that the answer lists beside it, and itself
	terms      [2]int32 // range in scratch.terms
	values     [2]int32 // range in scratch.claimValues
	pairs      [2]int32 // range in scratch.pairSeen
	total      int64    // weight of all terms
	names      int64    // weight of the names
	wide, near slider
	hits       []hit // of the text at hand, by place; done of them are behind the windows
	done       int
	around     []hit // those around the closest window, once there are too many to keep
	best       chunkScore
	bestHits   []hit     // around the closest window of the best chunk, all of them if they are few
	supports   []support // chunks whose score is enough, in order
	unit       int32     // sparse: the last unit that it was chosen for
	touched    bool      // sparse: it has hits since the last flush
}

// A support is a chunk that scores enough for a claim, and where in it the
// closest window begins.
type support struct {
	chunk, start int
	near         float64
}

// index reads the claims into s, so that one pass over each
// context finds all that bears on any claim.
func (s *scratch) index(l *lexicon.Lexicon, texts []string) {
	s.filter.clear()
	s.values, s.valueChunks, s.valueTerms = s.values[:0], s.valueChunks[:0], s.valueTerms[:0]
	s.entries, s.terms, s.claimValues, s.pairSeen = s.entries[:0], s.terms[:0], s.claimValues[:0], s.pairSeen[:0]
	s.keys.Clear(scratchKeys)
	s.heads.Clear(scratchKeys)
	s.pairs.Clear(scratchKeys)
	s.compounds.Clear(scratchKeys)
	if s.sparse != nil {
		s.sparse.clear()
	}
	for len(s.claims) < len(texts) {
		s.claims = append(s.claims, claim{})
	}
	s.claims = s.claims[:len(texts)]
	for i, text := range texts {
		s.indexClaim(l, int32(i), text) //nolint:gosec // a row has fewer claims
	}
}

func (s *scratch) indexClaim(l *lexicon.Lexicon, id int32, text string) {
	c := &s.claims[id]
	*c = claim{text: text, hits: c.hits[:0], around: c.around[:0], bestHits: c.bestHits[:0], supports: c.supports[:0]}
	s.tokens = l.Tokens(s.tokens[:0], text)
	ts := s.tokens
	c.values[0] = int32(len(s.claimValues)) //nolint:gosec // bounded by the claim's length, as all below
	limit := maxValues - len(s.claimValues)
	if s.sparse != nil {
		limit = maxValues
		s.sparse.addSequence(id, ts)
	}
	s.claimValues = quantity.Append(s.claimValues, limit, l, text, ts)
	c.values[1] = int32(len(s.claimValues)) //nolint:gosec // as above
	c.terms[0] = int32(len(s.terms))        //nolint:gosec // as above
	c.pairs[0] = int32(len(s.pairSeen))     //nolint:gosec // as above
	s.words.Clear(scratchKeys)
	s.titled = isTitled(ts)
	v := c.values[0]
	content := false
	for i := range ts {
		t := &ts[i]
		if i > 0 {
			s.addPair(id, lexicon.Pair(ts[i-1].Key, t.Key))
		}
		if v < c.values[1] && i >= s.claimValues[v].FirstToken {
			if i == s.claimValues[v].FirstToken {
				s.addValue(l, id, v, ts)
				content = true
			}
			if i == s.claimValues[v].LastToken {
				v++
			}
			continue
		}
		if t.Is(lexicon.Stop) || i > 0 && t.Is(lexicon.Number) && ts[i-1].Is(lexicon.Label) {
			continue
		}
		content = true
		s.addWord(l, id, ts, i)
	}
	s.joinNeighbours(l, ts, text)
	if !content { // "Yes.", "It is not.": all words are all there is
		for i := range ts {
			s.addWord(l, id, ts, i)
		}
	}
	c.terms[1] = int32(len(s.terms))    //nolint:gosec // as above
	c.pairs[1] = int32(len(s.pairSeen)) //nolint:gosec // as above
	for i := c.terms[0]; i < c.terms[1]; i++ {
		c.total += s.terms[i].weight
		if s.terms[i].name {
			c.names += s.terms[i].weight
		}
	}
}

// isTitled reports whether all words that count begin with a capital, as in a
// title or in a text without small letters: capitals mark no names there.
func isTitled(ts []lexicon.Token) bool {
	const enough, shortest = 4, 4 // words; letters of a word that titles write so
	n := 0
	for i := range ts {
		t := &ts[i]
		if t.Class&(lexicon.Stop|lexicon.Number) != 0 || t.Stem == 0 || t.End-t.Start < shortest {
			continue
		}
		if !t.Is(lexicon.Capital) {
			return false
		}
		n++
	}
	return n >= enough
}

func (s *scratch) newTerm(id int32, t term) int32 {
	t.claim, t.seen, t.best = id, levels, levels
	s.terms = append(s.terms, t)
	return int32(len(s.terms) - 1) //nolint:gosec // bounded by the claim's length
}

// weigh turns an IDF into a weight.
func weigh(idf float64) int64 { return int64(math.Round(idf * 1000)) }

func (s *scratch) addValue(l *lexicon.Lexicon, id, v int32, ts []lexicon.Token) {
	val := &s.claimValues[v]
	w := int64(0)
	for _, t := range ts[val.FirstToken : val.LastToken+1] {
		if !t.Is(lexicon.Stop) || t.Is(lexicon.Month) {
			w += weigh(l.IDF(t.Key))
		}
	}
	n := s.newTerm(id, term{weight: max(w, 1), value: v, start: int32(val.Start), end: int32(val.End)}) //nolint:gosec // texts are shorter than 2 GiB
	s.valueTerms = append(s.valueTerms, n)
	if p := s.sparse; p != nil {
		p.meant = val.AppendKeys(p.meant[:0], l, true)
		for _, k := range p.meant {
			s.addEntry(p.meanings, k, n, 0)
		}
	}
	if val.Fraction && val.Soft { // half, which a text may also say in a way that is not read as a share
		s.addEntry(s.keys, ts[val.LastToken].Key, n, 0)
	}
}

func (s *scratch) addWord(l *lexicon.Lexicon, id int32, ts []lexicon.Token, i int) {
	t := &ts[i]
	w := weigh(l.IDF(t.Key))
	name := t.Is(lexicon.Capital) && !t.Is(lexicon.Initial) && !s.titled
	if n, ok := s.words.Get(t.Key); ok {
		s.terms[n].weight += w
		s.terms[n].name = s.terms[n].name || name
		return
	}
	n := s.newTerm(id, term{key: t.Key, weight: max(w, 1), value: -1, name: name, start: t.Start, end: t.End})
	s.words.Put(t.Key, n)
	s.addEntry(s.keys, t.Key, n, 0)
	l.Related(t.Key, func(k uint64, r lexicon.Relation) {
		switch r {
		case lexicon.Adjective:
			s.addEntry(s.keys, k, n, 1)
		case lexicon.Synonym:
			s.addEntry(s.keys, k, n, 2)
		case lexicon.Loose:
			s.addEntry(s.keys, k, n, 4)
		case lexicon.Antonym:
		}
	})
	text := s.claims[id].text
	if t.Stem >= rootLength {
		s.addEntry(s.heads, head(text[t.Start:t.End]), n, 3)
	}
	if !l.Known(t.Key) {
		s.addEntry(s.compounds, lexicon.HashLower(text[t.Start:t.End]), n, 0)
	}
}

// joinNeighbours lets "superbowl" in a context give credit for both words of
// "super bowl" in a claim.
func (s *scratch) joinNeighbours(l *lexicon.Lexicon, ts []lexicon.Token, text string) {
	for i := 1; i < len(ts); i++ {
		a, b := &ts[i-1], &ts[i]
		if (a.Class|b.Class)&(lexicon.Stop|lexicon.Number) != 0 || a.Stem == 0 || b.Stem == 0 || lexicon.Gap(text, a, b) != " " {
			continue
		}
		m, ok := s.words.Get(a.Key)
		n, ok2 := s.words.Get(b.Key)
		if !ok || !ok2 || m == n {
			continue
		}
		k := l.Key(lower(text[a.Start:a.End] + text[b.Start:b.End]))
		s.addEntry(s.keys, k, m, 0)
		s.addEntry(s.keys, k, n, 0)
	}
}

func (s *scratch) addEntry(table *lexicon.Table[int32], key uint64, n int32, v level) {
	next, ok := table.Get(key)
	if !ok {
		next = -1
	}
	for e, i := next, 0; e >= 0 && i < 2; e, i = s.entries[e].next, i+1 {
		if s.entries[e].term == n {
			return // a pair of words that the claim has twice
		}
	}
	e := int32(len(s.entries)) //nolint:gosec // bounded by the claims' length
	chain := e
	if ok {
		chain = s.entries[next].chain
	}
	s.entries = append(s.entries, entry{term: n, level: v, next: next, chain: chain})
	table.Put(key, e)
	if p := s.sparse; p != nil {
		p.entries.add(chain)
		p.owned.Put(ownedKey(chain, s.terms[n].claim, false), e)
	}
	s.filter.add(key)
}

func (s *scratch) addPair(id int32, key uint64) {
	next, ok := s.pairs.Get(key)
	if !ok {
		next = -1
	} else if p := &s.pairSeen[next]; p.claim == id {
		p.count++
		return
	}
	e := int32(len(s.pairSeen)) //nolint:gosec // bounded by the claims' length
	chain := e
	if ok {
		chain = s.pairSeen[next].chain
	}
	s.pairSeen = append(s.pairSeen, pairSeen{claim: id, count: 1, next: next, flush: -1, chain: chain})
	s.pairs.Put(key, e)
	if p := s.sparse; p != nil {
		p.pairs.add(chain)
		p.owned.Put(ownedKey(chain, id, true), e)
	}
	s.filter.add(key)
}

// rootLength is the number of letters that two words must share to count as
// of one root: Germany and Germanic, but not contract and contradict, where
// they are less than rootShare of the longer.
const (
	rootLength = 5
	rootShare  = 0.7
)

func head(word string) uint64 {
	var h [rootLength]byte
	for i := range h {
		h[i] = word[i] | 0x20
	}
	return lexicon.Hash(h[:])
}

// sameRootAs reports whether two stems are of one root.
func sameRootAs(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n]|0x20 == b[n]|0x20 {
		n++
	}
	return n >= rootLength && float64(n) >= rootShare*float64(max(len(a), len(b)))
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
