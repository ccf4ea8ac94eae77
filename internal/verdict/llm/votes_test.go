package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestMajorityOfVotes(t *testing.T) {
	claims := []string{"always supported", "supported twice", "supported once", "contradicted twice", "split"}
	replies := map[string][]string{
		claims[0]: {"supported", "supported", "supported"},
		claims[1]: {"not_mentioned", "supported", "supported"},
		claims[2]: {"supported", "not_mentioned", "not_mentioned"},
		claims[3]: {"contradicted", "supported", "contradicted"},
		claims[4]: {"supported", "contradicted", "not_mentioned"},
	}
	j, model := newJudge(t, func(n int, in input) (string, error) {
		return verdictsOn(in.Claims, func(text string) string { return replies[text][n] }), nil
	}, Options{Votes: 3})
	got := judge(t, j, newTask([]string{"c"}, claims...))
	wantLabels := "supported supported not_mentioned contradicted not_mentioned"
	if labels(got) != wantLabels {
		t.Errorf("got %s, want %s", labels(got), wantLabels)
	}
	for i, want := range []float64{1, 2. / 3, 1. / 3, 1. / 3, 1. / 3} {
		v := got.Verdicts[i]
		if v.Score != want {
			t.Errorf("claim %d: got score %v, want %v", i, v.Score, want)
		}
		if confidence := max(want, 1-want); v.Confidence != confidence {
			t.Errorf("claim %d: got confidence %v, want %v, the share of the votes", i, v.Confidence, confidence)
		}
		if (v.Label == verdict.Supported) != (v.Score >= j.Threshold()) {
			t.Errorf("claim %d: got %v with score %v, threshold %v", i, v.Label, v.Score, j.Threshold())
		}
		if !strings.Contains(v.Reason, "of 3 votes for support: so it is") {
			t.Errorf("got reason %q, want the number of votes", v.Reason)
		}
	}
	orders, seeds := map[string]bool{}, map[int]bool{}
	for i, r := range model.requests {
		in := inputOf(t, r)
		orders[r.Messages[1].Text], seeds[r.Seed] = true, true
		if (r.Temperature == 0) != (i == 0) {
			t.Errorf("vote %d: got temperature %v, want 0: %t", i, r.Temperature, i == 0)
		}
		if in.Claims[0].ID != 0 || in.Claims[4].ID != 4 {
			t.Errorf("vote %d: got claims %+v, want them numbered in the order shown", i, in.Claims)
		}
	}
	if len(model.requests) != 3 || len(orders) != 3 || len(seeds) != 3 {
		t.Errorf("got %d requests, %d orders, %d seeds; want 3 of each", len(model.requests), len(orders), len(seeds))
	}
}

func TestRagasVerdicts(t *testing.T) {
	first := `{"verdicts":[
		{"statement_id":0,"reason":"yes","verdict":1},
		{"statement_id":1,"reason":"no","verdict":0},
		{"statement_id":2,"reason":"more than yes","verdict":2},
		{"statement_id":3,"reason":"a half","verdict":0.5},
		{"statement_id":4,"reason":"partly","verdict":"partially"},
		{"statement_id":5,"reason":"minus","verdict":-1},
		{"statement_id":6,"reason":"null","verdict":null}]}`
	j, model := newJudge(t, func(n int, in input) (string, error) {
		if n == 0 {
			if in.Context != "one\ntwo" {
				t.Errorf("got context %q, want %q", in.Context, "one\ntwo")
			}
			return first, nil
		}
		var list []string
		for i := range in.Statements {
			list = append(list, `"`+string(rune('0'+i))+`":{"reason":"again","verdict":0}`)
		}
		return `{"verdicts":{` + strings.Join(list, ",") + `}}`, nil
	}, Options{Style: Ragas})
	got := judge(t, j, newTask([]string{"one", "two"}, "a", "b", "c", "d", "e", "f", "g"))
	if labels(got) != "supported"+strings.Repeat(" not_mentioned", 6) {
		t.Errorf("got %s, want %s", labels(got), "supported"+strings.Repeat(" not_mentioned", 6))
	}
	if len(model.requests) != 2 || model.requests[0].Prompt != "ragas-judge/1" || !json.Valid(model.requests[0].Schema.JSON) || !json.Valid(model.requests[1].Schema.JSON) {
		t.Errorf("got %d requests, prompt %s; want 2 of ragas-judge/1 with a schema", len(model.requests), model.requests[0].Prompt)
	}
	if v := got.Verdicts[0]; v.ChunkIDs != nil || v.Evidence != nil || v.Score != 1 || v.Reason != "yes" {
		t.Errorf("got %+v, want support without evidence", v)
	}
	if v := got.Verdicts[2]; v.Reason != "again" {
		t.Errorf("got %+v, want the verdict of the second request", v)
	}
}
