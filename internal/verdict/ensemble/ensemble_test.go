package ensemble

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// scores is a judge that gives claim i the score i, in reverse order, and supports it from
// 0.5. It leaves a claim with the score NaN unjudged.
type scores []float64

func (s scores) Judge(_ context.Context, task verdict.Task) (verdict.Judgement, error) {
	j := verdict.Judgement{Usage: usage.Usage{Requests: 1}}
	for i := len(s) - 1; i >= 0; i-- {
		v := verdict.Verdict{ClaimID: i, Score: s[i], Label: verdict.Contradicted, Confidence: 0.9, Reason: "why"}
		if s[i] >= 0.5 {
			v.Label, v.ChunkIDs = verdict.Supported, []int{len(s)}
		}
		if math.IsNaN(s[i]) {
			v.Label = verdict.Unjudged
		}
		j.Verdicts = append(j.Verdicts, v)
	}
	return j, nil
}

type failing struct{}

func (failing) Judge(context.Context, verdict.Task) (verdict.Judgement, error) {
	return verdict.Judgement{}, errors.New("broken")
}

func task(n int) verdict.Task {
	var t verdict.Task
	for i := range n {
		t.Claims = append(t.Claims, extract.Claim{ID: i})
	}
	return t
}

func TestJudgeAveragesScores(t *testing.T) {
	j := &Judge{Members: []Member{{"a", scores{0.75, 1, 0.25, 0.5}}, {"b", scores{1, 0.25, 0, 0.25}}}, Threshold: 0.5}
	got, err := j.Judge(t.Context(), task(4))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Marks, []string{verdict.MarkDisagreed}) || got.Usage.Requests != 2 {
		t.Errorf("got marks %v and %d requests, want [disagreed] and 2", got.Marks, got.Usage.Requests)
	}
	for i, want := range []struct {
		score  float64
		label  verdict.Label
		reason string
		judges []verdict.JudgeScore
	}{
		{0.875, verdict.Supported, "why", []verdict.JudgeScore{{Judge: "a", Score: 0.75, Label: verdict.Supported}, {Judge: "b", Score: 1, Label: verdict.Supported}}},
		{0.625, verdict.Supported, "judges disagree (a 1.00, b 0.25); why", []verdict.JudgeScore{{Judge: "a", Score: 1, Label: verdict.Supported}, {Judge: "b", Score: 0.25, Label: verdict.Contradicted}}},
		{0.125, verdict.Contradicted, "why", []verdict.JudgeScore{{Judge: "a", Score: 0.25, Label: verdict.Contradicted}, {Judge: "b", Score: 0, Label: verdict.Contradicted}}},
		{0.375, verdict.Contradicted, "judges disagree (a 0.50, b 0.25); why", []verdict.JudgeScore{{Judge: "a", Score: 0.5, Label: verdict.Supported}, {Judge: "b", Score: 0.25, Label: verdict.Contradicted}}},
	} {
		v := got.Verdicts[i]
		if v.ClaimID != i || v.Score != want.score || v.Label != want.label || v.Confidence != 0 || v.Reason != want.reason || !slices.Equal(v.Judges, want.judges) {
			t.Errorf("claim %d: got %+v, want %+v", i, v, want)
		}
		if supported := len(v.ChunkIDs) > 0; supported != (v.Label == verdict.Supported) {
			t.Errorf("claim %d: got chunks %v for %v", i, v.ChunkIDs, v.Label)
		}
	}
}

func TestUnjudgedVerdictsDoNotCount(t *testing.T) {
	nan := math.NaN()
	j := &Judge{Members: []Member{{"a", scores{nan, nan, nan}}, {"b", scores{0.75, 0.25, nan}}, {"c", scores{1, nan, nan}}}, Threshold: 0.5}
	got, err := j.Judge(t.Context(), task(3))
	if err != nil || len(got.Marks) > 0 {
		t.Fatalf("got marks %v and error %v, want none", got.Marks, err)
	}
	for i, want := range []struct {
		score  float64
		label  verdict.Label
		judges int
	}{{0.875, verdict.Supported, 2}, {0.25, verdict.Contradicted, 1}, {nan, verdict.Unjudged, 0}} {
		v := got.Verdicts[i]
		if v.Label != want.label || len(v.Judges) != want.judges || v.Score != want.score && !(math.IsNaN(v.Score) && math.IsNaN(want.score)) {
			t.Errorf("claim %d: got %+v, want %+v", i, v, want)
		}
	}
}

func TestJudgeReturnsErrorsOfMembers(t *testing.T) {
	for name, tt := range map[string]struct {
		member Judger
		want   string
	}{
		"error":           {failing{}, "judge b: broken"},
		"missing verdict": {scores{1}, "judge b: got 1 verdicts on 2 claims"},
		"extra verdict":   {scores{1, 1, 1}, "judge b: got 3 verdicts on 2 claims"},
	} {
		j := &Judge{Members: []Member{{"a", scores{1, 1}}, {"b", tt.member}}, Threshold: 0.5}
		if _, err := j.Judge(t.Context(), task(2)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}
