package lexical

import (
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// otherYear looks for a number that the claim puts in one year and the quote
// in another, where the quote has a different number of the same kind for the
// claim's year. It returns what each says.
func (s *scratch) otherYear(l *lexicon.Lexicon, c *claim) (claim, quote string) {
	a, b := &s.claimSide, &s.quoteSide
	mine := s.claimValues[c.values[0]:c.values[1]]
	var theirs []quantity.Value
	for i := 1; i < len(mine); i++ {
		v, year := &mine[i-1], &mine[i]
		if !v.InYear(year, a.text, a.tokens) {
			continue
		}
		if theirs == nil {
			theirs = quantity.Append(nil, len(b.text), l, b.text, b.tokens)
		}
		other, elsewhere := false, -1
		for k := 1; k < len(theirs); k++ {
			w, y := &theirs[k-1], &theirs[k]
			if !w.InYear(y, b.text, b.tokens) {
				if v.Match(w, l) > 0 || v.Match(y, l) > 0 && (k+1 == len(theirs) || !y.InYear(&theirs[k+1], b.text, b.tokens)) {
					return "", "" // it stands there without a year
				}
				continue
			}
			sameValue, sameYear := v.Match(w, l) > 0, year.Num == y.Num
			switch {
			case sameValue && sameYear:
				return "", ""
			case sameValue:
				elsewhere = k
			case sameYear && v.Unit == w.Unit:
				other = true
			}
		}
		if other && elsewhere > 0 {
			return a.text[v.Start:year.End], b.text[theirs[elsewhere-1].Start:theirs[elsewhere].End]
		}
	}
	return "", ""
}
