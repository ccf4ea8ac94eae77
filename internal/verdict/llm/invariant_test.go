package llm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// fakeReplies are replies that an injected text may provoke or a confused model may write.
var fakeReplies = []string{
	`{"verdicts":[]}`,
	`{"verdicts":{}}`,
	`{"verdicts":null}`,
	`{"verdicts":"supported"}`,
	`{"verdicts":["supported","supported","supported"]}`,
	`{"verdict":"supported"}`,
	`[]`,
	`null`,
	``,
	`{`,
	`{"verdicts":[{"claim_id":0,"verdict":"supported"}`,
	`{"verdicts":[{"claim_id":"all","verdict":"supported"}]}`,
	`{"verdicts":[{"claim_id":[0,1,2],"verdict":"supported"}]}`,
	`{"verdicts":[{"claim_id":0,"verdict":"supported for all"}]}`,
	`{"verdicts":[{"claim_id":0,"verdict":"supported\u0000"}]}`,
	`{"verdicts":[{"claim_id":0,"verdict":"sup\u200bported"}]}`,
	`{"verdicts":[{"claim_id":0,"verdict":["supported"]}]}`,
	`{"verdicts":[{"claim_id":0,"verdict":"supported"},{"claim_id":0,"verdict":"not_mentioned"}]}`,
	`{"verdicts":[{"claim_id":99,"verdict":"supported"}]}`,
	`{"verdicts":[{"claim_id":1e0,"verdict":"supported"}]}`,
	`{"verdicts":[{"claim_id":0,"statement_id":1,"verdict":"supported"}]}`,
	`{"verdicts":[{"claim_id":0,"claim_id":1,"verdict":"supported"}]}`,
	`{"verdicts":{"0":{"verdict":"supported"},"0":{"verdict":"not_mentioned"}}}`,
	`{"verdicts":{"0":"supported","1":"supported","2":"supported"}}`,
	`{"verdicts":[{"claim_id":0,"verdict":1},{"claim_id":1,"verdict":2},{"claim_id":2,"verdict":"1"}]}`,
	`{"verdicts":[{"statement_id":0,"verdict":1},{"statement_id":1,"verdict":0},{"statement_id":2,"verdict":1}]}`,
	strings.Repeat(`{"verdicts":[`, 50),
}

// checkInvariant checks that each claim gets one verdict or the row fails if the model
// always returns reply.
func checkInvariant(t *testing.T, p *prompt.Set, reply string) {
	t.Helper()
	for _, style := range []Style{Chunks, Ragas} {
		for _, claims := range [][]string{{"a"}, {"a", "b", "c"}} {
			for _, votes := range []int{1, 3} {
				model := &fakeModel{answer: func(int, input) (string, error) { return reply, nil }}
				j := New(Options{Model: model, Prompts: p, Style: style, Votes: votes})
				task := newTask([]string{"first chunk", "second chunk"}, claims...)
				got, err := j.Judge(t.Context(), task)
				if len(model.requests) > votes*(2+2*len(claims)) {
					t.Errorf("got %d requests, want at most %d", len(model.requests), votes*(2+2*len(claims)))
				}
				if err != nil {
					if got.Verdicts != nil {
						t.Errorf("got verdicts with error %v, want none", err)
					}
					continue
				}
				checkVerdicts(t, task, got.Verdicts)
			}
		}
	}
}

func checkVerdicts(t *testing.T, task verdict.Task, vs []verdict.Verdict) {
	t.Helper()
	if len(vs) != len(task.Claims) {
		t.Fatalf("got %d verdicts for %d claims", len(vs), len(task.Claims))
	}
	for i, v := range vs {
		if v.ClaimID != task.Claims[i].ID || v.Label > verdict.Supported || !(v.Score >= 0 && v.Score <= 1) || v.Reason == "" {
			t.Errorf("verdict %d: got %+v, want a consistent verdict on claim %d", i, v, task.Claims[i].ID)
		}
		if (v.Label == verdict.Supported) != (v.Score >= defaultThreshold) {
			t.Errorf("got %v with score %v, threshold %v", v.Label, v.Score, defaultThreshold)
		}
		for n, id := range v.ChunkIDs {
			if id < 0 || id >= len(task.Contexts) || n > 0 && id <= v.ChunkIDs[n-1] {
				t.Errorf("got chunks %v, want valid indices in ascending order", v.ChunkIDs)
			}
		}
		for _, e := range v.Evidence {
			if string([]rune(task.Contexts[e.Chunk])[e.Start:e.End]) != e.Quote || e.Quote == "" {
				t.Errorf("got quote %+v, want the text at its offsets", e)
			}
		}
	}
}

func TestReplyYieldsOneVerdictPerClaimOrError(t *testing.T) {
	p := loadPrompts(t)
	for _, reply := range fakeReplies {
		checkInvariant(t, p, reply)
	}
	// Answers must come from verdicts with the id of a claim.
	for _, reply := range fakeReplies {
		found, _, _ := reconcile(json.RawMessage(reply), 3, Chunks)
		for id, a := range found {
			if a != nil && !strings.Contains(reply, fmt.Sprintf(`_id":%d,`, id)) && !strings.Contains(reply, `"claim_id":1,`) {
				t.Errorf("reply %s: claim %d: got %v, want none", reply, id, a.label)
			}
		}
	}
}

func FuzzReply(f *testing.F) {
	for _, r := range fakeReplies {
		f.Add(r)
	}
	f.Add(`{"verdicts":[{"claim_id":0,"chunk_ids":[0,5,-1],"quote":"FIRST  chunk","reason":"r","verdict":"supported"},{"claim_id":1,"chunk_ids":[1],"quote":"x","reason":"","verdict":"contradicted"},{"claim_id":2,"chunk_ids":[],"quote":"","reason":"r","verdict":"not_mentioned"}]}`)
	p := loadPrompts(f)
	f.Fuzz(func(t *testing.T, reply string) { checkInvariant(t, p, reply) })
}
