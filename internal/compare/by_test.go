package compare

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

func TestByComparesGroups(t *testing.T) {
	was, is := simulate(1, 300, 0.3)
	for i, r := range was {
		r.Kept = []dataset.Column{{Name: "topic", Value: fmt.Appendf(nil, "%d", i%3)}}
	}
	for i, r := range is { // the group of the candidate has no effect
		r.Kept = []dataset.Column{{Name: "topic", Value: fmt.Appendf(nil, "%d", i%2)}}
	}
	c := run(t, Options{By: "topic", Seed: 4}, source("was", was...), source("is", is...))
	if len(c.By) != 3 || c.By[0].Difference.Estimate > c.By[2].Difference.Estimate {
		t.Fatalf("got %+v, want three groups, the largest loss first", c.By)
	}
	rows := 0
	for _, g := range c.By {
		rows += g.Rows
		var only stats.Sample
		var before float64
		for i := range was {
			if strconv.Itoa(i%3) == g.Value && !math.IsNaN(was[i].Faithfulness) && !math.IsNaN(is[i].Faithfulness) {
				only.Add(is[i].Faithfulness-was[i].Faithfulness, 1)
				before += was[i].Faithfulness
			}
		}
		want := only.Interval(stats.Options{Confidence: 0.95, Seed: 4, Low: -1, High: 1})
		if g.Difference != want || math.Abs(g.Baseline-before/float64(g.Rows)) > 1e-12 || math.Abs(g.Candidate-g.Baseline-want.Estimate) > 1e-12 {
			t.Errorf("got %+v, want the difference %+v", g, want)
		}
	}
	if rows != c.Compared {
		t.Errorf("got %d rows in groups, want %d", rows, c.Compared)
	}
}

func TestByBoundsGroups(t *testing.T) {
	var was, is []*result.Row
	for i := range MaxGroups + 5 {
		was, is = append(was, row(strconv.Itoa(i), "a+")), append(is, row(strconv.Itoa(i), "a-"))
	}
	c := run(t, Options{By: "id"}, source("was", was...), source("is", is...))
	last := c.By[len(c.By)-1]
	if len(c.By) != MaxGroups+1 || !last.Other || last.Rows != 5 || last.Difference.Estimate != -1 {
		t.Errorf("got %d groups and %+v for the others, want %d groups and 5 rows", len(c.By), last, MaxGroups)
	}
}
