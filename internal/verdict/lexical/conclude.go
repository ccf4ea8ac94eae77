package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// Constants of the comparison with statements. They were chosen on half of the pairs and
// suites in docs/accuracy.md.
const (
	// A claim that differs from the closest statement scores flaggedBase plus flaggedShare
	// times its score: below DefaultThreshold, in the order of the scores.
	flaggedBase, flaggedShare = 0.25, 0.24
	// rearrangedScore is the maximum score of a claim that is not in a context as a whole.
	rearrangedScore = 0.95
)

// conclude returns the verdict on c, based on the results of match.
func (j *Judge) conclude(s *scratch, c *claim, contexts []string) verdict.Verdict {
	if len(s.parsed) > maxParsed {
		s.forget()
	}
	v, b := j.decide(s, c, contexts)
	v.Label, v.Confidence = b.label(), b.confidence(v.Score)
	switch b {
	case basisValue, basisNegation, basisWords:
		v.Differs = s.coverageBesidesValues(c) >= minRepeated
	case basisMissing:
		v.Differs = s.absentAddress(c, contexts) != "" || s.coverageBesidesValues(c) >= minRepeated && s.absentValue(c, contexts) != nil
	case basisNone, basisClose, basisStated, basisVerbatim:
	}
	for i := range v.Evidence {
		v.Evidence[i].Role = verdict.RoleOf(v.Label)
	}
	return v
}

// decide returns the verdict on c without its label, and its basis. Another value in one chunk
// counts only if no other chunk supports the claim.
func (j *Judge) decide(s *scratch, c *claim, contexts []string) (verdict.Verdict, basis) {
	v := verdict.Verdict{Score: c.best.score, Reason: "no similar passage"}
	if len(c.bestHits) == 0 {
		return j.decideUnmatched(s, c, contexts, v)
	}
	quotes := j.selectQuote(s, c, contexts)
	passages := s.readPassages(c, contexts)
	bounded := s.checkBounds(c, passages)
	verbatim := c.best.score == 1 && bounded.reason == "" && j.isVerbatim(s, c, contexts)
	var values valueCheck
	if !verbatim {
		values = s.checkValues(c, passages)
		c.best.score = min(c.best.score, rearrangedScore)
		v.Score = c.best.score
		if len(values.stated) > 0 {
			f := s.credited(c, &values)
			v.Score = max(v.Score, min(f.combine(), rearrangedScore))
		}
	}
	others := j.otherSupports(s, c, contexts)
	var o objection
	if len(quotes) > 0 && len(others) == 0 && (!values.all || len(values.stated) == 0) {
		o = s.checkNumbers(c, contexts, quotes[0])
	}
	if o.reason == "" {
		o = values.replaced
	}
	if o.at.end > 0 {
		quotes = []quote{o.at}
	}
	if o.basis == basisValue && deniedScore >= j.opts.Threshold && j.deniesValue(s, c, quotes[0], contexts) {
		v.Score, v.Reason, v.ChunkIDs, v.Evidence = deniedScore, j.objectionReason(s, o, c, contexts, quotes[0]), []int{quotes[0].chunk}, s.toEvidence(contexts, quotes[:1])
		return v, basisClose
	}
	if o.reason != "" {
		v.Score = min(v.Score, o.maxScore)
	}
	var x comparison
	accepted := v.Score >= min(j.opts.Threshold, DefaultThreshold) // unless the comparison objects
	if !verbatim && (accepted || o.reason == "") {
		x = j.compare(s, c, contexts, accepted)
	}
	if o.reason == "" && v.Score >= DefaultThreshold {
		if o = j.object(s, c, contexts, verbatim, bounded, &x); o.at.end > 0 {
			quotes = []quote{o.at}
		}
	}
	if o.reason != "" {
		if o.maxScore == 0 {
			o.maxScore = flaggedBase + flaggedShare*v.Score
		}
		v.Score = min(v.Score, o.maxScore)
	}
	if v.Score >= j.opts.Threshold {
		b := basisClose
		if len(quotes) > 0 {
			if at := x.cleanAt; x.clean > 0 && (j.opts.Joined || at.chunk == quotes[0].chunk) {
				quotes[0] = at
			}
			quotes, b, v.Reason = j.support(s, c, contexts, quotes[0])
		}
		if verbatim {
			b = basisVerbatim
		}
		v.ChunkIDs = chunksOf(others)
		for _, q := range quotes {
			v.ChunkIDs = append(v.ChunkIDs, q.chunk)
		}
		slices.Sort(v.ChunkIDs)
		v.ChunkIDs, v.Evidence = slices.Compact(v.ChunkIDs), s.toEvidence(contexts, quotes)
		return v, b
	}
	if len(quotes) == 0 {
		return v, basisNone
	}
	if o.reason != "" {
		v.Reason = j.objectionReason(s, o, c, contexts, quotes[0])
	} else {
		o.basis = basisMissing
		if x.nearest.end > 0 {
			quotes[0] = x.nearest
		}
		v.Reason = j.missingReason(s, c, contexts, quotes[0])
	}
	v.Evidence = s.toEvidence(contexts, quotes[:1])
	return v, o.basis
}

// decideUnmatched completes v, the verdict on a claim that shares no word with the contexts.
func (j *Judge) decideUnmatched(s *scratch, c *claim, contexts []string, v verdict.Verdict) (verdict.Verdict, basis) {
	if v.Score >= j.opts.Threshold { // the threshold is very low, for example 0
		v.ChunkIDs = chunksOf(c.supports)
		return v, basisClose
	}
	q := j.firstSentence(s, contexts)
	if q.chunk < 0 {
		v.Reason = "the contexts are empty"
		return v, basisNone
	}
	v.Evidence, v.Reason = s.toEvidence(contexts, []quote{q}), j.missingReason(s, c, contexts, q)
	return v, basisNone
}

// object returns the first objection to a claim. bounded is the one to the bounds of its values,
// and x the comparison with its candidates. A verbatim claim may still have the wrong row of a
// table.
func (j *Judge) object(s *scratch, c *claim, contexts []string, verbatim bool, bounded objection, x *comparison) objection {
	checks := []func() objection{
		func() objection { return s.checkSigns(c, contexts) },
		func() objection { return bounded },
		func() objection { return j.checkTables(s, c, contexts) },
		func() objection { return x.objection() },
		func() objection { return s.checkAbsentName(c, contexts) },
		func() objection { return j.checkBinding(s, c, contexts) },
	}
	if verbatim {
		checks = checks[2:3]
	}
	for _, check := range checks {
		if o := check(); o.reason != "" {
			return o
		}
	}
	return objection{}
}

// objection returns the objection that the closest statement differs from the claim in meaning.
func (x *comparison) objection() objection {
	if len(x.findings) == 0 || x.clean >= x.coverage {
		return objection{}
	}
	f := x.findings[0]
	stated, claimed := f.Stated.Quote(), f.Claimed.Quote()
	if f.Kind == entail.Antonym {
		stated, claimed = f.Stated.Text(), f.Claimed.Text()
	}
	o := objection{reason: findingReason(f.Kind, stated, claimed), stated: stated, basis: basisWords, at: x.at}
	if f.Denies {
		o.basis = basisNegation
	}
	return o
}

// findingReason returns the reason for a claim that differs from a statement.
func findingReason(k entail.Kind, stated, claimed string) string {
	switch {
	case k == entail.Assertion:
		return "the contexts do not assert this: " + quoted(stated)
	case stated == "":
		return "the contexts do not say " + quoted(claimed)
	case claimed == "":
		return "the contexts say " + quoted(stated) + ", the claim does not"
	}
	return "the contexts say " + quoted(stated) + ", the claim says " + quoted(claimed)
}

// maxOthers is the number of other chunks whose sentence is compared with a claim.
const maxOthers = 16

// otherSupports returns the supports of c from other chunks than the best one, without
// those whose sentence differs from the claim in meaning.
func (j *Judge) otherSupports(s *scratch, c *claim, contexts []string) []support {
	var others []support
	compared := 0
	for _, x := range c.supports {
		if x.chunk == c.best.chunk {
			continue
		}
		q := j.sentenceAt(s, contexts, x)
		if x.near >= minCoverageForStated && compared < maxOthers && max(len(c.text), q.end-q.start) <= maxAligned && strings.TrimSpace(q.text(contexts)) != c.text {
			compared++
			s.parseClaim(j, c)
			if len(s.align(j, contexts, q).Check(nil)) > 0 {
				continue
			}
		}
		others = append(others, x)
	}
	return others
}

func chunksOf(supports []support) []int {
	ids := make([]int, len(supports))
	for i, x := range supports {
		ids[i] = x.chunk
	}
	return ids
}
