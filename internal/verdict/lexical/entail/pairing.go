package entail

import (
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

const (
	// maxParts is the maximum number of parts of the statements that are compared with a
	// claim. The last one contains the rest.
	maxParts = 64
	// maxPairings limits the product of the numbers of words in a claim and the statements.
	maxPairings = 20_000
	// Two parts with at most maxExtra words that are not in the claim are compared even if
	// these words are in other positions; with at most maxExtraValue if one is a number.
	maxExtra, maxExtraValue = 2, 4
)

// A pairing compares a claim with statements that say several things: "the Basic plan costs
// $10 and the Team plan $49". The statements are split into parts.
type pairing struct {
	c      *Comparer
	claim  *Sentence
	stated []*Sentence
	parts  []part
	masks  []uint64 // the parts that contain each word of the claim, as a bit set
	own    part     // the part of the claim that is compared
	extra  [][]bool // whether each word of the statements adds something to own
}

// A part is a range of words of a sentence.
type part struct{ sentence, first, end int }

// Pairing finds a value or property that the claim gives to something else than the
// statements do, which together have the words of the claim. It also returns the index of
// the statement that gives it.
func (c *Comparer) Pairing(claim *Sentence, stated ...*Sentence) (f Finding, statement int, ok bool) {
	if strings.Contains(claim.Text, ": ") && strings.Contains(claim.Text, "; ") { // a table row, whose headings may stand elsewhere
		return Finding{}, 0, false
	}
	p := pairing{c: c, claim: claim, stated: stated}
	words := 0
	for n, x := range stated {
		if strings.ContainsAny(x.Text, "|\t") { // tables have their own check
			return Finding{}, 0, false
		}
		p.parts = appendParts(p.parts, n, x)
		words += len(x.Words)
	}
	if len(p.parts) < 2 || words*len(claim.Words) > maxPairings {
		return Finding{}, 0, false
	}
	covered, total := 0.0, 0.0
	for i := range claim.Words {
		w := &claim.Words[i]
		p.masks = append(p.masks, p.mask(i))
		if w.Content {
			total += c.lex.IDF(w.Key)
			if p.masks[i] != 0 {
				covered += c.lex.IDF(w.Key)
			}
		}
	}
	if len(stated) > 1 && covered < Pairing.minCoverage()*total {
		return Finding{}, 0, false
	}
	for _, p.own = range appendParts(nil, 0, claim) {
		p.extra = p.extra[:0]
		for k := p.own.first; k < p.own.end; k++ {
			if p.masks[k] == 0 || claim.isNumeric(k) {
				continue
			}
			for v := range p.parts {
				if f, ok := p.swapped(k, v); ok {
					return f, p.parts[v].sentence, true
				}
			}
		}
	}
	return Finding{}, 0, false
}

// appendParts splits x, which is sentence n, at punctuation and conjunctions.
func appendParts(dst []part, n int, x *Sentence) []part {
	first := 0
	for i := 1; i <= len(x.Words); i++ {
		if i < len(x.Words) && (len(dst) == maxParts-1 || !x.startsPart(i)) {
			continue
		}
		if len(dst) == maxParts { // of later sentences
			return dst
		}
		dst = append(dst, part{n, first, i})
		first = i
	}
	return dst
}

// startsPart reports whether a part may start at word i, which is not the first.
func (x *Sentence) startsPart(i int) bool {
	if x.stopsAt(i) {
		return !strings.HasPrefix(x.Gap(i), ":") && (!x.isNumber(i) || !x.isNumber(i-1)) // not in "Price: $10" and 9,000
	}
	return isConjunction(x.Words[i].Lower)
}

// isConjunction reports whether w joins clauses or phrases.
func isConjunction(w string) bool {
	switch w {
	case "and", "but", "while", "whereas", "or", "und", "oder", "et", "ou", "y", "e", "o", "en", "och", "og", "и", "а", "i", "ve", "و":
		return true
	}
	return false
}

// mask returns the parts that contain word i of the claim.
func (p *pairing) mask(i int) uint64 {
	w := &p.claim.Words[i]
	var m uint64
	if !w.Content || isHiragana(w.Lower) {
		return 0
	}
	for n, q := range p.parts {
		for j := q.first; j < q.end && m&(1<<n) == 0; j++ {
			if p.stated[q.sentence].Words[j].Key == w.Key {
				m |= 1 << n
			}
		}
	}
	return m
}

// isHiragana reports whether w is in the script of Japanese function words and endings.
func isHiragana(w string) bool {
	return w != "" && strings.TrimLeftFunc(w, func(r rune) bool { return unicode.Is(unicode.Hiragana, r) }) == ""
}

// swapped reports whether the claim's part takes word k from other parts than v and another
// one from v, although v has a counterpart of word k and the others have one of the other.
// The claim's part mentions neither of these.
func (p *pairing) swapped(k, v int) (Finding, bool) {
	others := p.masks[k]
	if others&(1<<v) != 0 || !p.takes(others, v) || len(p.stated) > 1 && !p.shares(others, v) {
		return Finding{}, false
	}
	u := p.counterpart(k, v, others)
	if u < 0 {
		return Finding{}, false
	}
	taken, i := p.saysElse(others, v)
	if taken < 0 {
		return Finding{}, false
	}
	return Finding{
		Kind: Pairing, Stated: p.stated[p.parts[v].sentence].between(u, taken), Claimed: p.claim.between(k, i),
		Denies: p.claim.isNumber(k) || p.claim.isNumber(i),
	}, true
}

// takes reports whether the claim's part has a word that is in part v but not in others.
func (p *pairing) takes(others uint64, v int) bool {
	for i := p.own.first; i < p.own.end; i++ {
		if p.masks[i]&(1<<v) != 0 && p.masks[i]&others == 0 {
			return true
		}
	}
	return false
}

// shares reports whether part v and others have a word of the claim's part in common.
func (p *pairing) shares(others uint64, v int) bool {
	for i := p.own.first; i < p.own.end; i++ {
		if p.masks[i]&(1<<v) != 0 && p.masks[i]&others != 0 {
			return true
		}
	}
	return false
}

// counterpart returns a word of part v that is in the same position as word k of the claim
// is in one of the others, or -1.
func (p *pairing) counterpart(k, v int, others uint64) int {
	at := p.parts[v]
	s := p.stated[at.sentence]
	for u := at.first; u < at.end; u++ {
		if s.isNumeric(u) || !p.isExtra(at.sentence, u) {
			continue
		}
		for n, m := range p.parts {
			if others&(1<<n) == 0 {
				continue
			}
			t := p.stated[m.sentence]
			for i := m.first; i < m.end; i++ {
				if t.Words[i].Key == p.claim.Words[k].Key && parallel(t, i, m, s, u, at) {
					return u
				}
			}
		}
	}
	return -1
}

// saysElse returns a word of part v that the claim's part takes and for which the others
// have another one, and the same word of the claim, or -1.
func (p *pairing) saysElse(others uint64, v int) (taken, claimed int) {
	at := p.parts[v]
	s := p.stated[at.sentence]
	extra := 0
	for n, m := range p.parts {
		for i := m.first; (others|1<<v)&(1<<n) != 0 && i < m.end; i++ {
			if p.isExtra(m.sentence, i) {
				extra++
			}
		}
	}
	for i := at.first; i < at.end; i++ {
		k := p.takenAt(&s.Words[i], others)
		if k < 0 {
			continue
		}
		for n, m := range p.parts {
			t := p.stated[m.sentence]
			for j := m.first; others&(1<<n) != 0 && j < m.end; j++ {
				if !p.isExtra(m.sentence, j) {
					continue
				}
				value, other := s.isNumeric(i), t.isNumeric(j)
				switch few := extra <= maxExtraValue; {
				case value && other && (few || len(p.stated) == 1):
					return i, k
				case len(p.stated) > 1: // an event is often told in other words in the next sentence
				case extra <= maxExtra || value && few || value == other && parallel(s, i, at, t, j, m):
					return i, k
				}
			}
		}
	}
	return -1, -1
}

// takenAt returns the word of the claim's part that is the same as w, if others do not
// contain it, or -1.
func (p *pairing) takenAt(w *Word, others uint64) int {
	for k := p.own.first; k < p.own.end; k++ {
		if p.masks[k] != 0 && p.masks[k]&others == 0 && p.claim.Words[k].Key == w.Key {
			return k
		}
	}
	return -1
}

// isExtra reports whether word i of a statement carries meaning, and neither it nor another
// word of its name is in the claim's part.
func (p *pairing) isExtra(sentence, i int) bool {
	if len(p.extra) == 0 {
		for _, s := range p.stated {
			p.extra = append(p.extra, p.extras(s))
		}
	}
	return p.extra[sentence][i]
}

func (p *pairing) extras(s *Sentence) []bool {
	extra := make([]bool, len(s.Words))
	for i := range s.Words {
		w := &s.Words[i]
		name := w.Is(lexicon.Capital)
		extra[i] = w.Content && (w.traits&light == 0 || name)
		for n := p.own.first; n < p.own.end && extra[i]; n++ {
			r := p.c.relation(&p.claim.Words[n], w)
			extra[i] = r == Unrelated || r == Opposite
		}
		if i == 0 || !name || !w.Content || s.Gap(i) != " " || !s.Words[i-1].Is(lexicon.Capital) || !s.Words[i-1].Content {
			continue
		}
		if !extra[i-1] {
			extra[i] = false
		}
		for k := i; k > 0 && !extra[i] && extra[k-1] && s.Words[k-1].Is(lexicon.Capital) && s.Gap(k) == " "; k-- {
			extra[k-1] = false
		}
	}
	return extra
}

// parallel reports whether word i of x and word j of y are in the same position of their
// parts: both start it, or follow or precede the same word.
func parallel(x *Sentence, i int, p part, y *Sentence, j int, q part) bool {
	if i+1 < p.end && j+1 < q.end && x.Words[i+1].Key == y.Words[j+1].Key && x.Words[i+1].Content {
		return true
	}
	before, after := x.governor(i, p), y.governor(j, q)
	if before < 0 || after < 0 {
		return before == after && !x.isPredicate(i) && !y.isPredicate(j)
	}
	return x.Words[before].Key == y.Words[after].Key
}

// governor returns the word before word i of part p, without determiners, or -1 if word i
// starts the part.
func (x *Sentence) governor(i int, p part) int {
	for i--; i >= p.first; i-- {
		switch w := x.Words[i].Lower; w {
		case "le", "la", "les", "el", "los", "las", "der", "die", "das", "den", "dem", "ein", "eine", "un", "une", "una", "il":
		default:
			if !english.IsDeterminer(w) && (i > p.first || !isConjunction(w)) {
				return i
			}
		}
	}
	return -1
}
