package semantic

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const suite = "../../../../shared/data/suite-dev.jsonl.zst"

// Pairs of PAWS-X have nearly the same words and mean the same (label 1) or not
// (label 0). No verdict may go over a pair that does not mean the same.
func TestPairsOfAnotherMeaningShareNoVerdict(t *testing.T) {
	f, err := os.Open(suite)
	if err != nil {
		t.Skipf("the data is not here: %v", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	g := newGuard(t)
	counts := map[string]*count{}
	for d := json.NewDecoder(z); d.More(); {
		var row struct {
			Suite, Answer string
			Contexts      []string
			Label         int
		}
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(row.Suite, "pawsx-") {
			continue
		}
		if row.Contexts[0] == row.Answer {
			continue // a pair that the translation has made one
		}
		c := counts[row.Suite]
		if c == nil {
			c = &count{why: map[Difference]int{}}
			counts[row.Suite] = c
		}
		c.pairs[row.Label]++
		if cosine(bag(row.Contexts[0]), bag(row.Answer)) < DefaultThreshold {
			continue
		}
		c.alike[row.Label]++
		diff := g.Differ(row.Contexts[0], row.Answer, true)
		if row.Label == 0 {
			c.why[diff]++
		}
		if diff == "" {
			c.reused[row.Label]++
			if row.Label == 0 {
				t.Errorf("a verdict goes from %q\nto %q", row.Contexts[0], row.Answer)
			}
		}
	}
	for name, c := range counts {
		t.Logf("%s: pairs of the same meaning %d, of another %d; alike at %.2f: %d, %d; reused: %d, %d; what the others differ in: %v",
			name, c.pairs[1], c.pairs[0], DefaultThreshold, c.alike[1], c.alike[0], c.reused[1], c.reused[0], c.why)
	}
	if counts["pawsx-en"] == nil {
		t.Error("there are no pairs")
	}
}

// A count is of pairs by their label.
type count struct {
	pairs, alike, reused [2]int
	why                  map[Difference]int
}
