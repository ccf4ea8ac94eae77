package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// byOf returns the means of rows by a column.
func byOf(column, cluster string, rows ...*result.Row) *Means {
	return feed(NewTally(cluster, []string{column}, 3), rows...).Means()
}

// valued returns a row with a value of the column "c"; "" for a row without the column.
func valued(index, supported, claims int, value string) *result.Row {
	r := scoredRow(index, supported, claims, `"d`+strconv.Itoa(index%21)+`"`)
	if value != "" {
		r.Kept = append(r.Kept, dataset.Column{Name: "c", Value: []byte(value)})
	}
	return r
}

func TestByGroupsValues(t *testing.T) {
	failed, empty := resulttest.JudgeFailed(), resulttest.NoClaims()
	failed.Kept = []dataset.Column{{Name: "c", Value: []byte("true")}}
	empty.Kept = failed.Kept
	rows := []*result.Row{
		valued(0, 1, 2, "1"), valued(1, 2, 2, `"1"`), valued(2, 2, 2, "1.0"),
		valued(3, 0, 2, "null"), valued(4, 0, 2, `""`), valued(5, 1, 2, ""),
		failed, empty,
		valued(6, 1, 1, "false"), valued(7, 1, 1, "[1,2]"),
		valued(8, 0, 2, "0"), valued(9, 0, 2, "-0.0"), valued(10, 1, 2, "-0"), valued(11, 2, 2, "-1.0"),
	}
	got := byOf("c", "", rows...).By[0]
	want := By{Column: "c", Groups: []Group{
		{Value: "", RowCounts: RowCounts{Rows: 3, Scored: 3}, Mean: stats.Interval{Estimate: 0.5 / 3, N: 3}},
		{Value: "0", RowCounts: RowCounts{Rows: 3, Scored: 3}, Mean: stats.Interval{Estimate: 0.5 / 3, N: 3}},
		{Value: "1", RowCounts: RowCounts{Rows: 3, Scored: 3}, Mean: stats.Interval{Estimate: 2.5 / 3, N: 3}},
		{Value: "-1", RowCounts: RowCounts{Rows: 1, Scored: 1}, Mean: stats.Interval{Estimate: 1, N: 1}},
		{Value: "[1,2]", RowCounts: RowCounts{Rows: 1, Scored: 1}, Mean: stats.Interval{Estimate: 1, N: 1}},
		{Value: "false", RowCounts: RowCounts{Rows: 1, Scored: 1}, Mean: stats.Interval{Estimate: 1, N: 1}},
		{Value: "true", RowCounts: RowCounts{Rows: 2, NoClaims: 1, Failed: 1}, Mean: stats.Interval{Estimate: math.NaN()}},
	}}
	opts := cmp.Options{cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs(), cmpopts.IgnoreFields(stats.Interval{}, "Lower", "Upper", "Confidence", "Method", "Note")}
	checkDiff(t, want, got, opts)
	if got := got.Groups[0].Name(); got != "(none)" {
		t.Errorf("got name %q, want (none)", got)
	}
}

func TestByHasIntervalsOfEachGroup(t *testing.T) {
	for _, cluster := range []string{"", "doc"} {
		var rows, even []*result.Row
		for i, r := range randomRows(120, 50) {
			r.Kept = append(r.Kept, dataset.Column{Name: "c", Value: fmt.Appendf(nil, "%v", i%2 == 0)})
			if rows = append(rows, r); i%2 == 0 {
				even = append(even, r)
			}
		}
		want := meansOf(cluster, 3, even...).Rows
		for _, g := range byOf("c", cluster, rows...).By[0].Groups {
			if d := cmp.Diff(want, g.Mean); g.Value == "true" && d != "" {
				t.Errorf("cluster %q: %s", cluster, d)
			}
		}
	}
}

func TestByBoundsGroups(t *testing.T) {
	var rows []*result.Row
	long := strings.Repeat("é", 500)
	for i := range maxGroups + 5 {
		r := scoredRow(i, 1, 1, "")
		if i == 0 {
			r.ID = long
		}
		rows = append(rows, r)
	}
	b := byOf("id", "", rows...).By[0]
	if len(b.Groups) != maxGroups || b.Other == nil || b.Other.Rows != 5 || b.Other.Mean.Estimate != 1 {
		t.Errorf("got %d groups and %+v for the others, want %d groups and 5 rows", len(b.Groups), b.Other, maxGroups)
	}
	if got, want := string(b.Groups[maxGroups-1].Value), strings.Repeat("é", maxGroupValue)+"…"; got != want {
		t.Errorf("got the value %q, want %q", got, want)
	}
	table := b.table(false)
	if got, want := table.Foot, "and 980 more groups; (other): rows of groups after the first 1000"; got != want {
		t.Errorf("got foot %q, want %q", got, want)
	}
}

func TestByTables(t *testing.T) {
	var rows []*result.Row
	for i := range 80 {
		value := []string{`"sea | <b>"`, `"sky \u202e"`, `null`, `"@moon"`}[i%4]
		rows = append(rows, valued(i, min(2, i%4*i%3), 2, value))
	}
	none := resulttest.NoClaims()
	none.Kept = []dataset.Column{{Name: "c", Value: []byte(`"quiet"`)}}
	rows = append(rows, none)
	for name, cluster := range map[string]string{"by": "", "by-cluster": "doc"} {
		tables := byOf("c", cluster, rows...).Tables()
		golden(t, name+".txt", tables[0].Terminal(100))
		golden(t, name+".md", tables[0].Markdown())
	}
}
