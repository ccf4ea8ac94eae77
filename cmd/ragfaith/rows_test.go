package main

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/ragfaith/ragfaith/internal/stats"
)

const testdataDir = "../../testdata/"

func TestInputFormatsYieldSameResults(t *testing.T) {
	t.Parallel()
	args := []string{"--to", "jsonl", "--keep", "all", "--limit", "20"}
	want := mustExit(t, scoreInProcess(t, nil, append(args, testdataDir+"rows.jsonl")...), exitOK).stdout
	if n := strings.Count(want, "\n"); n != 20 {
		t.Fatalf("got %d rows, want 20", n)
	}
	for _, name := range []string{"rows.csv", "rows.parquet", "rows-duckdb.parquet"} {
		f, err := os.Open(testdataDir + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, got := range []commandResult{scoreInProcess(t, nil, append(args, testdataDir+name)...), scoreInProcess(t, f, append(args, "-", "--concurrency", "64")...)} {
			if checkExit(t, got, exitOK); got.stdout != want {
				t.Errorf("%s: %q: got other results than for rows.jsonl", name, got.args)
			}
		}
	}
}

func TestDocumentedExamples(t *testing.T) {
	t.Parallel()
	got := mustExit(t, scoreInProcess(t, nil, testdataDir+"examples.jsonl", "--judge", "lexical", "--to", "jsonl"), exitOK)
	want := map[string]float64{"superbowl": 1, "einstein-high": 1, "einstein-low": 0, "einstein-two": 0.5}
	type row struct {
		ID           string
		Faithfulness float64
		Claims       []struct{ Reason string }
	}
	for _, r := range decodeLines[row](t, got.stdout) {
		if w, ok := want[r.ID]; !ok || r.Faithfulness != w {
			t.Errorf("%s: got %v, want %v", r.ID, r.Faithfulness, w)
		}
		delete(want, r.ID)
		if r.ID == "einstein-low" && !strings.HasPrefix(r.Claims[0].Reason, "“20th March 1879” is not in the contexts (nearest: “14 March 1879”); chunk 0: “Albert Einstein (born 14 March 1879)") {
			t.Errorf("got reason %q", r.Claims[0].Reason)
		}
	}
	if len(want) > 0 {
		t.Errorf("got no result for %v", want)
	}
}

func TestBrokenFilesReportRow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code int
		want string // regular expression for stderr
	}{
		"array-line.jsonl":   {3, `array-line\.jsonl:2: want an object, got an array`},
		"bad-utf8.jsonl":     {3, `bad-utf8\.jsonl:2: .*UTF-8`},
		"contexts.jsonl":     {3, `contexts\.jsonl:2: contexts: .*null\n.*:3: .*\n.*:4: .*a number\n.*:7: contexts\[1\]`},
		"cut-line.jsonl":     {3, `cut-line\.jsonl:2: .*unexpected end of input`},
		"cut.jsonl.gz":       {1, `cut\.jsonl\.gz: after row \d+: .*cut off`},
		"cut.jsonl.zst":      {1, `cut\.jsonl\.zst: .*cut off`},
		"cut.parquet":        {1, `cut\.parquet: .*cut off`},
		"duplicate-id.jsonl": {0, `warning: .*duplicate-id\.jsonl:2: duplicate id "ok"`},
		"empty.jsonl":        {1, `empty\.jsonl: empty file`},
		"fields.csv":         {3, `fields\.csv:3: want 3 fields, got 2`},
		"garbage.jsonl":      {1, `garbage\.jsonl: not text`},
		"garbage.parquet":    {1, `garbage\.parquet: not a Parquet file`},
		"header-only.csv":    {1, `header-only\.csv: no rows`},
		"no-answer.jsonl":    {3, `no-answer\.jsonl:2: no answer`},
		"no-contexts.csv":    {1, `no-contexts\.csv: no contexts: looked for .*--map contexts=COLUMN`},
		"two-answers.jsonl":  {2, `two-answers\.jsonl: .*"answer".*"response".*--map`},
		"unclosed-quote.csv": {3, `unclosed-quote\.csv:2: .*quote`},
	} {
		got := scoreInProcess(t, nil, testdataDir+"broken/"+name, "--to", "none")
		if checkExit(t, got, tt.code); !regexp.MustCompile(tt.want).MatchString(got.stderr) {
			t.Errorf("%s: got stderr %s, want %s", name, got.stderr, tt.want)
		}
	}
	files, err := os.ReadDir(testdataDir + "broken")
	if err != nil || len(files) != 17 {
		t.Errorf("got %d broken files (%v), want 17: add new files to this test", len(files), err)
	}
}

// TestScoresAgreeWithRatersMoreThanRagas uses answers rated by human annotators. The
// Ragas scores published with them have a rank correlation of 0.520 and an AUROC of
// 0.726.
func TestScoresAgreeWithRatersMoreThanRagas(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../../shared/data/mtrag-human-dev.jsonl.zst")
	if err != nil {
		t.Skip("no rated answers in ../shared/data")
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	got := mustExit(t, scoreInProcess(t, z, "-", "--judge", "lexical", "--to", "jsonl", "--keep", "human_mean"), exitOK)
	var support, rating []float64
	var good []bool
	type row struct {
		Support *float64
		Rating  float64 `json:"human_mean"`
	}
	for _, r := range decodeLines[row](t, got.stdout) {
		if r.Support != nil {
			support, rating, good = append(support, *r.Support), append(rating, r.Rating), append(good, r.Rating >= 3.5)
		}
	}
	rho, auroc := stats.Spearman(support, rating), stats.AUROC(good, support)
	t.Logf("%d answers: Spearman %.3f, AUROC %.3f", len(support), rho, auroc)
	if math.IsNaN(rho) || rho < 0.62 || auroc < 0.81 {
		t.Errorf("got Spearman %.3f and AUROC %.3f, want at least 0.62 and 0.81", rho, auroc)
	}
}
