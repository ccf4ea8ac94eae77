package report

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// citing is a result of three claims: one cites two chunks of which one supports it,
// one two that may support it together, and one what resolves to nothing.
func citing() *eval.Result {
	supported := verdict.Verdict{Label: verdict.Supported, Score: 1}
	r := &eval.Result{
		Row:    dataset.Row{Index: 12, ID: "cites", Answer: "sun [1][2]. moon [1, 3]. star [<b>].", Contexts: []string{"sun", "x", "y"}},
		Status: eval.Scored,
		Claims: []extract.Claim{{Text: "sun.", Start: 0, End: 11}, {ID: 1, Text: "moon.", Start: 12, End: 24}, {ID: 2, Text: "star.", Start: 25, End: 36}},
		Cited: &eval.Cited{Citations: [][]eval.Citation{
			{{Text: "[1]", Start: 4, End: 7, Judged: true, Label: verdict.Supported}, {Text: "[2]", Start: 7, End: 10, Chunk: 1, Judged: true}},
			{{Text: "[1, 3]", Start: 17, End: 23, Judged: true}, {Text: "[1, 3]", Start: 17, End: 23, Chunk: 2, Judged: true, Label: verdict.Contradicted}},
			{{Text: "[<b>]", Start: 30, End: 35, Chunk: -1}},
		}, Recall: 2.0 / 3, Precision: 0.75},
		Faithfulness: 1, Support: 1,
	}
	for i := range r.Claims {
		supported.ClaimID = i
		r.Verdicts = append(r.Verdicts, supported)
	}
	return r
}

func TestCitationsAreReadAsTheyWereWritten(t *testing.T) {
	failed := citing()
	failed.Status, failed.Reason, failed.Err = eval.Failed, eval.StageVerdict, errors.New("no reply")
	failed.Verdicts, failed.Faithfulness, failed.Support = nil, math.NaN(), math.NaN()
	failed.Cited.Recall, failed.Cited.Precision = math.NaN(), math.NaN()
	for _, list := range failed.Cited.Citations {
		for i := range list {
			list[i].Judged, list[i].Label = false, 0
		}
	}
	for _, want := range []*eval.Result{citing(), failed} {
		var p ResultParser
		got, err := p.Parse(AppendResult(nil, want))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.Cited, got.Cited, cmpopts.EquateNaNs()); d != "" {
			t.Error(d)
		}
	}
}

func TestEditedCitationsAreRefused(t *testing.T) {
	line := string(AppendResult(nil, citing()))
	const second = `"chunk":1,"verdict":"not_mentioned"`
	for _, tt := range []struct{ old, edited, want string }{
		{`"citation_recall":0.6666666666666666`, `"citation_recall":1.0`, "citation_recall: got 1, want 1 to 2 of 3"},
		{`"citation_recall":0.6666666666666666`, `"citation_recall":0.0`, "citation_recall: got 0, want 1 to 2 of 3"},
		{`"citation_recall":0.6666666666666666`, `"citation_recall":0.6`, "citation_recall: got 0.6, want 1 to 2 of 3"},
		{`"citation_recall":0.6666666666666666`, `"citation_recall":null`, "citation_recall: got null, want 1 to 2 of 3"},
		{`"citation_precision":0.75`, `"citation_precision":1.0`, "citation_precision: got 1, want 3 of 4"},
		{`"citation_precision":0.75`, `"citation_precision":0.0`, "citation_precision: got 0, want 3 of 4"},
		{`"unresolved_citations":1`, `"unresolved_citations":0`, "unresolved_citations: got 0, want 1"},
		{`,"unresolved_citations":1`, ``, "unresolved_citations: got null, want 1"},
		{second, `"chunk":3,"verdict":"not_mentioned"`, "claim 0: citation 1: chunk: got 3, want null or an id below 3, the number of contexts"},
		{second, `"chunk":-1,"verdict":"not_mentioned"`, "chunk: got -1, want 0 or more"},
		{second, `"chunk":1,"verdict":"maybe"`, `verdict: unknown "maybe"`},
		{second, `"chunk":1,"verdict":null`, "claim 0: citation 1: verdict: got null, want a text"},
		{second, `"chunk":1,"verdict":"supported"`, "citation_precision: got 0.75, want 4 of 4"},
		{second, `"chunk":null,"verdict":null`, "unresolved_citations: got 1, want 2"},
		{second, `"chunk":1,"verdict":"not_mentioned","x":1`, "x: unknown"},
		{`"text":"[2]"`, `"text":"[3]"`, `claim 0: citation 1: text: got "[3]", want "[2]"`},
		{`"start":7,"end":10`, `"start":7,"end":99`, "claim 0: citation 1: start and end: got 7 and 99"},
	} {
		edited := strings.Replace(line, tt.old, tt.edited, 1)
		var p ResultParser
		_, err := p.Parse([]byte(edited))
		if edited == line || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.edited, err, tt.want)
		}
	}
	var p ResultParser
	without := string(AppendResult(nil, scored()))
	for _, member := range []string{`"citation_recall":0.5`, `"citation_precision":0.5`, `"unresolved_citations":0`} {
		if _, err := p.Parse([]byte(strings.Replace(without, `"status"`, member+`,"status"`, 1))); err == nil {
			t.Errorf("a row without citations has %s", member)
		}
	}
}

func TestSeparatedValuesHaveColumnsOfCitationsOnlyIfAnEarlyRowCites(t *testing.T) {
	rows := func(n int, more ...*eval.Result) []*eval.Result {
		var all []*eval.Result
		for range n {
			all = append(all, noClaims())
		}
		return append(all, more...)
	}
	const header = "n_claims,n_supported,claims,error"
	for _, tt := range []struct {
		rows  []*eval.Result
		cites bool
		warns int
	}{
		{rows(0), false, 0},
		{rows(3), false, 0},
		{rows(3, citing()), true, 0},
		{rows(earlyMax-1, citing(), noClaims()), true, 0},
		{rows(2*earlyMax, citing(), citing()), false, 1},
	} {
		warns := 0
		got := readBack(t, write(t, FormatCSV, Options{Warn: func(error) { warns++ }}, tt.rows...), ',')
		has := strings.HasSuffix(strings.Join(got[0], ","), header+",citation_recall,citation_precision,unresolved_citations")
		if has != tt.cites || !has && !strings.HasSuffix(strings.Join(got[0], ","), header) || warns != tt.warns || len(got) != len(tt.rows)+1 {
			t.Errorf("%d rows: got %d lines, %d warnings and the header %s", len(tt.rows), len(got), warns, got[0])
		}
		for i, line := range got[1:] {
			if cites := strings.Contains(fmt.Sprint(line), `"citations"`); cites != (tt.cites && tt.rows[i].Cited != nil) {
				t.Errorf("row %d of %d: %s", i, len(tt.rows), line)
			}
		}
	}
}

func TestSeparatedValuesWaitForNothingAfterACitation(t *testing.T) {
	var b strings.Builder
	w, err := New(FormatCSV, &b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 3, 4} { // lines
		r := noClaims()
		if i == 1 {
			r = citing()
		}
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "\n"); got != want {
			t.Errorf("after row %d: got %d lines, want %d", i, got, want)
		}
	}
}

func TestATallyCountsCitations(t *testing.T) {
	var none, all Tally
	_ = none.Write(scored())
	if none.Cited() != "" || !math.IsNaN(none.Citations.Recall()) || none.Citations.summary() != nil {
		t.Error(none.Cited())
	}
	for _, r := range []*eval.Result{citing(), scored(), noClaims(), failed(), citing()} {
		_ = all.Write(r)
	}
	want := "recall 0.4444, precision 0.7500 (2 of 5 rows cite, 2 citations resolve to nothing)"
	if got := all.Cited(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var f Figures
	_ = f.Write(citing())
	text, err := f.Summary(nil, nil).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSummary(strings.NewReader(string(text))); err != nil {
		t.Error(err)
	}
	edited := strings.Replace(string(text), `"unresolved": 1`, `"unresolved": -1`, 1)
	if _, err := ReadSummary(strings.NewReader(edited)); err == nil || edited == string(text) {
		t.Error("an edited summary is read")
	}
	if s := all.Citations.summary(); s.check(5) != nil || s.check(1) == nil {
		t.Errorf("%+v", s)
	}
	for _, s := range []SummaryCitations{{Rows: 0}, {Rows: 1, Recall: 1.5}, {Rows: 1, Precision: -1}, {Rows: 1, Unresolved: -1}} {
		if s.check(5) == nil {
			t.Errorf("%+v is no error", s)
		}
	}
}
