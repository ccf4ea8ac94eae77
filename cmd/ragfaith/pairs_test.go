package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// minPairAccuracy is the minimum balanced accuracy of the default judge on the pairs.
const minPairAccuracy = 0.68

// A passage is a line of testdata/pairs.jsonl: contexts with answers that differ in little.
type passage struct {
	ID       string
	Contexts []string
	Cases    []pairCase
}

type pairCase struct {
	Category string `json:"cat"`
	Question string
	Answer   string
	Expect   string // supported or unsupported
}

func (c *pairCase) supported() bool { return c.Expect == "supported" }

// A pairCount counts cases and those classified correctly, unsupported ones first.
type pairCount struct{ cases, correct [2]int }

func (n *pairCount) add(supported, correct bool) {
	i := 0
	if supported {
		i = 1
	}
	n.cases[i]++
	if correct {
		n.correct[i]++
	}
}

// accuracy returns the balanced accuracy: the mean of the shares of both kinds.
func (n *pairCount) accuracy() float64 {
	return (float64(n.correct[0])/float64(n.cases[0]) + float64(n.correct[1])/float64(n.cases[1])) / 2
}

// TestPairs scores the answers of testdata/pairs.jsonl. An answer is accepted if all of its
// claims are supported, and a refusal if it is not a claim.
func TestPairs(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(testdataDir + "pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]*pairCase{}
	var rows bytes.Buffer
	for line := range bytes.Lines(data) {
		var p passage
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		for i := range p.Cases {
			c, id := &p.Cases[i], fmt.Sprintf("%s/%d", p.ID, i)
			if !c.supported() && c.Expect != "unsupported" {
				t.Fatalf("%s: unknown label %q", id, c.Expect)
			}
			cases[id] = c
			if err := json.NewEncoder(&rows).Encode(map[string]any{"id": id, "question": c.Question, "answer": c.Answer, "contexts": p.Contexts}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(cases) != 200 {
		t.Errorf("got %d cases with different IDs, want 200", len(cases))
	}
	file := filepath.Join(t.TempDir(), "pairs.jsonl")
	writeFile(t, file, rows.String())

	var total pairCount
	categories := map[string]*pairCount{}
	results := 0
	for line := range strings.Lines(scoreCached(t, "pairs", "--to", "jsonl", file)) {
		results++
		var r struct {
			ID           string
			Faithfulness *float64
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		c, ok := cases[r.ID]
		if !ok {
			t.Fatalf("got a result for %q, which is not a case", r.ID)
		}
		accepted := r.Faithfulness != nil && *r.Faithfulness == 1 || r.Faithfulness == nil && c.Category == "refusal-false"
		if categories[c.Category] == nil {
			categories[c.Category] = &pairCount{}
		}
		for _, n := range []*pairCount{&total, categories[c.Category]} {
			n.add(c.supported(), accepted == c.supported())
		}
	}
	if results != len(cases) {
		t.Fatalf("got %d results, want %d", results, len(cases))
	}
	for _, name := range slices.Sorted(maps.Keys(categories)) {
		n := categories[name]
		t.Logf("%-16s %.2f, supported %d of %d, unsupported %d of %d", name, n.accuracy(), n.correct[1], n.cases[1], n.correct[0], n.cases[0])
	}
	got := total.accuracy()
	t.Logf("balanced accuracy %.3f, supported %d of %d, unsupported %d of %d", got, total.correct[1], total.cases[1], total.correct[0], total.cases[0])
	if got < minPairAccuracy {
		t.Errorf("balanced accuracy: got %.3f, want at least %.3f", got, minPairAccuracy)
	}
}
