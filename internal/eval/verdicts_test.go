package eval

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestClaimsWithoutEvidenceGetNearestPassage(t *testing.T) {
	t.Parallel()
	shared := []verdict.Evidence{{Chunk: 0, Start: 0, End: 1, Quote: "a"}, {Chunk: 1, Start: 0, End: 1, Quote: "x"}}
	judge := judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) {
		return []verdict.Verdict{
			{ClaimID: 0, Label: verdict.Supported, Score: 1},
			{ClaimID: 1, Label: verdict.Supported, Score: 1, Evidence: shared},
			{ClaimID: 2, Label: verdict.Contradicted, Evidence: shared},
			{ClaimID: 3, Label: verdict.Contradicted, Evidence: []verdict.Evidence{{Chunk: 0, Start: 0, End: 1, Quote: "wrong"}}},
			{ClaimID: 4, Label: verdict.NotMentioned, Evidence: shared},
			{ClaimID: 5, Label: verdict.NotMentioned},
		}, nil
	})
	var ids []int
	nearest := judgeFunc(func(_ context.Context, task verdict.Task) ([]verdict.Verdict, error) {
		var out []verdict.Verdict
		for _, c := range task.Claims {
			ids = append(ids, c.ID)
			out = append(out, verdict.Verdict{ClaimID: c.ID, Label: verdict.Supported, Evidence: []verdict.Evidence{
				{Chunk: 1, Start: 1, End: 2, Quote: "y"}, {Chunk: 0, Start: 0, End: 1, Quote: "a"},
			}})
		}
		return out, nil
	})
	score := func(nearest verdict.Judge) *evaluation {
		p := Pipeline{Extractor: extractFunc(fields), Judge: judge, Nearest: nearest}
		r := &evaluation{row: dataset.Row{Answer: "a b c d e f", Contexts: []string{"a", "xy"}}}
		p.score(t.Context(), r)
		return r
	}
	r := score(nearest)
	var got [][]verdict.Evidence
	for _, v := range r.verdicts {
		got = append(got, v.Evidence)
	}
	withRole := func(role verdict.Role) []verdict.Evidence {
		return []verdict.Evidence{{Chunk: 0, End: 1, Quote: "a", Role: role}, {Chunk: 1, End: 1, Quote: "x", Role: role}}
	}
	found := []verdict.Evidence{{Chunk: 1, Start: 1, End: 2, Quote: "y", Role: verdict.RoleNearest}}
	want := [][]verdict.Evidence{nil, shared, withRole(verdict.RoleContradicts), found, withRole(verdict.RoleNearest), found}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("evidence (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]int{3, 5}, ids); d != "" {
		t.Errorf("claims searched (-want +got):\n%s", d)
	}
	if shared[0].Role != verdict.RoleSupports {
		t.Error("evidence of the judge was modified")
	}
	if r := score(nil); r.status != result.Scored || len(r.verdicts[5].Evidence) > 0 {
		t.Errorf("Nearest nil: got status %v, evidence %+v, want scored without evidence", r.status, r.verdicts[5].Evidence)
	}
	failing := judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) { return nil, errors.New("no") })
	if r := score(failing); r.status != result.Failed || r.reason != result.StageVerdict || r.verdicts != nil {
		t.Errorf("failing Nearest: got status %v, reason %q, want failed in verdict", r.status, r.reason)
	}
}

func TestUnjudgedShare(t *testing.T) {
	claim := func(start, end int) result.Claim { return result.Claim{Start: start, End: end} }
	for name, tt := range map[string]struct {
		row  result.Row
		want float64
	}{
		"all judged":            {result.Row{Answer: "The sky is blue.", Claims: []result.Claim{claim(0, 16)}}, 0},
		"half judged":           {result.Row{Answer: "Sky: blue.\nHi you!", Claims: []result.Claim{claim(0, 10)}}, 0.5},
		"clauses that overlap":  {result.Row{Answer: "One two three four", Claims: []result.Claim{claim(0, 13), claim(4, 13)}}, 0.25},
		"no claims":             {result.Row{Answer: "I don’t know.", Status: result.NoClaims}, 1},
		"no words":              {result.Row{Answer: "👍", Status: result.NoClaims}, 0},
		"script without spaces": {result.Row{Answer: "天是蓝的。你好", Claims: []result.Claim{claim(0, 5)}}, 1.0 / 3},
		"rewritten":             {result.Row{Answer: "It is. Hi!", Claims: []result.Claim{{Start: -1, End: -1, From: &result.Span{Start: 0, End: 6}}}}, 1.0 / 3},
		"place unknown": {result.Row{
			Answer: "It is. Hi!", Claims: []result.Claim{{Start: -1, End: -1}}, Skipped: []result.Skipped{{Start: 7, End: 10}},
		}, 1.0 / 3},
		"place of an unjudged claim": {result.Row{
			Answer: "It is. Er ist.", Claims: []result.Claim{{Start: 0, End: 6, Verdict: result.Supported}, {Start: 7, End: 14, Verdict: result.Unjudged}},
		}, 0.5},
		"place unknown, unjudged": {result.Row{
			Answer: "It is.", Status: result.UnjudgedRow, Claims: []result.Claim{{Start: -1, End: -1, Verdict: result.Unjudged}},
		}, 1},
		"failed": {result.Row{Answer: "It is.", Status: result.Failed}, math.NaN()},
	} {
		if tt.row.Status == "" {
			tt.row.Status = result.Scored
		}
		if got := unjudgedShare(&tt.row); math.Abs(got-tt.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(tt.want) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}
