package lexical

import (
	"context"
	"testing"
)

func TestScoresAreAtLeastThoseOfVerdicts(t *testing.T) {
	texts := []string{
		"Bees make honey in hives. The bridge opened in May 1932.",
		"The bridge of Sydney opened on 19 March 1932 with a parade.",
		"",
		"Nothing of all that.",
	}
	claims := []string{"The bridge opened in May 1932.", "The bridge opened with a large parade in Sydney.", "Honey is made by bees.", "Quite other words."}
	j := newJudge(t, Options{Threshold: DefaultThreshold})
	task := newTask("", texts, claims...)
	got, err := j.Scores(context.Background(), task.Claims, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range claims {
		for n, text := range texts {
			alone := judge(t, j, newTask("", []string{text}, claims[i]))[0].Score
			if got := got[i][n]; got < alone-1e-12 {
				t.Errorf("%q in %q: got score %v, want at least that of the verdict, %v", claims[i], text, got, alone)
			}
		}
	}
	if got[0][0] != 1 {
		t.Errorf("verbatim: got score %v, want 1", got[0][0])
	}
	// Judge must not call the observe function of a reused scratch.
	judge(t, j, task)
}
