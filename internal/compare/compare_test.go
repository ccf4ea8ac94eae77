package compare

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// row returns a scored row. The last character of a claim is its verdict: + for supported,
// - for not mentioned, ! for contradicted.
func row(id string, claims ...string) *result.Row {
	r := &result.Row{ID: id, Question: "q", Contexts: []string{"c"}, Status: result.Scored, Support: 0.5}
	for i, text := range claims {
		text, sign := text[:len(text)-1], text[len(text)-1]
		label := map[byte]result.Verdict{'+': result.Supported, '-': result.NotMentioned, '!': result.Contradicted, '~': result.Unjudged}[sign]
		start := len(r.Answer)
		r.Answer += text + " "
		r.Claims = append(r.Claims, result.Claim{ID: i, Text: text, Start: start, End: start + len(text), Verdict: label, Reason: string(sign)})
	}
	r.Faithfulness = float64(r.Supported()) / float64(r.JudgedClaims())
	return r
}

func unscored(id string, status result.Status) *result.Row {
	return &result.Row{
		ID: id, Question: "q", Contexts: []string{"c"}, Status: status, Reason: "refusal",
		Faithfulness: math.NaN(), Support: math.NaN(),
	}
}

func source(name string, rows ...*result.Row) Source {
	return Source{Name: name, Rows: func() (iter.Seq2[*result.Row, error], error) {
		return func(yield func(*result.Row, error) bool) {
			for _, r := range rows {
				copied := *r
				if !yield(&copied, nil) {
					return
				}
			}
		}, nil
	}}
}

func run(t *testing.T, o Options, was, is Source) *Comparison {
	t.Helper()
	c, err := Run(context.Background(), was, is, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRunPairsRowsByID(t *testing.T) {
	c := run(t, Options{},
		source("was", row("a", "x+", "y+"), row("b", "x+"), row("gone", "x+"), row("d", "x+"), row("d", "y-"), unscored("f", result.Failed), unscored("n", result.NoClaims)),
		source("is", row("d", "x-"), row("new", "x+"), row("b", "x+"), row("a", "x+", "y-"), unscored("f", result.NoClaims), row("d", "y-"), row("n", "x+"), row("d", "z+")),
	)
	type counts struct {
		Paired, Compared, Better, Worse, Same int
		OnlyBaseline, OnlyCandidate           RowIDs
		Was, Is                               [4]int
		WasDuplicates, IsDuplicates           RowIDs
	}
	got := counts{
		c.Paired, c.Compared, c.Better, c.Worse, c.Same, c.OnlyBaseline, c.OnlyCandidate,
		[4]int{c.Baseline.Rows, c.Baseline.Scored, c.Baseline.NoClaims, c.Baseline.Failed},
		[4]int{c.Candidate.Rows, c.Candidate.Scored, c.Candidate.NoClaims, c.Candidate.Failed},
		c.Baseline.DuplicateIDs, c.Candidate.DuplicateIDs,
	}
	want := counts{
		6, 4, 0, 2, 2,
		RowIDs{1, []string{"gone"}},
		RowIDs{2, []string{"new", "d"}},
		[4]int{7, 5, 1, 1},
		[4]int{8, 7, 1, 0},
		RowIDs{1, []string{"d"}},
		RowIDs{2, []string{"d", "d"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]Transition{
		{result.Failed, result.NoClaims, RowIDs{1, []string{"f"}}},
		{result.NoClaims, result.Scored, RowIDs{1, []string{"n"}}},
	}, c.Unscored); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got, want := c.Difference.Estimate, (-1.0-0.5)/4; math.Abs(got-want) > 1e-12 {
		t.Errorf("difference: got %v, want %v", got, want)
	}
	if c.Baseline.Mean != 0.75 || c.Candidate.Mean != 0.375 {
		t.Errorf("means: got %v and %v, want 0.75 and 0.375", c.Baseline.Mean, c.Candidate.Mean)
	}
	var ids []string
	for _, change := range c.Changes {
		ids = append(ids, change.Candidate.ID)
	}
	if got := strings.Join(ids, " "); got != "d a" {
		t.Errorf("changed rows: got %q, want %q", got, "d a")
	}
}

func TestRunFindsChangedClaims(t *testing.T) {
	c := run(t, Options{},
		source("was",
			row("a", "x+", "y-", "x+", "only here+"), // x occurs twice
			row("b", "It is so+", "And so-"),
			row("c", "x-", "y!"),
		),
		source("is",
			row("a", "y+", "x-", "x+", "only there-", "and there+"),
			row("b", "It is so-", "And so-"),
			row("c", "x!", "y-"),
		),
	)
	want := Claims{Matched: 7, Lost: 2, Gained: 1, OnlyBaseline: Unmatched{1, 1}, OnlyCandidate: Unmatched{2, 1}}
	if c.Claims != want {
		t.Errorf("got %+v, want %+v", c.Claims, want)
	}
	if c.Baseline.Claims != 8 || c.Baseline.Supported != 4 || c.Candidate.Claims != 9 || c.Candidate.Supported != 3 {
		t.Errorf("claims: got %d of %d and %d of %d supported, want 4 of 8 and 3 of 9",
			c.Baseline.Supported, c.Baseline.Claims, c.Candidate.Supported, c.Candidate.Claims)
	}
	if c.Changed != 2 || len(c.Changes) != 2 { // contradicted instead of not mentioned is no change
		t.Errorf("got %d changed rows, want 2", c.Changed)
	}
	a := c.Changes[1]
	if d := cmp.Diff([]Match{{1, 0, Gained}, {0, 1, Lost}, {2, 2, Unchanged}, {-1, 3, OnlyCandidate}, {-1, 4, OnlyCandidate}, {3, -1, OnlyBaseline}}, a.Claims); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if a.Count(OnlyCandidate) != 2 || a.Baseline.Claims[0].Reason != "+" || a.Candidate.Claims[1].Reason != "-" {
		t.Errorf("got %+v, want 2 claims only in the candidate, and the reasons of both runs", a)
	}
}

func TestUnjudgedClaimsAreNeitherLostNorGained(t *testing.T) {
	c := run(t, Options{},
		source("was", row("a", "x+", "y+", "z~"), row("b", "x+")),
		source("is", row("a", "x+", "y~", "z+"), &result.Row{ID: "b", Status: result.UnjudgedRow, Faithfulness: math.NaN(), Support: math.NaN()}),
	)
	if want := (Claims{Matched: 3}); c.Claims != want || c.Changed != 0 {
		t.Errorf("got %+v and %d changed rows, want %+v and 0", c.Claims, c.Changed, want)
	}
	if c.Baseline.Claims != 2 || c.Candidate.Claims != 2 || c.Candidate.Unjudged != 1 || c.Compared != 1 {
		t.Errorf("got %+v, %+v and %d compared rows, want 2 judged claims each, 1 unjudged row, 1 compared row", c.Baseline, c.Candidate, c.Compared)
	}
}

func TestRunWarnsOfDifferentInputs(t *testing.T) {
	summary := func(total int, version string, settings ...string) *report.Summary {
		s := &report.Summary{Ragfaith: version, Rows: report.SummaryRows{Total: total, Scored: total}}
		for i := 0; i < len(settings); i += 2 {
			s.Settings = append(s.Settings, result.Setting{Name: settings[i], Value: settings[i+1]})
		}
		return s
	}
	question := row("q", "x+")
	question.Question = "different"
	contexts := row("c\x1b[31m", "x+")
	contexts.Contexts = []string{"", "c"}
	was := source("was", row("q", "x+"), row("c\x1b[31m", "x+"), row("f", "x+"), row("u", "x+"))
	is := source("is", question, contexts, unscored("f", result.Failed))
	was.Summary = summary(4, "1.0", "--judge", "lexical", "--limit", "0", "--profile", "ragas", "--keep", "label")
	is.Summary = summary(9, "1.1", "--judge", "llm", "--limit", "5", "--model", "m")
	c := run(t, Options{}, was, is)
	var got []string
	for _, w := range c.Warnings {
		got = append(got, string(w.Kind)+": "+w.Text)
	}
	if d := cmp.Diff([]string{
		"settings: --judge differs: baseline lexical, candidate llm",
		"settings: --model differs: baseline not set, candidate m",
		"settings: --profile differs: baseline ragas, candidate not set",
		"version: the version differs: baseline 1.0, candidate 1.1",
		"questions: the question differs in 1 of 3 rows with the same id (q)",
		`contexts: the contexts differ in 1 of 3 rows with the same id (c\x1b[31m)`,
		"unscored: not compared, scored in the baseline and failed in the candidate: 1 row (f)",
		"unpaired: 1 row is only in the baseline and not compared (u)",
	}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	is.Summary = nil
	c = run(t, Options{}, was, is)
	if w := c.Warnings[0]; w.Kind != Summary || w.Text != "cannot check that judge, model and prompts are the same: no summary of is" {
		t.Error(w)
	}
}

func TestRunComparesGroupsOfRows(t *testing.T) {
	var was, is []*result.Row
	for i := range 30 {
		name := string(rune('a'+i)) + "/"
		was = append(was, row(name+"1", "x+"), row(name+"2", "x+"), row(name+"3", "x+"))
		for _, r := range was[len(was)-3:] {
			r.Kept = []dataset.Column{{Name: "doc", Value: fmt.Appendf(nil, "%q", name)}}
		}
		sign := "+"
		if i < 8 {
			sign = "-"
		}
		is = append(is, row(name+"1", "x"+sign), row(name+"2", "x"+sign), row(name+"3", "x+"))
	}
	was, is = append(was, row("alone", "x+")), append(is, row("alone", "x+"))
	c := run(t, Options{Cluster: "doc"}, source("was", was...), source("is", is...))
	if c.Difference.N != 31 || c.Compared != 91 || c.Worse != 16 {
		t.Errorf("got %d units, %d rows, %d rows worse, want 31, 91 and 16", c.Difference.N, c.Compared, c.Worse)
	}
	if got, want := c.Difference.Estimate, -16.0/91; math.Abs(got-want) > 1e-12 {
		t.Errorf("difference: got %v, want %v", got, want)
	}
	rows := run(t, Options{}, source("was", was...), source("is", is...))
	if a, b := rows.Permutation.P, c.Permutation.P; a >= b/10 {
		t.Errorf("got p-values of %v for rows and %v for groups, want a much larger one for groups", a, b)
	}
}

func TestRunLimitsChangesToTheWorst(t *testing.T) {
	var was, is []*result.Row
	signs := map[bool]string{true: "+", false: "-"}
	for i := range 60 {
		id := string(rune('A' + i))
		was = append(was, row(id, "x"+signs[i < 40], "y"+signs[i%2 == 0], "z+"))
		is = append(is, row(id, "x"+signs[i >= 40], "y"+signs[i%2 == 0], "z+"))
	}
	c := run(t, Options{MaxChanges: 8}, source("was", was...), source("is", is...))
	var got []float64
	for _, change := range c.Changes {
		got = append(got, math.Round(change.Difference*100)/100)
		if change.Baseline.Contexts != nil || change.Baseline.ID != change.Candidate.ID {
			t.Errorf("got change %+v, want one row without contexts", change)
		}
	}
	if d := cmp.Diff([]float64{-0.33, -0.33, -0.33, -0.33, -0.33, -0.33, -0.33, -0.33}, got); d != "" || c.Changed != 60 {
		t.Error(d, c.Changed)
	}
	if c.Histogram[6] != 40 || c.Histogram[14] != 20 { // by 0.3 to 0.4
		t.Error(c.Histogram)
	}
}

func TestBin(t *testing.T) {
	for d, want := range map[float64]int{0: 10, 1e-12: 10, -1e-12: 10, 0.05: 11, 0.1: 11, 0.1000001: 12, -0.05: 9, -0.1: 9, -0.3: 7, 0.3: 13, 1: 20, -1: 0, -0.95: 0} {
		if got := bin(d); got != want {
			t.Errorf("bin(%v): got %d, want %d", d, got, want)
		}
	}
}

func TestRunReturnsErrors(t *testing.T) {
	_, err := Run(context.Background(), source("was", row("a", "x+")), source("is", row("b", "x+")), Options{})
	if err == nil || err.Error() != "was and is have no row ids in common" {
		t.Error(err)
	}
	broken := errors.New("broken")
	bad := Source{Name: "bad", Rows: func() (iter.Seq2[*result.Row, error], error) {
		return func(yield func(*result.Row, error) bool) { yield(nil, broken) }, nil
	}}
	for _, pair := range [][2]Source{{bad, source("is", row("a", "x+"))}, {source("was", row("a", "x+")), bad}} {
		if _, err := Run(context.Background(), pair[0], pair[1], Options{}); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, source("was", row("a", "x+")), source("is", row("a", "x+")), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	n := 0
	moving := Source{Name: "moving", Rows: func() (iter.Seq2[*result.Row, error], error) {
		n++
		return source("", row(map[int]string{1: "a", 2: "b"}[n], "x-")).Rows()
	}}
	if _, err := Run(context.Background(), source("was", row("a", "x+")), moving, Options{}); err == nil || err.Error() != "was or moving changed while being read" {
		t.Error(err)
	}
}
