package llm

import (
	"encoding/json"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestReconcileAcceptsCommonSpellings(t *testing.T) {
	const none = verdict.Label(255)
	for raw, want := range map[string]verdict.Label{
		`"supported"`: verdict.Supported, `"Supported."`: verdict.Supported, `" YES "`: verdict.Supported, `"true"`: verdict.Supported,
		`true`: verdict.Supported, `1`: verdict.Supported, `1.0`: verdict.Supported, `"1"`: verdict.Supported, `"1.00"`: verdict.Supported, `"1."`: verdict.Supported,
		`"faithful"`: verdict.Supported, `"Entailed"`: verdict.Supported,
		`"contradicted"`:  verdict.Contradicted,
		`"not_mentioned"`: verdict.NotMentioned, `"Not mentioned"`: verdict.NotMentioned, `"not-supported"`: verdict.NotMentioned,
		`"UNSUPPORTED"`: verdict.NotMentioned, `"unfaithful"`: verdict.NotMentioned, `"no"`: verdict.NotMentioned,
		`false`: verdict.NotMentioned, `0`: verdict.NotMentioned, `0.0`: verdict.NotMentioned, `"0"`: verdict.NotMentioned,
		`2`: none, `-1`: none, `0.5`: none, `1.5`: none, `1e0`: none, `"10"`: none, `"partially"`: none, `"partially supported"`: none,
		`"yes and no"`: none, `"supported?"`: none, `null`: none, `""`: none, ``: none, `[1]`: none, `{"verdict":1}`: none,
	} {
		got, ok := parseLabel(json.RawMessage(raw))
		if !ok {
			got = none
		}
		if got != want {
			t.Errorf("%s: got %v, want %v", raw, got, want)
		}
	}
}
