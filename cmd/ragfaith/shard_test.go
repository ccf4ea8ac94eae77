package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestShardsOfEveryInputEqualRun checks that merged shards, in any order, equal the
// unsharded run for every kind of input and result file: results, table, figures, gates.
func TestShardsOfEveryInputEqualRun(t *testing.T) {
	t.Parallel()
	const rows, more = "../../testdata/rows", "../../testdata/examples"
	for _, tt := range []struct {
		name, args string
		figures    string // options of the figures, also for the merged shards
		results    string // file extension
		n          int
	}{
		{"JSONL, a sample in clusters", rows + ".jsonl --sample 40 --keep label", "--seed 3 --cluster source", "jsonl", 4},
		{"CSV", rows + ".csv --keep label", "--cluster question", "csv", 3},
		{"Parquet", rows + ".parquet --keep label --keep source", "--seed 7", "parquet", 4},
		{"several files of several formats", rows + ".jsonl " + more + ".csv " + more + ".parquet --no-claims 1", "", "tsv", 5},
		{"standard input", "-", "", "jsonl", 2}, // [runInProcess] provides rows on stdin
		{"more shards than rows", rows + ".jsonl --limit 3", "", "jsonl", 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			figures := append(strings.Fields(tt.figures), "--min-lower", "0.6", "-q")
			score := func(name string, more ...string) commandResult {
				args := slices.Concat([]string{"score", "--judge", "lexical"}, strings.Fields(tt.args), figures, more)
				return runGated(t, dir, append(args, "-o", in(name+"."+tt.results), "--summary", in(name+".summary.json"))...)
			}
			want := score("whole", "-o", in("whole.md"))
			var shards []string
			for k := range tt.n {
				name := fmt.Sprint("shard-", k)
				score(name, "--to", "none", "--shard", fmt.Sprintf("%d/%d", k+1, tt.n))
				shards = append(shards, in(name+"."+tt.results))
			}
			slices.Reverse(shards) // their order does not matter
			got := runGated(t, dir, slices.Concat([]string{"report"}, shards, figures,
				[]string{"-o", in("merged." + tt.results), "-o", in("merged.md"), "--summary", in("merged.summary.json")})...)
			if d := cmp.Diff(want, got, cmp.AllowUnexported(commandResult{}), cmpopts.IgnoreFields(commandResult{}, "args")); d != "" {
				t.Errorf("tables differ: %s", d)
			}
			for _, ext := range []string{tt.results, "md"} {
				if d := cmp.Diff(readFile(t, in("whole."+ext)), readFile(t, in("merged."+ext))); d != "" {
					t.Errorf("%s differs: %s", ext, d)
				}
			}
			whole, merged := readJSON[map[string]any](t, in("whole.summary.json")), readJSON[map[string]any](t, in("merged.summary.json"))
			if results, _ := merged["results"].([]any); len(results) != tt.n {
				t.Errorf("got results %v, want %d shards", merged["results"], tt.n)
			}
			merged["results"] = nil
			if d := cmp.Diff(whole, merged); d != "" {
				t.Errorf("summaries differ: %s", d)
			}
			checkSchema(t, "summary.schema.json", readFile(t, in("merged.summary.json")))
		})
	}
}
