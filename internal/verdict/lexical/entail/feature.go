package entail

// Missing returns the weight of the heaviest word of the claim without a counterpart, as a
// share of the claim's. Names, numbers, unknown words and light verbs do not count: they
// are compared by other means, or often paraphrased.
func (a *Alignment) Missing() float64 {
	heaviest := 0.0
	for i := range a.Claim.Words {
		w := &a.Claim.Words[i]
		if w.Content && a.To[i] < 0 && w.traits&light == 0 && !a.Claim.isName(i) && !a.Claim.isNumber(i) && a.c.lex.Known(w.Key) {
			heaviest = max(heaviest, a.c.lex.IDF(w.Key))
		}
	}
	if a.Total == 0 {
		return 0
	}
	return heaviest / a.Total
}
