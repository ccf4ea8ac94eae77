package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMergedShardsEqualRun checks an invariant: the merged shards of a run, in any
// number and order, give the results, table, statistics and intervals of the unsharded
// run, over rows and over groups.
func TestMergedShardsEqualRun(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 8))
	for _, cluster := range []string{"source", "question", ""} {
		dir := t.TempDir()
		in := func(name string) string { return filepath.Join(dir, name) }
		score := func(name string, more ...string) commandResult {
			args := append([]string{
				"score", "../../testdata/rows.jsonl", "-q", "--keep", "label", "--no-claims", "0",
				"-o", in(name + ".jsonl"), "--summary", in(name + ".summary.json"), "--cluster", cluster,
			}, more...)
			return runGated(t, dir, args...)
		}
		seed := strconv.Itoa(random.IntN(100))
		limit := strconv.Itoa(21 + random.IntN(40))
		want := score("whole", "--seed", seed, "--limit", limit, "-o", in("whole.md"), "--min-lower", "0.6")
		n := 2 + random.IntN(6)
		shards := make([]string, n)
		for i, k := range random.Perm(n) {
			name := fmt.Sprintf("shard-%d", k)
			score(name, "--to", "none", "--limit", limit, "--shard", fmt.Sprintf("%d/%d", k+1, n))
			shards[i] = in(name + ".jsonl")
		}
		got := runGated(t, dir, append([]string{
			"report", "-q", "-o", in("merged.jsonl"), "-o", in("merged.md"), "--summary", in("merged.summary.json"),
			"--seed", seed, "--cluster", cluster, "--min-lower", "0.6",
		}, shards...)...)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(commandResult{})); d != "" {
			t.Errorf("%d shards, by %q: %s", n, cluster, d)
		}
		for _, ext := range []string{".jsonl", ".md"} {
			if d := cmp.Diff(readFile(t, in("whole"+ext)), readFile(t, in("merged"+ext))); d != "" {
				t.Errorf("%d shards, by %q: %s", n, cluster, d)
			}
		}
		whole, merged := readObject(t, in("whole.summary.json")), readObject(t, in("merged.summary.json"))
		if results, _ := merged["results"].([]any); len(results) != n {
			t.Errorf("got results %v, want %d shards", merged["results"], n)
		}
		merged["results"] = nil
		if d := cmp.Diff(whole, merged); d != "" {
			t.Errorf("%d shards, by %q: %s", n, cluster, d)
		}
		checkSchema(t, "summary.schema.json", readFile(t, in("merged.summary.json")))
	}
}
