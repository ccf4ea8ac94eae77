package lexical

// findYearMismatch finds a number that the claim and the quote assign to different
// years, if the quote gives a different number with the same unit for the claim's year.
// It returns both phrases, or empty strings.
func (s *scratch) findYearMismatch(c *claim) (claim, quote string) {
	a, b := &s.claimStmt, &s.quoteStmt
	claimed := s.claimValues[c.values[0]:c.values[1]]
	var stated []number
	for i := 1; i < len(claimed); i++ {
		v, year := &claimed[i-1], &claimed[i]
		if !v.inYear(year, a.text) {
			continue
		}
		if stated == nil {
			stated = s.appendNumbers(nil, len(b.text), b.text, b.tokens)
		}
		otherValue, otherYear := false, -1
		for k := 1; k < len(stated); k++ {
			w, y := &stated[k-1], &stated[k]
			if !w.inYear(y, b.text) {
				if v.match(w) < levels || v.match(y) < levels && (k+1 == len(stated) || !y.inYear(&stated[k+1], b.text)) {
					return "", "" // the quote contains the number without a year
				}
				continue
			}
			sameValue, sameYear := v.match(w) < levels, year.match(y) == levelExact
			switch {
			case sameValue && sameYear:
				return "", ""
			case sameValue:
				otherYear = k
			case sameYear && v.Unit == w.Unit:
				otherValue = true
			}
		}
		if otherValue && otherYear > 0 {
			return a.text[v.Start:year.End], b.text[stated[otherYear-1].Start:stated[otherYear].End]
		}
	}
	return "", ""
}
