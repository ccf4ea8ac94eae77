package result_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

// readCSV returns the records of a CSV or TSV text.
func readCSV(t *testing.T, text string, comma rune) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestCSVAndTSVHaveOneRecordPerRow(t *testing.T) {
	for f, comma := range map[dataset.Format]rune{dataset.CSV: ',', dataset.TSV: '\t'} {
		got := readCSV(t, write(t, f, result.Options{Keep: []string{"n", "model"}}, resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed()), comma)
		got[1][13] = got[1][13][:21] // the start of the claims
		want := [][]string{
			{"index", "id", "question", "answer", "contexts", "faithfulness", "support", "confidence", "status", "reason", "n_claims", "n_supported", "unjudged_share", "claims", "error", "citation_recall", "citation_precision", "unresolved_citations", "n", "model"},
			{"7", "a", "q?", "Born in Ulm. Died.", `["born in Ulm","c\"2\n"]`, "0.3333333333333333", "0.493827", "", "scored", "", "2", "1", "0.25", `[{"id":0,"text":"Born`, "", "", "", "", `{"a":[1,2]}`, "m-1"},
			{"8", "b", "", "I don't know.", `["c"]`, "", "", "", "no_claims", "refusal", "0", "0", "1.0", "[]", "", "", "", "", "", ""},
			{"9", "9", "", "'=1", `["c"]`, "", "", "", "failed", "verdict", "", "", "", `[{"id":0,"text":"=1","start":0,"end":2,"verdict":null,"score":null,"confidence":null,"reason":null,"chunk_ids":[],"evidence":[]}]`, "verdict: no reply", "", "", "", "", ""},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

func TestCSVEscapesFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-1+2": "'-1+2", "@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx", "\rx": "'\rx", "\n=1": "'\n=1",
		"＝1": "'＝1", "-": "'-", "- a list": "'- a list", "+49 30 1234": "'+49 30 1234", "--1": "'--1", "+": "'+", "=": "'=",
		"-5": "-5", "+1.5e3": "+1.5e3", "5": "5", "": "", "a=b": "a=b", " =1": "' =1", "\u00a0=1": "'\u00a0=1", "\ufeff=1": "'\ufeff=1", "\u200b+1": "'\u200b+1", "\u2060\ufe0f@x": "'\u2060\ufe0f@x", "\x00=1": "'\x00=1",
		" \u200b\n -x": "' \u200b\n -x", " - a": "' - a", " a=b": " a=b", " ": " ", "\ufeff": "\ufeff", "'=1": "''=1", "''-x'": "'''-x'", "'5": "'5", "'quoted'": "'quoted'", "–5": "–5",
	} {
		r := resulttest.NoClaims()
		r.Answer, r.Kept = text, []dataset.Column{{Name: "k", Value: fmt.Appendf(nil, "%q", text)}}
		if strconv.Quote(text) != `"`+text+`"` {
			r.Kept = nil // the quoting of Go and JSON differs
		}
		got := readCSV(t, write(t, dataset.CSV, result.Options{Keep: []string{"k"}}, r), ',')[1]
		if got[3] != want || (r.Kept != nil && got[18] != want) {
			t.Errorf("%q: got %q and %q, want %q", text, got[3], got[18], want)
		}
	}
}

func TestCSVKeptValues(t *testing.T) {
	for value, want := range map[string]string{
		`"a \"b\""`: `a "b"`, "null": "", "": "", "1.50": "1.50", "-3": "-3", "true": "true", "[1, 2]": "[1, 2]", "\"bad": "\"bad",
	} {
		r := resulttest.NoClaims()
		r.Kept = []dataset.Column{{Name: "k", Value: []byte(value)}}
		if got := readCSV(t, write(t, dataset.CSV, result.Options{Keep: []string{"k"}}, r), ',')[1][18]; got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

func TestCSVKeepsColumnsOfFirstReadableRow(t *testing.T) {
	unreadable := resulttest.JudgeFailed()
	unreadable.Reason = result.StageRead
	row := func(names ...string) *result.Row {
		r := resulttest.NoClaims()
		for _, name := range names {
			r.Kept = append(r.Kept, dataset.Column{Name: name, Value: []byte("1")})
		}
		return r
	}
	var warnings []string
	o := result.Options{KeepAll: true, Warn: func(err error) { warnings = append(warnings, err.Error()) }}
	got := readCSV(t, write(t, dataset.CSV, o, unreadable, row("x", "=y"), row("z", "x"), row("z", "x")), ',')
	for i, want := range [][]string{{"x", "'=y"}, {"", ""}, {"1", "1"}, {"1", ""}, {"1", ""}} {
		if d := cmp.Diff(want, got[i][18:]); d != "" {
			t.Errorf("line %d: %s", i, d)
		}
	}
	want := []string{`column "z" is not in the first row and is left out of the columns of the results; name it with --keep`}
	checkDiff(t, want, warnings)
}

func TestCSVDoesNotHoldBackManyUnreadableRows(t *testing.T) {
	unreadable := resulttest.JudgeFailed()
	unreadable.Reason = result.StageRead
	var b strings.Builder
	w, err := result.NewWriter(dataset.CSV, &b, result.Options{KeepAll: true})
	for range 1000 {
		if err == nil {
			err = w.Write(unreadable)
		}
	}
	if err != nil || strings.Count(b.String(), "\n") != 1001 {
		t.Errorf("got %d lines and %v, want 1001", strings.Count(b.String(), "\n"), err)
	}
}

func TestTSVWithoutRowsHasHeader(t *testing.T) {
	if got := readCSV(t, write(t, dataset.TSV, result.Options{}), '\t'); len(got) != 1 {
		t.Errorf("got %q, want only a header", got)
	}
}

func TestCSVHasCitationColumns(t *testing.T) {
	rows := append(slices.Repeat([]*result.Row{resulttest.NoClaims()}, 2*result.MaxEarly), resulttest.WithCitations())
	got := readCSV(t, write(t, dataset.CSV, result.Options{}, rows...), ',')
	checkDiff(t, []string{"citation_recall", "citation_precision", "unresolved_citations"}, got[0][15:])
	checkDiff(t, []string{"", "", ""}, got[1][15:])
	checkDiff(t, []string{"0.6666666666666666", "0.75", "1"}, got[len(rows)][15:])
	if claims := got[len(rows)][13]; !strings.Contains(claims, `"citations"`) {
		t.Errorf("got claims %s, want their citations", claims)
	}
}

func TestCSVWritesRowsAtOnce(t *testing.T) {
	var b strings.Builder
	w, err := result.NewWriter(dataset.CSV, &b, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := w.Write(resulttest.NoClaims()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "\n"); got != i+2 {
			t.Errorf("after row %d: got %d lines, want %d", i, got, i+2)
		}
	}
}

func TestNamesContainsCSVColumns(t *testing.T) {
	header := readCSV(t, write(t, dataset.CSV, result.Options{}, resulttest.WithCitations()), ',')[0]
	for _, name := range header {
		if !slices.Contains(result.Names(), name) {
			t.Errorf("got %v, want it to contain %q", result.Names(), name)
		}
	}
}
