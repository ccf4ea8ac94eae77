// Package setting lists the settings that are stored with results, and what it means if
// two runs differ in one of them.
package setting

import (
	"slices"
	"strings"
)

// An Effect is what changes if a setting changes.
type Effect int

// The effects.
const (
	Judge    Effect = iota // the judge: scores of two runs are not comparable
	Platform               // the judge's scores, slightly
	Scoring                // how a result is computed from the judge's scores
	Rows                   // which rows and columns are read
)

// A Definition describes a flag, or another input of a run such as a prompt, that decides
// results.
type Definition struct {
	Name   string // such as --threshold
	Effect Effect
}

// All returns all settings, in the order in which they are stored. The values of a
// repeated flag are stored as "--map", "--map 2" and so on.
func All() []Definition {
	return []Definition{
		{"result format", Scoring},
		{"--input-format", Rows},
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
		{"--calibration", Scoring},

		// Of a language model.
		{"--profile", Judge},
		{"--model", Judge},
		{"--base-url", Platform},
		{"--strict", Judge},
		{"--votes", Judge},
		{"--max-context-tokens", Judge},
		{"prompt claims", Judge},
		{"prompt judge", Judge},
		{"prompt judge-word", Judge},
		{"prompt ragas-claims", Judge},
		{"prompt ragas-judge", Judge},
		{"prompt rag-evals", Judge},
		{"--embed-model", Judge},
		{"--embed-base-url", Judge},
		{"--semantic-threshold", Judge},

		// Of a local model.
		{"model", Judge},
		{"rounded", Scoring},
		{"--device", Platform},
		{"--precision", Judge},
		{"kernels", Platform},
		{"--batch-size", Platform}, // the former name of --model-batch-size
		{"--label-map", Judge},

		{"dataset", Rows},
		{"--map", Rows},
		{"--keep", Rows},
	}
}

// EffectOf returns the effect of a stored setting. An unknown one, such as that of a
// later version, is taken to affect the judge, so that it is never ignored by mistake.
func EffectOf(name string) Effect {
	name = strings.TrimRight(name, " 0123456789") // the number of a repeated flag
	all := All()
	if i := slices.IndexFunc(all, func(d Definition) bool { return d.Name == name }); i >= 0 {
		return all[i].Effect
	}
	return Judge
}
