package semantic

import (
	"encoding/json"
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A record is a stored verdict and its claim.
type record struct {
	Claim    string
	Before   []string // see claimsBefore
	Question string
	Verdict  verdict.Verdict
}

// readRecord parses a record, and reports whether it is a valid verdict on n contexts.
func readRecord(raw json.RawMessage, n int) (record, bool) {
	var r record
	if json.Unmarshal(raw, &r) != nil || r.Claim == "" {
		return record{}, false
	}
	v := &r.Verdict
	invalid := func(chunk int) bool { return chunk < 0 || chunk >= n }
	if v.Label > verdict.Supported || !(v.Score >= 0 && v.Score <= 1 && v.Confidence >= 0 && v.Confidence <= 1) ||
		slices.ContainsFunc(v.ChunkIDs, invalid) || slices.ContainsFunc(v.Evidence, func(e verdict.Evidence) bool { return invalid(e.Chunk) }) {
		return record{}, false
	}
	return r, true
}
