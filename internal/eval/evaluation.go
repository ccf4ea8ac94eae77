package eval

import (
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A StageError reports the stage at which a row failed.
type StageError struct {
	Stage string // result.StageExtract or result.StageVerdict
	Err   error
}

// Error returns the stage and its error.
func (e *StageError) Error() string { return e.Stage + ": " + e.Err.Error() }

// Unwrap returns the error of the stage.
func (e *StageError) Unwrap() error { return e.Err }

// A PanicError is a panic in a stage. It fails one row and not the run.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the value of the panic without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// An evaluation is a row on its way through the stages.
type evaluation struct {
	row      dataset.Row
	status   result.Status
	reason   string // as in result.Row
	empty    bool   // whether the contexts have no text
	claims   []extract.Claim
	verdicts []verdict.Verdict // verdicts[i] is the verdict of claims[i]; nil if the row failed
	skipped  []extract.Skipped

	faithfulness, support float64
	citations             [][]result.Citation // citations of each claim; nil if no claim cites anything
	recall, precision     float64             // scores of the citations
	marks                 []string
	usage                 usage.Usage
	err                   error // the error of the reader, or a *StageError
}

func (e *evaluation) supported() int {
	n := 0
	for i := range e.verdicts {
		if e.verdicts[i].Label == verdict.Supported {
			n++
		}
	}
	return n
}

// score sets the scores that follow from the verdicts, and the status of a row whose claims
// are all unjudged.
func (e *evaluation) score() {
	sum, n := 0.0, 0.0
	for i := range e.verdicts {
		if e.verdicts[i].Label != verdict.Unjudged {
			sum += e.verdicts[i].Score
			n++
		}
	}
	if n == 0 {
		e.status, e.reason = result.UnjudgedRow, result.OtherLanguage
	}
	e.faithfulness, e.support = float64(e.supported())/n, sum/n // NaN if no claim is judged
}

// setUnretrieved makes every claim unsupported, because nothing was retrieved.
func (e *evaluation) setUnretrieved() {
	e.verdicts = make([]verdict.Verdict, len(e.claims))
	for i := range e.verdicts {
		e.verdicts[i] = verdict.Verdict{ClaimID: i, Label: verdict.NotMentioned, Reason: "nothing was retrieved"}
	}
	e.status, e.reason = result.Scored, result.NoContexts
	e.score()
}

// setClaims sets the claims of e. If there are none, the status becomes NoClaims.
func (p *Pipeline) setClaims(e *evaluation, extraction *extract.Extraction) error {
	for i := range extraction.Claims {
		if extraction.Claims[i].ID != i {
			return fmt.Errorf("claim %d has the id %d", i, extraction.Claims[i].ID)
		}
	}
	e.claims, e.skipped = extraction.Claims, extraction.Skipped
	if len(e.claims) == 0 {
		p.setNoClaims(e, extraction.Reason())
	}
	return nil
}

func (p *Pipeline) setNoClaims(e *evaluation, reason string) {
	e.status, e.reason, e.faithfulness = result.NoClaims, reason, math.NaN()
	if p.NoClaims != nil {
		e.faithfulness = *p.NoClaims
	}
}

func (e *evaluation) spend(u usage.Usage) { e.usage = e.usage.Add(u) }

func (e *evaluation) mark(marks ...string) { e.marks = verdict.AddMarks(e.marks, marks...) }

// fail makes e a row that failed at stage.
func (e *evaluation) fail(stage string, err error) {
	e.status, e.reason, e.err = result.Failed, stage, &StageError{Stage: stage, Err: err}
	e.verdicts, e.marks = nil, nil
	e.faithfulness, e.support = math.NaN(), math.NaN()
	e.recall, e.precision = math.NaN(), math.NaN()
	for _, citations := range e.citations {
		for i := range citations {
			citations[i].Verdict = ""
		}
	}
}

func (e *evaluation) result() result.Row {
	r := result.Row{
		Index: e.row.Index, ID: e.row.ID, Question: e.row.Question, Answer: e.row.Answer, Contexts: e.row.Contexts,
		Faithfulness: e.faithfulness, Support: e.support, Status: e.status, Reason: e.reason,
		Err: e.err, Usage: e.usage, Kept: e.row.Kept, File: e.row.File, Line: e.row.Line, Offset: e.row.Offset,
	}
	if len(e.claims) > 0 {
		r.Claims = make([]result.Claim, len(e.claims))
	}
	for _, m := range e.marks {
		r.Marks = append(r.Marks, result.Mark(m))
	}
	for i := range e.claims {
		setClaim(&r.Claims[i], &e.claims[i])
		if e.verdicts != nil {
			setVerdict(&r.Claims[i], &e.verdicts[i])
		}
	}
	if len(e.skipped) > 0 {
		r.Skipped = make([]result.Skipped, len(e.skipped))
	}
	for i, s := range e.skipped {
		r.Skipped[i] = result.Skipped{Kind: string(s.Kind), Text: s.Text, Start: s.Start, End: s.End}
	}
	r.Confidence, r.Unjudged = result.LowestConfidence(r.Claims), unjudgedShare(&r)
	if e.citations != nil {
		r.Citations = &result.CitationScores{Recall: e.recall, Precision: e.precision}
		for i, citations := range e.citations {
			r.Claims[i].Citations = citations
			for k := range citations {
				if citations[k].Chunk < 0 {
					r.Citations.Unresolved++
				}
			}
		}
	}
	return r
}

func setClaim(dst *result.Claim, c *extract.Claim) {
	dst.ID, dst.Text, dst.Lead, dst.JudgedAs = c.ID, c.Text, c.Lead, c.Statement
	dst.Start, dst.End, dst.Invented, dst.Score = c.Start, c.End, c.Invented, math.NaN()
	if c.From != nil {
		dst.From = &result.Span{Start: c.From.Start, End: c.From.End}
	}
}

func setVerdict(dst *result.Claim, v *verdict.Verdict) {
	dst.Verdict, dst.Score, dst.Reason, dst.ChunkIDs = result.Verdict(v.Label.String()), v.Score, v.Reason, v.ChunkIDs
	dst.Confidence, dst.Graded, dst.Evidence, dst.Reused = v.Confidence, v.Graded, v.Evidence, v.Reused
	for _, s := range v.Unsupported {
		dst.Unsupported = append(dst.Unsupported, result.Span{Start: s.Start, End: s.End})
	}
	if dst.Prescreened = v.Prescreened; v.Audited != nil {
		dst.OfflineVerdict = result.Verdict(v.Audited.String())
	}
}

// textBytes estimates the memory of a row.
func textBytes(row *dataset.Row) int64 {
	n := len(row.Question) + len(row.Answer)
	for _, c := range row.Contexts {
		n += len(c)
	}
	for i := range row.Kept {
		n += len(row.Kept[i].Value)
	}
	return int64(n)
}
