package entail

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// minOperatorCoverage is the minimum share of a claim that a statement must cover for an
// operator to count.
const minOperatorCoverage = 0.6

// maxOperatorWords is the length of the longest sentences whose operators are compared.
// Some checks are quadratic in it.
const maxOperatorWords = 400

// checkOperators appends the findings about words that qualify others: quantifiers,
// bounds, modality, conditions and order. coverage is a.Coverage().
func (a *Alignment) checkOperators(dst []Finding, coverage float64) []Finding {
	if coverage < minOperatorCoverage || max(len(a.Claim.Words), len(a.Stated.Words)) > maxOperatorWords {
		return dst
	}
	for _, check := range [...]func(*Alignment) (Finding, bool){(*Alignment).quantifier} {
		if f, ok := check(a); ok {
			dst = append(dst, f)
		}
	}
	return dst
}

// contentAfter returns the first content word from word i on, among at most n words and
// before the next punctuation mark, or -1.
func (x *Sentence) contentAfter(i, n int) int {
	for k := max(i, 0); k < len(x.Words) && k < i+n; k++ {
		if k > i && x.stopsAt(k) {
			return -1
		}
		if x.Words[k].Content {
			return k
		}
	}
	return -1
}

// stopsAt reports whether a punctuation mark that separates phrases precedes word i.
func (x *Sentence) stopsAt(i int) bool {
	gap := x.Gap(i)
	return gap != " " && strings.ContainsAny(gap, ",;:.()—–|\n，。；：、！？،؛؟")
}

// phraseEnd returns the end of the phrase that starts at word i: the next punctuation
// mark, or the next clause.
func (x *Sentence) phraseEnd(i int) int {
	k := i + 1
	for k < len(x.Words) && !x.stopsAt(k) && x.Words[k].Clause == x.Words[i].Clause {
		k++
	}
	return k
}

// contains reports whether x contains the word as written.
func (x *Sentence) contains(lower string) bool {
	for i := range x.Words {
		if x.Words[i].Lower == lower {
			return true
		}
	}
	return false
}

// isNumeric reports whether word i is a number in digits or words.
func (x *Sentence) isNumeric(i int) bool {
	return i >= 0 && i < len(x.Words) && x.Words[i].Class&(lexicon.Number|lexicon.Numeral|lexicon.Fraction) != 0
}

// negations returns the number of negations among words first to end.
func (x *Sentence) negations(first, end int) int {
	n := 0
	for i := first; i < end; i++ {
		if w := &x.Words[i]; w.Is(lexicon.Negation) && !x.isIdiom(i) || w.Lower == "non" {
			n++
		}
	}
	return n
}

// contentBefore returns the last content word up to word i, among at most n words and
// after the previous punctuation mark, or -1.
func (x *Sentence) contentBefore(i, n int) int {
	for k := i; k >= 0 && k > i-n; k-- {
		if x.Words[k].Content {
			return k
		}
		if k > 0 && x.stopsAt(k) {
			return -1
		}
	}
	return -1
}

// differs returns a finding about word i of the claim and word j of the statement.
func (a *Alignment) differs(k Kind, i, j int) (Finding, bool) {
	f := Finding{Kind: k}
	if i >= 0 {
		f.Claimed = a.Claim.Span(i, i)
	}
	if j >= 0 {
		f.Stated = a.Stated.Span(j, j)
	}
	return f, true
}
