package eval

import (
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

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

// score sets the scores, and the status of a row whose claims are all unjudged.
func (e *evaluation) score() {
	supported, sum, n := 0.0, 0.0, 0.0
	for i := range e.verdicts {
		switch e.verdicts[i].Label {
		case verdict.Unjudged:
			continue
		case verdict.Supported:
			supported++
		case verdict.Contradicted, verdict.NotMentioned:
		}
		sum += e.verdicts[i].Score
		n++
	}
	if n == 0 {
		e.status, e.reason = result.UnjudgedRow, result.OtherLanguage
	}
	e.faithfulness, e.support = supported/n, sum/n // NaN if no claim is judged
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
		e.status, e.reason, e.faithfulness = result.NoClaims, extraction.Reason(), math.NaN()
		if p.NoClaims != nil {
			e.faithfulness = *p.NoClaims
		}
	}
	return nil
}

func (e *evaluation) spend(u usage.Usage) { e.usage = e.usage.Add(u) }

func (e *evaluation) mark(marks ...string) { e.marks = verdict.AddMarks(e.marks, marks...) }

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

// unjudgedShare returns the share of the words of the answer of r that are in no judged claim, or
// NaN if r failed or was skipped. Each word counts once. If the place of a rewritten claim is
// unknown, only the skipped sentences and the unjudged claims count, unless no claim is judged.
func unjudgedShare(r *result.Row) float64 {
	if r.Status != result.Scored && r.Status != result.NoClaims && r.Status != result.UnjudgedRow {
		return math.NaN()
	}
	var judged, skipped []result.Span
	placed := true
	for i := range r.Claims {
		c, spans := &r.Claims[i], &judged
		if c.Verdict == result.Unjudged {
			spans = &skipped
		}
		switch {
		case c.From != nil:
			*spans = append(*spans, *c.From)
		case c.Start >= 0:
			*spans = append(*spans, result.Span{Start: c.Start, End: c.End})
		default:
			placed = false
		}
	}
	for _, s := range r.Skipped {
		skipped = append(skipped, result.Span{Start: s.Start, End: s.End})
	}
	total, inClaims, inSkipped := countWords(r.Answer, judged, skipped)
	switch {
	case total == 0:
		return 0
	case !placed && r.Status != result.UnjudgedRow:
		return float64(inSkipped) / float64(total)
	}
	return float64(total-inClaims) / float64(total)
}

// countWords returns the number of words in text, and of those that start in one
// of the spans of a and of b. A character of a script without spaces is a word.
func countWords(text string, a, b []result.Span) (total, inA, inB int) {
	inSpanA, inSpanB := newSpanCursor(a), newSpanCursor(b)
	inWord := false
	at := 0
	for _, r := range text {
		isPart, unspaced := r|0x20-'a' < 26 && r|0x20 >= 'a' || r-'0' < 10 && r >= '0', false
		if r >= utf8.RuneSelf {
			isPart = unicode.IsLetter(r) || unicode.IsNumber(r) || inWord && unicode.IsMark(r)
			unspaced = unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
		}
		if isPart && (!inWord || unspaced) {
			total++
			if inSpanA.contains(at) {
				inA++
			}
			if inSpanB.contains(at) {
				inB++
			}
		}
		inWord = isPart
		at++
	}
	return total, inA, inB
}

// A spanCursor finds out which positions are in one of several spans.
type spanCursor struct {
	rest []result.Span // sorted; those that start after the last position
	end  int           // of the spans that start before
}

func newSpanCursor(spans []result.Span) *spanCursor {
	slices.SortFunc(spans, func(a, b result.Span) int { return a.Start - b.Start })
	return &spanCursor{rest: spans}
}

// contains reports whether a position is in a span. Positions must ascend.
func (c *spanCursor) contains(at int) bool {
	for len(c.rest) > 0 && c.rest[0].Start <= at {
		c.end = max(c.end, c.rest[0].End)
		c.rest = c.rest[1:]
	}
	return at < c.end
}
