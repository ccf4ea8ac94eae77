package result

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListRoundTripsInOrder(t *testing.T) {
	want := Settings{{Name: "--threshold", Value: "0.5"}, {Name: "--judge", Value: "a \"b\"\n"}, {Name: "--model"}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), `{"--threshold":"0.5","--judge":"a \"b\"\n","--model":""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var got Settings
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
	if err := json.Unmarshal([]byte(`{"--seed":1}`), &got); err == nil {
		t.Error("number as value: got no error")
	}
}

func TestChangesListsNewChangedAndRemovedSettings(t *testing.T) {
	previous := Settings{{Name: "same", Value: "1"}, {Name: "removed", Value: ""}, {Name: "changed", Value: "a"}}
	current := Settings{{Name: "changed", Value: ""}, {Name: "new", Value: "2"}, {Name: "same", Value: "1"}}
	want := []SettingChange{{"changed", "a", "empty"}, {"new", "not set", "2"}, {"removed", "empty", "not set"}}
	if d := cmp.Diff(want, current.Changes(previous)); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
}
