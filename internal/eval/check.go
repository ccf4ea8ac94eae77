package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	// scoreError is the tolerance of faithfulness. It is stored with all digits, the last
	// of which readers such as pandas may round (2e-16). One verdict among a million
	// claims changes it by 1e-6.
	scoreError = 1e-9
	// roundError is the tolerance of a number that is stored with six decimals, such as the
	// score of a claim or the support of a row.
	roundError = 0.5e-6 + scoreError
	// supportError is the tolerance of support, compared with the mean of the scores of
	// the claims: both are rounded.
	supportError = 2 * roundError
)

// A Checker checks that the fields of stored results agree with each other: scores with
// the verdicts, quotes with the contexts. It detects edits and damage that leave a row
// readable. The zero Checker is ready for use. It is for one goroutine.
type Checker struct {
	// Threshold is the score from which claims are supported, or nil if unknown.
	Threshold *float64
	// NoClaims is the faithfulness of rows without claims, NaN for null. If it is nil,
	// the first such row sets it.
	NoClaims *float64
	// Partial is set for CSV and TSV, which omit the skipped sentences. They are
	// found in the answer again.
	Partial bool

	answer codePoints
	quotes quoteChecker
	text   codePoints
}

// NewChecker returns a Checker for the results of a run. setting returns the value of a
// setting by its name in summaries, or "" if it is unknown.
func NewChecker(setting func(name string) string) *Checker {
	c := &Checker{}
	if x, err := strconv.ParseFloat(setting("--threshold"), 64); err == nil {
		c.Threshold = &x
	}
	switch value := setting("--no-claims"); value {
	case "null":
		x := math.NaN()
		c.NoClaims = &x
	case "0", "1":
		x := float64(value[0] - '0')
		c.NoClaims = &x
	}
	return c
}

// Check returns an error for the first field of r that a [Pipeline] would not have set
// given the other fields, in most cases a *result.MismatchError. It is a
// result.CheckFunc.
func (c *Checker) Check(r *result.Row, present result.Fields) error {
	for i := range r.Skipped {
		if kind := r.Skipped[i].Kind; !extract.Kind(kind).Known() {
			return errors.New("kind: unknown " + strconv.Quote(kind))
		}
	}
	a := absent{
		question: !present.Has("question"), answer: !present.Has("answer"),
		contexts: !present.Has("contexts"), skipped: !present.Has("skipped"),
	}
	complete := !a.answer && (!a.skipped || c.Partial)
	if r.Status == result.NoClaims && !complete {
		return errors.New("status: no_claims, without the answer and what was skipped of it")
	}
	if complete && a.skipped && r.Status != result.Failed && r.Status != result.SkippedRow && (len(r.Claims) == 0 || r.Claims[0].Start >= 0) {
		r.Skipped = unclaimed(r)
		a.skipped = r.Status != result.NoClaims
	}
	return c.check(r, a)
}

// unclaimed finds the skipped sentences of r in its answer.
func unclaimed(r *result.Row) []result.Skipped {
	claims := make([]extract.Claim, len(r.Claims))
	for i := range r.Claims {
		claims[i] = extract.Claim{Start: r.Claims[i].Start, End: r.Claims[i].End}
	}
	var skipped []result.Skipped
	for _, s := range extract.Unclaimed(r.Answer, r.Reason, claims) {
		skipped = append(skipped, result.Skipped{Kind: string(s.Kind), Text: s.Text, Start: s.Start, End: s.End})
	}
	return skipped
}

// absent lists the fields that a stored row does not contain. They are not checked.
type absent struct{ question, answer, contexts, skipped bool }

func (c *Checker) check(r *result.Row, a absent) error {
	switch u := r.Usage; {
	case r.Index < 0 || r.Index > result.MaxIndex:
		return mismatch("index", strconv.Itoa(r.Index), "0 to 2^53")
	case min(u.Requests, u.PromptTokens, u.CompletionTokens, u.CachedRequests) < 0:
		return mismatch("usage", "a negative number", "0 or more")
	}
	if err := checkStatus(r, a); err != nil {
		return err
	}
	c.answer.reset(r.Answer)
	if !a.contexts {
		c.quotes.reset(r.Contexts)
	}
	for i := range r.Claims {
		if err := c.checkClaim(r, i, a); err != nil {
			return inClaim(i, err)
		}
		if err := c.checkCitations(r, i, a); err != nil {
			return inClaim(i, err)
		}
	}
	for i := range r.Skipped {
		s := &r.Skipped[i]
		if err := c.checkSentence(s.Text, s.Start, s.End, a); err != nil {
			err.Field = "skipped " + strconv.Itoa(i) + ": " + err.Field
			return err
		}
	}
	if !a.answer && !a.skipped && r.Status != result.Failed && r.Status != result.SkippedRow {
		if err := c.checkCoverage(r); err != nil {
			return err
		}
	}
	if err := checkCitationScores(r); err != nil {
		return err
	}
	if err := c.checkScores(r); err != nil {
		return err
	}
	if want := lowestConfidence(r.Claims); result.Round(r.Confidence) != want {
		return mismatch("confidence", number(r.Confidence), number(want)+", the lowest of the claims")
	}
	if want := unjudgedShare(r); !a.answer && !a.skipped && math.Abs(r.Unjudged-want) > roundError {
		return mismatch("unjudged_share", number(r.Unjudged), number(math.Round(want*1e6)/1e6)+", the share of the words that are in no judged claim")
	}
	return nil
}

// checkStatus compares the status with the reason, the error, and the presence of claims
// and verdicts.
func checkStatus(r *result.Row, a absent) error {
	status, judged := string(r.Status), isJudged(r)
	switch {
	case (r.Err != nil) != (r.Status == result.Failed):
		return mismatch("error", presence(r.Err != nil), presence(r.Err == nil)+", since the status is "+status)
	case r.Status == result.SkippedRow && (len(r.Claims) > 0 || r.Reason != result.NoContexts):
		return mismatch("status", status, "no claims and the reason no_contexts")
	case r.Reason == result.NoContexts && !a.contexts && dataset.HasText(r.Contexts):
		return mismatch("reason", strconv.Quote(r.Reason), "another, since the contexts have text")
	case judged != (r.Status == result.Scored || r.Status == result.UnjudgedRow):
		return mismatch("status", status, "scored or unjudged if and only if every claim has a verdict")
	case judged && (r.JudgedClaims() == 0) != (r.Status == result.UnjudgedRow):
		return mismatch("status", status, "unjudged if and only if all claims are")
	case r.Status == result.UnjudgedRow && r.Reason != result.OtherLanguage:
		return mismatch("reason", strconv.Quote(r.Reason), "language, since the status is unjudged")
	case len(r.Claims) > 0 && (r.Status == result.NoClaims || r.Reason == result.StageRead):
		return mismatch("claims", strconv.Itoa(len(r.Claims)), "none, since the row is "+status+" ("+r.Reason+")")
	case r.Status == result.Scored && r.Reason != "" && r.Reason != result.NoContexts:
		return mismatch("reason", strconv.Quote(r.Reason), "null, since the status is scored")
	case r.Status == result.Scored && r.Reason == "" && !a.contexts && !dataset.HasText(r.Contexts):
		return mismatch("reason", "null", "no_contexts, since the contexts have no text")
	case r.Reason == result.NoContexts && r.Status == result.Scored && r.Supported() > 0:
		return mismatch("verdict", "supported", "not_mentioned, since the reason of the row is no_contexts")
	case r.Status == result.Failed && r.Reason != result.StageRead && r.Reason != result.StageExtract && r.Reason != result.StageVerdict:
		return mismatch("reason", strconv.Quote(r.Reason), "a stage: read, extract or verdict")
	case r.Status != result.NoClaims:
		return nil
	}
	reasons := extract.Reasons()
	if !a.skipped { // the kinds of the sentences determine the reason
		reasons = []string{reasonOf(r.Skipped)}
	}
	if !slices.Contains(reasons, r.Reason) {
		return mismatch("reason", strconv.Quote(r.Reason), fmt.Sprintf("%q", reasons))
	}
	if !a.skipped && !a.answer && len(r.Skipped) == 0 && strings.TrimSpace(r.Answer) != "" {
		// The context is not canceled: an answer without claims is short.
		e, err := extract.Sentences{}.Extract(context.Background(), "", r.Answer)
		if n := len(e.Claims) + len(e.Skipped); err == nil && n > 0 {
			return mismatch("reason", strconv.Quote(r.Reason), fmt.Sprintf("another, since the answer has %d sentences", n))
		}
	}
	return nil
}

// isJudged reports whether the claims of r have verdicts.
func isJudged(r *result.Row) bool { return len(r.Claims) > 0 && r.Claims[0].Verdict != "" }

// reasonOf returns the reason of a row without claims.
func reasonOf(skipped []result.Skipped) string {
	var e extract.Extraction
	for i := range skipped {
		e.Skipped = append(e.Skipped, extract.Skipped{Kind: extract.Kind(skipped[i].Kind)})
	}
	return e.Reason()
}

func presence(present bool) string {
	if present {
		return "a text"
	}
	return "null"
}

// checkScores compares the scores of a row with its verdicts.
func (c *Checker) checkScores(r *result.Row) error {
	if r.Status != result.Scored {
		return c.checkUnscored(r)
	}
	supported, sum := 0, 0.0
	// low is the supported claim with the lowest score, high the unsupported one with the
	// highest.
	low, high := -1, -1
	for i := range r.Claims {
		claim := &r.Claims[i]
		if claim.Verdict == result.Unjudged {
			continue
		}
		sum += claim.Score
		if claim.Verdict == result.Supported {
			supported++
			if low < 0 || claim.Score < r.Claims[low].Score {
				low = i
			}
		} else if high < 0 || claim.Score > r.Claims[high].Score {
			high = i
		}
	}
	n := float64(r.JudgedClaims())
	if want := float64(supported) / n; !(math.Abs(r.Faithfulness-want) <= scoreError) {
		return mismatch("faithfulness", number(r.Faithfulness), fmt.Sprintf("%s (%d of %d claims supported)", number(want), supported, r.JudgedClaims()))
	}
	if want := sum / n; !(math.Abs(r.Support-want) <= supportError) {
		return mismatch("support", number(r.Support), number(math.Round(want*1e6)/1e6)+" (mean of the scores of the claims)")
	}
	// Whatever the threshold, supported claims have higher scores than the others.
	switch {
	case low >= 0 && high >= 0 && r.Claims[low].Score < r.Claims[high].Score-scoreError:
		return mislabelled(r, low, "at least "+number(r.Claims[high].Score)+", with which claim "+strconv.Itoa(high)+" is "+string(r.Claims[high].Verdict))
	case c.Threshold != nil && low >= 0 && r.Claims[low].Score < *c.Threshold-roundError:
		return mislabelled(r, low, "at least "+number(*c.Threshold)+", the threshold of the run")
	case c.Threshold != nil && high >= 0 && r.Claims[high].Score > *c.Threshold+roundError:
		return mislabelled(r, high, "no more than "+number(*c.Threshold)+", the threshold of the run")
	}
	return nil
}

// mislabelled returns an error for a verdict that contradicts its score.
func mislabelled(r *result.Row, i int, want string) error {
	claim := &r.Claims[i]
	return inClaim(i, mismatch("verdict", string(claim.Verdict)+" with score "+number(claim.Score), "a score of "+want))
}

// checkUnscored checks the scores of a row without verdicts.
func (c *Checker) checkUnscored(r *result.Row) error {
	f := r.Faithfulness
	switch {
	case !math.IsNaN(r.Support):
		return mismatch("support", number(r.Support), "null, since the status is "+string(r.Status))
	case r.Status != result.NoClaims && !math.IsNaN(f):
		return mismatch("faithfulness", number(f), "null, since the status is "+string(r.Status))
	case r.Status == result.NoClaims && !math.IsNaN(f) && f != 0 && f != 1:
		return mismatch("faithfulness", number(f), "null, 0 or 1, the values of --no-claims")
	case r.Status == result.NoClaims && c.NoClaims != nil && f != *c.NoClaims && !(math.IsNaN(f) && math.IsNaN(*c.NoClaims)):
		return mismatch("faithfulness", number(f), number(*c.NoClaims)+", the value of --no-claims")
	}
	if r.Status == result.NoClaims {
		c.NoClaims = &f // the same for all rows of a run
	}
	return nil
}

func mismatch(field, got, want string) *result.MismatchError {
	return &result.MismatchError{Field: field, Got: got, Want: want}
}

// inClaim adds the claim to the name of a field.
func inClaim(i int, err *result.MismatchError) *result.MismatchError {
	err.Field = "claim " + strconv.Itoa(i) + ": " + err.Field
	return err
}

func number(x float64) string {
	if math.IsNaN(x) {
		return "null"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// excerpt quotes the start of a text.
func excerpt(text string) string {
	const limit = 40 // code points
	n := 0
	for i := range text {
		if n == limit {
			return strconv.Quote(text[:i]) + "..."
		}
		n++
	}
	return strconv.Quote(text)
}
