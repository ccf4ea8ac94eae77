package lexical

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// similarTasks returns tasks with n claims and n similar sentences of contexts: one context
// or n, with or without copies of the claims.
func similarTasks(n int) map[string]verdict.Task {
	random := rand.New(rand.NewPCG(uint64(n), 0)) //nolint:gosec // positive
	few := strings.Fields("company growth market power water people city energy data network policy study plan program price")
	pick := func() string { return few[random.IntN(len(few))] }
	kinds := map[string]func(side, i int) string{
		"template": func(side, i int) string {
			return fmt.Sprintf("Sensor %d reported %d degrees.", side*n+i, 10+random.IntN(90))
		},
		"equal":   func(side, _ int) string { return fmt.Sprintf("Sensor 17 reported %d degrees on Monday.", 23+side) },
		"numbers": func(int, int) string { return fmt.Sprintf("It was %d, then %d.", random.IntN(1e6), random.IntN(1e6)) },
		"roots":   func(_, i int) string { return fmt.Sprintf("Contra%sia and contra%dal.", pick(), i) },
		"words": func(int, int) string {
			return "Then " + strings.Join([]string{pick(), pick(), pick(), pick(), pick(), pick()}, " ") + "."
		},
	}
	all := map[string]verdict.Task{}
	for kind, sentence := range kinds {
		claims, contexts := make([]string, n), make([]string, n)
		for i := range n {
			claims[i], contexts[i] = sentence(0, i), sentence(1, i)
		}
		all[kind] = newTask("", []string{strings.Join(contexts, " ")}, claims...)
		all[kind+", many contexts"] = newTask("", contexts, claims...)
		all[kind+", copied"] = newTask("", []string{strings.Join(claims, " ")}, claims...)
		all[kind+", copied, many contexts"] = newTask("", claims, claims...)
	}
	return all
}

func TestCopiesAmongSimilarSentencesAreSupported(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for name, task := range similarTasks(150) {
		vs := judge(t, j, task)
		checkInvariants(t, task, vs)
		for i, v := range vs {
			if strings.Contains(name, "copied") && v.Label != verdict.Supported {
				t.Errorf("%s: %q: got %v (%s), want supported", name, task.Claims[i].Text, v.Label, v.Reason)
				break
			}
			if n := len(v.ChunkIDs); n > maxSupports+2 {
				t.Errorf("%s: got %d chunks, want at most %d", name, n, maxSupports+2)
			}
		}
	}
}

func TestWorkOnTablesIsBounded(t *testing.T) {
	t.Parallel()
	const rows = 20_000
	j := newJudge(t, Options{})
	s := newScratch(j.values)
	table := "| Rank | Lane | Name |\n|---|---|---|\n" + strings.Repeat("| 4 | 7 | Bob |\n", rows)
	if _, err := j.judgeAll(t.Context(), s, newTask("", []string{table}, "Ann has lane 4 and rank 4.")); err != nil {
		t.Fatal(err)
	}
	if most := maxTableWork + 10*rows; s.tableWork == 0 || s.tableWork > most {
		t.Errorf("compared %d cells, want 1 to %d", s.tableWork, most)
	}
}
