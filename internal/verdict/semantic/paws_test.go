package semantic

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const suite = "../../../../shared/data/suite-dev.jsonl.zst"

// The sentences in each PAWS-X pair have nearly the same words. Their meaning is the
// same if the label is 1. No verdict may be reused for a pair with label 0.
func TestGuardRejectsPAWSPairsWithDifferentMeanings(t *testing.T) {
	f, err := os.Open(suite)
	if err != nil {
		t.Skipf("missing data: %v", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	g, words := newTestGuard(t), newTestWords(t)
	counts := map[string]*pairCounts{}
	for d := json.NewDecoder(z); d.More(); {
		var row struct {
			Suite, Answer string
			Contexts      []string
			Label         int
		}
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(row.Suite, "pawsx-") || row.Contexts[0] == row.Answer { // some translated pairs are identical
			continue
		}
		c := counts[row.Suite]
		if c == nil {
			c = &pairCounts{}
			counts[row.Suite] = c
		}
		c.pairs[row.Label]++
		v, err := words.Embed(t.Context(), []string{row.Contexts[0], row.Answer})
		if err != nil {
			t.Fatal(err)
		}
		if cosine(v[0], v[1]) < DefaultThreshold {
			continue
		}
		c.similar[row.Label]++
		if !g.equivalent(row.Contexts[0], row.Answer, true) {
			continue
		}
		c.equivalent[row.Label]++
		if row.Label == 0 {
			t.Errorf("equivalent(%q, %q): got true, want false", row.Contexts[0], row.Answer)
		}
	}
	for name, c := range counts {
		t.Logf("%s: pairs by label %v, with similarity of at least %.2f %v, equivalent %v", name, c.pairs, DefaultThreshold, c.similar, c.equivalent)
	}
	if counts["pawsx-en"] == nil {
		t.Error("got no pairs")
	}
}

// pairCounts counts pairs by label.
type pairCounts struct{ pairs, similar, equivalent [2]int }
