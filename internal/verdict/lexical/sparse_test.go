package lexical

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// similarTasks returns tasks with n claims and n context sentences. Each task has a
// different kind of similarity between its sentences.
func similarTasks(n int) map[string]verdict.Task {
	random := rand.New(rand.NewPCG(uint64(n), 0))
	few := strings.Fields("the company reported growth in market system power water people city energy data network policy group study plan program price")
	pick := func(words []string) string { return words[random.IntN(len(words))] }
	name := func() string { return fmt.Sprintf("Na%s%s", pick(few), pick(few)) }
	days := []string{"Monday", "Tuesday", "Friday"}
	kinds := map[string]func(side, i int) string{
		"template": func(side, i int) string {
			return fmt.Sprintf("Sensor %d reported %d degrees on %s.", side*n+i, 10+random.IntN(90), pick(days))
		},
		"names": func(int, int) string {
			return name() + " and " + name() + " work in the same department of the company."
		},
		"equal":   func(side, _ int) string { return fmt.Sprintf("Sensor 17 reported %d degrees on Monday.", 23+side) },
		"numbers": func(int, int) string { return fmt.Sprintf("It was %d, then %d.", random.IntN(1e6), random.IntN(1e6)) },
		"dates": func(side, i int) string {
			return fmt.Sprintf("It opened on %d %s %d.", 1+i%28, []string{"May", "June"}[side], 1000+i%1000)
		},
		"roots": func(_, i int) string { return fmt.Sprintf("Contra%sia and contra%dal.", pick(few), i) },
		"words": func(int, int) string {
			words := make([]string, 10)
			for i := range words {
				words[i] = pick(few)
			}
			return "Then " + strings.Join(words, " ") + "."
		},
	}
	all := map[string]verdict.Task{}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		sentence := kinds[kind]
		claims, contexts := make([]string, n), make([]string, n)
		for i := range n {
			claims[i], contexts[i] = sentence(0, i), sentence(1, i)
		}
		copies := slices.Clone(claims)
		random.Shuffle(n, func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
		all[kind] = newTask("", []string{strings.Join(contexts, " ")}, claims...)
		all[kind+", many contexts"] = newTask("", contexts, claims...)
		all[kind+", copied"] = newTask("", []string{strings.Join(copies, " ")}, claims...)
		all[kind+", copied, many contexts"] = newTask("", copies, claims...)
	}
	sentence := strings.TrimSuffix(strings.Repeat("one hundred two sensors reported ", 2*n), " ")
	all["one sentence"] = newTask("", []string{sentence}, sentence)
	return all
}

// Doubling the size of a task doubles the work of sparse matching. Without sparse
// matching, it quadruples the work.
func TestSparseWorkIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	t.Parallel()
	j := newJudge(t, Options{})
	work := func(task verdict.Task, batchSize int, p *sparse) int {
		s := newScratch()
		if s.sparse = p; p != nil {
			*p = *newSparse(s)
		}
		if _, err := j.judgeAll(t.Context(), s, task, batchSize); err != nil {
			t.Fatal(err)
		}
		return s.work
	}
	double := similarTasks(800)
	for name, task := range similarTasks(400) {
		if once, twice := work(task, sparseBatchSize, new(sparse)), work(double[name], sparseBatchSize, new(sparse)); twice > once*5/2 {
			t.Errorf("%s: got work %d for twice the size, want at most 2.5 times %d", name, twice, once)
		}
	}
	quadratic := 0
	double = similarTasks(200)
	for name, task := range similarTasks(100) {
		if work(double[name], batchSize, nil) > work(task, batchSize, nil)*7/2 {
			quadratic++
		}
	}
	if quadratic < 10 {
		t.Errorf("without sparse matching: got %d tasks with quadratic work, want at least 10", quadratic)
	}
}

func TestSparseSupportsCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	t.Parallel()
	j := newJudge(t, Options{})
	for name, task := range similarTasks(1500) {
		vs, err := j.judgeSparse(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if len(task.Contexts) > 1 { // slow for one long context
			checkInvariants(t, task, vs)
		}
		if !strings.Contains(name, "copied") {
			continue
		}
		for i, v := range vs {
			if v.Label != verdict.Supported {
				t.Errorf("%s: %q: got %v (%s), want supported", name, task.Claims[i].Text, v.Label, v.Reason)
				break
			}
		}
	}
}

func TestJudgeUsesSparseMatchingForLargeTasks(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	task := similarTasks(1500)["template"]
	want, err := j.judgeSparse(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, judge(t, j, task)); d != "" {
		t.Errorf("verdicts (-sparse +got):\n%s", d)
	}
}

// Sparse matching is approximate, but changes few verdicts.
func TestSparseAgreesOnMostSmallTasks(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	same, all, gained := 0, 0, 0
	for name, task := range similarTasks(100) {
		if strings.HasPrefix(name, "roots") {
			continue
		}
		got, err := j.judgeSparse(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range judge(t, j, task) {
			all++
			if got[i].Label == want.Label && got[i].Score == want.Score {
				same++
			}
			if got[i].Label == verdict.Supported && want.Label != verdict.Supported {
				gained++
				t.Logf("%s: %q: got supported only by sparse matching", name, task.Claims[i].Text)
			}
		}
	}
	if same < all*95/100 {
		t.Errorf("got %d of %d equal verdicts, want at least 95%%", same, all)
	}
	if gained > all/500 {
		t.Errorf("got %d of %d claims supported only by sparse matching, want at most 0.2%%", gained, all)
	}
}

func TestSparseLimitsSupportingChunks(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	task := similarTasks(1500)["equal, copied, many contexts"]
	for _, v := range judge(t, j, task) {
		if n := len(v.ChunkIDs); n == 0 || n > maxSupports+2 {
			t.Fatalf("got %d chunks, want 1 to %d", n, maxSupports+2)
		}
	}
}

func TestJudgeSparseStopsIfContextIsCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newJudge(t, Options{}).judgeSparse(ctx, similarTasks(10)["template"]); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
