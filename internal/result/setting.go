package result

import (
	"slices"
	"strings"
)

// An Effect describes what a changed setting affects.
type Effect int

// The effects.
const (
	JudgeEffect    Effect = iota // judge scores, which are no longer comparable
	PlatformEffect               // judge scores, but only slightly
	ScoringEffect                // how results are computed from judge scores
	RowsEffect                   // the rows and columns that are read
)

// A SettingDefinition describes a flag or another input of a run, such as a prompt, that affects
// results.
type SettingDefinition struct {
	Name   string // for example --threshold
	Effect Effect
}

// AllSettings returns all settings in the order in which they are stored. Values of a
// repeated flag are stored as "--map", "--map 2" and so on.
func AllSettings() []SettingDefinition {
	return []SettingDefinition{
		{"result format", ScoringEffect},
		{"--input-format", RowsEffect},
		{"--delimiter", RowsEffect},
		{"--from", RowsEffect},
		{"--limit", RowsEffect},
		{"--sample", RowsEffect},
		{"--seed", RowsEffect},
		{"--shard", RowsEffect},
		{"--max-row-bytes", RowsEffect},
		{"--lang", PlatformEffect},
		{"--claims", JudgeEffect},
		{"--judge", JudgeEffect},
		{"--evidence", JudgeEffect},
		{"--threshold", ScoringEffect},
		{"--no-claims", ScoringEffect},
		{"--empty-contexts", ScoringEffect},
		{"--calibration", ScoringEffect},

		// Language models.
		{"--profile", JudgeEffect},
		{"--model", JudgeEffect},
		{"--base-url", PlatformEffect},
		{"--extra-body", JudgeEffect},
		{"--strict", JudgeEffect},
		{"--votes", JudgeEffect},
		{"--max-context-tokens", JudgeEffect},
		{"--max-output-tokens", JudgeEffect},
		{"--reasoning-effort", JudgeEffect},
		{"--prescreen", JudgeEffect},
		{"--audit", ScoringEffect},
		{"prompt claims", JudgeEffect},
		{"prompt judge", JudgeEffect},
		{"prompt judge-word", JudgeEffect},
		{"prompt ragas-claims", JudgeEffect},
		{"prompt ragas-judge", JudgeEffect},
		{"prompt rag-evals", JudgeEffect},
		{"prompt minicheck", JudgeEffect},
		{"prompt lynx", JudgeEffect},
		{"prompt granite-guardian", JudgeEffect},
		{"prompt deepeval-truths", JudgeEffect},
		{"prompt deepeval-judge", JudgeEffect},
		{"--embed-model", JudgeEffect},
		{"--embed-base-url", JudgeEffect},
		{"--semantic-threshold", JudgeEffect},

		// Local models.
		{"model", JudgeEffect},
		{"layout", JudgeEffect},
		{"rounded", ScoringEffect},
		{"--device", PlatformEffect},
		{"--precision", JudgeEffect},
		{"--prefilter", JudgeEffect},
		{"kernels", PlatformEffect},
		{"--model-batch-size", PlatformEffect},
		{"--label-map", JudgeEffect},

		{"dataset", RowsEffect},
		{"--map", RowsEffect},
		{"--turns", RowsEffect},
		{"--where", RowsEffect},
		{"--keep", RowsEffect},
		{"--keep-as", RowsEffect},
	}
}

// EffectOf returns the effect of a stored setting. Unknown settings, for
// example of a later version, are assumed to affect the judge, so that they are
// never ignored.
func EffectOf(name string) Effect {
	name = strings.TrimRight(name, " 0123456789") // strip the number of a repeated flag
	all := AllSettings()
	if i := slices.IndexFunc(all, func(d SettingDefinition) bool { return d.Name == name }); i >= 0 {
		return all[i].Effect
	}
	return JudgeEffect
}
