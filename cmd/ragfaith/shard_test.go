package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShardsOfEveryInputEqualRun checks that merged shards equal the unsharded run for
// every kind of input and result file.
func TestShardsOfEveryInputEqualRun(t *testing.T) {
	t.Parallel()
	const rows, more = "../../testdata/rows", "../../testdata/examples"
	for _, tt := range []struct {
		name, args string
		results    string // file extension
		n          int
	}{
		{"JSONL", rows + ".jsonl", "jsonl", 4},
		{"CSV", rows + ".csv --keep label", "jsonl", 3},
		{"Parquet", rows + ".parquet --keep label", "jsonl", 4},
		{"Parquet of DuckDB", rows + "-duckdb.parquet", "jsonl", 2},
		{"several files of several formats", rows + ".jsonl " + more + ".csv " + more + ".parquet", "jsonl", 5},
		{"standard input", "-", "jsonl", 2}, // [runInProcess] provides rows on stdin
		{"the first rows", rows + ".jsonl --limit 31", "jsonl", 4},
		{"a sample", rows + ".jsonl --sample 40 --seed 3", "jsonl", 4},
		{"more shards than rows", rows + ".jsonl --limit 3", "jsonl", 5},
		{"results in Parquet", rows + ".parquet --keep label --keep source", "parquet", 4},
		{"results in CSV", rows + ".csv --keep label", "csv", 4},
		{"results in TSV", more + ".jsonl --no-claims 1", "tsv", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			score := func(name string, more ...string) {
				args := append([]string{"score"}, strings.Fields(tt.args)...)
				args = append(args, "-q", "--to", "none", "-o", in(name+"."+tt.results), "--summary", in(name+".summary.json"))
				runGated(t, dir, append(args, more...)...)
			}
			score("whole")
			var shards []string
			for k := range tt.n {
				name := fmt.Sprint("shard-", k)
				score(name, "--shard", fmt.Sprintf("%d/%d", k+1, tt.n))
				shards = append(shards, in(name+"."+tt.results))
			}
			runGated(t, dir, append([]string{
				"report", "-q", "--to", "none", "-o", in("merged." + tt.results), "--summary", in("merged.summary.json"), "--seed", seedOf(tt.args),
			}, shards...)...)
			if readFile(t, in("whole."+tt.results)) != readFile(t, in("merged."+tt.results)) {
				t.Error("results differ")
			}
			whole, merged := readObject(t, in("whole.summary.json")), readObject(t, in("merged.summary.json"))
			merged["results"] = nil
			if d := cmp.Diff(whole, merged); d != "" {
				t.Errorf("results differ: %s", d)
			}
		})
	}
}

// seedOf returns the value of --seed in args.
func seedOf(args string) string {
	if _, after, ok := strings.Cut(args, "--seed "); ok {
		return strings.Fields(after)[0]
	}
	return "0"
}

func TestSameFileUnderTwoNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a", "b", "c"} {
		writeFile(t, in(name), "the same") // same content and size, so that only the inode tells files apart
	}
	if err := os.Link(in("a"), in("hard")); err != nil {
		t.Skipf("no hard links: %v", err)
	}
	if err := os.Symlink("b", in("soft")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, tt := range []struct{ paths, want string }{
		{"a b c nowhere", ""},
		{"", ""},
		{"a b hard c", "a hard"},
		{"soft a b", "soft b"},
		{"hard soft a b", "hard a"},
		{"c ./c", "c ./c"},
		{"nowhere a ./nowhere", "nowhere ./nowhere"},
	} {
		var paths []string
		for _, name := range strings.Fields(tt.paths) {
			paths = append(paths, dir+"/"+name)
		}
		a, b, found := duplicate(paths)
		got := strings.TrimSpace(strings.ReplaceAll(a+" "+b, dir+"/", ""))
		if got != tt.want || found != (tt.want != "") {
			t.Errorf("%s: got %q, %v; want %q", tt.paths, got, found, tt.want)
		}
	}
}
