package resultfile_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
)

func TestRowsRejectsEditedTables(t *testing.T) {
	edited := func(edit func(r *result.Row)) []*result.Row {
		rs := allResults()[1:3]
		edit(rs[0])
		return rs
	}
	for _, f := range []report.Format{report.FormatCSV, report.FormatTSV, report.FormatParquet, report.FormatJSON} {
		for name, tt := range map[string]struct {
			edit func(r *result.Row)
			want string
		}{
			"edited faithfulness": {func(r *result.Row) { r.Faithfulness = 1 }, "faithfulness: got 1, want 0.5 (1 of 2 claims supported)"},
			"removed support":     {func(r *result.Row) { r.Support = math.NaN() }, "support: got null, want 0.493827 (mean of the scores of the claims)"},
			"huge index":          {func(r *result.Row) { r.Index = math.MaxInt }, "index: got 9223372036854775807, want 0 to 2^53"},
		} {
			line := map[report.Format]string{report.FormatParquet: ":1: "}[f]
			if line == "" {
				line = ":2: " // after the header or the bracket
			}
			path := writeTemp(t, "r"+f.Extension(), encode(t, f, edited(tt.edit)))
			if _, err := read(path, resultfile.Options{}); err == nil || err.Error() != path+line+tt.want {
				t.Errorf("%s, %s: got %v, want %s", f, name, err, line+tt.want)
			}
		}
	}
}

func TestCheckSummaryComparesStatistics(t *testing.T) {
	path := writeTemp(t, "r.jsonl", encode(t, report.FormatJSONL, allResults()))
	writeSummary(t, path, allResults())
	valid, err := os.ReadFile(resultfile.SummaryPath(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := checkRows(t, path); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, edited, want string }{
		{`"refusal": 1,` + "\n" + `    "empty": 0`, `"refusal": 0,` + "\n" + `    "empty": 1`, "refusals: got 1, want 0 as in its summary"},
		{`"supported": 1,` + "\n" + `    "contradicted": 1`, `"supported": 2,` + "\n" + `    "contradicted": 0`, "supported claims: got 1, want 2 as in its summary"},
		{`"with_confidence": 1`, `"with_confidence": 2`, "verdicts with a confidence: got 1, want 2 as in its summary"},
		{`"uncertain_share": 0.0`, `"uncertain_share": 0.5`, "share of uncertain verdicts: got 0, want 0.5 as in its summary"},
		{`"mean": 0.75`, `"mean": 0.9`, "mean faithfulness: got 0.75, want 0.9 as in its summary"},
		{`"mean": 0.75`, `"mean": 1e999`, "not a summary"},
		{`"spent": null`, `"spent": null} {`, "after top-level value"},
		{`"total": 4`, `"total": 5`, "r.jsonl: it contains 4 rows, but according to "},
		{`"count": 2`, `"count": 1`, "scores: got 2, want 1 as in its summary"},
	} {
		edited := strings.Replace(string(valid), tt.old, tt.edited, 1)
		if edited == string(valid) {
			t.Fatalf("got summary %s, want it to contain %s", valid, tt.old)
		}
		if err := os.WriteFile(resultfile.SummaryPath(path), []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := checkRows(t, path); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.edited, err, tt.want)
		}
	}
}

func TestAppendRejectsTooLargeIndex(t *testing.T) {
	first, second := numbered(0, 1), numbered(0, 2)
	first[1].Index = result.MaxIndex - 1
	files := openFiles(t, t.TempDir(), encode(t, report.FormatJSONL, first), encode(t, report.FormatJSONL, second))
	rs, err := collect(resultfile.Append(files))
	const want = "b.jsonl:2: index 2, continued from 9007199254740992 by --append, is more than 2^53"
	if err == nil || !strings.HasSuffix(err.Error(), want) || len(rs) != 3 {
		t.Errorf("got %d rows and error %v, want 3 rows and %s", len(rs), err, want)
	}
}
