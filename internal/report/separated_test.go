package report

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
)

func readBack(t *testing.T, text string, comma rune) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestSeparatedValuesHaveOneLineARow(t *testing.T) {
	for f, comma := range map[Format]rune{FormatCSV: ',', FormatTSV: '\t'} {
		got := readBack(t, write(t, f, Options{Keep: []string{"n", "model"}}, scored(), noClaims(), failed()), comma)
		got[1][11] = got[1][11][:21] // claims, which the test of JSON has in full
		want := [][]string{
			{"index", "id", "question", "answer", "contexts", "faithfulness", "support", "status", "reason", "n_claims", "n_supported", "claims", "error", "n", "model"},
			{"7", "a", "q?", "Born in Ulm. Died.", `["born in Ulm","c\"2\n"]`, "0.3333333333333333", "0.493827", "scored", "", "2", "1", `[{"id":0,"text":"Born`, "", `{"a":[1,2]}`, "m-1"},
			{"8", "b", "", "I don't know.", `["c"]`, "", "", "no_claims", "refusal", "0", "0", "[]", "", "", ""},
			{"9", "9", "", "'=1", `["c"]`, "", "", "failed", "verdict", "", "", `[{"id":0,"text":"=1","start":0,"end":2,"verdict":null,"score":null,"reason":null,"chunk_ids":[],"evidence":[]}]`, "verdict: no reply", "", ""},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

func TestCellsThatBeginAFormulaAreMadeInert(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-1+2": "'-1+2", "@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx", "\rx": "'\rx", "\n=1": "'\n=1",
		"＝1": "'＝1", "-": "'-", "- a list": "'- a list", "+49 30 1234": "'+49 30 1234", "--1": "'--1", "+": "'+", "=": "'=",
		"-5": "-5", "+1.5e3": "+1.5e3", "5": "5", "": "", "a=b": "a=b", " =1": "' =1", "\u00a0=1": "'\u00a0=1", "\ufeff=1": "'\ufeff=1", "\u200b+1": "'\u200b+1", "\u2060\ufe0f@x": "'\u2060\ufe0f@x", "\x00=1": "'\x00=1",
		" \u200b\n -x": "' \u200b\n -x", " - a": "' - a", " a=b": " a=b", " ": " ", "\ufeff": "\ufeff", "'=1": "''=1", "''-x'": "'''-x'", "'5": "'5", "'quoted'": "'quoted'", "–5": "–5",
	} {
		r := noClaims()
		r.Row.Answer, r.Row.Kept = text, []dataset.Column{{Name: "k", Value: fmt.Appendf(nil, "%q", text)}}
		if strconv.Quote(text) != `"`+text+`"` {
			r.Row.Kept = nil // Go's quoting is not always JSON's
		}
		got := readBack(t, write(t, FormatCSV, Options{Keep: []string{"k"}}, r), ',')[1]
		if got[3] != want || (r.Row.Kept != nil && got[13] != want) {
			t.Errorf("%q became %q and %q", text, got[3], got[13])
		}
	}
}

func TestKeptValuesAreWrittenByTheirKind(t *testing.T) {
	for value, want := range map[string]string{
		`"a \"b\""`: `a "b"`, "null": "", "": "", "1.50": "1.50", "-3": "-3", "true": "true", "[1, 2]": "[1, 2]", "\"bad": "\"bad",
	} {
		r := noClaims()
		r.Row.Kept = []dataset.Column{{Name: "k", Value: []byte(value)}}
		if got := readBack(t, write(t, FormatCSV, Options{Keep: []string{"k"}}, r), ',')[1][13]; got != want {
			t.Errorf("%s became %q", value, got)
		}
	}
}

func TestAllColumnsAreThoseOfTheFirstReadableRow(t *testing.T) {
	unreadable := failed()
	unreadable.Reason = eval.StageRead
	row := func(names ...string) *eval.Result {
		r := noClaims()
		for _, name := range names {
			r.Row.Kept = append(r.Row.Kept, dataset.Column{Name: name, Value: []byte("1")})
		}
		return r
	}
	var warned []string
	o := Options{KeepAll: true, Warn: func(err error) { warned = append(warned, err.Error()) }}
	got := readBack(t, write(t, FormatCSV, o, unreadable, row("x", "=y"), row("z", "x"), row("z", "x")), ',')
	for i, want := range [][]string{{"x", "'=y"}, {"", ""}, {"1", "1"}, {"1", ""}, {"1", ""}} {
		if d := cmp.Diff(want, got[i][13:]); d != "" {
			t.Errorf("line %d: %s", i, d)
		}
	}
	want := []string{`column "z" is not in the first row and is left out of the columns of the results; name it with --keep`}
	if d := cmp.Diff(want, warned); d != "" {
		t.Error(d)
	}
}

func TestALongUnreadableBeginningIsNotHeldBack(t *testing.T) {
	unreadable := failed()
	unreadable.Reason = eval.StageRead
	var b strings.Builder
	w, err := New(FormatCSV, &b, Options{KeepAll: true})
	for range 1000 {
		if err == nil {
			err = w.Write(unreadable)
		}
	}
	if err != nil || strings.Count(b.String(), "\n") != 1001 {
		t.Error(err, strings.Count(b.String(), "\n"))
	}
}

func TestWithoutRowsThereIsAHeader(t *testing.T) {
	if got := readBack(t, write(t, FormatTSV, Options{}), '\t'); len(got) != 1 {
		t.Error(got)
	}
}
