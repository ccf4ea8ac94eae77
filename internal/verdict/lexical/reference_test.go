package lexical

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestPronounsStandForNamesJustBefore(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	const context = "Ada Lund hired Ben Okafor in May. Okafor fell ill in June, and Tom Brody ran the shop. The shop closed. In July he sold the house."
	for claim, want := range map[string]verdict.Label{
		"In July he sold the house.":        verdict.Supported,
		"In July Okafor sold the house.":    verdict.Supported,
		"In July Tom Brody sold the house.": verdict.Supported,
		"In July Lund sold the house.":      verdict.NotMentioned,
		"Ada Lund sold the house in July.":  verdict.NotMentioned,
	} {
		if v := judge(t, j, newTask("", []string{context}, claim))[0]; v.Label != want {
			t.Errorf("%q: got %v, %.2f (%s), want %v", claim, v.Label, v.Score, v.Reason, want)
		}
	}
}
