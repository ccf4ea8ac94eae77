package eval

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
)

// checkClaim checks claim i and its verdict.
func (c *Checker) checkClaim(r *result.Row, i int, a absent) *result.MismatchError {
	claim := &r.Claims[i]
	if claim.ID != i {
		return mismatch("id", strconv.Itoa(claim.ID), strconv.Itoa(i))
	}
	if claim.Start != -1 || claim.End != -1 { // a rewritten claim has neither
		if err := c.checkSentence(claim.Text, claim.Start, claim.End, a); err != nil {
			return err
		}
	}
	if err := checkJudgedAs(r, claim, a); err != nil {
		return err
	}
	if from := claim.From; from != nil {
		if _, err := span(&c.answer, from.Start, from.End, a.answer); err != nil {
			err.Field = "from: " + err.Field
			return err
		}
	}
	if claim.Verdict == "" {
		if claim.Confidence != 0 {
			return mismatch("confidence", number(claim.Confidence), "null, since the claim has no verdict")
		}
		if claim.Graded {
			return mismatch("graded", "true", "false, since the claim has no verdict")
		}
		if claim.Prescreened || claim.OfflineVerdict != "" {
			return mismatch("prescreened and offline_verdict", "one of them", "neither, since the claim has no verdict")
		}
		return nil
	}
	if claim.Verdict == result.Unjudged {
		return checkUnjudged(claim)
	}
	switch {
	case claim.Prescreened && claim.OfflineVerdict != "":
		return mismatch("offline_verdict", string(claim.OfflineVerdict), "none, since the claim was not sent to the model")
	case !(claim.Score >= 0 && claim.Score <= 1): // true for NaN
		return mismatch("score", number(claim.Score), "a number from 0 to 1")
	case claim.Verdict == result.Supported && len(claim.Unsupported) > 0:
		return mismatch("unsupported", strconv.Itoa(len(claim.Unsupported))+" parts", "none of a supported claim")
	case claim.Reused != nil && (claim.Reused.Cosine < -1 || claim.Reused.Cosine > 1):
		return mismatch("cosine", number(claim.Reused.Cosine), "-1 to 1")
	}
	return c.checkReferences(r, claim, a)
}

// checkUnjudged checks that a claim without a score has nothing that follows from one.
func checkUnjudged(claim *result.Claim) *result.MismatchError {
	switch {
	case !math.IsNaN(claim.Score):
		return mismatch("score", number(claim.Score), "null, since the claim is unjudged")
	case claim.Confidence != 0:
		return mismatch("confidence", number(claim.Confidence), "null, since the claim is unjudged")
	case len(claim.ChunkIDs)+len(claim.Evidence)+len(claim.Unsupported) > 0,
		claim.Graded, claim.Prescreened, claim.OfflineVerdict != "", claim.Reused != nil:
		return mismatch("verdict", "unjudged", "another, since the claim has evidence or the mark of a judge")
	}
	return nil
}

// checkJudgedAs compares the statement that was judged with the one that follows from the
// claim and the question.
func checkJudgedAs(r *result.Row, claim *result.Claim, a absent) *result.MismatchError {
	if claim.JudgedAs == "" || a.question {
		return nil
	}
	want := ""
	if claim.Start >= 0 {
		want = extract.Statements(r.Question, []extract.Claim{{Text: claim.Text, Lead: claim.Lead, Start: claim.Start, End: claim.End}})[0]
	}
	switch want {
	case claim.JudgedAs:
		return nil
	case "":
		return mismatch("judged_as", excerpt(claim.JudgedAs), "none, since the text of the claim is judged")
	}
	return mismatch("judged_as", excerpt(claim.JudgedAs), excerpt(want)+", the question and the answer combined")
}

// checkReferences checks what a verdict refers to: contexts, quotes and parts of the
// claim.
func (c *Checker) checkReferences(r *result.Row, claim *result.Claim, a absent) *result.MismatchError {
	chunks := len(r.Contexts)
	if a.contexts {
		chunks = math.MaxInt32
	}
	for k, id := range claim.ChunkIDs {
		if id < 0 || id >= chunks || k > 0 && id <= claim.ChunkIDs[k-1] {
			return mismatch("chunk_ids", fmt.Sprint(claim.ChunkIDs), fmt.Sprintf("ascending ids below %d, the number of contexts", chunks))
		}
	}
	for k := range claim.Evidence {
		e := &claim.Evidence[k]
		if !roleFits(e.Role, claim.Verdict) {
			return mismatch(fmt.Sprintf("evidence %d: role", k), strconv.Quote(string(e.Role)), "a role for evidence of a "+string(claim.Verdict)+" claim")
		}
		if e.Chunk < 0 || e.Chunk >= chunks {
			return mismatch(fmt.Sprintf("evidence %d: chunk", k), strconv.Itoa(e.Chunk), fmt.Sprintf("an id below %d, the number of contexts", chunks))
		}
		context := &c.text
		if !a.contexts {
			context = &c.quotes.chunks[e.Chunk]
		}
		text, err := span(context, e.Start, e.End, a.contexts)
		if err == nil && !a.contexts && text != e.Quote {
			err = mismatch("quote", excerpt(e.Quote), excerpt(text)+", the context from start to end")
		}
		if err != nil {
			err.Field = fmt.Sprintf("evidence %d: %s", k, err.Field)
			return err
		}
	}
	if len(claim.Unsupported) == 0 {
		return nil
	}
	c.text.reset(claim.Text)
	for k, u := range claim.Unsupported {
		if _, err := span(&c.text, u.Start, u.End, false); err != nil {
			err.Field = fmt.Sprintf("unsupported %d: %s", k, err.Field)
			return err
		}
	}
	return nil
}

// roleFits reports whether evidence of a claim with the verdict v may have a role.
// Results of earlier versions have no roles.
func roleFits(role result.Role, v result.Verdict) bool {
	switch role {
	case result.RoleContradicts:
		return v == result.Contradicted
	case result.RoleNearest:
		return v != result.Supported
	case result.RoleSupports:
	}
	return true
}

// checkSentence compares a text with the answer from start to end.
func (c *Checker) checkSentence(text string, start, end int, a absent) *result.MismatchError {
	want, err := span(&c.answer, start, end, a.answer)
	if err == nil && !a.answer && !extract.Restates(text, want) {
		err = mismatch("text", excerpt(text), excerpt(want)+", the answer from start to end")
	}
	return err
}

// span returns the text from start to end. If the text is absent, it checks only that the
// offsets are in order.
func span(text *codePoints, start, end int, absent bool) (string, *result.MismatchError) {
	if absent && start >= 0 && start < end {
		return "", nil
	}
	if !absent && start < end {
		if s, ok := text.slice(start, end); ok {
			return s, nil
		}
	}
	want := "0 <= start < end"
	if !absent {
		want += fmt.Sprintf(" <= %d, the length of the text", text.len())
	}
	return "", mismatch("start and end", fmt.Sprintf("%d and %d", start, end), want)
}

// checkCoverage checks that the claims and the skipped sentences cover the answer without
// overlap. It does not check rows with rewritten claims, which have no offsets.
func (c *Checker) checkCoverage(r *result.Row) error {
	at, claims, skipped := 0, r.Claims, r.Skipped
	for len(claims)+len(skipped) > 0 {
		var start, end int
		switch {
		case len(claims) > 0 && claims[0].Start < 0:
			return nil
		case len(skipped) == 0 || len(claims) > 0 && claims[0].Start <= skipped[0].Start:
			start, end, claims = claims[0].Start, claims[0].End, claims[1:]
		default:
			start, end, skipped = skipped[0].Start, skipped[0].End, skipped[1:]
		}
		if start < at {
			return mismatch("start", strconv.Itoa(start), strconv.Itoa(at)+" or more, where the claim or skipped sentence before it ends")
		}
		if err := c.checkGap(at, start); err != nil {
			return err
		}
		at = end
	}
	return c.checkGap(at, c.answer.len())
}

// checkGap checks that the answer from start to end, which is in no claim, asserts nothing.
func (c *Checker) checkGap(start, end int) error {
	if gap, ok := c.answer.slice(start, end); ok && extract.MayAssert(gap) {
		return mismatch("claims", fmt.Sprintf("nothing of the answer from %d to %d", start, end), "a claim or a skipped sentence, since it says "+excerpt(gap))
	}
	return nil
}
