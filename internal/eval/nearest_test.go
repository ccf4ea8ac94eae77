package eval

import (
	"context"
	"errors"
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
		p.score(t.Context(), r, &quoteChecker{})
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
