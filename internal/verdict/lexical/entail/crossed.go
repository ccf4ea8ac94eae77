package entail

// crossed finds a word of the claim whose counterpart is in another clause of the
// statement than those of its neighbours, where the clause of the neighbours has its
// opposite: "the north gate is closed" for "the north gate is open; the south gate is
// closed".
func (a *Alignment) crossed() (Finding, bool) {
	c, s := a.Claim, a.Stated
	if len(s.Clauses) < 2 {
		return Finding{}, false
	}
	for i := range c.Words {
		if a.To[i] < 0 || a.How[i] == Opposite || c.isNumber(i) {
			continue
		}
		own := s.Words[a.To[i]].Clause
		home := a.home(c.Words[i].Clause, i)
		if home < 0 || home == own {
			continue
		}
		for j := s.Clauses[home].First; j < s.Clauses[home].End; j++ {
			v := &s.Words[j]
			if !v.Content || a.From[j] >= 0 || a.c.relation(&c.Words[i], v) != Opposite {
				continue
			}
			if s.negations(s.Clauses[home].First, s.Clauses[home].End) == c.negations(c.Clauses[c.Words[i].Clause].First, c.Clauses[c.Words[i].Clause].End) {
				return a.differs(Antonym, i, j)
			}
		}
	}
	return Finding{}, false
}

// home returns the clause of the statement that has most counterparts of the words in a
// clause of the claim, other than word except, if they are at least two and more than in
// any other clause. Otherwise it returns -1.
func (a *Alignment) home(clause, except int) int {
	c, s := a.Claim, a.Stated
	best, most, second := -1, 1, 0
	for n := range s.Clauses {
		count := 0
		for i := c.Clauses[clause].First; i < c.Clauses[clause].End; i++ {
			if j := a.To[i]; i != except && j >= 0 && s.Words[j].Clause == n {
				count++
			}
		}
		switch {
		case count > most:
			best, most, second = n, count, most
		case count > second:
			second = count
		}
	}
	if most == second {
		return -1
	}
	return best
}
