// Package setting classifies the settings that are stored with results: what it
// means if two runs differ in one of them.
package setting

import "strings"

// An Effect is what changes if a setting changes.
type Effect int

// The effects.
const (
	Judge    Effect = iota // the judge: scores of two runs are not comparable
	Platform               // the judge's scores, slightly
	Scoring                // how a result is computed from the judge's scores
	Rows                   // which rows and columns are read
)

// EffectOf returns the effect of a setting by its name, which may end in the number
// of a repeated value, such as "--map 2". A setting that is not listed affects the
// judge, so that a new one is never ignored by mistake.
func EffectOf(name string) Effect {
	base, _, _ := strings.Cut(name, " ")
	switch base {
	case "dataset", "--input-format", "--limit", "--sample", "--seed", "--shard", "--max-row-bytes", "--map", "--keep":
		return Rows
	case "--no-claims", "--threshold", "--calibration", "rounded", "result":
		return Scoring
	case "--lang", "--base-url", "--device", "kernels", "--batch-size":
		return Platform
	}
	return Judge
}
