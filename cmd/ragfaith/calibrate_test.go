package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/result"
)

// scoredRows scores testdata/rows.jsonl and returns the results.
func scoredRows(t *testing.T, name string, flags ...string) []*result.Row {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args := append([]string{"score", "../../testdata/rows.jsonl", "--limit", "20", "-q", "--to", "none", "-o", path}, flags...)
	if c := runInProcess(t, t.TempDir(), nil, args...); c.code != 0 {
		t.Fatalf("exit code: got %d, want %d without output: %+v", c.code, exitOK, c)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows []*result.Row
	for r, err := range result.NewReader(file, nil).Rows() {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// TestMinimumScoreThresholdMatchesClaimThreshold checks the invariants that calibrate
// relies on: a threshold changes no score, a claim is supported if and only if its score
// reaches the threshold, and so the minimum claim score of a row decides whether all its
// claims are supported.
func TestMinimumScoreThresholdMatchesClaimThreshold(t *testing.T) {
	t.Parallel()
	defaults := scoredRows(t, "default.jsonl")
	for _, threshold := range []float64{0.3, 0.4311215, 0.8} {
		rows := scoredRows(t, "other.jsonl", "--threshold", strconv.FormatFloat(threshold, 'g', -1, 64))
		fullySupported := 0
		for i, r := range rows {
			minScore := calibrate.MinScore.Value(r)
			if was := calibrate.MinScore.Value(defaults[i]); minScore != was && !(math.IsNaN(minScore) && math.IsNaN(was)) {
				t.Errorf("%s: threshold %[4]v: got minimum score %[3]v, want %[2]v", r.ID, was, minScore, threshold)
			}
			if r.Status != result.Scored {
				continue
			}
			for k, v := range r.Claims {
				if (v.Verdict == result.Supported) != (v.Score >= threshold) {
					t.Errorf("%s: claim %d with score %v is %v at threshold %v", r.ID, k, v.Score, v.Verdict, threshold)
				}
			}
			if (r.Faithfulness == 1) != (minScore >= threshold) {
				t.Errorf("%s: faithfulness %v with minimum score %v at threshold %v", r.ID, r.Faithfulness, minScore, threshold)
			}
			if r.Faithfulness == 1 {
				fullySupported++
			}
		}
		if fullySupported == 0 || fullySupported == len(rows) {
			t.Errorf("threshold %v: %d of %d rows are fully supported, want some but not all", threshold, fullySupported, len(rows))
		}
	}
}
