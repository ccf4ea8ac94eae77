package lexical

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// checkInvariants checks the properties that the verdicts on any task must have.
func checkInvariants(t *testing.T, task verdict.Task, vs []verdict.Verdict) {
	t.Helper()
	if len(vs) != len(task.Claims) {
		t.Fatalf("got %d verdicts, want %d", len(vs), len(task.Claims))
	}
	for i, v := range vs {
		if v.ClaimID != task.Claims[i].ID {
			t.Errorf("verdict %d: got claim ID %d, want %d", i, v.ClaimID, task.Claims[i].ID)
		}
		if !(v.Score >= 0 && v.Score <= 1) {
			t.Errorf("verdict %d: got score %v, want 0 to 1", i, v.Score)
		}
		if (v.Label == verdict.Supported) != (v.Score >= DefaultThreshold) {
			t.Errorf("got %v at score %v, want supported from %v", v.Label, v.Score, DefaultThreshold)
		}
		if v.Reason == "" {
			t.Errorf("verdict %d: got empty reason", i)
		}
		if (v.Label == verdict.Supported) != (len(v.ChunkIDs) > 0) {
			t.Errorf("verdict %d: got %v with chunks %v, want chunks only if supported", i, v.Label, v.ChunkIDs)
		}
		for _, e := range v.Evidence {
			if r := []rune(task.Contexts[e.Chunk]); string(r[e.Start:e.End]) != string([]rune(e.Quote)) {
				t.Errorf("got quote %q, want code points %d to %d of chunk %d", e.Quote, e.Start, e.End, e.Chunk)
			}
			if !strings.Contains(task.Contexts[e.Chunk], e.Quote) || e.Quote == "" {
				t.Errorf("got quote %q, want a substring of chunk %d", e.Quote, e.Chunk)
			}
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("When was the first super bowl?", bowl, "The first superbowl was held on Jan 15, 1967")
	f.Add("", einstein, "Einstein wasn't born on 20/3/1879, but on about 14.03.1879 in 2 or 3 places.")
	f.Add("¿Qué?", "東京は人口 1,400 万人の都市。ประเทศไทย", "東京 has 14 million people; 1.4 crore. ½ of them don’t.")
	f.Add("", "two hundred thousand and five twenty-one hundred k", "$1e309 999999999999999999999999 0.000000001 10, 000 %")
	f.Add("a", "\xff\xfe&amp;&#8217;", "&lsquo;\x00")
	each, joined := newJudge(f, Options{}), newJudge(f, Options{Joined: true})
	f.Fuzz(func(t *testing.T, question, context, claim string) {
		for _, task := range []verdict.Task{
			newTask(question, []string{context, claim + context, ""}, claim, context, question),
			newTask(question, []string{strings.Repeat(context+" ", 3)}, claim+" "+claim),
		} {
			for _, j := range []*Judge{each, joined} {
				vs := judge(t, j, task)
				checkInvariants(t, task, vs)
				if d := cmp.Diff(vs, judge(t, j, task)); d != "" {
					t.Errorf("second run differs (-first +second):\n%s", d)
				}
			}
		}
	})
}

func TestVerbatimSentenceScoresOne(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, s := range []string{
		"The treaty was not signed in 1923, nor in 1924.",
		"Revenue fell by 3.5% to $2.1 billion.",
		"Er kaufte im März drei Häuser.",
		"人口は約1400万人です。",
	} {
		v := judge(t, j, newTask("", []string{"Before it. " + s + " After it."}, s))[0]
		if v.Label != verdict.Supported || v.Score != 1 || !strings.Contains(v.Evidence[0].Quote, s) {
			t.Errorf("%q: got %v, %v, %+v (%s), want supported, 1 and the sentence", s, v.Label, v.Score, v.Evidence, v.Reason)
		}
	}
}

func TestJoinedFindsSupportAcrossChunks(t *testing.T) {
	t.Parallel()
	contexts := []string{"The museum in Porto opened in", "1898 with paintings by Columbano."}
	claim := "The museum in Porto opened in 1898 with paintings by Columbano."
	each := judge(t, newJudge(t, Options{}), newTask("", contexts, claim))[0]
	joined := judge(t, newJudge(t, Options{Joined: true}), newTask("", contexts, claim))[0]
	if each.Label == verdict.Supported || joined.Label != verdict.Supported {
		t.Errorf("got %v (%.2f) separately and %v (%.2f) joined, want supported only if joined", each.Label, each.Score, joined.Label, joined.Score)
	}
	if d := cmp.Diff([]int{0, 1}, joined.ChunkIDs); d != "" {
		t.Errorf("joined chunks (-want +got):\n%s", d)
	}
}

func TestVerdictListsAllSupportingChunks(t *testing.T) {
	t.Parallel()
	s := "The bridge was closed for repairs on 3 May 1999."
	v := judge(t, newJudge(t, Options{}), newTask("", []string{s, "Something else altogether.", "As told: " + s}, s))[0]
	if d := cmp.Diff([]int{0, 2}, v.ChunkIDs); d != "" {
		t.Errorf("chunks (-want +got):\n%s", d)
	}
}

func TestThresholdIsInclusive(t *testing.T) {
	t.Parallel()
	task := newTask("", []string{"The bridge was closed for repairs in May."}, "The bridge in Oslo was closed for long repairs.")
	score := judge(t, newJudge(t, Options{}), task)[0].Score
	for threshold, want := range map[float64]bool{score: true, score + 1e-9: false} {
		if got := judge(t, newJudge(t, Options{Threshold: threshold}), task)[0].Label == verdict.Supported; got != want {
			t.Errorf("score %v, threshold %v: got supported %v, want %v", score, threshold, got, want)
		}
	}
}

func TestEvidenceOffsetsAreCodePoints(t *testing.T) {
	t.Parallel()
	fill := strings.Repeat("Žluťoučký kůň 🐎 pěl. ", 4000)
	s := "The tower of Brno is 84 metres high."
	for _, text := range []string{fill + s, s + " " + fill, fill + s + " " + fill} {
		task := newTask("", []string{"x", text}, s, "The tower of Brno is 85 metres high.")
		vs := judge(t, newJudge(t, Options{}), task)
		checkInvariants(t, task, vs)
		if len(vs[0].Evidence) == 0 || vs[0].Evidence[0].Quote != s {
			t.Errorf("got evidence %+v, want %q", vs[0].Evidence, s)
		}
		if vs[1].Label != verdict.Contradicted {
			t.Errorf("got %v (%s), want contradicted", vs[1].Label, vs[1].Reason)
		}
	}
}

// Without a limit, comparing the arrangement of these texts takes cubic time.
func TestArrangementWorkIsLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	t.Parallel()
	j := newJudge(t, Options{})
	for _, unit := range []string{"beat", "Spain beat Italy", "than", "bigger than", "all guests of", "usually open always open", "half", "Spain is a state of", "wins 5 in 1990"} {
		words := strings.TrimSpace(strings.Repeat(unit+" ", 10_000/len(strings.Fields(unit))))
		// The arrangement is compared only if the claim is not verbatim.
		task := newTask("", []string{"Zebra " + words + " zebra", "zebra " + words}, "Extra zebra "+words, "Zebra "+words[:cellSize/2]+" extra")
		timeout, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		judged := make(chan []verdict.Verdict, 1)
		go func() {
			got, _ := j.Judge(t.Context(), task)
			judged <- got.Verdicts
		}()
		select {
		case vs := <-judged:
			checkInvariants(t, task, vs)
		case <-timeout.Done():
			t.Fatalf("%q: got no verdict in 5 minutes", unit)
		}
	}
}

func TestBatchesDoNotAffectVerdicts(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	claims := make([]string, 2*batchSize+7)
	for i := range claims {
		claims[i] = fmt.Sprintf("The tower of Brno is %d metres high and open on %d days.", 80+i, i)
	}
	contexts := []string{"The tower of Brno is 300 metres high.", strings.Repeat("It is open on 90 days. ", 4000)}
	all := judge(t, j, newTask("", contexts, claims...))
	checkInvariants(t, newTask("", contexts, claims...), all)
	for _, i := range []int{0, 10, batchSize, 2*batchSize + 6} {
		alone := judge(t, j, newTask("", contexts, claims[i]))[0]
		alone.ClaimID = i
		if d := cmp.Diff(alone, all[i]); d != "" {
			t.Errorf("claim %d (-single +batch):\n%s", i, d)
		}
	}
}

func TestJudgeStopsIfContextIsCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newJudge(t, Options{}).Judge(ctx, newTask("", []string{bowl}, "It was held in 1967.")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestJudgeHandlesLongContextWithoutSpaces(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"x", "é", "東", "🐎", "\x80"} {
		text := "The bridge opened in May. " + strings.Repeat(unit, 3*blockSize)
		v := judge(t, newJudge(t, Options{}), newTask("", []string{text}, "The bridge opened in May."))[0]
		if v.Score != 1 {
			t.Errorf("%q: got score %v (%s), want 1", unit, v.Score, v.Reason)
		}
	}
}
