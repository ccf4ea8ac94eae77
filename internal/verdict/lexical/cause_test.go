package lexical

import (
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestClaimedCauseMustBeStated(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, tt := range []struct {
		context, claim string
		want           verdict.Label
	}{
		{"The ferry to Aldin stopped in March. In March the harbour also got a new pilot.", "The ferry to Aldin stopped in March because the harbour got a new pilot.", verdict.NotMentioned},
		{"The ferry to Aldin stopped in March. This was due to ice in the harbour.", "The ferry to Aldin stopped in March because of ice in the harbour.", verdict.Supported},
		{"The ferry to Aldin stopped in March, as the harbour was full of ice.", "The ferry to Aldin stopped in March because the harbour was full of ice.", verdict.Supported},
		{"The board named no cause of the fire in the mill.", "No cause of the fire in the mill was named by the board.", verdict.Supported},
	} {
		v := judge(t, j, verdict.Task{Contexts: []string{tt.context}, Claims: []extract.Claim{{Text: tt.claim}}})[0]
		if v.Label != tt.want {
			t.Errorf("%s: got %v, %.2f (%s), want %v", tt.claim, v.Label, v.Score, v.Reason, tt.want)
		}
		if tt.want == verdict.NotMentioned && !strings.Contains(v.Reason, "“because”") {
			t.Errorf("%s: got reason %q, want one that names the word", tt.claim, v.Reason)
		}
	}
}
