package lexical

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// conclude returns the verdict on c from what match found in the contexts. An
// objection from one chunk counts only if no other chunk supports the claim.
func (j *Judge) conclude(s *scratch, c *claim, contexts []string) verdict.Verdict {
	v := verdict.Verdict{Score: c.best.score, Reason: "no similar passage"}
	if len(c.bestHits) == 0 {
		if v.Score >= j.opts.Threshold { // a threshold that every claim reaches
			v.Label = verdict.Supported
			v.ChunkIDs = chunksOf(c.supports)
		}
		return v
	}
	quotes := j.evidence(s, c, contexts)
	o := j.contradiction(s, c, contexts, quotes)
	sameNegations := s.claimStmt.sameNegations(&s.quoteStmt)
	o, quotes = j.checkYesOrNo(s, c, contexts, o, quotes)
	others := j.otherSupports(s, c, contexts)
	if o.reason != "" && len(others) > 0 {
		quotes, o, sameNegations = []quote{j.sentenceAt(s, contexts, others[0])}, objection{}, false
	}
	if o.reason == "" && v.Score >= j.opts.Threshold {
		var q quote
		if o, q = j.checkPlacement(s, c, contexts); q.end > 0 {
			quotes = []quote{q}
		}
	}
	if o.reason != "" {
		v.Score = min(v.Score, o.limit)
	}
	switch {
	case v.Score >= j.opts.Threshold:
		v.Label = verdict.Supported
		v.ChunkIDs = chunksOf(others)
		for _, q := range quotes {
			v.ChunkIDs = append(v.ChunkIDs, q.chunk)
		}
		slices.Sort(v.ChunkIDs)
		v.ChunkIDs = slices.Compact(v.ChunkIDs)
		v.Reason = s.supportReason(c, contexts, quotes, sameNegations, j.opts.Joined)
		v.Evidence = s.toEvidence(contexts, quotes, v.Label)
		return v
	case len(quotes) == 0:
		return v
	case o.reason == "":
		v.Label = verdict.NotMentioned
		v.Reason, v.Missing = s.missingReason(j.lex, c, contexts, quotes[0])
	default:
		v.Label = verdict.Contradicted
		if o.incomplete {
			v.Label = verdict.NotMentioned
		}
		v.Reason = s.objectionReason(o, c, contexts, quotes[0])
	}
	v.Evidence = s.toEvidence(contexts, quotes[:1], v.Label)
	return v
}

// checkPlacement looks for something that the claim takes from the wrong place of a
// list, a sentence or a table.
func (j *Judge) checkPlacement(s *scratch, c *claim, contexts []string) (objection, quote) {
	if o, q := j.checkLists(s, c, contexts); o.reason != "" {
		return o, q
	}
	if o, q := j.checkAnswer(s, c, contexts); o.reason != "" {
		return o, q
	}
	return j.checkTables(s, c, contexts)
}

// otherSupports returns the supports of c outside the best chunk whose sentence does
// not contradict the claim.
func (j *Judge) otherSupports(s *scratch, c *claim, contexts []string) []support {
	var others []support
	for _, x := range c.supports {
		if x.chunk == c.best.chunk {
			continue
		}
		q := j.sentenceAt(s, contexts, x)
		if x.near >= nearlyAll && j.sentenceContradicts(s, c, contexts[x.chunk][q.start:q.end]) {
			continue
		}
		others = append(others, x)
	}
	return others
}

func chunksOf(xs []support) []int {
	ids := make([]int, len(xs))
	for i, x := range xs {
		ids[i] = x.chunk
	}
	return ids
}
