package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A ResultParser makes a result of a JSON object, and keeps its room. The zero
// ResultParser is ready for use.
type ResultParser struct {
	// Partial is set for CSV and TSV, which lack what was skipped: it is found in the
	// answer once more.
	Partial bool

	dec   jsontext.Decoder
	buf   bytes.Buffer
	check eval.Checker
}

// Expect sets the settings of the run that the results are of, as far as get knows
// them by the names that summaries have. Verdicts and scores have to agree with
// them.
func (p *ResultParser) Expect(get func(name string) string) {
	if x, err := strconv.ParseFloat(get("--threshold"), 64); err == nil {
		p.check.Threshold = &x
	}
	x := math.NaN()
	switch value := get("--no-claims"); value {
	case "null":
	case "0", "1":
		x = float64(value[0] - '0')
	default:
		return
	}
	p.check.NoClaims = &x
}

// Parse reads the object that line is, as FormatJSONL writes it. A member that is
// not of a result is a kept column. Inside of claims and usage there can be no
// other members: what is not understood there must not get lost. What JSON has
// only where it is so may be null otherwise, as it is in Parquet. A result that
// contradicts itself is an *eval.MismatchError.
func (p *ResultParser) Parse(line []byte) (*eval.Result, error) {
	r, seen, err := p.parse(line)
	if err != nil {
		return nil, err
	}
	known := seen.has("answer") && (seen.has("skipped") || p.Partial)
	if r.Status == eval.NoClaims && !known {
		return nil, errors.New("status: no_claims, without the answer and what was skipped of it")
	}
	if known && !seen.has("skipped") && r.Status != eval.Failed && (len(r.Claims) == 0 || r.Claims[0].Start >= 0) {
		r.Skipped = extract.Unclaimed(r.Row.Answer, r.Reason, r.Claims)
		if r.Status == eval.NoClaims {
			seen |= fieldOf("skipped")
		}
	}
	absent := eval.Absent{Question: !seen.has("question"), Answer: !seen.has("answer"), Contexts: !seen.has("contexts"), Skipped: !seen.has("skipped")}
	if err := p.check.Check(r, absent); err != nil {
		return nil, err
	}
	return r, nil
}

// parse is Parse without the comparison of the fields with each other.
func (p *ResultParser) parse(line []byte) (*eval.Result, fields, error) {
	p.buf = *bytes.NewBuffer(line)
	p.dec.Reset(&p.buf, jsontext.AllowDuplicateNames(true))
	c := &cursor{dec: &p.dec}
	r := &eval.Result{Faithfulness: math.NaN(), Support: math.NaN()}
	message, unjudged := "", 0
	cited := citedRow{recall: math.NaN(), precision: math.NaN()}
	var seen fields
	c.object(func(name string) {
		if seen.has(name) {
			c.fail("comes twice")
			return
		}
		seen |= fieldOf(name)
		switch name {
		case "index":
			r.Row.Index = c.integer()
		case "id":
			r.Row.ID = c.text()
		case "question":
			r.Row.Question = c.text()
		case "answer":
			r.Row.Answer = c.text()
		case "contexts":
			c.array(func() { r.Row.Contexts = append(r.Row.Contexts, c.text()) })
		case "faithfulness":
			r.Faithfulness = c.fraction()
		case "support":
			r.Support = c.fraction()
		case "status":
			r.Status = parseStatus(c)
		case "reason":
			r.Reason = c.textOrNull()
		case "claims":
			c.array(func() { unjudged += parseClaim(c, r) })
		case "skipped":
			c.array(func() { r.Skipped = append(r.Skipped, parseSkipped(c)) })
		case "error":
			message = c.textOrNull()
		case "usage":
			r.Usage = parseUsage(c)
		case citationRecall:
			cited.recall = c.fraction()
		case citationPrecision:
			cited.precision = c.fraction()
		case unresolvedCitations:
			if !c.null() {
				n := c.integer()
				cited.unresolved = &n
			}
		default:
			r.Row.Kept = append(r.Row.Kept, dataset.Column{Name: name, Value: bytes.Clone(c.raw())})
		}
	})
	if c.err == nil {
		if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
			c.err = errors.New("text after the object")
		}
	}
	switch {
	case c.err != nil:
		return nil, 0, c.err
	case !seen.has("index"), !seen.has("id"), !seen.has("status"):
		return nil, 0, foreignError(slices.DeleteFunc([]string{"index", "id", "status"}, seen.has))
	case unjudged > 0 && len(r.Verdicts) > 0:
		return nil, 0, errors.New("claims: some have a verdict and some have none")
	case r.Status == eval.Scored && (unjudged > 0 || len(r.Claims) == 0 || math.IsNaN(r.Faithfulness)):
		return nil, 0, errors.New("status: scored, without a verdict on every claim or without a score")
	case r.Status == eval.Failed && message == "":
		return nil, 0, errors.New("status: failed, without an error")
	}
	r.Err = resultError(r.Reason, message)
	if err := cited.of(r); err != nil {
		return nil, 0, err
	}
	return r, seen, nil
}

// A foreignError is that of an object that is no result, for want of these members.
type foreignError []string

func (e foreignError) Error() string { return "not a result: it has no " + strings.Join(e, ", no ") }

// IsForeign reports whether err is that of an object that is something else than a
// result.
func IsForeign(err error) bool {
	var e foreignError
	return errors.As(err, &e)
}

// resultError is the error of a row that failed for that reason, from its text.
func resultError(reason, message string) error {
	if message == "" {
		return nil
	}
	if reason == eval.StageExtract || reason == eval.StageVerdict {
		if text, ok := strings.CutPrefix(message, reason+": "); ok {
			return &eval.StageError{Stage: reason, Err: errors.New(text)}
		}
	}
	return errors.New(message)
}

func parseStatus(c *cursor) eval.Status {
	name := c.text()
	for _, s := range []eval.Status{eval.Scored, eval.NoClaims, eval.Failed} {
		if s.String() == name {
			return s
		}
	}
	c.fail(fmt.Sprintf("unknown %q", name))
	return 0
}

// parseClaim adds a claim and its verdict to r. It returns 1 for a claim
// without a verdict.
func parseClaim(c *cursor, r *eval.Result) int {
	claim, v := extract.Claim{Start: -1, End: -1}, verdict.Verdict{}
	judged := false
	var citations []eval.Citation
	c.object(func(name string) {
		switch name {
		case "id":
			claim.ID = c.integer()
		case "text":
			claim.Text = c.text()
		case "lead":
			claim.Lead = c.textOrNull()
		case "judged_as":
			claim.As = c.textOrNull()
		case "from":
			if !c.null() {
				from := parseSpan(c)
				claim.From = &from
			}
		case "invented":
			claim.Invented = string(c.raw()) == "true"
		case "cached":
			if !c.null() {
				v.Reused = &verdict.Reused{By: c.text()}
			}
		case "cached_from", "cosine":
			parseReused(c, name, v.Reused)
		case "start":
			claim.Start = c.place()
		case "end":
			claim.End = c.place()
		case "verdict":
			v.Label, judged = parseLabel(c)
		case "score":
			v.Score = c.fraction()
		case "reason":
			v.Reason = c.textOrNull()
		case "chunk_ids":
			c.array(func() { v.ChunkIDs = append(v.ChunkIDs, c.integer()) })
		case "evidence":
			c.array(func() { v.Evidence = append(v.Evidence, parseEvidence(c)) })
		case "unsupported":
			if !c.null() {
				c.array(func() { v.Unsupported = append(v.Unsupported, parseSpan(c)) })
			}
		case "citations":
			if !c.null() {
				c.array(func() { citations = append(citations, parseCitation(c)) })
			}
		default:
			c.fail("unknown")
		}
	})
	r.Claims = append(r.Claims, claim)
	if citations != nil {
		if r.Cited == nil {
			r.Cited = &eval.Cited{}
		}
		r.Cited.Citations = append(append(r.Cited.Citations, make([][]eval.Citation, len(r.Claims)-1-len(r.Cited.Citations))...), citations)
	}
	if !judged {
		return 1
	}
	v.ClaimID = claim.ID
	r.Verdicts = append(r.Verdicts, v)
	return 0
}

// parseSpan returns a place in a text.
func parseSpan(c *cursor) extract.Span {
	var s extract.Span
	c.object(func(name string) {
		switch name {
		case "start":
			s.Start = c.place()
		case "end":
			s.End = c.place()
		default:
			c.fail("unknown")
		}
	})
	return s
}

// parseReused reads what the writer says of a reused verdict after "cached".
func parseReused(c *cursor, name string, r *verdict.Reused) {
	switch {
	case r == nil && c.null():
	case r == nil:
		c.fail("without \"cached\"")
	case name == "cosine":
		r.Cosine = c.number()
	default:
		r.Statement = c.text()
	}
}

// parseLabel returns a label, or false for null.
func parseLabel(c *cursor) (verdict.Label, bool) {
	if c.null() {
		return 0, false
	}
	name := c.text()
	for _, l := range []verdict.Label{verdict.NotMentioned, verdict.Contradicted, verdict.Supported} {
		if l.String() == name {
			return l, true
		}
	}
	c.fail(fmt.Sprintf("unknown %q", name))
	return 0, false
}

func parseEvidence(c *cursor) verdict.Evidence {
	e := verdict.Evidence{Start: -1, End: -1}
	c.object(func(name string) {
		switch name {
		case "chunk":
			e.Chunk = c.integer()
		case "start":
			e.Start = c.place()
		case "end":
			e.End = c.place()
		case "quote":
			e.Quote = c.text()
		case "role":
			e.Role = verdict.Role(c.textOrNull())
			if e.Role != verdict.RoleSupports && e.Role != verdict.RoleContradicts && e.Role != verdict.RoleNearest {
				c.fail("unknown " + strconv.Quote(string(e.Role)))
			}
		default:
			c.fail("unknown")
		}
	})
	return e
}

func parseSkipped(c *cursor) extract.Skipped {
	s := extract.Skipped{Start: -1, End: -1}
	c.object(func(name string) {
		switch name {
		case "kind":
			if s.Kind = extract.Kind(c.text()); !s.Kind.Known() {
				c.fail("unknown " + strconv.Quote(string(s.Kind)))
			}
		case "text":
			s.Text = c.text()
		case "start":
			s.Start = c.place()
		case "end":
			s.End = c.place()
		default:
			c.fail("unknown")
		}
	})
	return s
}

func parseUsage(c *cursor) usage.Usage {
	var u usage.Usage
	c.object(func(name string) {
		switch name {
		case "requests":
			u.Requests = c.integer()
		case "prompt_tokens":
			u.PromptTokens = c.integer()
		case "completion_tokens":
			u.CompletionTokens = c.integer()
		case "cached_requests":
			u.CachedRequests = c.integer()
		case "estimated":
			u.Estimated = string(c.raw()) == "true"
		default:
			c.fail("unknown")
		}
	})
	return u
}
