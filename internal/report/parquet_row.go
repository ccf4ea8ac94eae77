package report

import (
	"math"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
)

// parquetResult is a result as Parquet has it: the same names, values and nulls
// as in JSON. What is there in JSON only at times is null at other times.
type parquetResult struct {
	Index        int64            `parquet:"index"`
	ID           string           `parquet:"id"`
	Question     string           `parquet:"question"`
	Answer       string           `parquet:"answer"`
	Contexts     []string         `parquet:"contexts,list"`
	Faithfulness *float64         `parquet:"faithfulness,optional"`
	Support      *float64         `parquet:"support,optional"`
	Status       string           `parquet:"status,dict"`
	Reason       *string          `parquet:"reason,optional,dict"`
	Claims       []parquetClaim   `parquet:"claims,list"`
	Skipped      []parquetSkipped `parquet:"skipped,list"`
	Error        *string          `parquet:"error,optional"`
	Usage        parquetUsage     `parquet:"usage"`

	CitationRecall      *float64 `parquet:"citation_recall,optional"`
	CitationPrecision   *float64 `parquet:"citation_precision,optional"`
	UnresolvedCitations *int64   `parquet:"unresolved_citations,optional"`
}

type parquetClaim struct {
	ID          int64             `parquet:"id"`
	Text        string            `parquet:"text"`
	Lead        *string           `parquet:"lead,optional"`
	JudgedAs    *string           `parquet:"judged_as,optional"`
	Start       *int64            `parquet:"start,optional"`
	End         *int64            `parquet:"end,optional"`
	From        *parquetSpan      `parquet:"from,optional"`
	Invented    *bool             `parquet:"invented,optional"`
	Verdict     *string           `parquet:"verdict,optional,dict"`
	Score       *float64          `parquet:"score,optional"`
	Reason      *string           `parquet:"reason,optional"`
	ChunkIDs    []int64           `parquet:"chunk_ids,list"`
	Evidence    []parquetEvidence `parquet:"evidence,list"`
	Unsupported []parquetSpan     `parquet:"unsupported,optional,list"`
	Citations   []parquetCitation `parquet:"citations,optional,list"`
	Cached      *string           `parquet:"cached,optional"`
	CachedFrom  *string           `parquet:"cached_from,optional"`
	Cosine      *float64          `parquet:"cosine,optional"`
}

type parquetEvidence struct {
	Chunk int64   `parquet:"chunk"`
	Start *int64  `parquet:"start,optional"`
	End   *int64  `parquet:"end,optional"`
	Quote string  `parquet:"quote"`
	Role  *string `parquet:"role,optional,dict"`
}

type parquetCitation struct {
	Text    string  `parquet:"text"`
	Start   int64   `parquet:"start"`
	End     int64   `parquet:"end"`
	Chunk   *int64  `parquet:"chunk,optional"`
	Verdict *string `parquet:"verdict,optional,dict"`
}

type parquetSkipped struct {
	Kind  string `parquet:"kind,dict"`
	Text  string `parquet:"text"`
	Start *int64 `parquet:"start,optional"`
	End   *int64 `parquet:"end,optional"`
}

type parquetSpan struct {
	Start int64 `parquet:"start"`
	End   int64 `parquet:"end"`
}

type parquetUsage struct {
	Requests         int64 `parquet:"requests"`
	PromptTokens     int64 `parquet:"prompt_tokens"`
	CompletionTokens int64 `parquet:"completion_tokens"`
	CachedRequests   int64 `parquet:"cached_requests"`
}

// parquetShape returns r in the shape of Parquet, and about how many bytes it
// has.
func parquetShape(r *eval.Result) (*parquetResult, int) {
	s := &parquetResult{
		Index: int64(r.Row.Index), ID: whole(r.Row.ID), Question: whole(r.Row.Question), Answer: whole(r.Row.Answer),
		Faithfulness: present(r.Faithfulness), Support: present(round(r.Support)),
		Status: r.Status.String(), Reason: stated(r.Reason),
		Usage: parquetUsage{int64(r.Usage.Requests), int64(r.Usage.PromptTokens), int64(r.Usage.CompletionTokens), int64(r.Usage.CachedRequests)},
	}
	if r.Cited != nil {
		unresolved := int64(r.Cited.Unresolved())
		s.CitationRecall, s.CitationPrecision, s.UnresolvedCitations = present(r.Cited.Recall), present(r.Cited.Precision), &unresolved
	}
	const perRow, perClaim = 100, 60 // for all that is not text
	size := perRow + len(s.ID) + len(s.Question) + len(s.Answer)
	for _, c := range r.Row.Contexts {
		s.Contexts = append(s.Contexts, whole(c))
		size += len(c)
	}
	for i := range r.Claims {
		c := parquetClaimOf(r, i)
		size += perClaim + len(c.Text)
		if c.Reason != nil {
			size += len(*c.Reason)
		}
		for k := range c.Evidence {
			size += len(c.Evidence[k].Quote)
		}
		for k := range c.Citations {
			size += perClaim + len(c.Citations[k].Text)
		}
		s.Claims = append(s.Claims, c)
	}
	for i := range r.Skipped {
		k := &r.Skipped[i]
		start, end := placeOf(k.Start, k.End)
		s.Skipped = append(s.Skipped, parquetSkipped{string(k.Kind), whole(k.Text), start, end})
		size += len(k.Text)
	}
	if r.Err != nil {
		message := whole(r.Err.Error())
		s.Error = &message
		size += len(message)
	}
	return s, size
}

// parquetClaimOf is the claim i of r with its verdict.
func parquetClaimOf(r *eval.Result, i int) parquetClaim {
	c := &r.Claims[i]
	p := parquetClaim{ID: int64(c.ID), Text: whole(c.Text), Lead: stated(c.Lead), JudgedAs: stated(c.As)}
	p.Start, p.End = placeOf(c.Start, c.End)
	if c.From != nil {
		p.From = &parquetSpan{int64(c.From.Start), int64(c.From.End)}
	}
	if c.Invented {
		p.Invented = &c.Invented
	}
	if r.Cited != nil {
		p.Citations = parquetCitations(r.Cited.Citations[i])
	}
	if i >= len(r.Verdicts) {
		return p
	}
	v := &r.Verdicts[i]
	label, reason := v.Label.String(), whole(v.Reason)
	p.Verdict, p.Score, p.Reason = &label, present(round(v.Score)), &reason
	for _, id := range v.ChunkIDs {
		p.ChunkIDs = append(p.ChunkIDs, int64(id))
	}
	for k := range v.Evidence {
		e := &v.Evidence[k]
		start, end := placeOf(e.Start, e.End)
		p.Evidence = append(p.Evidence, parquetEvidence{int64(e.Chunk), start, end, whole(e.Quote), stated(string(e.Role))})
	}
	p.Unsupported = parquetSpans(v.Unsupported)
	if v.Reused != nil {
		by, statement := whole(v.Reused.By), whole(v.Reused.Statement)
		p.Cached, p.CachedFrom, p.Cosine = &by, &statement, present(round(v.Reused.Cosine))
	}
	return p
}

func parquetCitations(citations []eval.Citation) []parquetCitation {
	var list []parquetCitation
	for i := range citations {
		c := &citations[i]
		p := parquetCitation{Text: whole(c.Text), Start: int64(c.Start), End: int64(c.End)}
		if c.Chunk >= 0 {
			chunk := int64(c.Chunk)
			p.Chunk = &chunk
		}
		if c.Judged {
			label := c.Label.String()
			p.Verdict = &label
		}
		list = append(list, p)
	}
	return list
}

func parquetSpans(spans []extract.Span) []parquetSpan {
	var list []parquetSpan
	for _, s := range spans {
		list = append(list, parquetSpan{int64(s.Start), int64(s.End)})
	}
	return list
}

// placeOf returns a place in a text, nil where there is none.
func placeOf(start, end int) (*int64, *int64) {
	if start < 0 || end < 0 {
		return nil, nil
	}
	a, b := int64(start), int64(end)
	return &a, &b
}

// present returns x, nil for what JSON has null for.
func present(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// stated returns a text, nil for an empty one.
func stated(s string) *string {
	if s == "" {
		return nil
	}
	s = whole(s)
	return &s
}

// whole returns s as UTF-8, in which all other bytes are U+FFFD as in JSON.
func whole(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
