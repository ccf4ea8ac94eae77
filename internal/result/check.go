package result

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

const (
	// scoreError is the tolerance of faithfulness. It is stored with all digits, the last
	// of which readers such as pandas may round (2e-16). One verdict among a million
	// claims changes it by 1e-6.
	scoreError = 1e-9
	// supportError is the tolerance of support, compared with the mean of the scores of
	// the claims: both are rounded to six decimals.
	supportError = 1e-6 + 2*scoreError
)

// Check recomputes the scores of a stored row from its verdicts. It returns an
// error for the first field that contradicts the others. This detects edits and
// damage that leave a row readable, but not edits of the verdicts themselves or of texts.
func Check(r *Row) error {
	switch u := r.Usage; {
	case r.Index < 0 || r.Index > MaxIndex:
		return mismatch("index", strconv.Itoa(r.Index), "0 to 2^53")
	case min(u.Requests, u.PromptTokens, u.CompletionTokens, u.CachedRequests) < 0:
		return mismatch("usage", "a negative number", "0 or more")
	}
	if err := checkStatus(r); err != nil {
		return err
	}
	for i := range r.Claims {
		if err := checkClaim(&r.Claims[i], i); err != nil {
			return err
		}
	}
	if err := checkCitationScores(r); err != nil {
		return err
	}
	if err := checkScores(r); err != nil {
		return err
	}
	if want := LowestConfidence(r.Claims); Round(r.Confidence) != want {
		return mismatch("confidence", formatNumber(r.Confidence), formatNumber(want)+", the lowest of the claims")
	}
	return nil
}

// checkStatus compares the status with the reason, the error, and the presence of claims
// and verdicts.
func checkStatus(r *Row) error {
	status, judged := string(r.Status), len(r.Claims) > 0 && r.Claims[0].Verdict != ""
	switch {
	case (r.Err != nil) != (r.Status == Failed):
		return mismatch("error", presence(r.Err != nil), presence(r.Err == nil)+", since the status is "+status)
	case judged != (r.Status == Scored || r.Status == UnjudgedRow):
		return mismatch("status", status, "scored or unjudged if and only if every claim has a verdict")
	case judged && (r.JudgedClaims() == 0) != (r.Status == UnjudgedRow):
		return mismatch("status", status, "unjudged if and only if all claims are")
	case len(r.Claims) > 0 && (r.Status == NoClaims || r.Status == SkippedRow || r.Reason == StageRead):
		return mismatch("claims", strconv.Itoa(len(r.Claims)), "none, since the row is "+status+" ("+r.Reason+")")
	case r.Status == Scored && r.Reason != "" && r.Reason != NoContexts:
		return mismatch("reason", strconv.Quote(r.Reason), "null, since the status is scored")
	case r.Status == Scored && r.Reason == NoContexts && r.Supported() > 0:
		return mismatch("verdict", "supported", "not_mentioned, since the reason of the row is no_contexts")
	case r.Status == Failed && r.Reason != StageRead && r.Reason != StageExtract && r.Reason != StageVerdict:
		return mismatch("reason", strconv.Quote(r.Reason), "a stage: read, extract or verdict")
	}
	return nil
}

// checkClaim compares what follows from the verdict on a claim, which is the i-th of its
// row, with the verdict.
func checkClaim(claim *Claim, i int) error {
	name := func(field string) string { return fmt.Sprintf("claim %d: %s", i, field) }
	why := "the claim has no verdict"
	if claim.Verdict == Unjudged {
		why = "the claim is unjudged"
	}
	switch judged := claim.Verdict != "" && claim.Verdict != Unjudged; {
	case claim.ID != i:
		return mismatch(name("id"), strconv.Itoa(claim.ID), strconv.Itoa(i))
	case judged && !(claim.Score >= 0 && claim.Score <= 1): // true for NaN
		return mismatch(name("score"), formatNumber(claim.Score), "a number from 0 to 1")
	case !judged && !math.IsNaN(claim.Score):
		return mismatch(name("score"), formatNumber(claim.Score), "null, since "+why)
	case !judged && claim.Confidence != 0:
		return mismatch(name("confidence"), formatNumber(claim.Confidence), "null, since "+why)
	}
	return nil
}

// checkScores compares the scores of a row with its verdicts.
func checkScores(r *Row) error {
	if r.Status != Scored {
		want := "null, since the status is " + string(r.Status)
		switch f := r.Faithfulness; {
		case !math.IsNaN(r.Support):
			return mismatch("support", formatNumber(r.Support), want)
		case r.Status != NoClaims && !math.IsNaN(f):
			return mismatch("faithfulness", formatNumber(f), want)
		case r.Status == NoClaims && !math.IsNaN(f) && f != 0 && f != 1:
			return mismatch("faithfulness", formatNumber(f), "null, 0 or 1, the values of --no-claims")
		}
		return nil
	}
	sum := 0.0
	for i := range r.Claims {
		if r.Claims[i].Verdict != Unjudged {
			sum += r.Claims[i].Score
		}
	}
	supported, judged := r.Supported(), r.JudgedClaims()
	if want := float64(supported) / float64(judged); !(math.Abs(r.Faithfulness-want) <= scoreError) {
		return mismatch("faithfulness", formatNumber(r.Faithfulness), fmt.Sprintf("%s (%d of %d claims supported)", formatNumber(want), supported, judged))
	}
	if want := sum / float64(judged); !(math.Abs(r.Support-want) <= supportError) {
		return mismatch("support", formatNumber(r.Support), formatNumber(Round(want))+" (mean of the scores of the claims)")
	}
	return nil
}

// checkCitationScores compares the presence of citation scores and the number of unresolved
// citations with the citations.
func checkCitationScores(r *Row) error {
	cites, unresolved := false, 0
	for i := range r.Claims {
		for k := range r.Claims[i].Citations {
			cites = true
			if r.Claims[i].Citations[k].Chunk < 0 {
				unresolved++
			}
		}
	}
	s := r.Citations
	switch {
	case s == nil && !cites:
		return nil
	case s == nil:
		return mismatch("unresolved_citations", "null", strconv.Itoa(unresolved))
	case !cites:
		return mismatch("citation scores", "numbers", "null, since no claim cites anything")
	case s.Unresolved != unresolved:
		return mismatch("unresolved_citations", strconv.Itoa(s.Unresolved), strconv.Itoa(unresolved))
	case r.Status != Scored && (!math.IsNaN(s.Recall) || !math.IsNaN(s.Precision)):
		return mismatch("citation_recall and citation_precision", formatNumber(s.Recall)+" and "+formatNumber(s.Precision), "null, since the status is "+string(r.Status))
	}
	return errors.Join(checkShare("citation_recall", s.Recall), checkShare("citation_precision", s.Precision))
}

// checkShare returns an error unless x is from 0 to 1 or NaN.
func checkShare(name string, x float64) error {
	if x < 0 || x > 1 {
		return mismatch(name, formatNumber(x), "a number from 0 to 1")
	}
	return nil
}

// CitedChunks returns the chunks that a claim with the given citations cites, in ascending
// order, and how many of them support it alone. It returns false if the claim cites nothing
// or one of its citations is unresolved. It returns no chunks but true if none of them
// supports the claim and one is unjudged.
func CitedChunks(citations []Citation) (chunks []int, alone int, ok bool) {
	var supporting []int
	unjudged := false
	for i := range citations {
		c := &citations[i]
		if c.Chunk < 0 {
			return nil, 0, false
		}
		if c.Verdict == Unjudged {
			unjudged = true
			continue
		}
		chunks = append(chunks, c.Chunk)
		if c.Verdict == Supported {
			supporting = append(supporting, c.Chunk)
		}
	}
	if unjudged && len(supporting) == 0 {
		return nil, 0, true
	}
	slices.Sort(chunks)
	slices.Sort(supporting)
	return slices.Compact(chunks), len(slices.Compact(supporting)), len(chunks) > 0
}

// LowestConfidence returns the lowest confidence of the claims that have one, rounded as it
// is stored, or 0.
func LowestConfidence(claims []Claim) float64 {
	lowest := 0.0
	for i := range claims {
		if c := Round(claims[i].Confidence); c > 0 && (lowest == 0 || c < lowest) {
			lowest = c
		}
	}
	return lowest
}

// mismatch returns the error for a field that contradicts the other fields of a row.
func mismatch(field, got, want string) error {
	return fmt.Errorf("%s: got %s, want %s", field, got, want)
}

func presence(present bool) string {
	if present {
		return "a text"
	}
	return "null"
}

func formatNumber(x float64) string {
	if math.IsNaN(x) {
		return "null"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
