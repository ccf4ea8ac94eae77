package lexical

import (
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestShortAnswerMustMatchQuestion(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	contexts := []string{
		"The harbour fund met in Lisk. Treasurer Orla Finch presented the accounts, which were audited by Bruno Tate. " +
			"Marga Stolz opened the new pier in 1974; it had cost 12 million crowns. Repairs in 1991 cost 3 million crowns. She retired a year later.",
		"Orla Finch lives in Varn. Bruno Tate was born in Oster, and Marga Stolz in Lisk.",
	}
	for _, tt := range []struct{ question, as, right, wrong string }{
		{"Who presented the accounts?", "% presented the accounts.", "Orla Finch", "Bruno Tate"},
		{"Who audited the accounts?", "% audited the accounts.", "Bruno Tate", "Marga Stolz"},
		{"Who opened the new pier?", "% opened the new pier.", "Marga Stolz", "Orla Finch"},
		{"Who opened the new pier?", "% opened the new pier.", "Stolz", "Finch"},
		{"When did Marga Stolz open the new pier?", "Marga Stolz opened the new pier in %.", "1974", "1991"},
	} {
		for answer, want := range map[string]verdict.Label{tt.right: verdict.Supported, tt.wrong: verdict.NotMentioned} {
			c := extract.Claim{Text: answer + ".", Statement: strings.Replace(tt.as, "%", answer, 1)}
			v := judge(t, j, verdict.Task{Question: tt.question, Contexts: contexts, Claims: []extract.Claim{c}})[0]
			if v.Label != want {
				t.Errorf("%s %s: got %v, %.2f (%s), want %v", tt.question, answer, v.Label, v.Score, v.Reason, want)
			}
			if want == verdict.NotMentioned && (len(v.Evidence) == 0 || !strings.Contains(v.Evidence[0].Quote, tt.right)) {
				t.Errorf("%s %s: got evidence %v, want the sentence with %s", tt.question, answer, v.Evidence, tt.right)
			}
		}
	}
}

func TestShortAnswerWorkIsLimited(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	context := strings.Repeat("Ann Lee met Bob Ray in Oslo. ", 4000)
	task := verdict.Task{Question: "Who met Bob Ray?", Contexts: []string{context}}
	for i := range 2000 {
		task.Claims = append(task.Claims, extract.Claim{ID: i, Text: "Ann Lee.", Statement: "Ann Lee met Bob Ray."})
	}
	for _, v := range judge(t, j, task) {
		if v.Label != verdict.Supported {
			t.Fatalf("claim %d: got %v (%s), want supported", v.ClaimID, v.Label, v.Reason)
		}
	}
}
