package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// storedFlags are the options of score that are stored with results, since they affect them.
func storedFlags() []string {
	return strings.Fields(`
		input-format delimiter from map turns keep keep-as where limit sample seed shard max-row-bytes lang
		profile claims judge evidence threshold calibration no-claims empty-contexts
		model base-url extra-body strict votes prescreen audit max-context-tokens max-output-tokens reasoning-effort
		semantic-threshold embed-model embed-base-url
		device model-batch-size prefilter precision label-map`)
}

func TestEveryFlagIsClassified(t *testing.T) {
	t.Parallel()
	stored := storedFlags()
	unrelated := strings.Fields(`
		concurrency row-timeout
		to sort show output summary github resume dry-run verbose quiet no-progress
		min-mean min-mean-by by min-lower min-citation-recall min-citation-precision max-failed max-no-claims max-unjudged max-uncertain cluster
		models onnxruntime
		api-key-env header timeout retries rpm tpm max-cost max-total-tokens price batch batch-poll prompts
		cache no-cache semantic-cache embed-api-key-env
		config color`)
	cmd, _, err := newRoot(emptySystem()).Find([]string{"score"})
	if err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, f := range flagsOf(cmd) {
		flags = append(flags, f.Name)
		if slices.Contains(stored, f.Name) == slices.Contains(unrelated, f.Name) {
			t.Errorf("--%s: got stored %t, want it in one of the lists", f.Name, slices.Contains(stored, f.Name))
		}
	}
	for _, name := range slices.Concat(stored, unrelated) {
		if !slices.Contains(flags, name) {
			t.Errorf("--%s is listed, but score has no such flag", name)
		}
	}
}

// TestFlagsAreStored checks with runs that set them that all stored flags are stored. A batch size
// is only stored for runs on a GPU.
func TestFlagsAreStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "rows.csv"), "a;c;k\nAnna won.;Anna won.;1\n")
	writeFile(t, filepath.Join(dir, "chain.jsonl"), `{"query":"Who won?","result":"Anna won.","source_documents":[{"page_content":"Anna won."}]}`)
	server := newTestServer(t)
	csv := "score " + filepath.Join(dir, "rows.csv") + " --to none -v --input-format csv --delimiter ; --map answer=a --map contexts=c"
	var options strings.Builder
	for _, args := range []string{
		csv + " --calibration " + writeBounds(t) + " --judge llm --prescreen lexical --no-cache --base-url " + server.URL,
		csv + " --judge llm --semantic-cache --embed-model local --extra-body {\"top_p\":1} --max-output-tokens 900 --reasoning-effort low --cache " + filepath.Join(dir, "cache") + " --base-url " + server.URL,
		csv + " --judge " + writeModel(t, t.TempDir(), "a", "b") + " --label-map a=not_mentioned --label-map b=supported",
		csv + " --keep k --keep-as k=n --where k=1 --empty-contexts fail",
		"score " + filepath.Join(dir, "chain.jsonl") + " --to none -v --from langchain --turns all",
	} {
		got := runInProcess(t, dir, nil, strings.Fields(args)...)
		_, line, found := strings.Cut(got.stderr, "options: ")
		if !found {
			t.Fatalf("%s: got exit code %d, stderr %s, want the options", args, got.code, got.stderr)
		}
		line, _, _ = strings.Cut(line, "\n")
		options.WriteString(line + ", ")
	}
	for _, name := range storedFlags() {
		if name != "model-batch-size" && !strings.Contains(options.String(), "--"+name+" ") {
			t.Errorf("--%s is not stored", name)
		}
	}
}

func TestFlagsFromEnvironment(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"delimiter": ";", "map": "id=a,answer=b", "keep": "x,y", "limit": "1", "seed": "3", "shard": "2/3", "max-row-bytes": "4.0KiB", "threshold": "0.25",
		"row-timeout": "2m0s", "output": "a.csv,b.csv", "quiet": "true", "max-failed": "6", "header": "A: b,C: d", "extra-body": `{"top_p":1}`, "price": "0.5,2", "device": "cuda:1",
		"judge": "lexical", "help": "true",
	}
	cmd := newScore(system{})
	lookup := func(name string) (string, bool) {
		v, ok := values[strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "RAGFAITH_")), "_", "-")]
		return v, ok
	}
	if err := fromEnvironment(cmd.Flags(), lookup); err != nil {
		t.Fatal(err)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		want, ok := values[f.Name]
		if !ok || f.Name == "help" {
			want = f.DefValue
		}
		if got := strings.Trim(f.Value.String(), "[]"); got != strings.Trim(want, "[]") {
			t.Errorf("%s: got %s, want %s", f.Name, got, want)
		}
	})
}

func TestScoreHelpFitsAScreen(t *testing.T) {
	t.Parallel()
	const maxLines, maxColumns = 115, 110
	lines := strings.Split(strings.TrimSuffix(mustRun(t, "", nil, "score", "--help").stdout, "\n"), "\n")
	if len(lines) > maxLines {
		t.Errorf("got %d lines, want at most %d", len(lines), maxLines)
	}
	for _, line := range lines {
		if len(line) > maxColumns {
			t.Errorf("got %d columns, want at most %d: %s", len(line), maxColumns, line)
		}
	}
	groups := []string{"Input:", "Judging:", "Output:", "Gates:", "Local model:", "Language model:", "Global:"}
	for i, line := range lines {
		if len(groups) > 0 && line == groups[0] {
			groups = groups[1:]
		} else if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") && line != "Examples:" {
			t.Errorf("line %d: got heading %q, want one of %v", i+1, line, groups)
		}
	}
	if len(groups) > 0 {
		t.Errorf("got no headings %v", groups)
	}
}
