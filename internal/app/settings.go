package app

import (
	"cmp"
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

// A settingList collects settings in the order in which they are stored.
type settingList struct{ all result.Settings }

// add adds the values of a setting. A repeated flag has any number of values, of which the
// second and later ones have a number in their name: "--map", "--map 2" and so on.
func (l *settingList) add(name string, values ...string) {
	for i, value := range values {
		numbered := name
		if i > 0 {
			numbered += " " + strconv.Itoa(i+1)
		}
		l.all = append(l.all, result.Setting{Name: numbered, Value: value})
	}
}

func (l *settingList) addIf(applies bool, name, value string) {
	if applies {
		l.add(name, value)
	}
}

// settings returns the settings that affect the results. Only a run with the same settings
// can be resumed. They are stored in plain text next to the results and therefore never
// contain API keys, or URLs that may contain one. [result.EffectOf] reports what each affects.
func (o *Options) settings(threshold float64, m *model, local *localModel) (result.Settings, error) {
	seed := uint64(0)
	if o.Rows.Sample > 0 || o.Prescreens() { // otherwise it has no effect on results
		seed = o.Seed
	}
	l := &settingList{}
	l.add("result format", strconv.Itoa(resultFormat))
	l.add("--input-format", cmp.Or(string(o.Dataset.Format), "auto"))
	l.addIf(o.Dataset.Delimiter != 0, "--delimiter", flagvalue.Delimiter(new(o.Dataset.Delimiter)).String())
	l.addIf(o.Dataset.From != "", "--from", o.Dataset.From)
	l.add("--limit", strconv.Itoa(o.Rows.Limit))
	l.add("--sample", strconv.Itoa(o.Rows.Sample))
	l.add("--seed", strconv.FormatUint(seed, 10))
	l.add("--shard", strconv.Itoa(o.Rows.Shard)+"/"+strconv.Itoa(o.Rows.Shards))
	l.add("--max-row-bytes", strconv.Itoa(o.Dataset.MaxRowBytes))
	l.add("--lang", o.Lang)
	l.add("--claims", o.Claims)
	l.add("--judge", o.Judge)
	l.add("--evidence", o.Evidence)
	l.add("--threshold", strconv.FormatFloat(threshold, 'g', -1, 64))
	l.add("--no-claims", o.NoClaims)
	l.addIf(o.EmptyContexts != EmptyScore, "--empty-contexts", o.EmptyContexts)
	if o.Calibrated != nil {
		l.add("--calibration", o.Calibrated.Name())
	}
	if m != nil {
		m.addSettings(l, o)
	}
	if local != nil {
		if err := local.addSettings(l, o); err != nil {
			return nil, err
		}
	}
	l.add("dataset", o.Datasets...)
	l.add("--map", o.Map...)
	l.addIf(o.Dataset.AllTurns, "--turns", "all")
	l.add("--where", o.Where...)
	l.add("--keep", o.Names.names(o.InputColumns())...)
	l.add("--keep-as", o.KeepAs...)
	return l.all, nil
}

// addSettings adds the settings that affect the verdicts, the endpoint without secrets.
func (m *model) addSettings(list *settingList, o *Options) {
	l := &o.LLM
	list.add("--profile", o.Profile)
	list.add("--model", m.stack.Client.Model())
	list.add("--base-url", m.stack.Client.Endpoint())
	if body, err := llm.ParseExtraBody(l.ExtraBody); err == nil && body != nil {
		list.add("--extra-body", string(body))
	}
	list.add("--strict", strconv.FormatBool(l.Strict))
	list.add("--votes", strconv.Itoa(l.Votes))
	list.add("--max-context-tokens", strconv.Itoa(l.MaxContextTokens))
	list.addIf(l.MaxOutputTokens > 0, "--max-output-tokens", strconv.Itoa(l.MaxOutputTokens))
	list.addIf(l.ReasoningEffort != EffortAuto, "--reasoning-effort", l.ReasoningEffort)
	if o.Prescreens() {
		list.add("--prescreen", l.Prescreen)
		list.add("--audit", strconv.FormatFloat(*l.Audit, 'g', -1, 64))
	}
	for _, n := range o.promptNames() {
		list.add("prompt "+string(n), m.prompts.Version(n))
	}
	if m.embedder != nil {
		name := l.EmbedModel
		if m.local != nil {
			name += " " + m.local.digest
		}
		list.add("--embed-model", name)
		list.add("--embed-base-url", m.embedURL)
		list.add("--semantic-threshold", strconv.FormatFloat(*l.SemanticThreshold, 'g', -1, 64))
	}
}

// addSettings adds the settings that affect the verdicts.
func (m *localModel) addSettings(list *settingList, o *Options) error {
	fingerprint, err := encoder.Fingerprint(m.dir)
	if err != nil {
		return err
	}
	// Rounding on a GPU depends on the library and on which pairs share a padded batch.
	gpu := o.Local.Device != ort.None
	list.add("model", fingerprint)
	list.addIf(m.layoutName != "", "layout", m.layoutName)
	list.add("rounded", strconv.FormatBool(o.roundsScores()))
	list.add("--device", o.Local.Device.String())
	list.add("--precision", o.Local.Precision)
	list.addIf(m.Info().Kind != encoder.Tokens, "--prefilter", strconv.Itoa(o.Local.Prefilter))
	list.addIf(gpu, "kernels", m.Info().Kernel)
	list.addIf(gpu, "--model-batch-size", strconv.Itoa(o.Local.Batch))
	list.add("--label-map", o.Local.Labels...)
	return nil
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

// withoutDatasets removes the datasets, which have their own field in a summary.
func withoutDatasets(settings result.Settings) result.Settings {
	return slices.DeleteFunc(slices.Clone(settings), func(s result.Setting) bool {
		name, _, _ := strings.Cut(s.Name, " ")
		return name == "dataset"
	})
}
