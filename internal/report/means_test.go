package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// someTally returns a Tally with a mean with an interval and one without.
func someTally() *Tally {
	return &Tally{means: &Means{
		Rows:    stats.Interval{Estimate: 0.3, Lower: 0.2, Upper: 0.45678, Confidence: 0.95, N: 31, Method: stats.BCa},
		Claims:  stats.Interval{Estimate: 0.25, Lower: math.NaN(), Upper: math.NaN(), Confidence: 0.95, N: 9, Method: stats.TooFew, Note: "9 is too few"},
		Counted: 77, Cluster: "a|`b`", Seed: 3,
	}}
}

// scoredRow returns a row with the given numbers of supported claims and claims. Its kept
// column doc is the JSON value doc, if any.
func scoredRow(index, supported, claims int, doc string) *result.Row {
	r := &result.Row{
		Index: index, ID: fmt.Sprint("row-", index), Question: fmt.Sprint("q", index%25), Contexts: []string{fmt.Sprint("c", index%30), strings.Repeat("x", 100)},
		Status: result.Scored, Faithfulness: float64(supported) / float64(claims), Support: 0.5,
		Claims: slices.Repeat([]result.Claim{{Verdict: result.NotMentioned}}, claims),
	}
	if doc != "" {
		r.Kept = []dataset.Column{{Name: "other", Value: []byte("1")}, {Name: "doc", Value: []byte(doc)}}
	}
	for i := range supported {
		r.Claims[i].Verdict = result.Supported
	}
	return r
}

// meansOf returns the means of rows.
func meansOf(cluster string, seed uint64, rows ...*result.Row) *Means {
	return feed(NewTally(cluster, nil, seed), rows...).Means()
}

// randomRows returns n rows. Rows of the same document have similar scores.
func randomRows(n, documents int) []*result.Row {
	random := rand.New(rand.NewPCG(5, 6))
	var rows []*result.Row
	for i := range n {
		claims := 1 + random.IntN(6)
		doc := i % documents
		rows = append(rows, scoredRow(i, min(claims, doc%3+random.IntN(2)), claims, fmt.Sprintf(`"d%d"`, doc)))
	}
	return rows
}

func TestMeansMatchSamples(t *testing.T) {
	rows := append(randomRows(60, 10), resulttest.JudgeFailed(), resulttest.NoClaims())
	var byRow, byClaim stats.Sample
	for _, r := range rows[:60] {
		byRow.Add(r.Faithfulness, 1)
		byClaim.Add(float64(r.Supported()), float64(len(r.Claims)))
	}
	got := meansOf("", 7, rows...)
	o := stats.Options{Seed: 7}
	for name, want := range map[string][2]stats.Interval{"rows": {byRow.Interval(o), got.Rows}, "claims": {byClaim.Interval(o), got.Claims}} {
		if d := cmp.Diff(want[0], want[1], cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if again := meansOf("", 7, rows...); !cmp.Equal(again, got) {
		t.Errorf("same seed: got %+v, then %+v", *got, *again)
	}
	if other := meansOf("", 8, rows...); other.Rows == got.Rows {
		t.Error("got the same interval for another seed")
	}
	slices.Reverse(rows)
	if reversed := meansOf("", 7, rows...); !cmp.Equal(reversed, got) {
		t.Errorf("reversed rows: got %+v, want %+v", *reversed, *got)
	}
}

func TestClaimMeanIgnoresRowsWithoutClaims(t *testing.T) {
	none := resulttest.NoClaims()
	none.Faithfulness = 0
	rows := append(randomRows(30, 10), none)
	for _, cluster := range []string{"", "id"} {
		m := meansOf(cluster, 0, rows...)
		if m.Rows.N != 31 || m.Claims.N != 30 {
			t.Errorf("cluster %q: got %d rows and %d with claims, want 31 and 30", cluster, m.Rows.N, m.Claims.N)
		}
	}
}

func TestClusterWidensIntervals(t *testing.T) {
	rows := randomRows(300, 25)
	single, grouped := meansOf("", 0, rows...), meansOf("doc", 0, rows...)
	if grouped.Rows.N != 25 || grouped.Claims.N != 25 || single.Rows.N != 300 {
		t.Errorf("got %d and %d groups of %d rows, want 25 of 300", grouped.Rows.N, grouped.Claims.N, single.Rows.N)
	}
	if grouped.Rows.Estimate != single.Rows.Estimate || grouped.Claims.Estimate != single.Claims.Estimate {
		t.Errorf("got means %v and %v, want %v and %v as without groups", grouped.Rows.Estimate, grouped.Claims.Estimate, single.Rows.Estimate, single.Claims.Estimate)
	}
	width := func(i stats.Interval) float64 { return i.Upper - i.Lower }
	if width(grouped.Rows) < 2*width(single.Rows) {
		t.Errorf("got %v, want at least twice the width of %v", grouped.Rows, single.Rows)
	}
	for column, want := range map[string]int{"question": 25, "contexts": 30, "id": 300, "answer": 300, "missing": 300} {
		if got := meansOf(column, 0, rows...).Rows.N; got != want {
			t.Errorf("%s: got %d groups, want %d", column, got, want)
		}
	}
}

func TestEqualClusterValuesAreGrouped(t *testing.T) {
	for _, tt := range []struct {
		values []string
		groups int
	}{
		{[]string{`"a"`, `"a"`, `"b"`}, 2},
		{[]string{`1`, `"1"`, `1.0`, `1.00`}, 1},
		{[]string{`1.5`, `1.50`, `"1."`}, 3},
		{[]string{`"x.0"`, `"x"`}, 2},
		{[]string{`null`, `null`, `""`, ``}, 4}, // null and empty values are not grouped
		{[]string{`"row 1"`, `null`}, 2},
		{[]string{`[1,2]`, `[1,2]`, `{"a":1}`}, 2},
		{[]string{`"` + strings.Repeat("y", 200) + `"`, `"` + strings.Repeat("y", 200) + `"`, `"` + strings.Repeat("y", 201) + `"`}, 2},
		{[]string{`true`, `false`, `true`}, 2},
	} {
		var rows []*result.Row
		for i, v := range tt.values {
			rows = append(rows, scoredRow(i, 1, 1, v))
		}
		if got := meansOf("doc", 0, rows...).Rows.N; got != tt.groups {
			t.Errorf("%q: got %d groups, want %d", tt.values, got, tt.groups)
		}
	}
}

func TestMeansFormat(t *testing.T) {
	for _, tt := range []struct {
		name  string
		means *Means
		want  []string
	}{
		{"no rows", meansOf("", 0), nil},
		{"no scores", meansOf("", 0, resulttest.JudgeFailed(), resulttest.NoClaims()), nil},
		{"too few rows", meansOf("", 0, scoredRow(0, 1, 2, "")), []string{
			"rows: 0.5000, no 95% interval (n = 1 row: too few for an interval (minimum 20))",
			"claims: 0.5000, no 95% interval (n = 1 row with 2 claims: too few for an interval (minimum 20))",
		}},
		{"groups", meansOf("doc", 0, randomRows(300, 25)...), []string{
			"rows: 0.4884, 95% interval 0.3943 to 0.5785 (n = 25 groups by doc, BCa bootstrap)",
			"claims: 0.3826, 95% interval 0.2987 to 0.4687 (n = 25 groups by doc with 1035 claims, BCa bootstrap)",
		}},
		{"equal scores", meansOf("", 0, slices.Repeat([]*result.Row{scoredRow(0, 2, 2, "")}, 30)...), []string{
			"rows: 1.0000, 95% interval 0.8843 to 1.0000 (n = 30 rows: all 30 values are equal: conservative bounds, valid for any values from 0 to 1)",
			"claims: 1.0000, 95% interval 0.8843 to 1.0000 (n = 30 rows with 60 claims: all 30 values are equal: conservative bounds, valid for any values from 0 to 1)",
		}},
		{"escape sequence in cluster", &Means{Rows: stats.Interval{Estimate: 1, N: 2, Note: "x", Method: stats.TooFew}, Cluster: "a\x1b[31m\n"}, []string{
			`rows: 1.0000, no 95% interval (n = 2 groups by a\x1b[31m: x)`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range tt.means.Format() {
				got = append(got, m.Of+": "+m.String())
			}
			checkDiff(t, tt.want, got)
		})
	}
}

// The golden files of other reports have the means.
func TestTableShowsMeans(t *testing.T) {
	got := write(t, FormatTable, Options{Tally: someTally(), Gates: someGates}, resulttest.Scored())
	want := "mean of rows    0.3000, 95% interval 0.2000 to 0.4568 (n = 31 groups by a|`b`, BCa bootstrap)\n" +
		"mean of claims  0.2500, no 95% interval (n = 9 groups by a|`b` with 77 claims: 9 is too few)\nscored 1,"
	if !strings.Contains(got, want) {
		t.Errorf("got %s\nwant it to contain %q", got, want)
	}
}
