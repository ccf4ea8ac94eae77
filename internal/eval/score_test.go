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

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// one yields a single row.
func one(row dataset.Row, err error) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) { yield(row, err) }
}

// checkRow checks that a stored row would be valid.
func checkRow(t *testing.T, r *result.Row) {
	t.Helper()
	if err := result.Check(r); err != nil {
		t.Errorf("answer %q, contexts %q: %v", r.Answer, r.Contexts, err)
	}
}

// fixedJudge returns a judge that always returns vs.
func fixedJudge(vs ...verdict.Verdict) verdict.Judge {
	return judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) { return vs, nil })
}

var sunAndMoon = dataset.Row{Answer: "sun moon", Contexts: []string{"the sun", "größer als der Mond 🌕 und"}}

func TestVerdictsAreMatchedByClaimID(t *testing.T) {
	p := &Pipeline{Extractor: extractFunc(fields), Judge: fixedJudge(
		verdict.Verdict{ClaimID: 1, Label: verdict.Contradicted, Score: 0.2, Reason: "moon reason"},
		verdict.Verdict{ClaimID: 0, Label: verdict.Supported, Score: 0.9, Reason: "sun reason"},
	)}
	r := collect(t, p, one(sunAndMoon, nil))[0]
	if r.Status != result.Scored || r.Reason != "" || r.Err != nil {
		t.Errorf("got status %v, reason %q, error %v, want scored", r.Status, r.Reason, r.Err)
	}
	if r.Faithfulness != 0.5 || math.Abs(r.Support-0.55) > 1e-15 {
		t.Errorf("got faithfulness %v, support %v, want 0.5, 0.55", r.Faithfulness, r.Support)
	}
	if r.Claims[0].Reason != "sun reason" || r.Claims[1].Reason != "moon reason" {
		t.Errorf("got %+v, want the reasons in the order of the claims", r.Claims)
	}
}

func TestUnjudgedClaimsDoNotCount(t *testing.T) {
	unjudged := verdict.Verdict{ClaimID: 1, Label: verdict.Unjudged, Score: math.NaN(), Reason: "why"}
	nearest := fixedJudge(verdict.Verdict{ClaimID: 1, Evidence: []verdict.Evidence{{Chunk: 0, Start: 0, End: 3, Quote: "the"}}})
	p := &Pipeline{Extractor: extractFunc(fields), Nearest: nearest, Judge: fixedJudge(verdict.Verdict{ClaimID: 0, Label: verdict.Supported, Score: 0.9}, unjudged)}
	r := collect(t, p, one(sunAndMoon, nil))[0]
	if r.Status != result.Scored || r.Faithfulness != 1 || r.Support != 0.9 || len(r.Claims[1].Evidence) > 0 {
		t.Errorf("got %+v, want faithfulness 1 and support 0.9, without evidence for claim 1", r)
	}
	other := unjudged
	other.ClaimID = 0
	p.Judge = fixedJudge(other, unjudged)
	r = collect(t, p, one(sunAndMoon, nil))[0]
	if r.Status != result.UnjudgedRow || r.Reason != result.OtherLanguage || !math.IsNaN(r.Faithfulness) || !math.IsNaN(r.Support) || r.Unjudged != 1 {
		t.Errorf("got %+v, want an unjudged row without a score", r)
	}
}

func TestRowHasLowestConfidenceOfClaims(t *testing.T) {
	for _, tt := range []struct{ sun, moon, want float64 }{{0.9, 0.7000004, 0.7}, {0, 0.8, 0.8}, {0.6, 0, 0.6}, {0, 0, 0}} {
		p := &Pipeline{Extractor: extractFunc(fields), Judge: fixedJudge(
			verdict.Verdict{ClaimID: 0, Label: verdict.Supported, Score: 0.9, Confidence: tt.sun},
			verdict.Verdict{ClaimID: 1, Score: 0.2, Confidence: tt.moon},
		)}
		r := collect(t, p, one(sunAndMoon, nil))[0]
		if r.Claims[0].Confidence != tt.sun || r.Claims[1].Confidence != tt.moon || r.Confidence != tt.want {
			t.Errorf("got %v, %v and %v, want %v", r.Claims[0].Confidence, r.Claims[1].Confidence, r.Confidence, tt)
		}
	}
}

func TestMismatchedVerdictsFailRow(t *testing.T) {
	for _, tt := range []struct {
		name string
		vs   []verdict.Verdict
		want string
	}{
		{"missing verdict", []verdict.Verdict{{ClaimID: 0}}, "claim 1 has no verdict"},
		{"duplicate instead of another", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 0}}, "claim 0 has more than one verdict"},
		{"duplicate after all", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 1}, {ClaimID: 1}}, "claim 1 has more than one verdict"},
		{"unknown claim", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 2}}, "a verdict for claim 2, and there are 2 claims"},
		{"negative claim id", []verdict.Verdict{{ClaimID: -1}, {ClaimID: 1}}, "a verdict for claim -1, and there are 2 claims"},
		{"NaN score", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 1, Score: math.NaN()}}, "claim 1: a score of NaN, which is not from 0 to 1"},
		{"unjudged with a score", []verdict.Verdict{{ClaimID: 0}, {ClaimID: 1, Label: verdict.Unjudged}}, "claim 1: a score of 0, although it is unjudged"},
		{"score above 1", []verdict.Verdict{{ClaimID: 0, Score: 2}, {ClaimID: 1}}, "claim 0: a score of 2, which is not from 0 to 1"},
		{"confidence above 1", []verdict.Verdict{{ClaimID: 0, Confidence: 2}, {ClaimID: 1}}, "claim 0: a confidence of 2, which is not from 0 to 1"},
		{"NaN confidence", []verdict.Verdict{{ClaimID: 0, Confidence: math.NaN()}, {ClaimID: 1}}, "claim 0: a confidence of NaN, which is not from 0 to 1"},
		{"score below 0", []verdict.Verdict{{ClaimID: 0, Score: -0.1}, {ClaimID: 1}}, "claim 0: a score of -0.1, which is not from 0 to 1"},
		{"invalid label", []verdict.Verdict{{ClaimID: 0, Label: 9}, {ClaimID: 1}}, "claim 0: no such verdict as 9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Pipeline{Extractor: extractFunc(fields), Judge: fixedJudge(tt.vs...)}
			r := collect(t, p, one(sunAndMoon, nil))[0]
			if r.Status != result.Failed || r.Reason != result.StageVerdict || r.Err == nil || r.Err.Error() != "verdict: "+tt.want {
				t.Errorf("got status %v, reason %q, error %v, want %q", r.Status, r.Reason, r.Err, "verdict: "+tt.want)
			}
			if !math.IsNaN(r.Faithfulness) || !math.IsNaN(r.Support) || r.JudgedClaims() > 0 {
				t.Errorf("failed row: got faithfulness %v, support %v, want NaN", r.Faithfulness, r.Support)
			}
		})
	}
}

func TestStageErrorFailsOneRow(t *testing.T) {
	bad := errors.New("bad")
	extracts := func(claims []extract.Claim, err error) extractFunc {
		return func(context.Context, string, string) (extract.Extraction, error) {
			return extract.Extraction{Claims: claims}, err
		}
	}
	extractPanics := func(context.Context, string, string) (extract.Extraction, error) { panic("oops") }
	judgeFails := func(context.Context, verdict.Task) ([]verdict.Verdict, error) { return nil, bad }
	judgePanics := func(context.Context, verdict.Task) ([]verdict.Verdict, error) { panic(io.EOF) }
	for _, tt := range []struct {
		name         string
		readErr      error
		extract      extractFunc
		judge        judgeFunc
		reason, want string
	}{
		{"read", &dataset.RowError{File: "f", Line: 3, Err: bad}, fields, contained, "read", "f:3: bad"},
		{"extract", nil, extracts(nil, bad), contained, "extract", "extract: bad"},
		{"extract panics", nil, extractPanics, contained, "extract", "extract: panic: oops"},
		{"wrong claim id", nil, extracts([]extract.Claim{{ID: 1}}, nil), contained, "extract", "extract: claim 0 has the id 1"},
		{"verdict", nil, fields, judgeFails, "verdict", "verdict: bad"},
		{"verdict panics", nil, fields, judgePanics, "verdict", "verdict: panic: EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := collect(t, &Pipeline{Extractor: tt.extract, Judge: tt.judge}, one(sunAndMoon, tt.readErr))[0]
			if r.Status != result.Failed || r.Reason != tt.reason || r.Err.Error() != tt.want {
				t.Errorf("got status %v, reason %q, error %v, want failed, %q, %s", r.Status, r.Reason, r.Err, tt.reason, tt.want)
			}
			if !math.IsNaN(r.Faithfulness) || !math.IsNaN(r.Support) {
				t.Errorf("failed row: got faithfulness %v, support %v, want NaN", r.Faithfulness, r.Support)
			}
		})
	}
	t.Run("error can be unwrapped", func(t *testing.T) {
		err := collect(t, &Pipeline{Extractor: extractFunc(fields), Judge: judgeFunc(judgePanics)}, one(sunAndMoon, nil))[0].Err
		var stage *StageError
		var panicked *PanicError
		if !errors.As(err, &stage) || !errors.As(err, &panicked) || len(panicked.Stack) == 0 {
			t.Errorf("got %v, want a StageError with a PanicError with a stack", err)
		}
	})
}

// Nothing may be asked about a row for which nothing was retrieved.
func TestEmptyContextsSupportNothing(t *testing.T) {
	unused := judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) { panic("called") })
	citing := extractFunc(func(context.Context, string, string) (extract.Extraction, error) {
		return extract.Extraction{Claims: []extract.Claim{
			{Text: "sun", Start: -1, End: -1, Citations: []extract.Citation{{Text: "[1]", Start: 4, End: 7, Number: 1}, {Text: "[2]", Start: 7, End: 10, Number: 2}}},
			{ID: 1, Text: "moon", Start: -1, End: -1},
		}}, nil
	})
	for _, contexts := range [][]string{nil, {}, {"", " \n"}} {
		row := dataset.Row{Answer: "sun [1][2] moon", Contexts: contexts}
		p := &Pipeline{Extractor: citing, Judge: unused, Nearest: unused}
		r := collect(t, p, one(row, nil))[0]
		if r.Status != result.Scored || r.Reason != result.NoContexts || r.Faithfulness != 0 || r.Support != 0 || len(r.Claims) != 2 {
			t.Fatalf("%q: got %+v, want a row with score 0 and 2 claims", contexts, r)
		}
		for _, c := range r.Claims {
			if c.Verdict != result.NotMentioned || c.Score != 0 || c.Reason != "nothing was retrieved" || len(c.Evidence) > 0 {
				t.Errorf("%q: got %+v, want not_mentioned without evidence", contexts, c)
			}
		}
		if r.Citations == nil || r.Citations.Recall != 0 || r.Citations.Unresolved != 2-len(contexts) {
			t.Errorf("%q: got citations %+v, want recall 0 and %d unresolved", contexts, r.Citations, 2-len(contexts))
		}
		checkRow(t, &r)
		p.SkipEmpty = true
		r = collect(t, p, one(row, nil))[0]
		if r.Status != result.SkippedRow || r.Reason != result.NoContexts || !math.IsNaN(r.Faithfulness) || !math.IsNaN(r.Support) || r.Claims != nil {
			t.Errorf("%q: got %+v, want a skipped row", contexts, r)
		}
		checkRow(t, &r)
	}
	p := &Pipeline{Extractor: extractFunc(fields), Judge: unused}
	if r := collect(t, p, one(dataset.Row{}, nil))[0]; r.Status != result.NoClaims || r.Reason != "empty" || r.Err != nil || !math.IsNaN(r.Faithfulness) || !math.IsNaN(r.Support) {
		t.Errorf("got %+v, want no_claims, empty, without a score", r)
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
	p := &Pipeline{Extractor: extractFunc(fields), Judge: fixedJudge(given)}
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
		t.Error("slices of the judge were modified")
	}
}

func TestEvidenceOfRowIsLimited(t *testing.T) {
	long := strings.Repeat("word ", 4000)
	row := dataset.Row{Answer: strings.Repeat("a ", 1000), Contexts: []string{long}}
	judge := judgeFunc(func(_ context.Context, task verdict.Task) ([]verdict.Verdict, error) {
		vs := make([]verdict.Verdict, len(task.Claims))
		for i := range vs {
			vs[i] = verdict.Verdict{ClaimID: i, Label: verdict.Supported, Score: 1, Evidence: []verdict.Evidence{verdict.NewEvidence(task.Contexts, 0, 0, len(long))}}
		}
		return vs, nil
	})
	r := collect(t, &Pipeline{Extractor: extractFunc(fields), Judge: judge}, one(row, nil))[0]
	size := 0
	for _, c := range r.Claims {
		for _, e := range c.Evidence {
			size += len(e.Quote)
		}
	}
	if limit := minEvidence + evidencePerByte*int(textBytes(&row)); r.Status != result.Scored || len(r.Claims) != 1000 || size < limit/2 || size > limit {
		t.Errorf("got status %v, %d claims, %d bytes of evidence; want 1000 claims and at most %d bytes", r.Status, len(r.Claims), size, limit)
	}
}
