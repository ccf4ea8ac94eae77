package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/setting"
)

// TestEveryFlagIsClassified fails if it is undecided whether a flag of score decides
// results: add it either to setting.All, so that its value is stored with results, or to
// the list below.
func TestEveryFlagIsClassified(t *testing.T) {
	t.Parallel()
	unrelated := strings.Fields(`
		concurrency row-timeout
		to show output summary github resume dry-run verbose quiet no-progress
		min-mean min-lower min-citation-recall min-citation-precision max-failed max-no-claims cluster
		models onnxruntime model-file
		api-key-env timeout retries rpm tpm max-cost max-total-tokens price batch batch-poll prompts
		cache no-cache semantic-cache embed-api-key-env
		config color`)
	var stored []string
	for _, s := range setting.All() {
		if name, ok := strings.CutPrefix(s.Name, "--"); ok {
			stored = append(stored, currentName(name))
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
