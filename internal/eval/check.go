package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// MaxIndex is the largest index of a row: the largest integer up to which every
// reader of JSON is exact.
const MaxIndex = 1 << 53

const (
	// scoreError is how far faithfulness may be from supported claims over claims.
	// Results have it with all its digits, and a reader such as pandas may round
	// the last one (2e-16). One verdict among a million claims moves it by 1e-6.
	scoreError = 1e-9
	// roundError is how far a number with six decimals may be from the one that it
	// was made of. Scores of claims and support are written so.
	roundError = 0.5e-6 + scoreError
	// supportError is how far support may be from the mean of the scores of the
	// claims: both are rounded to six decimals.
	supportError = 2 * roundError
)

// A MismatchError says which field of a stored result contradicts the others.
type MismatchError struct{ Field, Got, Want string }

// Error names the field, what it is, and what it has to be.
func (e *MismatchError) Error() string { return e.Field + ": got " + e.Got + ", want " + e.Want }

// A Checker compares the fields of stored results with each other: a score with
// the verdicts that it is made of, a quote with its context. It finds edits and
// damage that leave a result readable. The zero Checker is ready for use. It is
// for one goroutine.
type Checker struct {
	// Threshold is the score from which claims are supported; nil if unknown.
	Threshold *float64
	// NoClaims is the faithfulness of rows without claims, NaN for null; nil if
	// unknown before the first such row, which decides it.
	NoClaims *float64

	answer codePoints
	quotes quoteChecker
	text   codePoints
}

// Absent names the fields that a stored result lacks. What they would prove is
// not checked.
type Absent struct{ Question, Answer, Contexts, Skipped bool }

// Check returns a *MismatchError for the first field of r that is not what a
// [Pipeline] makes of the other fields, and nil if there is none. Each of
// Verdicts has to be that of the claim in its place.
func (c *Checker) Check(r *Result, absent Absent) error {
	switch {
	case r.Row.Index < 0 || r.Row.Index > MaxIndex:
		return mismatch("index", strconv.Itoa(r.Row.Index), "0 to 2^53")
	case min(r.Usage.Requests, r.Usage.PromptTokens, r.Usage.CompletionTokens, r.Usage.CachedRequests) < 0:
		return mismatch("usage", "a negative number", "0 or more")
	case len(r.Verdicts) != 0 && len(r.Verdicts) != len(r.Claims):
		return mismatch("claims", fmt.Sprintf("%d verdicts", len(r.Verdicts)), fmt.Sprintf("one for each of %d claims", len(r.Claims)))
	case r.Cited != nil && len(r.Cited.Citations) != len(r.Claims):
		return mismatch("claims", fmt.Sprintf("citations of %d", len(r.Cited.Citations)), fmt.Sprintf("of each of %d claims", len(r.Claims)))
	}
	if err := checkStatus(r, absent); err != nil {
		return err
	}
	c.answer.reset(r.Row.Answer)
	if !absent.Contexts {
		c.quotes.reset(r.Row.Contexts)
	}
	for i := range r.Claims {
		if err := c.claim(r, i, absent); err != nil {
			return inClaim(i, err)
		}
		if err := c.citations(r, i, absent); err != nil {
			return inClaim(i, err)
		}
	}
	for i := range r.Skipped {
		s := &r.Skipped[i]
		if err := c.sentence(s.Text, s.Start, s.End, absent); err != nil {
			err.Field = "skipped " + strconv.Itoa(i) + ": " + err.Field
			return err
		}
	}
	if !absent.Answer && !absent.Skipped && r.Status != Failed {
		if err := c.covers(r); err != nil {
			return err
		}
	}
	if err := c.citationScores(r); err != nil {
		return err
	}
	return c.scores(r)
}

// checkStatus compares the status of r with its reason, its error and whether it
// has claims and verdicts.
func checkStatus(r *Result, absent Absent) error {
	status := r.Status.String()
	switch {
	case (r.Err != nil) != (r.Status == Failed):
		return mismatch("error", presence(r.Err != nil), presence(r.Err == nil)+", since the status is "+status)
	case (len(r.Verdicts) > 0) != (r.Status == Scored):
		return mismatch("status", status, "scored if and only if every claim has a verdict")
	case len(r.Claims) > 0 && (r.Status == NoClaims || r.Reason == StageRead):
		return mismatch("claims", strconv.Itoa(len(r.Claims)), "none, since the row is "+status+" ("+r.Reason+")")
	case r.Status == Scored && r.Reason != "":
		return mismatch("reason", strconv.Quote(r.Reason), "null, since the status is scored")
	case r.Status == Failed && r.Reason != StageRead && r.Reason != StageExtract && r.Reason != StageVerdict:
		return mismatch("reason", strconv.Quote(r.Reason), "a stage: read, extract or verdict")
	case r.Status != NoClaims:
		return nil
	}
	reasons := extract.Reasons()
	if !absent.Skipped { // which sentences there are decides it
		reasons = []string{extract.Extraction{Skipped: r.Skipped}.Reason()}
	}
	if !slices.Contains(reasons, r.Reason) {
		return mismatch("reason", strconv.Quote(r.Reason), fmt.Sprintf("%q", reasons))
	}
	if !absent.Skipped && !absent.Answer && len(r.Skipped) == 0 && strings.TrimSpace(r.Row.Answer) != "" {
		// Without a limit of its own: an answer that says nothing is short.
		found, err := extract.Sentences{}.Extract(context.Background(), "", r.Row.Answer)
		if n := len(found.Claims) + len(found.Skipped); err == nil && n > 0 {
			return mismatch("reason", strconv.Quote(r.Reason), fmt.Sprintf("another, since the answer has %d sentences", n))
		}
	}
	return nil
}

func presence(is bool) string {
	if is {
		return "a text"
	}
	return "null"
}

// claim checks claim i and its verdict.
func (c *Checker) claim(r *Result, i int, absent Absent) *MismatchError {
	claim := &r.Claims[i]
	if claim.ID != i {
		return mismatch("id", strconv.Itoa(claim.ID), strconv.Itoa(i))
	}
	if claim.Start != -1 || claim.End != -1 { // neither is known of a rewritten claim
		if err := c.sentence(claim.Text, claim.Start, claim.End, absent); err != nil {
			return err
		}
	}
	if err := judgedAs(r, claim, absent); err != nil {
		return err
	}
	if from := claim.From; from != nil {
		if _, err := span(&c.answer, from.Start, from.End, absent.Answer); err != nil {
			err.Field = "from: " + err.Field
			return err
		}
	}
	if len(r.Verdicts) == 0 {
		return nil
	}
	v := &r.Verdicts[i]
	switch {
	case !(v.Score >= 0 && v.Score <= 1): // so written, it catches NaN
		return mismatch("score", number(v.Score), "a number from 0 to 1")
	case v.Label == verdict.Supported && len(v.Unsupported) > 0:
		return mismatch("unsupported", strconv.Itoa(len(v.Unsupported))+" parts", "none of a supported claim")
	case v.Reused != nil && (v.Reused.Cosine < -1 || v.Reused.Cosine > 1):
		return mismatch("cosine", number(v.Reused.Cosine), "-1 to 1")
	}
	return c.sources(r, claim, v, absent)
}

// judgedAs checks that the statement that a claim was judged as is the one that
// its words and the question make.
func judgedAs(r *Result, claim *extract.Claim, absent Absent) *MismatchError {
	if claim.As == "" || absent.Question {
		return nil
	}
	want := ""
	if claim.Start >= 0 {
		want = extract.JudgedAs(r.Row.Question, []extract.Claim{*claim})[0]
	}
	switch want {
	case claim.As:
		return nil
	case "":
		return mismatch("judged_as", excerpt(claim.As), "none, since the claim is judged by its own words")
	}
	return mismatch("judged_as", excerpt(claim.As), excerpt(want)+", which question and answer say together")
}

// sources checks what a verdict refers to: contexts, quotes and parts of the claim.
func (c *Checker) sources(r *Result, claim *extract.Claim, v *verdict.Verdict, absent Absent) *MismatchError {
	chunks := len(r.Row.Contexts)
	if absent.Contexts {
		chunks = math.MaxInt32
	}
	for k, id := range v.ChunkIDs {
		if id < 0 || id >= chunks || k > 0 && id <= v.ChunkIDs[k-1] {
			return mismatch("chunk_ids", fmt.Sprint(v.ChunkIDs), fmt.Sprintf("ascending ids below %d, the number of contexts", chunks))
		}
	}
	for k := range v.Evidence {
		e := &v.Evidence[k]
		if !roleFits(e.Role, v.Label) {
			return mismatch(fmt.Sprintf("evidence %d: role", k), strconv.Quote(string(e.Role)), "a role that evidence of a claim that is "+v.Label.String()+" may have")
		}
		if e.Chunk < 0 || e.Chunk >= chunks {
			return mismatch(fmt.Sprintf("evidence %d: chunk", k), strconv.Itoa(e.Chunk), fmt.Sprintf("an id below %d, the number of contexts", chunks))
		}
		in := &c.text
		if !absent.Contexts {
			in = &c.quotes.chunks[e.Chunk]
		}
		text, err := span(in, e.Start, e.End, absent.Contexts)
		if err == nil && !absent.Contexts && text != e.Quote {
			err = mismatch("quote", excerpt(e.Quote), excerpt(text)+", the context from start to end")
		}
		if err != nil {
			err.Field = fmt.Sprintf("evidence %d: %s", k, err.Field)
			return err
		}
	}
	if len(v.Unsupported) == 0 {
		return nil
	}
	c.text.reset(claim.Text)
	for k, u := range v.Unsupported {
		if _, err := span(&c.text, u.Start, u.End, false); err != nil {
			err.Field = fmt.Sprintf("unsupported %d: %s", k, err.Field)
			return err
		}
	}
	return nil
}

// roleFits reports whether evidence of a claim with a label may have a role. Results
// of earlier versions have no roles.
func roleFits(role verdict.Role, l verdict.Label) bool {
	switch role {
	case verdict.RoleContradicts:
		return l == verdict.Contradicted
	case verdict.RoleNearest:
		return l != verdict.Supported
	case verdict.RoleSupports:
	}
	return true
}

// sentence checks the place of a text in the answer, and that the text is what
// stands there.
func (c *Checker) sentence(text string, start, end int, absent Absent) *MismatchError {
	there, err := span(&c.answer, start, end, absent.Answer)
	if err == nil && !absent.Answer && !extract.Restates(text, there) {
		err = mismatch("text", excerpt(text), excerpt(there)+", the answer from start to end")
	}
	return err
}

// span returns what stands from start to end of a text. If that is absent, only
// the order of the two is checked.
func span(text *codePoints, start, end int, absent bool) (string, *MismatchError) {
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

// scores compares the scores of a row with the verdicts on its claims.
func (c *Checker) scores(r *Result) error {
	if r.Status != Scored {
		return c.unscored(r)
	}
	supported, sum := 0, 0.0
	low, high := -1, -1 // the supported claim with the least score, and the other one with the largest
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		sum += v.Score
		if v.Label == verdict.Supported {
			supported++
			if low < 0 || v.Score < r.Verdicts[low].Score {
				low = i
			}
		} else if high < 0 || v.Score > r.Verdicts[high].Score {
			high = i
		}
	}
	n := float64(len(r.Verdicts))
	if want := float64(supported) / n; !(math.Abs(r.Faithfulness-want) <= scoreError) {
		return mismatch("faithfulness", number(r.Faithfulness), fmt.Sprintf("%s (%d of %d claims supported)", number(want), supported, len(r.Claims)))
	}
	if want := sum / n; !(math.Abs(r.Support-want) <= supportError) {
		return mismatch("support", number(r.Support), number(math.Round(want*1e6)/1e6)+" (mean of the scores of the claims)")
	}
	// Every judge calls claims supported from some score on.
	switch {
	case low >= 0 && high >= 0 && r.Verdicts[low].Score < r.Verdicts[high].Score-scoreError:
		return mislabelled(r, low, "at least "+number(r.Verdicts[high].Score)+", with which claim "+strconv.Itoa(high)+" is "+r.Verdicts[high].Label.String())
	case c.Threshold != nil && low >= 0 && r.Verdicts[low].Score < *c.Threshold-roundError:
		return mislabelled(r, low, "at least "+number(*c.Threshold)+", the threshold of the run")
	case c.Threshold != nil && high >= 0 && r.Verdicts[high].Score > *c.Threshold+roundError:
		return mislabelled(r, high, "no more than "+number(*c.Threshold)+", the threshold of the run")
	}
	return nil
}

// mislabelled is the error of a verdict that does not follow from its score.
func mislabelled(r *Result, i int, want string) error {
	v := &r.Verdicts[i]
	return inClaim(i, mismatch("verdict", v.Label.String()+" with score "+number(v.Score), "a score of "+want))
}

// unscored checks the scores of a row without verdicts.
func (c *Checker) unscored(r *Result) error {
	f := r.Faithfulness
	switch {
	case !math.IsNaN(r.Support):
		return mismatch("support", number(r.Support), "null, since the status is "+r.Status.String())
	case r.Status == Failed && !math.IsNaN(f):
		return mismatch("faithfulness", number(f), "null, since the status is failed")
	case r.Status == NoClaims && !math.IsNaN(f) && f != 0 && f != 1:
		return mismatch("faithfulness", number(f), "null, 0 or 1, which --no-claims can be")
	case r.Status == NoClaims && c.NoClaims != nil && f != *c.NoClaims && !(math.IsNaN(f) && math.IsNaN(*c.NoClaims)):
		return mismatch("faithfulness", number(f), number(*c.NoClaims)+", which --no-claims was")
	}
	if r.Status == NoClaims {
		c.NoClaims = &f // and so it is for all rows of the run
	}
	return nil
}

func mismatch(field, got, want string) *MismatchError { return &MismatchError{field, got, want} }

// inClaim names the claim that a field belongs to.
func inClaim(i int, err *MismatchError) *MismatchError {
	err.Field = "claim " + strconv.Itoa(i) + ": " + err.Field
	return err
}

func number(x float64) string {
	if math.IsNaN(x) {
		return "null"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// excerpt quotes the beginning of a text.
func excerpt(text string) string {
	const most = 40 // code points
	n := 0
	for i := range text {
		if n == most {
			return strconv.Quote(text[:i]) + "..."
		}
		n++
	}
	return strconv.Quote(text)
}
