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

func TestReconcileAcceptsPrefixedIDs(t *testing.T) {
	for reply, want := range map[string]int{ // claims with a verdict
		`{"verdicts":[{"claim_id":"claim_0","verdict":1},{"claim_id":"claim_1","verdict":0}]}`: 2,
		`{"verdicts":[{"claim_id":"claim_1","verdict":1},{"claim_id":"claim_2","verdict":0}]}`: 0, // counted from 1
		`{"verdicts":{"claim_0":{"verdict":1},"0":{"verdict":0}}}`:                             0,
		`{"verdicts":{"claim 0":{"verdict":1},"1":{"verdict":0}}}`:                             2,
	} {
		found, _, _ := reconcile(json.RawMessage(reply), 2, Chunks)
		n := 0
		for _, a := range found {
			if a != nil {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d verdicts, want %d", reply, n, want)
		}
	}
}
