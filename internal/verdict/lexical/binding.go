package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/lexicon"
	"github.com/ragfaith/ragfaith/internal/values"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// checkBinding returns an objection if the contexts state a value of the claim for something
// else, since the sentence with all words of the claim has another value, or has both values in
// different clauses: "adults pay £10; students pay £6" does not state that adults pay £6.
func (j *Judge) checkBinding(s *scratch, c *claim, contexts []string) objection {
	claimed := s.claimValues[c.values[0]:c.values[1]]
	if len(claimed) == 0 || len(claimed) > 1 && compares(c.text) {
		return objection{}
	}
	if s.parseClaim(j, c); len(s.claimed.Words) == 0 || english.IsQuestionWord(s.claimed.Words[0].Lower) {
		return objection{} // "How many days do they get: 15"
	}
	for i := range claimed {
		v := &claimed[i].Value
		if v.Loose || v.IsLimited() {
			continue
		}
		var b binding
		for n, q := range c.candidates {
			if !isTabular(q.text(contexts)) {
				b.add(v, claimed, s.align(j, contexts, q), s.passages[n].values, q)
			}
		}
		if b.isOther() {
			stated := textValue{b.at.text(contexts), b.instead.Start, b.instead.End}
			return objection{reason: otherValue(stated, textValue{c.text, v.Start, v.End}), stated: stated.value(), basis: basisValue, at: b.at}
		}
	}
	return objection{}
}

// compares reports whether text compares values, of which one may be of something else.
func compares(text string) bool {
	for w := range strings.FieldsSeq(text) {
		switch w {
		case "than", "against", "versus", "vs", "vs.", "compared":
			return true
		}
	}
	return false
}

// isTabular reports whether text has cells of a table, which checkTables compares.
func isTabular(text string) bool {
	return strings.ContainsAny(text, "|\t") || strings.Count(text, ",") > 1 && !strings.Contains(text, ", ")
}

// A binding collects what the candidates say about a value of a claim.
type binding struct {
	at      quote        // candidate that has all words of the claim, and another value instead of it
	instead values.Value // that value
	atWords int          // number of claim words in at
	words   []int        // number of claim words in each candidate that states the value
	inside  bool         // at also states the value, for something else
	unclear bool         // a candidate may state the value for the same thing as the claim
}

// isOther reports whether the candidates state the value for something else than the claim does.
func (b *binding) isOther() bool {
	return b.at.end > 0 && !b.unclear && (b.inside || len(b.words) > 0 && slices.Max(b.words) < b.atWords)
}

func (b *binding) add(v *values.Value, claimed []number, a *entail.Alignment, found []values.Value, q quote) {
	var stated, others []*values.Value
	for i := range found {
		w := &found[i]
		switch {
		case isStatedBy(v, w):
			stated = append(stated, w)
		case values.Compare(v, w) != values.Contradicted || w.IsLimited() || v.Kind == values.Date && v.Unit != "weekday" && isDay(v) != isDay(w):
		case !slices.ContainsFunc(claimed, func(u number) bool { return isStatedBy(&u.Value, w) }):
			others = append(others, w)
		}
	}
	n, all := wordsBesides(a, v.Start, v.End)
	all = all && int(a.Claim.Words[0].Start) < v.Start && !a.Claim.HasPronoun(a.Stated)
	switch {
	case len(stated) == 0 && len(others) > 0 && all && b.at.end == 0:
		b.at, b.instead, b.atWords = q, *others[0], n
	case len(stated) == 0:
	case !all:
		b.words = append(b.words, n)
		b.unclear = b.unclear || a.Stated.HasPronoun(a.Claim) || a.Stated.IsElliptic() || stated[0].Kind == values.Number && stated[0].Noun == "" && v.Noun != ""
	case len(stated) == 1 && b.at.end == 0:
		for _, w := range others {
			if bindsOther(a, stated[0], w) {
				b.at, b.instead, b.inside = q, *w, true
				return
			}
		}
		b.unclear = true
	default:
		b.unclear = true
	}
}

// isDay reports whether a date is a single day.
func isDay(v *values.Value) bool { return v.Low == v.High }

func isStatedBy(v, w *values.Value) bool {
	r := values.Compare(v, w)
	return r == values.Equal || r == values.Entailed
}

// wordsBesides returns the number of words of the claim outside bytes start to end that the
// statement contains, and whether it contains all that say something.
func wordsBesides(a *entail.Alignment, start, end int) (n int, all bool) {
	all = true
	for i := range a.Claim.Words {
		w := &a.Claim.Words[i]
		same := func(x entail.Word) bool { return x.Key == w.Key }
		switch {
		case w.Is(lexicon.Stop) || int(w.Start) < end && int(w.End) > start:
			continue
		case a.To[i] >= 0 && a.How[i] != entail.Opposite || slices.ContainsFunc(a.Stated.Words, same):
			n++
		case !w.Light():
			all = false
		}
	}
	return n, all && n > 0
}

// bindsOther reports whether the statement has v and w in different clauses or phrases, wherever it
// is split between them, and the claim has the word that w is about, but none that v may be about.
func bindsOther(a *entail.Alignment, v, w *values.Value) bool {
	words := a.Stated.Words
	claims := func(i int) bool { // in any form
		return slices.Contains(a.To, i) || a.Claim.Has(words[i].Key)
	}
	at := func(v *values.Value) (first, end int) {
		first = slices.IndexFunc(words, func(x entail.Word) bool { return int(x.End) > v.Start })
		end = first
		for end < len(words) && int(words[end].Start) < v.End {
			end++
		}
		return first, end
	}
	vFirst, vEnd := at(v)
	wFirst, wEnd := at(w)
	if vFirst < 0 || wFirst < 0 {
		return false
	}
	found := false
	for split := min(vEnd, wEnd); split <= max(vFirst, wFirst); split++ {
		if !a.Stated.Separates(split) {
			continue
		}
		found = true
		own := func(first, end int) []int {
			if first < split {
				return about(a.Stated, first, end, 0, split)
			}
			return about(a.Stated, first, end, split, len(words))
		}
		x, y := own(vFirst, vEnd), own(wFirst, wEnd)
		if len(x) == 0 || len(y) == 0 || slices.ContainsFunc(x, claims) || !claims(y[0]) {
			return false
		}
	}
	return found
}

// about returns the words that the value at words first to end may be about, nearest first:
// content words of the phrase from word lo to word hi that the rest of the sentence lacks. They
// are those after "of" or "for", or else before the value, or else after it.
func about(x *entail.Sentence, first, end, lo, hi int) []int {
	words := x.Words
	own := func(from, to, step int) (found []int) {
		for i := from; i != to; i += step {
			w := &words[i]
			same := func(o entail.Word) bool { return o.Key == w.Key }
			if w.Content && w.Class&(lexicon.Number|lexicon.Numeral|lexicon.Month) == 0 && !slices.ContainsFunc(words[:lo], same) && !slices.ContainsFunc(words[hi:], same) {
				found = append(found, i)
			}
		}
		return found
	}
	after := own(end, hi, 1)
	if end < hi && (words[end].Lower == "of" || words[end].Lower == "for") && len(after) > 0 {
		return after
	}
	if before := own(first-1, lo-1, -1); len(before) > 0 {
		return before
	}
	return after
}
