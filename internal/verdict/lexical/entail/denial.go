package entail

// denied finds words of the claim that deny any restriction, where the statement has one.
func (a *Alignment) denied(stated []restriction) (Finding, bool) {
	c, s := a.Claim, a.Stated
	first, end := c.denial()
	if end == 0 {
		return Finding{}, false
	}
	if _, end := s.denial(); end > 0 {
		return Finding{}, false
	}
	for _, y := range stated {
		if a.governs(y) || a.touched(y) {
			return Finding{Kind: Restriction, Stated: s.Span(y.at, y.end-1), Claimed: c.Span(first, end-1)}, true
		}
	}
	for _, cl := range s.Clauses {
		if cl.Kind == Condition && a.touched(restriction{first: cl.First, end: cl.End}) {
			return Finding{Kind: Restriction, Stated: s.Span(cl.First, cl.End-1), Claimed: c.Span(first, end-1)}, true
		}
	}
	if j := s.onlyAt(); j >= 0 {
		return Finding{Kind: Restriction, Stated: s.Span(j, j), Claimed: c.Span(first, end-1)}, true
	}
	return Finding{}, false
}

// included finds a claim that includes something which the statement exempts or says
// something else of: "captains included", "and so do captains".
func (a *Alignment) included(stated []restriction) (Finding, bool) {
	c := a.Claim
	for i := range c.Words {
		first, end := i, i
		switch c.Words[i].Lower {
		case "included":
			for first > 0 && !c.stopsAt(first) && !isAuxiliary(c.lower(first-1)) {
				first--
			}
		case "including":
			end = c.phraseEnd(i)
		case "so":
			if isAuxiliary(c.lower(i + 1)) {
				end = c.phraseEnd(i)
			}
		}
		if first == end || a.Stated.contains(c.Words[i].Lower) || c.negations(0, len(c.Words)) > 0 {
			continue
		}
		for k := first; k < max(end, i); k++ {
			if !c.Words[k].Content || a.To[k] < 0 {
				continue
			}
			if first, last, ok := a.exempted(a.To[k], stated); ok {
				return Finding{Kind: Restriction, Stated: a.Stated.Span(first, last), Claimed: c.Span(min(i, k), max(i, k))}, true
			}
		}
	}
	return Finding{}, false
}

// exempted returns the words by which the statement exempts its word j from what it says
// of others: an exception, a negation, or "instead".
func (a *Alignment) exempted(j int, stated []restriction) (first, last int, ok bool) {
	s := a.Stated
	for _, y := range stated {
		if y.exception && j >= y.first && j < y.end {
			return y.at, y.end - 1, true
		}
	}
	cl := s.Clauses[s.Words[j].Clause]
	if len(s.Clauses) > 1 && s.negations(j, cl.End) > 0 {
		return j, cl.End - 1, true
	}
	for t := j; t < cl.End; t++ {
		if w := &s.Words[t]; w.Lower == "instead" || w.traits&negative != 0 {
			return j, t, true
		}
	}
	return 0, 0, false
}

// denial returns the range of words that deny any condition or exception: "whether or
// not", "even if". The end is 0 if there are none.
func (x *Sentence) denial() (first, end int) {
	for i := range x.Words {
		if x.Words[i].traits&denying == 0 {
			continue
		}
		if x.foreign {
			return i, i + 1
		}
		switch x.Words[i].Lower {
		case "regardless", "irrespective", "unconditionally", "whatever", "wherever":
			return i, i + 1
		case "whether":
			for k := i + 1; k < len(x.Words) && k < i+8; k++ {
				if x.is(k, "or", "not") {
					return i, k + 2
				}
			}
		case "even":
			switch x.lower(i + 1) {
			case "if", "after", "without", "when", "though", "before", "with", "on", "for", "in", "during":
				return i, i + 2
			}
		case "with":
			if x.is(i, "with", "or", "without") {
				return i, i + 3
			}
		case "no":
			if x.lower(i+1) == "matter" {
				return i, i + 2
			}
		case "without":
			if x.lower(i+1) == "exception" || x.lower(i+1) == "exceptions" {
				return i, i + 2
			}
		case "in":
			if n := x.lower(i + 1); (n == "any" || n == "every" || n == "all") && (x.lower(i+2) == "case" || x.lower(i+2) == "cases") {
				return i, i + 3
			}
		case "at":
			if x.is(i+1, "any", "time") || x.is(i+1, "all", "times") {
				return i, i + 3
			}
		case "anytime":
			return i, i + 1
		case "under":
			if x.is(i+1, "any", "circumstances") || x.is(i+1, "all", "circumstances") {
				return i, i + 3
			}
		}
	}
	return 0, 0
}
