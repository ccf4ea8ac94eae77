package app

import (
	"regexp"
	"slices"
	"testing"
)

func TestRankedModelsFollowPublishedAccuracy(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[^ ]+ [0-9]{2}\.[0-9]$`)
	var got []string
	for _, n := range rankedModels() {
		got = append(got, n.Short)
		if !form.MatchString(n.Card.Accuracy) {
			t.Errorf("%s: got accuracy %q, want a benchmark and a figure such as 75.6", n.Short, n.Card.Accuracy)
		}
	}
	want := []string{
		"factcg-deberta-v3-large", "minicheck-flan-t5-large", "minicheck-roberta-large", "minicheck-deberta-v3-large", "hhem-2.1-open", "alignscore-large",
		"lettucedetect-large", "lettucedetect-base", "tinylettuce-68m", "lettucedetect-v2-mmbert-base", "tinylettuce-32m", "tinylettuce-17m",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
