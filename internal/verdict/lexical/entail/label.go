package entail

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// label finds a letter or number of the claim that names a thing, such as the A of
// "Plan A", if the statement only has other ones with the same word: "Plan B".
func (a *Alignment) label() (Finding, bool) {
	c, s := a.Claim, a.Stated
	for i := range c.Words {
		k := c.labelled(i)
		if k < 0 {
			continue
		}
		other := -1
		for j := range s.Words {
			if at := s.labelled(j); at < 0 || s.Words[at].Key != c.Words[k].Key {
				continue
			}
			if s.lists(j, c.lower(i)) || isOrdinal(&c.Words[i]) && s.contains(c.lower(i)) {
				other = -1
				break
			}
			if x, y := c.text(i), s.text(j); other < 0 && !c.hasLabel(k, s.lower(j)) && (x != "I" || isRoman(y)) && (y != "I" || isRoman(x)) { // I may be the pronoun
				other = j
			}
		}
		if other >= 0 {
			return Finding{Kind: Label, Stated: s.between(other, s.labelled(other)), Claimed: c.between(i, k)}, true
		}
	}
	return Finding{}, false
}

// labelled returns the index of the word that the letter or number at word i labels: the one before
// it, as in "Plan A" and "Room 204", or the one after it, as in "a.txt" and "the third floor". It
// returns -1 if word i is not a label but an article, a pronoun, an initial or any other word.
func (x *Sentence) labelled(i int) int {
	w := &x.Words[i]
	isLetter := w.End-w.Start == 1
	switch {
	case w.Is(lexicon.Number) && !w.Is(lexicon.Ordinal):
		if i > 0 && x.Gap(i) == " " && x.Words[i-1].traits&numbered != 0 {
			return i - 1
		}
	case isOrdinal(w):
		if i+1 < len(x.Words) && x.Gap(i+1) == " " && x.Words[i+1].Content && !x.Words[i+1].Is(lexicon.Month) {
			return i + 1
		}
	case !isLetter && !isRoman(x.text(i)):
	case isLetter && i+1 < len(x.Words) && x.Gap(i+1) == "." && len(x.lower(i+1)) > 1:
		return i + 1
	case !w.Is(lexicon.Capital), i == 0 || x.Gap(i) != " " || len(x.lower(i-1)) < 2:
	case i+1 < len(x.Words) && strings.HasPrefix(x.Gap(i+1), "."): // an initial
	default:
		return i - 1
	}
	return -1
}

// isOrdinal reports whether w is an ordinal number in words, which labels the thing after it.
func isOrdinal(w *Word) bool {
	return w.Class&(lexicon.Ordinal|lexicon.Number) == lexicon.Ordinal || w.Lower == "first" || w.Lower == "second" || w.Lower == "third"
}

// text returns word i as written.
func (x *Sentence) text(i int) string { return x.Words[i].Text(x.Text) }

// isRoman reports whether word is a Roman numeral below 40.
func isRoman(word string) bool { return strings.Trim(word, "IVX") == "" }

// hasLabel reports whether x has this label of the same kind of thing as word k.
func (x *Sentence) hasLabel(k int, label string) bool {
	for i := range x.Words {
		if at := x.labelled(i); at >= 0 && x.lower(i) == label && x.Words[at].Key == x.Words[k].Key {
			return true
		}
	}
	return false
}

// lists reports whether the labels from word j on include one: "types A, B and C", "types A–C".
func (x *Sentence) lists(j int, label string) bool {
	for k := j; k < len(x.Words); k++ {
		switch w := x.lower(k); {
		case w == label:
			return true
		case w == "and" || w == "or":
		case w == "to" && (len(x.lower(k+1)) == 1 || x.isNumeric(k+1)) || k > j && strings.ContainsAny(x.Gap(k), "-–"):
			return true
		case len(w) > 1 && !isRoman(x.text(k)) && !x.isNumeric(k):
			return false
		}
	}
	return false
}
