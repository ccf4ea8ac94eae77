package semantic

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const suite = "../../../../shared/data/suite-dev.jsonl.zst"

// The pairs of PAWS-X have nearly the same words and the same meaning (label 1) or not
// (label 0). No verdict may be reused for a pair with different meanings.
func TestNoReuseBetweenParaphrasesWithDifferentMeanings(t *testing.T) {
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
	g := newTestGuard(t)
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
		if !strings.HasPrefix(row.Suite, "pawsx-") || row.Contexts[0] == row.Answer { // some pairs are equal in translation
			continue
		}
		c := counts[row.Suite]
		if c == nil {
			c = &pairCounts{}
			counts[row.Suite] = c
		}
		c.pairs[row.Label]++
		if cosine(bag(row.Contexts[0]), bag(row.Answer)) < DefaultThreshold {
			continue
		}
		c.similar[row.Label]++
		if !g.same(row.Contexts[0], row.Answer, true) {
			continue
		}
		c.reused[row.Label]++
		if row.Label == 0 {
			t.Errorf("got a verdict reused between %q\nand %q", row.Contexts[0], row.Answer)
		}
	}
	for name, c := range counts {
		t.Logf("%s: pairs with different, same meaning %v; of these similar from %.2f %v; reused %v", name, c.pairs, DefaultThreshold, c.similar, c.reused)
	}
	if counts["pawsx-en"] == nil {
		t.Error("got no pairs")
	}
}

// pairCounts counts pairs by label.
type pairCounts struct{ pairs, similar, reused [2]int }
