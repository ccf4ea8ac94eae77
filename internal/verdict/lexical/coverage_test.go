package lexical

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFeaturesMatchJudgeScore(t *testing.T) {
	texts := []string{
		"Bees make honey in hives. The bridge opened in May 1932.",
		"The bridge of Sydney opened on 19 March 1932 with a parade.",
		"",
		"Nothing of all that.",
	}
	claims := []string{"The bridge opened in May 1932.", "The bridge opened with a large parade in Sydney.", "Honey is made by bees.", "Quite other words."}
	j := newJudge(t, Options{Threshold: DefaultThreshold})
	task := newTask("", texts, claims...)
	got, err := j.Features(context.Background(), task.Claims, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range claims {
		for n, text := range texts {
			alone := judge(t, j, newTask("", []string{text}, claims[i]))[0].Score
			if f := got[i][n]; math.Abs(f.Score-alone) > 1e-12 && alone > maxContradictedScore {
				t.Errorf("%q in %q: got %+v, want score %v", claims[i], text, f, alone)
			}
		}
	}
	if f := got[0][0]; f.Score != 1 || f.Near != 1 || f.Pairs != 1 {
		t.Errorf("verbatim: got %+v, want near, pairs and score 1", f)
	}
	if f := got[0][1]; f.MissingValues != 1 {
		t.Errorf("different date: got %+v, want missing values 1", f)
	}
	if f := got[3][0]; f.Near != 0 || f.Wide != 0 {
		t.Errorf("no common word: got %+v, want near and wide 0", f)
	}
	// Judge must not call the observe function of a reused scratch.
	judge(t, j, task)
}

func TestPackChoosesComplementarySentences(t *testing.T) {
	sentences := []string{
		"Marie Curie was born in Warsaw.", "She was a chemist, and a chemist of note.", "Warsaw lies on the Vistula.",
		"In 1903 Curie won the Nobel prize.", "Curie was born.", "",
	}
	sizes := make([]int, len(sentences))
	for i, s := range sentences {
		sizes[i] = len(strings.Fields(s))
	}
	j := newJudge(t, Options{Threshold: DefaultThreshold})
	claims := newTask("", nil, "Curie, born in Warsaw, won the Nobel prize in 1903.", "Elephants swim.").Claims
	packs, covered, err := j.Pack(context.Background(), claims, sentences, sizes, 14)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]int{{0, 3}, nil}, packs); d != "" {
		t.Errorf("packs (-want +got):\n%s", d)
	}
	if covered[0] < 0.99 || covered[1] != 0 {
		t.Errorf("got coverage %v, want 1 and 0", covered)
	}
	if packs, _, _ = j.Pack(context.Background(), claims, sentences, sizes, 3); len(packs[0]) != 1 {
		t.Errorf("limit below every size: got %v, want the best sentence", packs)
	}
}

func TestPackFindsBestOfManySentences(t *testing.T) {
	sentences := make([]string, 5*maxPacked)
	sizes := make([]int, len(sentences))
	for i := range sentences {
		sentences[i], sizes[i] = "The bridge is long.", 4
	}
	sentences[4*maxPacked] = "The bridge opened in May 1932."
	j := newJudge(t, Options{Threshold: DefaultThreshold})
	packs, _, err := j.Pack(context.Background(), newTask("", nil, "The bridge opened in May 1932.").Claims, sentences, sizes, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(packs[0]) == 0 || packs[0][len(packs[0])-1] != 4*maxPacked {
		t.Errorf("got sentences %v, want them to include %d", packs[0], 4*maxPacked)
	}
}
