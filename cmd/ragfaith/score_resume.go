package main

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
)

// resultFormat is the version of the JSONL results. It is incremented if new rows can no
// longer be appended to a file with older ones.
const resultFormat = 1

// settingValues maps the settings of a run to their values. A repeated flag has several
// values; a setting that does not apply has none.
type settingValues map[string][]string

// settings returns the settings that affect the results. Only a run with the same settings
// can be resumed. They are stored in plain text next to the results and therefore never
// contain API keys, or URLs that may contain one.
func (o *scoreOptions) settings(paths []string, threshold float64, m *model, local *localModel) (result.Settings, error) {
	seed := uint64(0)
	if o.sample > 0 || o.prescreens() { // otherwise it has no effect on results
		seed = o.seed
	}
	values := settingValues{
		"result format":   {strconv.Itoa(resultFormat)},
		"--input-format":  {o.inputFormat},
		"--limit":         {strconv.Itoa(o.limit)},
		"--sample":        {strconv.Itoa(o.sample)},
		"--seed":          {strconv.FormatUint(seed, 10)},
		"--shard":         {strconv.Itoa(o.shard) + "/" + strconv.Itoa(o.shards)},
		"--max-row-bytes": {strconv.Itoa(o.maxRowBytes)},
		"--lang":          {o.lang},
		"--claims":        {o.claims},
		"--judge":         {o.judge},
		"--evidence":      {o.evidence},
		"--threshold":     {strconv.FormatFloat(threshold, 'g', -1, 64)},
		"--no-claims":     {o.noClaims},
		"dataset":         paths,
		"--map":           o.columns,
		"--keep":          o.names.names(o.keptColumns()),
		"--keep-as":       o.keepAs,
	}
	if o.from != "auto" {
		values["--from"] = []string{o.from}
	}
	if o.emptyContexts != emptyScore {
		values["--empty-contexts"] = []string{o.emptyContexts}
	}
	if o.turns != "last" {
		values["--turns"] = []string{o.turns}
	}
	if len(o.where) > 0 {
		values["--where"] = o.where
	}
	if o.delimiter != 0 {
		values["--delimiter"] = []string{flagvalue.Delimiter(&o.delimiter).String()}
	}
	if o.calibrated != nil {
		values["--calibration"] = []string{o.calibrated.Name()}
	}
	if m != nil {
		maps.Copy(values, m.settings(o))
	}
	if o.prescreens() {
		values["--prescreen"] = []string{o.llm.prescreen}
		values["--audit"] = []string{strconv.FormatFloat(*o.llm.audit, 'g', -1, 64)}
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
func (m *model) settings(o *scoreOptions) settingValues {
	l := &o.llm
	values := settingValues{
		"--profile":            {o.profile},
		"--model":              {m.stack.Client.Model()},
		"--base-url":           {m.stack.Client.Endpoint()},
		"--strict":             {strconv.FormatBool(l.strict)},
		"--votes":              {strconv.Itoa(l.votes)},
		"--max-context-tokens": {strconv.Itoa(l.maxContextTokens)},
	}
	if body, err := llm.ParseExtraBody(l.extraBody); err == nil && body != nil {
		values["--extra-body"] = []string{string(body)}
	}
	if l.reasoningEffort != effortAuto {
		values["--reasoning-effort"] = []string{l.reasoningEffort}
	}
	if l.maxOutputTokens > 0 {
		values["--max-output-tokens"] = []string{strconv.Itoa(l.maxOutputTokens)}
	}
	for _, n := range o.promptNames() {
		values["prompt "+string(n)] = []string{m.prompts.Version(n)}
	}
	if m.embedder != nil {
		name := l.embedModel
		if m.local != nil {
			name += " " + m.local.digest
		}
		values["--embed-model"] = []string{name}
		values["--embed-base-url"] = []string{m.embedURL}
		values["--semantic-threshold"] = []string{strconv.FormatFloat(*l.semanticThreshold, 'g', -1, 64)}
	}
	return values
}

// promptNames returns the prompts that affect the results: those for any profile, and
// those of a published judge only if it is used.
func (o *scoreOptions) promptNames() []prompt.Name {
	names := []prompt.Name{prompt.Claims, prompt.Judge, prompt.JudgeWord, prompt.RagasClaims, prompt.RagasJudge, prompt.RagEvals}
	switch p := o.published(); {
	case p == nil:
	case p.style == judge.DeepEval:
		names = append(names, prompt.DeepEvalTruths, prompt.DeepEvalJudge)
	default:
		names = append(names, prompt.Name(p.profile)) // the prompt has the name of the profile
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

// openJournal creates the JSONL file that a later run can resume, or resumes it.
func openJournal(path string, settings result.Settings, resume bool) (*journal.Journal, error) {
	j, err := journal.Open(path, settings, resume)
	if _, changed := errors.AsType[*journal.SettingsError](err); changed || errors.Is(err, journal.ErrNotAFile) {
		return nil, &usageError{err}
	}
	return j, err
}

// resume makes the pipeline reuse the rows stored in the journal.
func (r *scoreRun) resume() {
	j := r.outputs.journal
	if !r.options.resume || j == nil {
		return
	}
	stored := j.Stored()
	if stored == nil {
		if !r.options.quiet && !r.batch.resumed() {
			r.console.Printf("nothing to resume: starting from the beginning")
		}
		return
	}
	r.stored, stored.Warn, r.pipeline.Earlier = stored, r.warn, stored.Next
	stored.Done = func() {
		r.progress.Resumed()
		if r.options.quiet {
			return
		}
		failed := ""
		if n := stored.Retried(); n > 0 {
			failed = ", retrying " + report.Count(n, "failed row", "failed rows")
		}
		r.console.Printf("resuming %s: %s finished%s", stored.Part, report.Count(stored.Kept(), "row is", "rows are"), failed)
	}
}

// rejectUnmatched yields rows, and then an error if the journal has results that match no
// row.
func (r *scoreRun) rejectUnmatched(rows iter.Seq2[dataset.Row, error]) iter.Seq2[dataset.Row, error] {
	if r.stored == nil {
		return rows
	}
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
		}
		if err := r.stored.Unmatched(); err != nil {
			yield(dataset.Row{}, err)
		}
	}
}

// A journalWriter writes rows to a journal.
type journalWriter struct {
	report.Writer
	journal *journal.Journal
}

// Write writes a row and counts it.
func (w journalWriter) Write(r *result.Row) error {
	if err := w.Writer.Write(r); err != nil {
		return err
	}
	return w.journal.Wrote()
}
