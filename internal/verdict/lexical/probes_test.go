package lexical

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// The numbers of probes that are classified correctly as supported or not, and with an
// acceptable verdict.
const (
	correctProbes = 30
	exactProbes   = 28
)

// A probe is a handwritten claim with its acceptable verdicts.
type probe struct {
	ID, Answer string
	Contexts   []string
	Expected   any // a label, or several
}

func (p *probe) accepts(l verdict.Label) bool {
	if all, ok := p.Expected.([]any); ok {
		return slices.Contains(all, any(l.String()))
	}
	return p.Expected == l.String()
}

func TestProbes(t *testing.T) {
	f, err := os.Open("../../../testdata/probes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	j := newJudge(t, Options{})
	probes, correct, exact := 0, 0, 0
	for s := bufio.NewScanner(f); s.Scan(); probes++ {
		var p probe
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		v := judge(t, j, newTask("", p.Contexts, p.Answer))[0]
		if p.accepts(v.Label) {
			exact++
		}
		if (v.Label == verdict.Supported) == p.accepts(verdict.Supported) {
			correct++
		} else {
			t.Logf("%s: %v with %.2f: %s", p.ID, v.Label, v.Score, v.Reason)
		}
	}
	if probes != 40 || correct < correctProbes || exact < exactProbes {
		t.Errorf("got %d of %d probes right and %d exact, want at least %d of 40 and %d", correct, probes, exact, correctProbes, exactProbes)
	}
}
