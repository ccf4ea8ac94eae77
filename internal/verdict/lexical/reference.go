package lexical

import "sort"

// A pronoun stands for a name in the same sentence or in the minBack sentences before it,
// or maxBack if these have no name.
const minBack, maxBack = 2, 4

// checkReference returns an objection if the claim has a name where the statement at q has
// a pronoun, but other names are nearer to the pronoun: "Ada resigned" for "Ada hired Ben.
// Ben fell ill. He resigned."
func (j *Judge) checkReference(s *scratch, contexts []string, q quote) objection {
	if q.end == 0 || q.end-q.start > maxAligned {
		return objection{}
	}
	for _, r := range s.align(j, contexts, q).References() {
		if j.isNamedBefore(s, contexts, q, r.Name.Keys()) {
			continue
		}
		stated, claimed := r.Pronoun.Quote(), r.Name.Quote()
		return objection{reason: "the contexts say " + quoted(stated) + ", the claim says " + quoted(claimed), stated: stated, maxScore: maxContradictedScore, basis: basisWords}
	}
	return objection{}
}

// isNamedBefore reports whether the sentences before q contain one of the words, or no name
// at all.
func (j *Judge) isNamedBefore(s *scratch, contexts []string, q quote, keys []uint64) bool {
	all := j.sentences(s, contexts, q.chunk, q.start)
	at := sort.Search(len(all), func(i int) bool { return all[i][0] >= q.start })
	named := false
	for n := at - 1; n >= 0 && n >= at-maxBack && (!named || n >= at-minBack); n-- {
		if all[n][1]-all[n][0] > maxAligned {
			return true
		}
		j.entail.Parse(&s.before, contexts[q.chunk][all[n][0]:all[n][1]])
		found, other := j.entail.Names(&s.before, keys)
		if found {
			return true
		}
		named = named || other
	}
	return !named
}
