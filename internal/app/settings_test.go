package app

import (
	"slices"
	"testing"
)

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
