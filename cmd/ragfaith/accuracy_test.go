package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// A labelledAnswer is an answer of which is known whether its contexts support it.
type labelledAnswer struct {
	group     string
	supported bool
	// withoutClaims is whether a result without claims accepts the answer.
	withoutClaims bool
}

// A correctCount counts answers and those judged correctly, unsupported ones first.
type correctCount struct{ answers, correct [2]int }

func (n *correctCount) add(supported, correct bool) {
	i := 0
	if supported {
		i = 1
	}
	n.answers[i]++
	if correct {
		n.correct[i]++
	}
}

// share returns the share of the unsupported (0) or supported (1) answers that are judged
// correctly.
func (n *correctCount) share(i int) float64 { return float64(n.correct[i]) / float64(n.answers[i]) }

func (n *correctCount) String() string {
	return fmt.Sprintf("unsupported %d of %d, supported %d of %d", n.correct[0], n.answers[0], n.correct[1], n.answers[1])
}

// countCorrect scores a file with a judge. It accepts an answer of which all claims
// are supported.
func countCorrect(t *testing.T, judge, file string, answers map[string]labelledAnswer) *correctCount {
	t.Helper()
	results := scoresIn(t, mustExit(t, scoreInProcess(t, nil, "--judge", judge, "--to", "jsonl", file), exitOK).stdout)
	total, groups := &correctCount{}, map[string]*correctCount{}
	for id, score := range results {
		a, ok := answers[id]
		if !ok {
			t.Fatalf("got a result for %q, which is no answer", id)
		}
		accepted := a.withoutClaims
		if score != nil {
			accepted = *score == 1
		}
		if groups[a.group] == nil {
			groups[a.group] = &correctCount{}
		}
		total.add(a.supported, accepted == a.supported)
		groups[a.group].add(a.supported, accepted == a.supported)
	}
	if len(results) != len(answers) || len(results) == 0 {
		t.Fatalf("got %d results, want %d", len(results), len(answers))
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		t.Logf("%-16s %v", name, groups[name])
	}
	t.Logf("%-16s %v", "all", total)
	return total
}

// skipSlowJudge skips a test with the network if tests should be short.
func skipSlowJudge(t *testing.T, judge string) {
	t.Helper()
	if judge == "embedded" {
		skipShort(t)
	}
}

// TestAdversarialAnswers scores wrong answers that are worded like right ones, and right ones
// beside them. An answer without claims is judged wrongly.
func TestAdversarialAnswers(t *testing.T) {
	t.Parallel()
	const file = testdataDir + "adversarial.jsonl"
	answers := map[string]labelledAnswer{}
	for _, c := range decodeLines[struct{ ID, Group, Expect string }](t, readFile(t, file)) {
		answers[c.ID] = labelledAnswer{group: c.Group, supported: c.Expect == "supported", withoutClaims: c.Expect != "supported"}
	}
	for _, tt := range []struct {
		judge                  string
		minCaught, minAccepted float64
	}{{"lexical", 0.86, 0.94}, {"embedded", 0.88, 0.95}} {
		t.Run(tt.judge, func(t *testing.T) {
			skipSlowJudge(t, tt.judge)
			got := countCorrect(t, tt.judge, file, answers)
			if got.share(0) < tt.minCaught || got.share(1) < tt.minAccepted {
				t.Errorf("got shares %.3f and %.3f of wrong and right answers judged correctly, want at least %v and %v", got.share(0), got.share(1), tt.minCaught, tt.minAccepted)
			}
		})
	}
}

// TestPairs scores answers to the same contexts that differ in little.
func TestPairs(t *testing.T) {
	t.Parallel()
	answers := map[string]labelledAnswer{}
	var rows bytes.Buffer
	type pair struct {
		ID       string
		Contexts []string
		Cases    []struct {
			Category                 string `json:"cat"`
			Question, Answer, Expect string
		}
	}
	for _, p := range decodeLines[pair](t, readFile(t, testdataDir+"pairs.jsonl")) {
		for i, c := range p.Cases {
			id := fmt.Sprintf("%s/%d", p.ID, i)
			if c.Expect != "supported" && c.Expect != "unsupported" {
				t.Fatalf("%s: unknown label %q", id, c.Expect)
			}
			answers[id] = labelledAnswer{group: c.Category, supported: c.Expect == "supported", withoutClaims: c.Category == "refusal-false"}
			if err := json.NewEncoder(&rows).Encode(map[string]any{"id": id, "question": c.Question, "answer": c.Answer, "contexts": p.Contexts}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for judge, minAccuracy := range map[string]float64{"lexical": 0.68, "embedded": 0.74} {
		t.Run(judge, func(t *testing.T) {
			skipSlowJudge(t, judge)
			got := countCorrect(t, judge, tempFile(t, "pairs.jsonl", rows.String()), answers)
			if accuracy := (got.share(0) + got.share(1)) / 2; accuracy < minAccuracy {
				t.Errorf("balanced accuracy: got %.3f, want at least %v", accuracy, minAccuracy)
			}
		})
	}
}
