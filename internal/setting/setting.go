// Package setting lists the settings that are stored with results, and the
// effect of a difference in each of them.
package setting

import (
	"slices"
	"strings"
)

// An Effect describes what a changed setting affects.
type Effect int

// The effects.
const (
	Judge    Effect = iota // judge scores, which are no longer comparable
	Platform               // judge scores, but only slightly
	Scoring                // how results are computed from judge scores
	Rows                   // the rows and columns that are read
)

// A Definition describes a flag or another input of a run, such as a prompt, that affects
// results.
type Definition struct {
	Name   string // for example --threshold
	Effect Effect
}

// All returns all settings in the order in which they are stored. Values of a
// repeated flag are stored as "--map", "--map 2" and so on.
func All() []Definition {
	return []Definition{
		{"result format", Scoring},
		{"--input-format", Rows},
		{"--delimiter", Rows},
		{"--from", Rows},
		{"--limit", Rows},
		{"--sample", Rows},
		{"--seed", Rows},
		{"--shard", Rows},
		{"--max-row-bytes", Rows},
		{"--lang", Platform},
		{"--claims", Judge},
		{"--judge", Judge},
		{"--evidence", Judge},
		{"--threshold", Scoring},
		{"--no-claims", Scoring},
		{"--empty-contexts", Scoring},
		{"--calibration", Scoring},

		// Language models.
		{"--profile", Judge},
		{"--model", Judge},
		{"--base-url", Platform},
		{"--extra-body", Judge},
		{"--strict", Judge},
		{"--votes", Judge},
		{"--max-context-tokens", Judge},
		{"--max-output-tokens", Judge},
		{"--reasoning-effort", Judge},
		{"--prescreen", Judge},
		{"--audit", Scoring},
		{"prompt claims", Judge},
		{"prompt judge", Judge},
		{"prompt judge-word", Judge},
		{"prompt ragas-claims", Judge},
		{"prompt ragas-judge", Judge},
		{"prompt rag-evals", Judge},
		{"prompt minicheck", Judge},
		{"prompt lynx", Judge},
		{"prompt granite-guardian", Judge},
		{"prompt deepeval-truths", Judge},
		{"prompt deepeval-judge", Judge},
		{"--embed-model", Judge},
		{"--embed-base-url", Judge},
		{"--semantic-threshold", Judge},

		// Local models.
		{"model", Judge},
		{"layout", Judge},
		{"rounded", Scoring},
		{"--device", Platform},
		{"--precision", Judge},
		{"--prefilter", Judge},
		{"kernels", Platform},
		{"--model-batch-size", Platform},
		{"--label-map", Judge},

		{"dataset", Rows},
		{"--map", Rows},
		{"--turns", Rows},
		{"--where", Rows},
		{"--keep", Rows},
		{"--keep-as", Rows},
	}
}

// EffectOf returns the effect of a stored setting. Unknown settings, for
// example of a later version, are assumed to affect the judge, so that they are
// never ignored.
func EffectOf(name string) Effect {
	name = strings.TrimRight(name, " 0123456789") // strip the number of a repeated flag
	all := All()
	if i := slices.IndexFunc(all, func(d Definition) bool { return d.Name == name }); i >= 0 {
		return all[i].Effect
	}
	return Judge
}
