package lexical

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestValuesOfNeighbouringStatementsAreNotExchanged(t *testing.T) {
	t.Parallel()
	const (
		plans   = "All plans have support. The Basic plan costs $10. The Team plan costs $49 and has a calendar."
		offices = "Staff by office\n\nLeeds: 12 staff\nYork: 31 staff\nHull: 7 staff"
	)
	j := newJudge(t, Options{})
	for _, tt := range []struct {
		context, claim string
		want           verdict.Label
	}{
		{plans, "The Basic plan costs $10.", verdict.Supported},
		{plans, "The Basic plan costs $49.", verdict.Contradicted},
		{plans, "The Team plan costs $49.", verdict.Supported},
		{plans, "The Team plan costs $10.", verdict.Contradicted},
		{plans, "The Team plan is more expensive than the Basic plan.", verdict.Supported},
		{offices, "York has 31 staff.", verdict.Supported},
	} {
		if v := judge(t, j, newTask("", []string{tt.context}, tt.claim))[0]; v.Label != tt.want {
			t.Errorf("%q: got %v, %.2f (%s), want %v", tt.claim, v.Label, v.Score, v.Reason, tt.want)
		}
	}
}

func TestClaimIsVerbatimOnlyAsAWhole(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	const context = "The red lamp means stop.\nThe  GREEN lamp means go, and the red one blinks at night. The doors open at six unless it rains."
	for claim, want := range map[string]bool{
		"The green lamp means go.":                true,
		"the red lamp\nmeans stop":                true,
		"The red lamp means go.":                  false,
		"At night the red one blinks.":            false,
		"The green lamp means go and the red one": true,
		"The doors open at six.":                  false,
	} {
		if v := judge(t, j, newTask("", []string{context}, claim))[0]; (v.Score == 1) != want {
			t.Errorf("%q: got score %v, want verbatim %v", claim, v.Score, want)
		}
	}
}
