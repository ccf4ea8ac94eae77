package lexical

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestJudgeRejectsNamesThatNoContextContains(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	context := "The drink is popular in Iraq, Libya and Sri Lanka, said Ana Moore of the World Tea Board, and Spanish cafés serve it."
	for claim, want := range map[string]verdict.Label{
		"The drink is popular in Iraq, Libya and Sri Lanka.": supported,
		"The drink is popular in Iraq, Libya and Nepal.":     notMentioned,
		"The drink is popular in Libya, said Ana B. Moore.":  supported,
		"In Iraq and Libya the drink is popular (Larsen).":   supported,
		"The drink is popular in Iraq and in Nepal Cafés.":   notMentioned, // "cafés" is no name
	} {
		if v := judge(t, j, newTask("", []string{context}, claim))[0]; v.Label != want {
			t.Errorf("%q: got %v %.3f (%s), want %v", claim, v.Label, v.Score, v.Reason, want)
		}
	}
}
