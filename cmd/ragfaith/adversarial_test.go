package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The minimum shares of testdata/adversarial.jsonl that the default judge gets right.
const (
	minCaught = 0.88 // of wrong answers
	minTwins  = 0.95 // of right ones
)

// TestAdversarialAnswers scores the answers of testdata/adversarial.jsonl. A wrong one is
// caught if it has claims and not all of them are supported.
func TestAdversarialAnswers(t *testing.T) {
	t.Parallel()
	type adversarial struct{ ID, Group, Expect string }
	const file = testdataDir + "adversarial.jsonl"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]adversarial{}
	for line := range bytes.Lines(data) {
		var c adversarial
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		cases[c.ID] = c
	}
	var total pairCount
	groups := map[string]*pairCount{}
	for line := range strings.Lines(scoreCached(t, "adversarial", "--to", "jsonl", file)) {
		var r struct {
			ID           string
			Faithfulness *float64
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		c := cases[r.ID]
		right := r.Faithfulness != nil && (*r.Faithfulness == 1) == (c.Expect == "supported")
		if groups[c.Group] == nil {
			groups[c.Group] = &pairCount{}
		}
		for _, n := range []*pairCount{&total, groups[c.Group]} {
			n.add(c.Expect == "supported", right)
		}
	}
	if n := total.cases[0] + total.cases[1]; n != len(cases) || n == 0 {
		t.Fatalf("got %d results, want %d", n, len(cases))
	}
	for name, n := range groups {
		t.Logf("%-12s caught %d of %d, twins %d of %d", name, n.correct[0], n.cases[0], n.correct[1], n.cases[1])
	}
	for i, want := range []float64{minCaught, minTwins} {
		if got := float64(total.correct[i]) / float64(total.cases[i]); got < want {
			t.Errorf("share of %s answers classified correctly: got %.3f, want at least %.2f", []string{"wrong", "right"}[i], got, want)
		}
	}
}
