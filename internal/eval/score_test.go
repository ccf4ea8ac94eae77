package eval

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func one(row dataset.Row, err error) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) { yield(row, err) }
}

// says is a judge that answers with these verdicts whatever it is asked.
func says(vs ...verdict.Verdict) Judge {
	return judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) { return vs, nil })
}

var sunAndMoon = dataset.Row{Answer: "sun moon", Contexts: []string{"the sun", "größer als der Mond 🌕 und"}}

func TestScoreRow(t *testing.T) {
	p := &Pipeline{Extractor: extractFunc(fields), Judge: says(
		verdict.Verdict{ClaimID: 0, Label: verdict.Supported, Score: 0.9},
		verdict.Verdict{ClaimID: 1, Label: verdict.Contradicted, Score: 0.2},
	)}
	r := collect(t, p, one(sunAndMoon, nil))[0]
	if r.Status != result.Scored || r.Reason != "" || r.Err != nil {
		t.Errorf("%v %q %v", r.Status, r.Reason, r.Err)
	}
	if r.Faithfulness != 0.5 || math.Abs(r.Support-0.55) > 1e-15 {
		t.Errorf("faithfulness %v, support %v", r.Faithfulness, r.Support)
	}
}

func TestVerdictsAreMatchedByClaimID(t *testing.T) {
	p := &Pipeline{Extractor: extractFunc(fields), Judge: says(
		verdict.Verdict{ClaimID: 1, Score: 0.25, Reason: "of moon"},
		verdict.Verdict{ClaimID: 0, Score: 0.5, Reason: "of sun"},
	)}
	r := collect(t, p, one(sunAndMoon, nil))[0]
	if r.Claims[0].Reason != "of sun" || r.Claims[1].Reason != "of moon" {
		t.Error(r.Claims)
	}
}

func TestMismatchedVerdictsFailRow(t *testing.T) {
	for _, tt := range []struct {
		name string
		vs   []verdict.Verdict
		want string
	}{
		{"none at all", nil, "claim 0 has no verdict"},
		{"one is missing", []verdict.Verdict{{ClaimID: 0}}, "claim 1 has no verdict"},
		{"one comes twice", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 0}}, "claim 0 has more than one verdict"},
		{"one comes twice beside all", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 1}, {ClaimID: 1}}, "claim 1 has more than one verdict"},
		{"an unknown claim", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 2}}, "a verdict for claim 2, and there are 2 claims"},
		{"a claim below zero", []verdict.Verdict{{ClaimID: -1}, {ClaimID: 1}}, "a verdict for claim -1, and there are 2 claims"},
		{"a score that is no number", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 1, Score: math.NaN()}}, "claim 1: a score of NaN, which is not from 0 to 1"},
		{"a score above one", []verdict.Verdict{{ClaimID: 0, Score: 2}, {ClaimID: 1}}, "claim 0: a score of 2, which is not from 0 to 1"},
		{"a score below zero", []verdict.Verdict{{ClaimID: 0, Score: -0.1}, {ClaimID: 1}}, "claim 0: a score of -0.1, which is not from 0 to 1"},
		{"a label that is none", []verdict.Verdict{{ClaimID: 0, Label: 9}, {ClaimID: 1}}, "claim 0: no such verdict as 9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Pipeline{Extractor: extractFunc(fields), Judge: says(tt.vs...)}
			r := collect(t, p, one(sunAndMoon, nil))[0]
			if r.Status != result.Failed || r.Reason != result.StageVerdict || r.Err == nil || r.Err.Error() != "verdict: "+tt.want {
				t.Errorf("%v %q: %v", r.Status, r.Reason, r.Err)
			}
			if !math.IsNaN(r.Faithfulness) || !math.IsNaN(r.Support) || isJudged(&r) {
				t.Error("a failed row has a score")
			}
		})
	}
}

func TestStageErrorFailsOneRow(t *testing.T) {
	bad := errors.New("bad")
	fine := Pipeline{Extractor: extractFunc(fields), Judge: judgeFunc(contained)}
	for _, tt := range []struct {
		name   string
		spoil  func(*Pipeline) error // returns the error of reading
		reason string
		want   string
	}{
		{"read", func(*Pipeline) error { return &dataset.RowError{File: "f", Line: 3, Err: bad} }, "read", "f:3: bad"},
		{"extract", func(p *Pipeline) error {
			p.Extractor = extractFunc(func(context.Context, string, string) (extract.Extraction, error) { return extract.Extraction{}, bad })
			return nil
		}, "extract", "extract: bad"},
		{"extract panics", func(p *Pipeline) error {
			p.Extractor = extractFunc(func(context.Context, string, string) (extract.Extraction, error) { panic("oops") })
			return nil
		}, "extract", "extract: panic: oops"},
		{"claims are misnumbered", func(p *Pipeline) error {
			p.Extractor = extractFunc(func(context.Context, string, string) (extract.Extraction, error) {
				return extract.Extraction{Claims: []extract.Claim{{ID: 1}}}, nil
			})
			return nil
		}, "extract", "extract: claim 0 has the id 1"},
		{"verdict", func(p *Pipeline) error {
			p.Judge = judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) { return nil, bad })
			return nil
		}, "verdict", "verdict: bad"},
		{"verdict panics", func(p *Pipeline) error {
			p.Judge = judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) { panic(io.EOF) })
			return nil
		}, "verdict", "verdict: panic: EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := fine
			readErr := tt.spoil(&p)
			r := collect(t, &p, one(sunAndMoon, readErr))[0]
			if r.Status != result.Failed || r.Reason != tt.reason || r.Err.Error() != tt.want {
				t.Errorf("%v %q: %v", r.Status, r.Reason, r.Err)
			}
			if !math.IsNaN(r.Faithfulness) || !math.IsNaN(r.Support) {
				t.Error("a failed row has a score")
			}
		})
	}
	t.Run("the error can be unwrapped", func(t *testing.T) {
		p := fine
		p.Judge = judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) { panic(io.EOF) })
		err := collect(t, &p, one(sunAndMoon, nil))[0].Err
		var stage *StageError
		var thrown *PanicError
		if !errors.As(err, &stage) || !errors.As(err, &thrown) || len(thrown.Stack) == 0 {
			t.Error(err)
		}
	})
	t.Run("a row without contexts", func(t *testing.T) {
		r := collect(t, &fine, one(dataset.Row{Answer: "sun"}, nil))[0]
		if r.Status != result.Failed || r.Reason != "verdict" {
			t.Errorf("%v %q", r.Status, r.Reason)
		}
	})
}

func TestRowWithoutClaims(t *testing.T) {
	zero := 0.0
	for _, tt := range []struct {
		policy *float64
		want   float64
	}{{nil, math.NaN()}, {&zero, 0}} {
		p := &Pipeline{Extractor: extractFunc(fields), Judge: judgeFunc(contained), NoClaims: tt.policy}
		r := collect(t, p, one(dataset.Row{Contexts: []string{"c"}}, nil))[0]
		if r.Status != result.NoClaims || r.Reason != "empty" || r.Err != nil {
			t.Errorf("%v %q %v", r.Status, r.Reason, r.Err)
		}
		if !cmp.Equal(r.Faithfulness, tt.want, cmpopts.EquateNaNs()) || !math.IsNaN(r.Support) {
			t.Errorf("faithfulness %v, support %v", r.Faithfulness, r.Support)
		}
	}
}

func TestInvalidQuotesAndChunksAreDropped(t *testing.T) {
	given := verdict.Verdict{
		Label: verdict.Supported, Score: 1,
		ChunkIDs: []int{1, 0, 7, -1, 1},
		Evidence: []verdict.Evidence{
			{Chunk: 0, Start: 4, End: 7, Quote: "sun"},
			{Chunk: 0, Start: 4, End: 7, Quote: "Sun"},
			{Chunk: 0, Start: 3, End: 7, Quote: "sun"},
			{Chunk: 0, Start: 4, End: 8, Quote: "sun"},
			{Chunk: 0, Start: -1, End: 2, Quote: "th"},
			{Chunk: 0, Start: 5, End: 4, Quote: ""},
			{Chunk: 0, Start: 3, End: 3, Quote: ""},
			{Chunk: 2, Start: 0, End: 3, Quote: "the"},
			{Chunk: -1, Start: 0, End: 3, Quote: "the"},
			{Chunk: 1, Start: 20, End: 25, Quote: "🌕 und"},
			{Chunk: 1, Start: 0, End: 25, Quote: sunAndMoon.Contexts[1]},
		},
	}
	before := cmp.Diff(given, verdict.Verdict{})
	p := &Pipeline{Extractor: extractFunc(fields), Judge: says(given)}
	row := sunAndMoon
	row.Answer = "sun"
	v := collect(t, p, one(row, nil))[0].Claims[0]
	want := []result.Evidence{
		{Chunk: 0, Start: 4, End: 7, Quote: "sun"},
		{Chunk: 1, Start: 20, End: 25, Quote: "🌕 und"},
		{Chunk: 1, Start: 0, End: 25, Quote: sunAndMoon.Contexts[1]},
	}
	if d := cmp.Diff(want, v.Evidence); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{0, 1}, v.ChunkIDs); d != "" {
		t.Error(d)
	}
	if after := cmp.Diff(given, verdict.Verdict{}); before != after {
		t.Error("the judge's own slices were changed")
	}
}

func TestQuotesInLongText(t *testing.T) {
	text := strings.Repeat("aé漢🌕 ", 1000)
	points := []rune(text)
	for start := 0; start < len(points); start += 37 {
		end := min(start+start%90+1, len(points))
		e := verdict.Evidence{Start: start, End: end, Quote: string(points[start:end])}
		p := &Pipeline{Extractor: extractFunc(fields), Judge: says(verdict.Verdict{Evidence: []verdict.Evidence{e}})}
		r := collect(t, p, one(dataset.Row{Answer: "a", Contexts: []string{text}}, nil))[0]
		if len(r.Claims[0].Evidence) != 1 {
			t.Fatalf("the quote from %d to %d was not found", start, end)
		}
	}
}
