package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/setting"
)

// TestEveryFlagIsClassified checks that every flag of score is either in setting.All,
// which lists the options stored with results, or in the list below.
func TestEveryFlagIsClassified(t *testing.T) {
	t.Parallel()
	unrelated := strings.Fields(`
		concurrency row-timeout
		to sort show output summary github resume dry-run verbose quiet no-progress
		min-mean min-mean-by by min-lower min-citation-recall min-citation-precision max-failed max-no-claims max-unjudged max-uncertain cluster
		models onnxruntime
		api-key-env header client-cert timeout retries rpm tpm max-cost max-total-tokens price batch batch-poll prompts
		cache no-cache semantic-cache embed-api-key-env
		config color`)
	var stored []string
	for _, s := range setting.All() {
		if name, ok := strings.CutPrefix(s.Name, "--"); ok {
			stored = append(stored, name)
		}
	}
	cmd, _, err := newRoot(emptySystem()).Find([]string{"score"})
	if err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, f := range flagsOf(cmd) {
		flags = append(flags, f.Name)
		if slices.Contains(stored, f.Name) == slices.Contains(unrelated, f.Name) {
			t.Errorf("--%s: got stored %t, want it either in setting.All or in the list of this test", f.Name, slices.Contains(stored, f.Name))
		}
	}
	for _, name := range slices.Concat(stored, unrelated) {
		if !slices.Contains(flags, name) {
			t.Errorf("--%s is listed, but score has no such flag", name)
		}
	}
}

func TestSettingsAreStoredInTheListedOrder(t *testing.T) {
	t.Parallel()
	values := settingValues{"--keep": {"a", "b"}, "--map": nil, "dataset": {"x.jsonl"}, "--limit": {"3"}}
	s, err := values.ordered()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range s {
		got = append(got, v.Name+"="+v.Value)
	}
	if want := []string{"--limit=3", "dataset=x.jsonl", "--keep=a", "--keep 2=b"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	values["--new"] = []string{"1"}
	if _, err := values.ordered(); err == nil {
		t.Error("got no error for a setting that is not listed")
	}
}

func TestFlagsFromEnvironment(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"input-format": "csv", "delimiter": ";", "from": "langfuse", "map": "id=a,answer=b", "keep": "x,y", "keep-as": "z=w", "where": "m=x", "turns": "all", "limit": "1", "sample": "2", "seed": "3", "shard": "2/3",
		"max-row-bytes": "4KiB", "lang": "de", "claims": "sentence", "judge": "lexical", "evidence": "joined", "threshold": "0.25", "calibration": "cal.json",
		"no-claims": "1", "empty-contexts": "fail", "concurrency": "5", "row-timeout": "2m", "to": "csv", "output": "a.csv,b.csv", "resume": "true", "verbose": "true", "quiet": "true", "no-progress": "true",
		"min-mean": "0.5", "max-failed": "6", "max-no-claims": "0.3", "max-unjudged": "0.4", "max-uncertain": "0.2", "help": "true", "dry-run": "true",
		"profile": "ragas", "model": "m", "base-url": "http://localhost/v1", "header": "A: b,C: d", "extra-body": `{"top_p":1}`, "client-cert": "c.pem", "api-key-env": "KEY", "timeout": "1m30s", "retries": "7", "rpm": "8",
		"tpm": "9", "max-cost": "1.5", "max-total-tokens": "10", "price": "0.5,2", "prompts": "dir", "strict": "true", "votes": "3",
		"max-context-tokens": "11", "cache": "folder", "no-cache": "true", "semantic-cache": "true", "semantic-threshold": "0.9",
		"embed-model": "e", "embed-base-url": "http://localhost/v2", "embed-api-key-env": "EMBED",
		"cluster": "topic", "by": "topic,lang", "min-mean-by": "0.3", "sort": "none", "min-lower": "0.4", "min-citation-recall": "0.7", "min-citation-precision": "0.6",
		"batch": "true", "batch-poll": "1m", "prescreen": "lexical", "max-output-tokens": "13", "reasoning-effort": "low", "audit": "0.2", "summary": "run.json", "github": "off", "show": "4",
		"model-batch-size": "12", "prefilter": "3", "device": "cuda:1", "onnxruntime": "library", "label-map": "a=supported", "models": "folder", "precision": "int8",
	}
	cmd := newScore(system{})
	lookup := func(name string) (string, bool) {
		flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "RAGFAITH_")), "_", "-")
		v, ok := values[flag]
		if !ok {
			t.Errorf("test has no value for %s", name)
		}
		return v, ok
	}
	if err := fromEnvironment(cmd.Flags(), lookup); err != nil {
		t.Fatal(err)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		got := strings.Trim(f.Value.String(), "[]")
		if f.Name != "help" && got != values[f.Name] {
			t.Errorf("%s: got %s", f.Name, got)
		}
	})
}
