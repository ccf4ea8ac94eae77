package verdict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// judgeFunc is a Judge.
type judgeFunc func(task Task) (Judgement, error)

func (f judgeFunc) Judge(_ context.Context, task Task) (Judgement, error) {
	return f(task)
}

// scores is an offline judge that gives claim i the score i and supports it from 0.5. It
// leaves a claim with the score NaN unjudged.
func scores(all ...float64) judgeFunc {
	return func(task Task) (Judgement, error) {
		var j Judgement
		for _, c := range task.Claims {
			v := Verdict{ClaimID: c.ID, Score: all[c.ID], Reason: "offline"}
			switch {
			case v.Score >= 0.5:
				v.Label = Supported
			case math.IsNaN(v.Score):
				v.Label = Unjudged
			}
			v.Confidence = v.Certainty()
			j.Verdicts = append(j.Verdicts, v)
		}
		return j, nil
	}
}

// A recorder is a model that contradicts every claim, and lists the claims of each call.
type recorder struct{ calls []string }

func (r *recorder) Judge(_ context.Context, task Task) (Judgement, error) {
	j := Judgement{Usage: usage.Usage{Requests: 1, PromptTokens: 10}, Marks: []string{"one_word"}}
	var ids []string
	for i := len(task.Claims) - 1; i >= 0; i-- { // any order
		j.Verdicts = append(j.Verdicts, Verdict{ClaimID: task.Claims[i].ID, Label: Contradicted, Reason: "model"})
	}
	for _, c := range task.Claims {
		ids = append(ids, strconv.Itoa(c.ID))
	}
	r.calls = append(r.calls, strings.Join(ids, " "))
	return j, nil
}

func newTask(texts ...string) Task {
	task := Task{Question: "q", Contexts: []string{"c"}}
	for i, text := range texts {
		task.Claims = append(task.Claims, extract.Claim{ID: i, Text: text})
	}
	return task
}

// newJudge returns j with rules for the claims of these tests.
func newJudge(j Cascade) *Cascade {
	j.NeedsContext = func(claim string) bool { return strings.HasPrefix(claim, "It ") }
	return &j
}

func TestJudgeAsksTheModelAboutUndecidedClaims(t *testing.T) {
	nan := math.NaN()
	for name, tt := range map[string]struct {
		scores       []float64
		texts        []string // default: "a" for each score
		lower, upper float64  // scores up to and from which the offline judge decides
		audit        float64
		asked        string // claims sent to the model
		audited      string // labels of the audited ones
	}{
		"between the bounds":                  {[]float64{0.95, 0.5, 0.1}, nil, 0.2, 0.9, 0, "1", ""},
		"unjudged":                            {[]float64{0.95, nan}, nil, 0.2, 0.9, 0, "1", ""},
		"all decided":                         {[]float64{0.9, 0.2}, nil, 0.2, 0.9, 0, "", ""},
		"no lower bound":                      {[]float64{0.9, 0}, nil, nan, 0.9, 0, "1", ""},
		"no upper bound":                      {[]float64{1, 0.1}, nil, 0.1, nan, 0, "0", ""},
		"both bounds at the threshold":        {[]float64{0.5, 0.499}, nil, 0.5, 0.5, 0, "", ""},
		"scores are rounded as in results":    {[]float64{0.8999996, 0.2000004}, nil, 0.2, 0.9, 0, "", ""},
		"audit":                               {[]float64{0.95, 0.1, 0.5}, nil, 0.2, 0.9, 1, "0 1 2", "not_mentioned supported"},
		"audit of a row without decided ones": {[]float64{0.6}, nil, 0.2, 0.9, 1, "0", ""},
		"claims before one that refers to them": {
			[]float64{0.95, 0.5, 0.95}, []string{"The mill is old.", "It is red.", "The sky is blue."}, 0.2, 0.9, 0, "0 1", "",
		},
		"a decided claim that refers to others": {[]float64{0.5, 0.95}, []string{"The mill is old.", "It is red."}, 0.2, 0.9, 0, "0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var model recorder
			j := newJudge(Cascade{Offline: scores(tt.scores...), Model: &model, Supported: tt.upper, Unsupported: 1 - tt.lower, Audit: tt.audit})
			if tt.texts == nil {
				tt.texts = slices.Repeat([]string{"a"}, len(tt.scores))
			}
			got, err := j.Judge(t.Context(), newTask(tt.texts...))
			if err != nil || len(got.Verdicts) != len(tt.texts) {
				t.Fatalf("got %d verdicts, error %v, want %d", len(got.Verdicts), err, len(tt.texts))
			}
			asked := strings.Join(model.calls, ", ")
			if asked != tt.asked {
				t.Errorf("got claims %q sent to the model, want %q", asked, tt.asked)
			}
			if n := len(model.calls); got.Usage.Requests != n || len(got.Marks) != n {
				t.Errorf("got %d requests and the marks %v, want %d and those of the model", got.Usage.Requests, got.Marks, n)
			}
			var audited []string
			for _, v := range got.Verdicts {
				if v.Audited != nil {
					audited = append(audited, v.Audited.String())
				}
				want := Verdict{ClaimID: v.ClaimID, Label: Contradicted, Reason: "model", Audited: v.Audited}
				if !strings.Contains(asked, strconv.Itoa(v.ClaimID)) {
					offline, _ := scores(tt.scores...)(newTask(tt.texts...))
					want = offline.Verdicts[v.ClaimID]
					want.Prescreened = true
				}
				if d := cmp.Diff(want, v); d != "" {
					t.Errorf("claim %d (-want +got):\n%s", v.ClaimID, d)
				}
			}
			if got := strings.Join(audited, " "); got != tt.audited {
				t.Errorf("got audited labels %q, want %q", got, tt.audited)
			}
		})
	}
}

func TestAuditSelectsTheStatedShareByContent(t *testing.T) {
	const n = 4000
	audited := func(seed uint64, share float64) (all []bool) {
		j := newJudge(Cascade{Offline: scores(1), Model: &recorder{}, Supported: 0.9, Unsupported: math.NaN(), Audit: share, Seed: seed})
		for i := range n {
			got, err := j.Judge(t.Context(), newTask(fmt.Sprintf("claim %d", i)))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, !got.Verdicts[0].Prescreened)
		}
		return all
	}
	count := func(all []bool) (k int) {
		for _, x := range all {
			if x {
				k++
			}
		}
		return k
	}
	first, again, other := audited(1, 0.05), audited(1, 0.05), audited(2, 0.05)
	if k := count(first); math.Abs(float64(k)-0.05*n) > 4*math.Sqrt(0.05*0.95*n) {
		t.Errorf("got %d of %d audited, want about 5%%", k, n)
	}
	if !cmp.Equal(first, again) {
		t.Error("the same seed audits other rows")
	}
	if cmp.Equal(first, other) {
		t.Error("another seed audits the same rows")
	}
	more := audited(1, 0.2)
	for i := range first {
		if first[i] && !more[i] {
			t.Fatalf("row %d is audited at 5%% but not at 20%%", i)
		}
	}
	if k := count(audited(1, 0)); k != 0 {
		t.Errorf("no audit: got %d audited rows", k)
	}
	if k := count(audited(1, 1)); k != n {
		t.Errorf("audit of all rows: got %d of %d", k, n)
	}
}

func TestJudgeReturnsErrorsWithUsage(t *testing.T) {
	failed := errors.New("failed")
	spent := usage.Usage{Requests: 2}
	model := judgeFunc(func(Task) (Judgement, error) { return Judgement{Usage: spent}, failed })
	for name, j := range map[string]Cascade{
		"model":         {Offline: scores(0.5), Model: model},
		"offline judge": {Offline: model, Model: &recorder{}},
	} {
		j.Supported, j.Unsupported = 0.9, 0.9
		if got, err := newJudge(j).Judge(t.Context(), newTask("a")); !errors.Is(err, failed) || got.Usage != spent {
			t.Errorf("%s: got %v with %+v, want %v with %+v", name, err, got.Usage, failed, spent)
		}
	}
}
