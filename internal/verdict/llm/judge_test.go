package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A fakeModel answers requests with a function. Like a client, it validates replies
// with the schema.
type fakeModel struct {
	answer func(n int, in input) (string, error)

	mu       sync.Mutex
	requests []*llm.Request
}

// An input is a user message.
type input struct {
	Chunks     []prompt.Item `json:"chunks"`
	Claims     []prompt.Item `json:"claims"`
	Statements []prompt.Item `json:"statements"`
	Context    string        `json:"context"`
	Question   string        `json:"question"`
	Sentences  []prompt.Item `json:"sentences"`

	r *llm.Request
}

// inputOf returns the user message of a request.
func inputOf(t *testing.T, r *llm.Request) (in input) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.Messages[1].Text), &in); err != nil {
		t.Fatal(err)
	}
	return in
}

func (m *fakeModel) Complete(ctx context.Context, r *llm.Request) (*llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.requests = append(m.requests, r)
	n := len(m.requests) - 1
	m.mu.Unlock()
	in := input{r: r}
	if err := json.NewDecoder(strings.NewReader(r.Messages[1].Text)).Decode(&in); err != nil {
		return nil, fmt.Errorf("the user message: %w", err)
	}
	out, err := m.answer(n, in)
	if err != nil {
		return nil, err
	}
	if r.Schema == nil {
		if err := r.Accept(out); err != nil {
			return nil, &llm.ParseError{Reason: err.Error(), Text: out}
		}
		return &llm.Reply{Text: out, Usage: usage.Usage{Requests: 1, PromptTokens: 50, CompletionTokens: 1}}, nil
	}
	if err := r.Schema.Accept(json.RawMessage(out)); err != nil {
		return nil, &llm.ParseError{Reason: err.Error(), Text: out}
	}
	return &llm.Reply{Text: out, JSON: json.RawMessage(out), Usage: usage.Usage{Requests: 1, PromptTokens: 100, CompletionTokens: 10}}, nil
}

// verdictsOn returns a reply with a label for each claim.
func verdictsOn(claims []prompt.Item, label func(text string) string) string {
	var list []map[string]any
	for _, c := range claims {
		list = append(list, map[string]any{"claim_id": c.ID, "chunk_ids": []int{0}, "quote": "", "reason": "so it is", "verdict": label(c.Text)})
	}
	b, _ := json.Marshal(map[string]any{"verdicts": list})
	return string(b)
}

// labelOf returns the label that the text of a claim contains.
func labelOf(text string) string {
	for _, l := range []string{"not_mentioned", "contradicted", "supported"} {
		if strings.Contains(text, l) {
			return l
		}
	}
	return "not_mentioned"
}

func labelsByText(_ int, in input) (string, error) { return verdictsOn(in.Claims, labelOf), nil }

func loadPrompts(t testing.TB) *prompt.Set {
	t.Helper()
	s, err := prompt.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newJudge(t testing.TB, answer func(int, input) (string, error), opts Options) (*Judge, *fakeModel) {
	t.Helper()
	m := &fakeModel{answer: answer}
	opts.Model, opts.Prompts = m, loadPrompts(t)
	return New(opts), m
}

func newTask(contexts []string, claims ...string) verdict.Task {
	out := verdict.Task{Question: "Q?", Contexts: contexts}
	for i, c := range claims {
		out.Claims = append(out.Claims, extract.Claim{ID: i, Text: c})
	}
	return out
}

func judge(t testing.TB, j *Judge, task verdict.Task) verdict.Judgement {
	t.Helper()
	out, err := j.Judge(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Verdicts) != len(task.Claims) {
		t.Fatalf("got %d verdicts for %d claims", len(out.Verdicts), len(task.Claims))
	}
	for i, v := range out.Verdicts {
		if v.ClaimID != task.Claims[i].ID {
			t.Fatalf("verdict %d: got claim ID %d, want %d", i, v.ClaimID, task.Claims[i].ID)
		}
		if v.Reason == "" {
			t.Errorf("claim %d: got no reason, want one", i)
		}
	}
	return out
}

func labels(j verdict.Judgement) string {
	var out []string
	for _, v := range j.Verdicts {
		out = append(out, v.Label.String())
	}
	return strings.Join(out, " ")
}

func TestJudgeSendsOneRequest(t *testing.T) {
	j, model := newJudge(t, func(_ int, in input) (string, error) {
		return `{"verdicts":[
			{"claim_id":2,"chunk_ids":[],"quote":"","reason":"nothing of it","verdict":"not_mentioned"},
			{"claim_id":0,"chunk_ids":[1,0,1,9],"quote":"was BORN  in “Ulm”","reason":"it says\nso","verdict":"supported"},
			{"claim_id":1,"chunk_ids":[1],"quote":"He died in 1955","reason":"1955","verdict":"contradicted"}]}`, nil
	}, Options{})
	task := newTask([]string{"Ünder: he died in 1954.", "Albert was born in \"Ulm\". He died in 1955."}, "born in Ulm", "died in 1956", "had a dog")
	got := judge(t, j, task)
	want := verdict.Judgement{
		Verdicts: []verdict.Verdict{
			{ClaimID: 0, Label: verdict.Supported, Score: 1, Reason: "it says so", ChunkIDs: []int{0, 1}, Evidence: []verdict.Evidence{{Chunk: 1, Start: 7, End: 24, Quote: `was born in "Ulm"`}}},
			{ClaimID: 1, Label: verdict.Contradicted, Reason: "1955", Evidence: []verdict.Evidence{{Chunk: 1, Start: 26, End: 41, Quote: "He died in 1955"}}},
			{ClaimID: 2, Label: verdict.NotMentioned, Reason: "nothing of it"},
		},
		Usage: usage.Usage{Requests: 1, PromptTokens: 100, CompletionTokens: 10},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("judgement (-want +got):\n%s", d)
	}
	r := model.requests[0]
	if len(model.requests) != 1 || r.Temperature != 0 || r.Seed != 0 || r.Prompt != "judge/1" || r.MaxTokens != baseTokens+3*tokensPerClaim || r.Messages[0].Role != llm.System || r.Messages[1].Role != llm.User {
		t.Errorf("got %d requests, want 1 of prompt judge/1; the first: %+v", len(model.requests), r)
	}
}

func TestJudgeReturnsVerdictForEveryClaim(t *testing.T) {
	claims := []string{"supported 0", "contradicted 1", "not_mentioned 2", "supported 3"}
	const want = "supported contradicted not_mentioned supported"
	entry := func(id any, label any) string {
		b, _ := json.Marshal(map[string]any{"claim_id": id, "chunk_ids": []int{0}, "quote": "", "reason": "r", "verdict": label})
		return string(b)
	}
	list := func(es ...string) string { return `{"verdicts":[` + strings.Join(es, ",") + `]}` }
	full := []string{entry(0, "supported"), entry(1, "contradicted"), entry(2, "not_mentioned"), entry(3, "supported")}
	for name, tt := range map[string]struct {
		first   string // the first reply
		retried int    // claims in the second request
	}{
		"complete":               {list(full...), 0},
		"list at top level":      {"[" + strings.Join(full, ",") + "]", 0},
		"by id":                  {`{"verdicts":{"0":` + full[0] + `,"1":` + full[1] + `,"2":` + full[2] + `,"3":` + full[3] + `}}`, 0},
		"ids as strings":         {list(entry("0", "supported"), entry("1", "Contradicted"), entry("2", "not mentioned"), entry("3", "SUPPORTED ")), 0},
		"prefixed ids by id":     {`{"verdicts":{"claim 0":` + full[0] + `,"claim 1":` + full[1] + `,"claim 2":` + full[2] + `,"3":` + full[3] + `}}`, 0},
		"duplicate in two forms": {`{"verdicts":{"claim_0":` + full[1] + `,"0":` + full[0] + `,"1":` + full[1] + `,"2":` + full[2] + `,"3":` + full[3] + `}}`, 1},
		"one missing":            {list(full[0], full[2], full[3]), 1},
		"two missing":            {list(full[1]), 3},
		"duplicate":              {list(full[0], full[1], full[1], full[2], full[3]), 1},
		"duplicate, other":       {list(full[0], entry(0, "contradicted"), full[1], full[2], full[3]), 1},
		"duplicate by id":        {`{"verdicts":{"0":` + full[0] + `,"1":` + full[1] + `,"1":` + full[1] + `,"2":` + full[2] + `,"3":` + full[3] + `}}`, 1},
		"unknown id":             {list(append(full, entry(4, "supported"))...), 4},
		"ids from one":           {list(entry(1, "supported"), entry(2, "supported"), entry(3, "supported"), entry(4, "supported")), 4},
		"ids from one, cut":      {list(entry(1, "supported"), entry(2, "supported"), entry(3, "supported")), 4},
		"fractional id":          {list(full[0], full[1], full[2], entry(2.5, "supported")), 4},
		"no id":                  {list(full[0], full[1], full[2], `{"verdict":"supported"}`), 4},
		"unknown label":          {list(full[0], full[1], entry(2, "supported for all"), full[3]), 1},
		"no label":               {list(full[0], full[1], `{"claim_id":2}`, full[3]), 1},
		"not a list":             {`{"verdicts":"supported"}`, 4},
		"invalid ids as members": {`{"verdicts":{"a":` + full[0] + `}}`, 4},
		"invalid chunks":         {list(`{"claim_id":0,"chunk_ids":"all","quote":7,"reason":null,"verdict":"supported"}`, full[1], full[2], full[3]), 0},
	} {
		t.Run(name, func(t *testing.T) {
			j, model := newJudge(t, func(n int, in input) (string, error) {
				if n == 0 {
					return tt.first, nil
				}
				return labelsByText(n, in)
			}, Options{})
			got := judge(t, j, newTask([]string{"c"}, claims...))
			if labels(got) != want {
				t.Errorf("got %s, want %s", labels(got), want)
			}
			if tt.retried == 0 != (len(model.requests) == 1) {
				t.Fatalf("got %d requests, want 1: %t", len(model.requests), tt.retried == 0)
			}
			if tt.retried > 0 {
				r := model.requests[1]
				in := inputOf(t, r)
				if len(in.Claims) != tt.retried || len(model.requests) != 2 {
					t.Errorf("got %d claims in the second request, %d requests; want %d, 2", len(in.Claims), len(model.requests), tt.retried)
				}
				if r.Seed != 1 || r.Temperature == 0 || strings.Count(string(r.Schema.JSON), `"reason":{`) != tt.retried {
					t.Errorf("got second request %+v with schema %s, want seed 1 and %d claims", r, r.Schema.JSON, tt.retried)
				}
			}
		})
	}
}

func TestMissingVerdictFailsRow(t *testing.T) {
	j, model := newJudge(t, func(_ int, in input) (string, error) {
		var rest []prompt.Item
		for _, c := range in.Claims {
			if c.Text != "lost" {
				rest = append(rest, c)
			}
		}
		return verdictsOn(rest, labelOf), nil
	}, Options{})
	task := newTask([]string{"c"}, "supported", "lost", "supported", "lost")
	task.Claims[1].ID, task.Claims[3].ID = 11, 33
	got, err := j.Judge(t.Context(), task)
	if err == nil || !strings.Contains(err.Error(), "claim 11, 33: no verdict: the reply can't be read: \"verdicts\" is neither") || !strings.Contains(err.Error(), "and asked for one word: ") {
		t.Errorf("got %v, want claims 11 and 33 without verdict", err)
	}
	if got.Verdicts != nil || got.Usage.Requests == 0 {
		t.Errorf("got %+v, want no verdicts but usage", got)
	}
	if len(model.requests) != 5 { // all, both, each separately, and a word about the first
		t.Errorf("got %d requests, want 5", len(model.requests))
	}
}

func TestUnreadableReplyIsRetried(t *testing.T) {
	j, model := newJudge(t, func(n int, in input) (string, error) {
		if n < 2 {
			return "", &llm.ParseError{Reason: "prose"}
		}
		return labelsByText(n, in)
	}, Options{})
	got := judge(t, j, newTask([]string{"c"}, "supported", "not_mentioned"))
	if labels(got) != "supported not_mentioned" || len(model.requests) != 4 {
		t.Errorf("got %s in %d requests; want %s in 4", labels(got), len(model.requests), "supported not_mentioned")
	}
	if model.requests[0].Seed != 0 || model.requests[1].Seed != 1 || model.requests[2].Seed != 2 {
		t.Errorf("got seeds %d, %d, %d; want seeds 0, 1, 2", model.requests[0].Seed, model.requests[1].Seed, model.requests[2].Seed)
	}
}

func TestTruncatedReplySplitsRequest(t *testing.T) {
	j, model := newJudge(t, func(n int, in input) (string, error) {
		if len(in.Claims) > 2 {
			return "", &llm.LengthError{Limit: 10}
		}
		return labelsByText(n, in)
	}, Options{})
	got := judge(t, j, newTask([]string{"c"}, "supported", "contradicted", "not_mentioned", "supported", "supported"))
	if labels(got) != "supported contradicted not_mentioned supported supported" || len(model.requests) != 5 {
		t.Errorf("got %s in %d requests; want %s in 5", labels(got), len(model.requests), "supported contradicted not_mentioned supported supported")
	}
	j, model = newJudge(t, func(int, input) (string, error) { return "", &llm.LengthError{Limit: 10} }, Options{})
	_, err := j.Judge(t.Context(), newTask([]string{"c"}, "supported"))
	if _, ok := errors.AsType[*llm.LengthError](err); !ok || len(model.requests) != 2 {
		t.Errorf("got %v in %d requests; want a *llm.LengthError in 2", err, len(model.requests))
	}
}

func TestManyClaimsNeedSeveralRequests(t *testing.T) {
	var claims []string
	for i := range 45 {
		claims = append(claims, fmt.Sprintf("claim %d %s", i, []string{"supported", "contradicted"}[i%2]))
	}
	j, model := newJudge(t, labelsByText, Options{})
	got := judge(t, j, newTask([]string{"c"}, claims...))
	for i, v := range got.Verdicts {
		if v.Label.String() != labelOf(claims[i]) {
			t.Errorf("claim %d: got %v, want %s", i, v.Label, labelOf(claims[i]))
		}
	}
	if len(model.requests) != 3 || got.Usage.Requests != 3 {
		t.Errorf("got %d requests, usage %+v; want 3 requests", len(model.requests), got.Usage)
	}
}

func TestJudgeAppliesOptions(t *testing.T) {
	j, model := newJudge(t, labelsByText, Options{Strict: true})
	if got := judge(t, j, newTask([]string{"c"})); len(got.Verdicts) != 0 || len(model.requests) != 0 {
		t.Errorf("no claims: got %+v in %d requests, want nothing in 0", got, len(model.requests))
	}
	if s := j.Settings(); s != "judge/1 judge-word/1 strict=true votes=1 seed=0" || j.Threshold() != 0.5 {
		t.Errorf("got %s, %v; want %s, %v", s, j.Threshold(), "judge/1 judge-word/1 strict=true votes=1 seed=0", 0.5)
	}
	judge(t, j, newTask([]string{"c"}, "x"))
	if !strings.Contains(model.requests[0].Messages[0].Text, "They must state it") {
		t.Error("the prompt is not strict")
	}
}
