package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"testing"
)

// A goldenCase is a passage with claims, and the logits and log odds of wrong tokens that PyTorch computes in float32.
type goldenCase struct {
	Passage string
	Claims  []string
	Logits  []logits
	Wrong   [][]float64
}

func readGolden(t *testing.T) []goldenCase {
	t.Helper()
	var cases []goldenCase
	data, err := os.ReadFile("testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func (c goldenCase) group(t *testing.T, n *network) group {
	t.Helper()
	passage, err := n.encodePassage(c.Passage)
	if err != nil {
		t.Fatal(err)
	}
	g := group{passage: passage}
	for _, text := range c.Claims {
		ids, _, err := n.encodeClaim(text)
		if err != nil {
			t.Fatal(err)
		}
		g.claims = append(g.claims, ids)
	}
	return g
}

// TestNetworkMatchesPyTorch allows for the rounding of activations to int8.
func TestNetworkMatchesPyTorch(t *testing.T) {
	t.Parallel()
	n := load()
	var groups []group
	var want []finding
	for _, c := range readGolden(t) {
		groups = append(groups, c.group(t, n))
		for i, l := range c.Logits {
			want = append(want, finding{l, c.Wrong[i]})
		}
	}
	got, err := n.run(t.Context(), groups, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, wrong, tokens := 0.0, 0.0, 0
	for i := range want {
		for k, w := range want[i].wrong {
			wrong += math.Abs(got[i].wrong[k] - w)
		}
		tokens += len(want[i].wrong)
		d := math.Abs(got[i].odds() - want[i].odds())
		if sum += d; d > 0.8 {
			t.Errorf("claim %d: got log odds %.2f, want %.2f", i, got[i].odds(), want[i].odds())
		}
	}
	if mean, wrong := sum/float64(len(want)), wrong/float64(tokens); mean > 0.2 || wrong > 0.2 {
		t.Errorf("got mean differences of %.2f and, for tokens, %.2f, want at most 0.2", mean, wrong)
	}
	for i, g := range groups {
		alone, err := n.run(t.Context(), []group{{g.passage, g.claims[1:2]}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := got[5*i+1]; !reflect.DeepEqual(alone[0], want) {
			t.Errorf("passage %d: got %v for a claim alone, want %v as with others", i, alone[0], want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.run(ctx, groups, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v after a cancellation", err)
	}
}
