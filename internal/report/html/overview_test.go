package html

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

func TestLowestGroups(t *testing.T) {
	g := groups{}
	add := func(n int, score float64, columns ...string) {
		r := &result.Row{Faithfulness: score}
		for i := 0; i < len(columns); i += 2 {
			r.Kept = append(r.Kept, dataset.Column{Name: columns[i], Value: must(json.Marshal(columns[i+1]))})
		}
		for range n {
			g.add(r)
		}
	}
	add(60, 1, "model", "good", "lang", "en")
	add(20, 0.5, "model", "bad", "lang", "en")
	add(10, 0, "model", "worse", "lang", "")
	add(minGroupRows-1, 0, "model", "rare")
	add(30, math.NaN(), "model", "failed")
	add(6, 0.5, "model", "noisy")
	add(6, 1, "model", "noisy")
	for i := range maxGroupValues + 1 {
		add(10, 0, "unique", strconv.Itoa(i))
	}
	add(20, 0, "long", strings.Repeat("x", maxIndexKept))
	want := []group{{"model", "worse", 10, 0}, {"model", "bad", 20, 0.5}}
	if diff := cmp.Diff(want, g.lowest(0.8)); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

func TestGroupsUseBoundedMemory(t *testing.T) {
	g := groups{}
	for i := range 10 * maxGroupColumns {
		r := &result.Row{Kept: []dataset.Column{{Name: strconv.Itoa(i), Value: []byte("1")}, {Name: "0", Value: fmt.Append(nil, i)}}}
		g.add(r)
	}
	if len(g) != maxGroupColumns || g["0"] != nil {
		t.Errorf("got %d columns, of which the first has %d values; want %d columns and no values", len(g), len(g["0"]), maxGroupColumns)
	}
}

func TestFrequentFailures(t *testing.T) {
	f := failures{}
	add := func(status result.Status, errs ...string) {
		for _, text := range errs {
			f.add(&result.Row{Status: status, Err: errors.New(text)})
		}
	}
	add(result.Failed, "d.jsonl:3: no answer", "d.jsonl:44: no answer", "verdict: 429", "verdict: 429", "verdict: 429", "b", "a")
	add(result.Scored, "a")
	f.add(&result.Row{Status: result.Failed})
	if diff := cmp.Diff([]failure{{"verdict: 429", 3}, {"no answer", 2}, {"a", 1}}, f.frequent()); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	for i := range 2 * maxFailureTexts {
		add(result.Failed, strconv.Itoa(i))
	}
	if len(f) != maxFailureTexts {
		t.Errorf("got %d messages, want %d", len(f), maxFailureTexts)
	}
}

func TestClaimShares(t *testing.T) {
	for _, c := range []struct {
		tally report.Tally
		want  string
	}{
		{report.Tally{Claims: 1000, Supported: 999, Contradicted: 1}, "supported 99.9% 0+999 contradicted 0.1% 999+1 "},
		{report.Tally{Claims: 4, Supported: 1}, "supported 25.0% 0+250 not mentioned 75.0% 250+750 "},
		{report.Tally{}, ""},
	} {
		var got strings.Builder
		for _, s := range claimShares(&c.tally) {
			fmt.Fprintf(&got, "%s %s %d+%d ", s.Name, s.Percent, s.Left, s.Segment)
		}
		if got.String() != c.want {
			t.Errorf("claimShares(%+v): got %q, want %q", c.tally, got.String(), c.want)
		}
	}
}

func TestOverviewLinksToFilters(t *testing.T) {
	rows := manyRows(40)
	for i, r := range rows {
		value := "fine"
		if r.Faithfulness == 0 {
			value = `"a&b" <i>=1`
		}
		rows[i].Kept = []dataset.Column{{Name: "the #topic", Value: must(json.Marshal(value))}}
	}
	page := render(t, Run{}, append(rows, failedRow(), refusedRow())...)
	for _, want := range []string{
		`href="#column.the%20%23topic=%3D%22a%26b%22%20%3ci%3e%3d1"`, `href="#status=failed"`, `href="#status=no_claims"`,
		`href="#verdict=not_mentioned"`, "1 × <bdi>verdict: no reply &lt;/script&gt;",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("page does not contain %q", want)
		}
	}
}
