package report

import (
	"bytes"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// jsonLines writes a JSON object a row, each on a line of its own.
type jsonLines struct {
	w   io.Writer
	buf []byte // room that is used again
}

// Write writes r on a line.
func (j *jsonLines) Write(r *eval.Result) error {
	j.buf = append(appendResult(j.buf[:0], r), '\n')
	_, err := j.w.Write(j.buf)
	return err
}

// Close has nothing to add.
func (j *jsonLines) Close() error { return nil }

// jsonArray writes all rows as one JSON array with an object a line.
type jsonArray struct {
	w     io.Writer
	buf   []byte
	begun bool
}

// Write writes r as the next element.
func (j *jsonArray) Write(r *eval.Result) error {
	open := "[\n"
	if j.begun {
		open = ",\n"
	}
	j.begun = true
	j.buf = appendResult(append(j.buf[:0], open...), r)
	_, err := j.w.Write(j.buf)
	return err
}

// Close ends the array.
func (j *jsonArray) Close() error {
	end := "\n]\n"
	if !j.begun {
		end = "[]\n"
	}
	_, err := io.WriteString(j.w, end)
	return err
}

// AppendResult appends r as FormatJSONL writes it, without the end of the line.
func AppendResult(b []byte, r *eval.Result) []byte { return appendResult(b, r) }

// AppendText appends a text as results hold it.
func AppendText(b []byte, s string) []byte { return appendString(b, s) }

// AppendJSON appends the value of a kept column as results hold it.
func AppendJSON(b, value []byte) []byte { return appendRaw(b, value) }

// AppendNumber appends a score as results hold it: with no more than six decimals,
// and null for NaN.
func AppendNumber(b []byte, x float64) []byte { return appendNumber(b, round(x)) }

// appendResult appends r as a JSON object on one line. Equal results give equal
// bytes.
func appendResult(b []byte, r *eval.Result) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendInt(b, int64(r.Row.Index), 10)
	b = appendString(append(b, `,"id":`...), r.Row.ID)
	b = appendString(append(b, `,"question":`...), r.Row.Question)
	b = appendString(append(b, `,"answer":`...), r.Row.Answer)
	b = appendStrings(append(b, `,"contexts":`...), r.Row.Contexts)
	b = appendNumber(append(b, `,"faithfulness":`...), r.Faithfulness)
	b = appendNumber(append(b, `,"support":`...), round(r.Support))
	b = appendString(append(b, `,"status":`...), r.Status.String())
	b = appendStringOrNull(append(b, `,"reason":`...), r.Reason)
	b = appendClaims(append(b, `,"claims":`...), r)
	b = appendSkipped(append(b, `,"skipped":`...), r.Skipped)
	b = append(b, `,"error":`...)
	if r.Err != nil {
		b = appendString(b, r.Err.Error())
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"usage":{"requests":`...)
	b = strconv.AppendInt(b, int64(r.Usage.Requests), 10)
	b = strconv.AppendInt(append(b, `,"prompt_tokens":`...), int64(r.Usage.PromptTokens), 10)
	b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(r.Usage.CompletionTokens), 10)
	b = strconv.AppendInt(append(b, `,"cached_requests":`...), int64(r.Usage.CachedRequests), 10)
	if r.Usage.Estimated {
		b = append(b, `,"estimated":true`...)
	}
	b = append(b, '}')
	b = appendCitationScores(b, r)
	for i := range r.Row.Kept {
		b = appendString(append(b, ','), r.Row.Kept[i].Name)
		b = appendRaw(append(b, ':'), r.Row.Kept[i].Value)
	}
	return append(b, '}')
}

// appendClaims appends the claims with their verdicts, which are null in a row
// that failed before it had any. What a fragment leans on, where a rewritten claim
// came from, that it says what the answer does not, its parts that nothing
// supports, its citations, the role of evidence that does not support it, and which
// claim a verdict was made for are there only where they are so.
func appendClaims(b []byte, r *eval.Result) []byte {
	b = append(b, '[')
	for i := range r.Claims {
		if i > 0 {
			b = append(b, ',')
		}
		c := &r.Claims[i]
		b = strconv.AppendInt(append(b, `{"id":`...), int64(c.ID), 10)
		b = appendString(append(b, `,"text":`...), c.Text)
		if c.Lead != "" {
			b = appendString(append(b, `,"lead":`...), c.Lead)
		}
		if c.As != "" {
			b = appendString(append(b, `,"judged_as":`...), c.As)
		}
		b = appendSpan(b, c.Start, c.End)
		if c.From != nil {
			b = appendPlace(append(b, `,"from":`...), *c.From)
		}
		if c.Invented {
			b = append(b, `,"invented":true`...)
		}
		if i >= len(r.Verdicts) {
			b = append(b, `,"verdict":null,"score":null,"reason":null,"chunk_ids":[],"evidence":[]`...)
			b = append(appendCitations(b, r, i), '}')
			continue
		}
		v := &r.Verdicts[i]
		b = appendString(append(b, `,"verdict":`...), v.Label.String())
		b = appendNumber(append(b, `,"score":`...), round(v.Score))
		b = appendString(append(b, `,"reason":`...), v.Reason)
		b = append(b, `,"chunk_ids":[`...)
		for k, id := range v.ChunkIDs {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(id), 10)
		}
		b = appendEvidence(append(b, `],"evidence":`...), v.Evidence)
		if len(v.Unsupported) > 0 {
			b = appendSpans(append(b, `,"unsupported":`...), v.Unsupported)
		}
		b = appendCitations(b, r, i)
		if v.Reused != nil {
			b = appendString(append(b, `,"cached":`...), v.Reused.By)
			b = appendString(append(b, `,"cached_from":`...), v.Reused.Statement)
			b = appendNumber(append(b, `,"cosine":`...), round(v.Reused.Cosine))
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendPlace appends a place that there is.
func appendPlace(b []byte, s extract.Span) []byte {
	b = strconv.AppendInt(append(b, `{"start":`...), int64(s.Start), 10)
	return append(strconv.AppendInt(append(b, `,"end":`...), int64(s.End), 10), '}')
}

func appendSpans(b []byte, spans []extract.Span) []byte {
	b = append(b, '[')
	for i, s := range spans {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPlace(b, s)
	}
	return append(b, ']')
}

func appendEvidence(b []byte, evidence []verdict.Evidence) []byte {
	b = append(b, '[')
	for i := range evidence {
		if i > 0 {
			b = append(b, ',')
		}
		e := &evidence[i]
		b = strconv.AppendInt(append(b, `{"chunk":`...), int64(e.Chunk), 10)
		b = appendSpan(b, e.Start, e.End)
		b = appendString(append(b, `,"quote":`...), e.Quote)
		if e.Role != verdict.RoleSupports {
			b = appendString(append(b, `,"role":`...), string(e.Role))
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

func appendSkipped(b []byte, skipped []extract.Skipped) []byte {
	b = append(b, '[')
	for i := range skipped {
		if i > 0 {
			b = append(b, ',')
		}
		s := &skipped[i]
		b = appendString(append(b, `{"kind":`...), string(s.Kind))
		b = appendString(append(b, `,"text":`...), s.Text)
		b = appendSpan(b, s.Start, s.End)
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendSpan appends a place in a text, null where there is none.
func appendSpan(b []byte, start, end int) []byte {
	if start < 0 || end < 0 {
		return append(b, `,"start":null,"end":null`...)
	}
	b = strconv.AppendInt(append(b, `,"start":`...), int64(start), 10)
	return strconv.AppendInt(append(b, `,"end":`...), int64(end), 10)
}

func appendStrings(b []byte, texts []string) []byte {
	b = append(b, '[')
	for i, s := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

func appendStringOrNull(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return appendString(b, s)
}

// appendString appends s as JSON. What is not UTF-8 in it becomes U+FFFD, which
// is the only thing that AppendQuote has an error for.
func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// appendRaw appends a JSON value as it is, on one line.
func appendRaw(b, value []byte) []byte {
	if len(value) == 0 {
		return append(b, "null"...)
	}
	if bytes.ContainsAny(value, "\n\r") { // in JSON these can only be between tokens
		v := jsontext.Value(value).Clone()
		if v.Compact(jsontext.AllowDuplicateNames(true)) == nil {
			return append(b, v...)
		}
	}
	return append(b, value...)
}

// appendNumber appends x in the shortest form that reads back the same, with a
// decimal point even where x is whole, so that readers that take a column's
// type from its values see a float. NaN is null.
func appendNumber(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, "null"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, x, 'f', -1, 64)
	if bytes.IndexByte(b[start:], '.') < 0 {
		b = append(b, ".0"...)
	}
	return b
}

// round leaves six decimals: a judge's score carries no more, and the last bits
// of a sum may differ from one processor to another.
func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }
