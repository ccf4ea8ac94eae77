package eval

import (
	"math"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
)

func TestUnjudgedShare(t *testing.T) {
	claim := func(start, end int) result.Claim { return result.Claim{Start: start, End: end} }
	for name, tt := range map[string]struct {
		row  result.Row
		want float64
	}{
		"all judged":            {result.Row{Answer: "The sky is blue.", Claims: []result.Claim{claim(0, 16)}}, 0},
		"half judged":           {result.Row{Answer: "Sky: blue.\nHi you!", Claims: []result.Claim{claim(0, 10)}}, 0.5},
		"clauses that overlap":  {result.Row{Answer: "One two three four", Claims: []result.Claim{claim(0, 13), claim(4, 13)}}, 0.25},
		"no claims":             {result.Row{Answer: "I don’t know.", Status: result.NoClaims}, 1},
		"no words":              {result.Row{Answer: "👍", Status: result.NoClaims}, 0},
		"script without spaces": {result.Row{Answer: "天是蓝的。你好", Claims: []result.Claim{claim(0, 5)}}, 1.0 / 3},
		"rewritten":             {result.Row{Answer: "It is. Hi!", Claims: []result.Claim{{Start: -1, End: -1, From: &result.Span{Start: 0, End: 6}}}}, 1.0 / 3},
		"place unknown": {result.Row{
			Answer: "It is. Hi!", Claims: []result.Claim{{Start: -1, End: -1}}, Skipped: []result.Skipped{{Start: 7, End: 10}},
		}, 1.0 / 3},
		"place of an unjudged claim": {result.Row{
			Answer: "It is. Er ist.", Claims: []result.Claim{{Start: 0, End: 6, Verdict: result.Supported}, {Start: 7, End: 14, Verdict: result.Unjudged}},
		}, 0.5},
		"place unknown, unjudged": {result.Row{
			Answer: "It is.", Status: result.UnjudgedRow, Claims: []result.Claim{{Start: -1, End: -1, Verdict: result.Unjudged}},
		}, 1},
		"failed": {result.Row{Answer: "It is.", Status: result.Failed}, math.NaN()},
	} {
		if tt.row.Status == "" {
			tt.row.Status = result.Scored
		}
		if got := unjudgedShare(&tt.row); math.Abs(got-tt.want) > 1e-9 || math.IsNaN(got) != math.IsNaN(tt.want) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}
