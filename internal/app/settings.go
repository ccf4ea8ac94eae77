package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/result"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
)

// resultFormat is the version of the JSONL results. It is incremented if new rows can no
// longer be appended to a file with older ones.
const resultFormat = 1

// settingValues maps the settings of a run to their values. A repeated flag has several
// values; a setting that does not apply has none.
type settingValues map[string][]string

// setIf sets a setting if it applies.
func (v settingValues) setIf(applies bool, name, value string) {
	if applies {
		v[name] = []string{value}
	}
}

// settings returns the settings that affect the results. Only a run with the same settings
// can be resumed. They are stored in plain text next to the results and therefore never
// contain API keys, or URLs that may contain one.
func (o *Options) settings(threshold float64, m *model, local *localModel) (result.Settings, error) {
	seed := uint64(0)
	if o.Rows.Sample > 0 || o.Prescreens() { // otherwise it has no effect on results
		seed = o.Seed
	}
	values := settingValues{
		"result format":   {strconv.Itoa(resultFormat)},
		"--input-format":  {cmp.Or(string(o.Dataset.Format), "auto")},
		"--limit":         {strconv.Itoa(o.Rows.Limit)},
		"--sample":        {strconv.Itoa(o.Rows.Sample)},
		"--seed":          {strconv.FormatUint(seed, 10)},
		"--shard":         {strconv.Itoa(o.Rows.Shard) + "/" + strconv.Itoa(o.Rows.Shards)},
		"--max-row-bytes": {strconv.Itoa(o.Dataset.MaxRowBytes)},
		"--lang":          {o.Lang},
		"--claims":        {o.Claims},
		"--judge":         {o.Judge},
		"--evidence":      {o.Evidence},
		"--threshold":     {strconv.FormatFloat(threshold, 'g', -1, 64)},
		"--no-claims":     {o.NoClaims},
		"dataset":         o.Datasets,
		"--map":           o.Map,
		"--where":         o.Where,
		"--keep":          o.Names.names(o.InputColumns()),
		"--keep-as":       o.KeepAs,
	}
	values.setIf(o.Dataset.From != "", "--from", o.Dataset.From)
	values.setIf(o.EmptyContexts != EmptyScore, "--empty-contexts", o.EmptyContexts)
	values.setIf(o.Dataset.AllTurns, "--turns", "all")
	values.setIf(o.Dataset.Delimiter != 0, "--delimiter", flagvalue.Delimiter(new(o.Dataset.Delimiter)).String())
	if o.Calibrated != nil {
		values["--calibration"] = []string{o.Calibrated.Name()}
	}
	if m != nil {
		maps.Copy(values, m.settings(o))
	}
	if o.Prescreens() {
		values["--prescreen"] = []string{o.LLM.Prescreen}
		values["--audit"] = []string{strconv.FormatFloat(*o.LLM.Audit, 'g', -1, 64)}
	}
	if local != nil {
		judgeSettings, err := local.settings(o)
		if err != nil {
			return nil, err
		}
		maps.Copy(values, judgeSettings)
	}
	return values.ordered()
}

// settings returns the settings of a language model that affect its verdicts. The
// endpoint is stored without secrets.
func (m *model) settings(o *Options) settingValues {
	l := &o.LLM
	values := settingValues{
		"--profile":            {o.Profile},
		"--model":              {m.stack.Client.Model()},
		"--base-url":           {m.stack.Client.Endpoint()},
		"--strict":             {strconv.FormatBool(l.Strict)},
		"--votes":              {strconv.Itoa(l.Votes)},
		"--max-context-tokens": {strconv.Itoa(l.MaxContextTokens)},
	}
	if body, err := llm.ParseExtraBody(l.ExtraBody); err == nil && body != nil {
		values["--extra-body"] = []string{string(body)}
	}
	values.setIf(l.ReasoningEffort != EffortAuto, "--reasoning-effort", l.ReasoningEffort)
	values.setIf(l.MaxOutputTokens > 0, "--max-output-tokens", strconv.Itoa(l.MaxOutputTokens))
	for _, n := range o.promptNames() {
		values["prompt "+string(n)] = []string{m.prompts.Version(n)}
	}
	if m.embedder != nil {
		name := l.EmbedModel
		if m.local != nil {
			name += " " + m.local.digest
		}
		values["--embed-model"] = []string{name}
		values["--embed-base-url"] = []string{m.embedURL}
		values["--semantic-threshold"] = []string{strconv.FormatFloat(*l.SemanticThreshold, 'g', -1, 64)}
	}
	return values
}

// settings returns the settings that affect the verdicts.
func (m *localModel) settings(o *Options) (settingValues, error) {
	fingerprint, err := encoder.Fingerprint(m.dir)
	if err != nil {
		return nil, err
	}
	values := settingValues{
		"model":       {fingerprint},
		"rounded":     {strconv.FormatBool(o.roundsScores())},
		"--device":    {o.Local.Device.String()},
		"--precision": {o.Local.Precision},
		"--label-map": o.Local.Labels,
	}
	values.setIf(m.Info().Kind != encoder.Tokens, "--prefilter", strconv.Itoa(o.Local.Prefilter))
	values.setIf(m.layoutName != "", "layout", m.layoutName)
	// Rounding on a GPU depends on the library and on which pairs share a padded batch.
	gpu := o.Local.Device != ort.None
	values.setIf(gpu, "kernels", m.Info().Kernel)
	values.setIf(gpu, "--model-batch-size", strconv.Itoa(o.Local.Batch))
	return values, nil
}

// promptNames returns the prompts that affect the results: those for any profile, and
// those of a published judge only if it is used.
func (o *Options) promptNames() []prompt.Name {
	names := []prompt.Name{prompt.Claims, prompt.Judge, prompt.JudgeWord, prompt.RagasClaims, prompt.RagasJudge, prompt.RagEvals}
	switch p := o.Published(); {
	case p == nil:
	case p.Style == judge.DeepEval:
		names = append(names, prompt.DeepEvalTruths, prompt.DeepEvalJudge)
	default:
		names = append(names, prompt.Name(p.Profile)) // the prompt has the name of the profile
	}
	return names
}

// ordered returns the settings in the order of result.AllSettings. The second and later values
// of a setting have a number in their name. Names that result.AllSettings lacks are an error.
func (v settingValues) ordered() (result.Settings, error) {
	var s result.Settings
	known := 0
	for _, listed := range result.AllSettings() {
		values, ok := v[listed.Name]
		if ok {
			known++
		}
		for i, value := range values {
			name := listed.Name
			if i > 0 {
				name += " " + strconv.Itoa(i+1)
			}
			s = append(s, result.Setting{Name: name, Value: value})
		}
	}
	if known < len(v) {
		return nil, fmt.Errorf("package setting lists only %d of the %d settings of the run", known, len(v))
	}
	return s, nil
}

// withoutDatasets returns the settings without the datasets, which have their own field
// in a summary.
func withoutDatasets(settings result.Settings) result.Settings {
	return slices.DeleteFunc(slices.Clone(settings), func(s result.Setting) bool {
		name, _, _ := strings.Cut(s.Name, " ")
		return name == "dataset"
	})
}
