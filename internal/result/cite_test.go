package result_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

func TestCitationsRoundTrip(t *testing.T) {
	failed := resulttest.WithCitations()
	failed.Status, failed.Reason, failed.Err = result.Failed, result.StageVerdict, errors.New("no reply")
	failed.Faithfulness, failed.Support = math.NaN(), math.NaN()
	failed.Citations.Recall, failed.Citations.Precision = math.NaN(), math.NaN()
	for i := range failed.Claims {
		c := &failed.Claims[i]
		c.Verdict, c.Score = "", math.NaN()
		for k := range c.Citations {
			c.Citations[k].Verdict = ""
		}
	}
	for _, want := range []*result.Row{resulttest.WithCitations(), failed} {
		got, err := decode(string(want.AppendJSON(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]any{want.Citations, want.Claims}, []any{got.Citations, got.Claims}, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
	}
}

func TestDecodeRejectsEditedCitations(t *testing.T) {
	line := string(resulttest.WithCitations().AppendJSON(nil))
	const second = `"chunk":1,"verdict":"not_mentioned"`
	for _, tt := range []struct{ old, edited, want string }{
		{`"citation_recall":0.6666666666666666`, `"citation_recall":1.0`, "citation_recall: got 1, want 1 to 2 of 3"},
		{`"citation_recall":0.6666666666666666`, `"citation_recall":0.0`, "citation_recall: got 0, want 1 to 2 of 3"},
		{`"citation_recall":0.6666666666666666`, `"citation_recall":0.6`, "citation_recall: got 0.6, want 1 to 2 of 3"},
		{`"citation_recall":0.6666666666666666`, `"citation_recall":null`, "citation_recall: got null, want 1 to 2 of 3"},
		{`"citation_precision":0.75`, `"citation_precision":1.0`, "citation_precision: got 1, want 1 to 3 of 4"},
		{`"citation_precision":0.75`, `"citation_precision":0.0`, "citation_precision: got 0, want 1 to 3 of 4"},
		{`"unresolved_citations":1`, `"unresolved_citations":0`, "unresolved_citations: got 0, want 1"},
		{`,"unresolved_citations":1`, ``, "unresolved_citations: got null, want 1"},
		{second, `"chunk":-1,"verdict":"not_mentioned"`, "chunk: got -1, want 0 or more"},
		{second, `"chunk":1,"verdict":"maybe"`, `verdict: unknown "maybe"`},
		{second, `"chunk":0,"verdict":"supported"`, "citation_precision: got 0.75, want 1 to 3 of 3"},
		{second, `"chunk":null,"verdict":null`, "unresolved_citations: got 1, want 2"},
		{second, `"chunk":1,"verdict":"not_mentioned","x":1`, "x: unknown"},
	} {
		edited := strings.Replace(line, tt.old, tt.edited, 1)
		_, err := decode(edited)
		if edited == line || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.edited, err, tt.want)
		}
	}
	without := string(resulttest.Scored().AppendJSON(nil))
	for _, member := range []string{`"citation_recall":0.5`, `"citation_precision":0.5`, `"unresolved_citations":0`} {
		if _, err := decode(strings.Replace(without, `"status"`, member+`,"status"`, 1)); err == nil {
			t.Errorf("got no error for %s in a row without citations", member)
		}
	}
}

// decode decodes and checks a row.
func decode(line string) (*result.Row, error) {
	return result.NewDecoder(new(result.Checker)).Decode([]byte(line))
}
