package semantic

import (
	"encoding/json"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A record is a verdict as it is stored.
type record struct {
	Claim    string             `json:"claim"`
	Before   []string           `json:"before,omitempty"` // the question and the claims before one that leans on them
	Question string             `json:"question"`
	Label    verdict.Label      `json:"label"`
	Score    float64            `json:"score"`
	Reason   string             `json:"reason"`
	ChunkIDs []int              `json:"chunk_ids"`
	Evidence []verdict.Evidence `json:"evidence"`
}

func recordOf(claim string, before []string, question string, v verdict.Verdict) record {
	return record{
		Claim: claim, Before: before, Question: question,
		Label: v.Label, Score: v.Score, Reason: v.Reason, ChunkIDs: v.ChunkIDs, Evidence: v.Evidence,
	}
}

// readRecord reads what was stored over n contexts. Where it says what no
// verdict can it is as if it were not there.
func readRecord(raw json.RawMessage, n int) (record, bool) {
	var r record
	if json.Unmarshal(raw, &r) != nil || r.Claim == "" {
		return record{}, false
	}
	if r.Label > verdict.Supported || !(r.Score >= 0 && r.Score <= 1) {
		return record{}, false
	}
	for _, id := range r.ChunkIDs {
		if id < 0 || id >= n {
			return record{}, false
		}
	}
	for _, e := range r.Evidence {
		if e.Chunk < 0 || e.Chunk >= n {
			return record{}, false
		}
	}
	return r, true
}

// reuse is the verdict for another claim.
func (h *hit) reuse(id int) verdict.Verdict {
	return verdict.Verdict{
		ClaimID: id, Label: h.Label, Score: h.Score, Reason: h.Reason, ChunkIDs: h.ChunkIDs, Evidence: h.Evidence,
		Reused: &verdict.Reused{By: "semantic", Statement: h.Claim, Cosine: h.cosine},
	}
}
