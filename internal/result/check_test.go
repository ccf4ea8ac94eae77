package result_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

func TestCheckerDetectsEdits(t *testing.T) {
	null := math.NaN()
	refusal := func(r *result.Row) {
		*r = result.Row{Answer: r.Answer, Status: result.NoClaims, Reason: "refusal", Faithfulness: 1, Support: null}
	}
	unjudged := func(r *result.Row) {
		r.Claims[2].Verdict, r.Claims[2].Score = result.Unjudged, null
		r.Faithfulness, r.Support = 1, 0.75
	}
	for name, tt := range map[string]struct {
		edit func(r *result.Row)
		want string // prefix of the error; "" for no error
	}{
		"unchanged":                     {edit: func(*result.Row) {}},
		"rounded by a reader":           {edit: func(r *result.Row) { r.Faithfulness = math.Nextafter(2.0/3, 1); r.Support = 0.600001 }},
		"support beyond rounding error": {edit: func(r *result.Row) { r.Support = 0.60000105 }, want: "support: got 0.60000105, want 0.6 "},
		"faithfulness beyond tolerance": {edit: func(r *result.Row) { r.Faithfulness += 2e-9 }, want: "faithfulness: got 0.66666666866"},
		"infinite faithfulness":         {edit: func(r *result.Row) { r.Faithfulness = math.Inf(1) }, want: "faithfulness: got +Inf"},
		"support is NaN":                {edit: func(r *result.Row) { r.Support = null }, want: "support: got null"},
		"claim score is NaN":            {edit: func(r *result.Row) { r.Claims[0].Score = null }, want: "claim 0: score: got null"},
		"confidence of a row": {edit: func(r *result.Row) {
			r.Claims[0].Confidence, r.Claims[2].Confidence, r.Confidence = 0.9, 0.6123456, 0.612346
		}},
		"confidence above the lowest of the claims": {edit: func(r *result.Row) {
			r.Claims[0].Confidence, r.Claims[2].Confidence, r.Confidence = 0.9, 0.6, 0.9
		}, want: "confidence: got 0.9, want 0.6, the lowest of the claims"},
		"confidence of a row whose claims have none": {edit: func(r *result.Row) { r.Confidence = 0.9 }, want: "confidence: got 0.9, want 0"},
		"confidence without a verdict": {edit: func(r *result.Row) {
			r.Status, r.Reason, r.Err = result.Failed, result.StageVerdict, errors.New("no reply")
			r.Faithfulness, r.Support, r.Confidence = null, null, 0.9
			r.Claims = []result.Claim{{Text: "sun", Score: null, Confidence: 0.9}}
		}, want: "claim 0: confidence: got 0.9, want null, since the claim has no verdict"},
		"unjudged claim":                     {edit: unjudged},
		"unjudged claim with a score":        {edit: func(r *result.Row) { r.Claims[2].Verdict = result.Unjudged }, want: "claim 2: score: got 0.3, want null, since the claim is unjudged"},
		"unjudged row with judged claims":    {edit: func(r *result.Row) { r.Status, r.Reason = result.UnjudgedRow, result.OtherLanguage }, want: "status: got unjudged, want unjudged if and only if all claims are"},
		"refusal":                            {edit: refusal},
		"no_contexts with a supported claim": {edit: func(r *result.Row) { r.Reason = result.NoContexts }, want: "verdict: got supported, want not_mentioned"},
		"skipped with claims":                {edit: func(r *result.Row) { r.Status = result.SkippedRow }, want: "status: got skipped, want scored"},
		"negative token count":               {edit: func(r *result.Row) { r.Usage.CompletionTokens = -1 }, want: "usage: got a negative number"},
		"too large index":                    {edit: func(r *result.Row) { r.Index = math.MaxInt }, want: "index: got 9223372036854775807, want 0 to 2^53"},
	} {
		r := &result.Row{
			Status: result.Scored, Faithfulness: 2.0 / 3, Support: 0.6,
			Claims: []result.Claim{
				{ID: 0, Text: "sun", Verdict: result.Supported, Score: 0.9},
				{ID: 1, Text: "moon", Verdict: result.Supported, Score: 0.6},
				{ID: 2, Text: "a star", Verdict: result.Contradicted, Score: 0.3},
			},
		}
		tt.edit(r)
		err := result.Check(r)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: got %v, want no error", name, err)
		case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want prefix %q", name, err, tt.want)
		}
	}
}

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
		if _, err := decode(string(want.AppendJSON(nil))); err != nil {
			t.Error(err)
		}
		checkRoundTrip(t, want.AppendJSON(nil))
	}
}

func TestDecodeRejectsEditedCitations(t *testing.T) {
	line := string(resulttest.WithCitations().AppendJSON(nil))
	const second = `"chunk":1,"verdict":"not_mentioned"`
	for _, tt := range []struct{ old, edited, want string }{
		{`"citation_recall":0.6666666666666666`, `"citation_recall":1.5`, "citation_recall: got 1.5, want a number from 0 to 1"},
		{`"citation_precision":0.75`, `"citation_precision":-1`, "citation_precision: got -1, want a number from 0 to 1"},
		{`"unresolved_citations":1`, `"unresolved_citations":0`, "unresolved_citations: got 0, want 1"},
		{`,"unresolved_citations":1`, ``, "unresolved_citations: got 0, want 1"},
		{second, `"chunk":-1,"verdict":"not_mentioned"`, "unresolved_citations: got 1, want 2"},
		{second, `"chunk":1,"verdict":"maybe"`, `verdict: unknown "maybe"`},
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
	return result.NewDecoder(result.Check).Decode([]byte(line))
}
