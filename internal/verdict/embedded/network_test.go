package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
)

// A goldenCase is a passage with claims and the logits that PyTorch computes in float32.
type goldenCase struct {
	Passage string
	Claims  []string
	Logits  []logits
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
		ids, err := n.encodeClaim(text)
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
	n, err := load()
	if err != nil {
		t.Fatal(err)
	}
	var groups []group
	var want []logits
	for _, c := range readGolden(t) {
		groups, want = append(groups, c.group(t, n)), append(want, c.Logits...)
	}
	got, err := n.run(t.Context(), groups, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range want {
		d := math.Abs(got[i].odds() - want[i].odds())
		if sum += d; d > 0.8 {
			t.Errorf("claim %d: got log odds %.2f, want %.2f", i, got[i].odds(), want[i].odds())
		}
	}
	if mean := sum / float64(len(want)); mean > 0.2 {
		t.Errorf("got a mean difference of %.2f, want at most 0.2", mean)
	}
	for i, g := range groups {
		alone, err := n.run(t.Context(), []group{{g.passage, g.claims[1:2]}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := got[5*i+1]; alone[0] != want {
			t.Errorf("passage %d: got %v for a claim alone, want %v as with others", i, alone[0], want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.run(ctx, groups, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v after a cancellation", err)
	}
}

func TestLoadNetworkRejectsWrongWeights(t *testing.T) {
	t.Parallel()
	renamed := []byte(strings.Replace(string(weights), `"layers.3.up.bias"`, `"layers.3.up.bia_"`, 1))
	for want, data := range map[string][]byte{
		"no header":                          nil,
		"truncated":                          weights[:1000],
		`tensor "layers.3.up.bias": missing`: renamed,
	} {
		if _, err := loadNetwork(data, tokens); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}
