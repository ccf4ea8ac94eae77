package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
)

func newScore(sys system) *cobra.Command {
	var f scoreFlags
	cmd := &cobra.Command{
		Use:   "score DATASET...",
		Short: "Score every row of a dataset",
		Long: `Score how far each answer of a dataset is supported by its contexts. An answer is
split into claims; its score is the share of claims that the contexts support.
Rows that can't be read or judged count as failed and do not stop the run.`,
		Example: `  ragfaith score dataset.jsonl -o results.jsonl --min-mean 0.9
  ragfaith score dataset.csv --map answer=reply --keep model -o report.html
  cat dataset.jsonl | ragfaith score - --to jsonl | jq .faithfulness`,
		Annotations: map[string]string{notesKey: `Exit codes: 0 success, 1 failure, 2 usage error, 3 more failed rows than --max-failed,
4 gate not met, 130 interrupted (finished rows are kept for --resume).

Flags can also be set in the environment (--min-mean as RAGFAITH_MIN_MEAN; lists with
commas) and in ragfaith.yaml ("ragfaith config --help").`},
		Args: someArgs("DATASET argument: want a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			streams := sys.streams(cmd, &f.Options.Options)
			o, err := f.resolve(cmd.Context(), args, sys, streams.Console)
			if err != nil {
				return err
			}
			return app.Score(cmd.Context(), o, cmd.InOrStdin(), streams, &sys.System)
		},
	}
	f.define(cmd)
	cmd.ValidArgsFunction = cobra.FixedCompletions(
		append(dataset.Formats(), "ndjson", "tab", "yaml", "yml", "gz", "zst"), cobra.ShellCompDirectiveFilterFileExt)
	judges := append(judgeNames(), namesOf(llm.LocalServers(), func(s llm.LocalServer) string { return s.Name })...)
	// This fails only for unknown flags.
	_ = cmd.RegisterFlagCompletionFunc("judge", cobra.FixedCompletions(judges, cobra.ShellCompDirectiveDefault))
	return cmd
}

// resolve returns the complete options of a run over datasets. It reports mistakes in the
// command line and missing datasets, and reads the calibration.
func (f *scoreFlags) resolve(ctx context.Context, datasets []string, sys system, c *console.Console) (*app.Options, error) {
	if err := f.chooseJudge(ctx, sys, c); err != nil {
		return nil, err
	}
	r := *f
	o := &r.Options
	o.Datasets, o.Version = datasets, version()
	if s, _, ok := llm.ParseLocal(o.Judge); ok {
		o.Judge, o.LLM.Server = app.JudgeLLM, &s
	}
	o.LLM.Timeout, o.LLM.ReasoningTimeout = r.requestTimeouts()
	o.LLM.KeyRequired, o.LLM.EmbedKeyRequired = explicit(f.flags, "api-key-env"), explicit(f.flags, "embed-api-key-env")
	o.Local.PrefilterGiven = explicit(f.flags, "prefilter")
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := r.resolveInput(); err != nil {
		return nil, err
	}
	if err := calibrateJudge(o, o.Warner(c)); err != nil {
		return nil, err
	}
	if a, b, found := duplicate(withoutStdin(datasets)); found {
		o.Warner(c)(fmt.Errorf("%s and %s are the same file, whose rows count twice", a, b))
	}
	return o, checkExist(datasets)
}

// requestTimeouts returns the timeouts of a request to a model that is not known to reason
// and, unless --timeout sets both, of one that is.
func (f *scoreFlags) requestTimeouts() (timeout, reasoning time.Duration) {
	switch {
	case f.flags.Changed("timeout"):
		return f.LLM.Timeout, 0
	case llm.IsNear(f.LLM.BaseURL) || f.LLM.Server != nil:
		return slowTimeout, slowTimeout
	}
	return f.LLM.Timeout, slowTimeout
}

// resolveInput sets how the datasets are read, and which rows are scored.
func (f *scoreFlags) resolveInput() error {
	o := &f.Options
	o.Rows.Seed = o.Seed
	opts := &o.Dataset
	opts.NeedText, opts.AllTurns = o.EmptyContexts == app.EmptyFail, f.turns == "all"
	if f.from != "auto" {
		opts.From = f.from
	}
	if f.inputFormat != "auto" {
		opts.Format = dataset.Format(f.inputFormat)
	}
	fields := []dataset.Field{dataset.FieldID, dataset.FieldQuestion, dataset.FieldAnswer, dataset.FieldContexts}
	if len(o.Map) > 0 {
		opts.Map = make(map[dataset.Field]string)
	}
	for _, m := range o.Map {
		name, column, ok := strings.Cut(m, "=")
		field := dataset.Field(name)
		switch {
		case !ok || column == "":
			return exit.Usagef("--map %s: want FIELD=COLUMN", m)
		case !slices.Contains(fields, field):
			return exit.Usagef("--map %s: unknown field %q, want id, question, answer or contexts", m, name)
		case opts.Map[field] != "":
			return exit.Usagef("--map: two columns for %s: %s and %s", name, opts.Map[field], column)
		}
		opts.Map[field] = column
	}
	for _, text := range o.Where {
		c, err := dataset.ParseCondition(text)
		if err != nil {
			return exit.Usagef("--where: %v", err)
		}
		o.Rows.Where = append(o.Rows.Where, c)
	}
	opts.Keep, opts.KeepAll = o.InputColumns(), slices.Contains(o.Keep, "all")
	if opts.KeepAll {
		opts.Keep = slices.DeleteFunc(opts.Keep, func(column string) bool { return slices.Contains(o.Keep, column) })
	}
	for _, c := range o.KeptColumns() {
		opts.Required = append(opts.Required, dataset.Required{Flag: c.Flag, Column: c.Name})
	}
	for _, c := range o.Rows.Where {
		opts.Required = append(opts.Required, dataset.Required{Flag: "--where", Column: c.Column})
	}
	return nil
}

// calibrateJudge reads --calibration: the threshold, unless --threshold is set, or the bounds.
func calibrateJudge(o *app.Options, warn func(error)) error {
	switch {
	case o.Prescreens():
		return readBounds(o)
	case o.Calibration == "":
		return nil
	}
	c, err := calibrate.Read(o.Calibration)
	if err != nil {
		return err
	}
	if o.Threshold != nil {
		warn(fmt.Errorf("--calibration %s has no effect because --threshold is set", o.Calibration))
		return nil
	}
	if err := c.CheckThreshold(); err != nil {
		return err
	}
	o.Threshold, o.Calibrated = new(c.Threshold), c
	return nil
}

// readBounds reads the bounds of --prescreen from --calibration.
func readBounds(o *app.Options) error {
	advice := fmt.Sprintf(`score labelled rows with --judge %s --keep LABEL -o R.jsonl --summary R.summary.json, then "ragfaith calibrate R.jsonl --label LABEL -o FILE.json"`, o.LLM.Prescreen)
	if o.Calibration == "" {
		return exit.Usagef("--prescreen needs the bounds in --calibration FILE.json: %s", advice)
	}
	c, err := calibrate.Read(o.Calibration)
	if err != nil {
		return err
	}
	if o.SupportedFrom, o.UnsupportedFrom, err = c.Bounds(); err != nil {
		return exit.Usagef("--prescreen: %s: %w; %s", o.Calibration, err, advice)
	}
	o.Calibrated = c
	return nil
}

// chooseJudge replaces --judge auto with the best available free judge.
func (f *scoreFlags) chooseJudge(ctx context.Context, sys system, c *console.Console) error {
	if f.Judge != judgeAuto {
		return nil
	}
	server := []string{"base-url", "model", "api-key-env"}
	for _, name := range server {
		if explicit(f.flags, name) {
			return exit.Usagef("--%s can't be used with --judge auto, which chooses the server and the model", name)
		}
	}
	chosen, why := app.BestJudge(ctx, &f.Options, &sys.System)
	if !f.Quiet {
		c.Printf("--judge auto: %s (%s)", chosen, why)
	}
	if err := f.flags.Lookup("judge").Value.Set(chosen); err != nil {
		return exit.Usagef("--judge auto: %w", err)
	}
	if _, _, ok := llm.ParseLocal(chosen); ok {
		for _, name := range server { // those of a config file may belong to a server that costs money
			f.flags.Lookup(name).Changed = false
		}
	}
	return applyServer(f.flags, sys.LookupEnv)
}

// check reports invalid combinations of options and arguments, and sets the names of kept
// columns. An option without effect is an error on the command line only: in the environment
// or a config file it may be meant for other runs.
func (f *scoreFlags) check() (err error) {
	o := &f.Options
	conflicts := []conflict{{o.Verbose && o.Quiet, "--verbose and --quiet cannot be used together"}}
	conflicts = append(append(conflicts, f.llmConflicts()...), f.localConflicts()...)
	for _, c := range conflicts {
		if c.found {
			return exit.Usagef("%s", c.text)
		}
	}
	if err := errors.Join(checkShow(&o.Options, explicit(f.flags, "show")), checkGroups(&o.Options)); err != nil {
		return err
	}
	if o.Names, err = app.NewKeptNames(o.KeepAs, o.InputColumns()); err != nil {
		return err
	}
	for _, c := range o.KeptColumns() {
		if name := o.Names.Name(c.Name); name != c.Name {
			return exit.Usagef("--keep-as %s=%s: %s needs the column under its own name", c.Name, name, c.Flag)
		}
	}
	if err := checkStdinOnce(o.Datasets); err != nil {
		return err
	}
	err = checkOutputs(&o.Options, "the dataset", o.Datasets)
	if err == nil {
		err = checkOutputs(&o.Options, "the file", []string{o.Calibration, cmp.Or(f.flags.Lookup("config").Value.String(), configName)})
	}
	if err := errors.Join(err, f.checkBatch()); err != nil {
		return err
	}
	if o.Resume && o.JSONL() == "" {
		return exit.Usagef("--resume needs the JSONL file of the interrupted run: -o FILE.jsonl")
	}
	return nil
}

// A conflict is a combination of options that is an error if it was found.
type conflict struct {
	found bool
	text  string
}

// llmConflicts returns the conflicts of language model options.
func (f *scoreFlags) llmConflicts() []conflict {
	o, l := &f.Options, &f.LLM
	given := func(name string) bool { return explicit(f.flags, name) }
	if !o.UsesLLM() {
		unused := f.explicitFlags(languageModelGroup)
		return []conflict{{len(unused) > 0, strings.Join(unused, ", ") + ": no language model is used without --judge llm, --claims llm or a --profile"}}
	}
	asks := o.Judge == app.JudgeLLM
	semantic, local := l.SemanticCache && asks, l.EmbedModel == app.EmbedLocal
	all := []conflict{
		{given("votes") && !asks, "--votes needs --judge llm"},
		{given("max-context-tokens") && !asks, "--max-context-tokens needs --judge llm"},
		{given("semantic-cache") && !asks, "--semantic-cache needs --judge llm"},
		{given("prescreen") && !asks, "--prescreen needs --judge llm"},
		{given("audit") && !o.Prescreens(), "--audit needs --prescreen"},
		{given("batch-poll") && !l.Batch, "--batch-poll needs --batch"},
		{given("cache") && l.NoCache, "--cache and --no-cache cannot be used together"},
		{l.Votes%2 == 0, fmt.Sprintf("--votes %d: want an odd number", l.Votes)},
		{strings.TrimSpace(l.Model) == "" && l.Server == nil, "--model: want the name of a model"},
		{semantic && l.EmbedModel == "", "--embed-model: want the name of a model"},
		{semantic && local && l.EmbedBaseURL != "", "--embed-model local is built in: --embed-base-url has no effect"},
		{semantic && *l.SemanticThreshold == 0, "--semantic-threshold: want a cosine above 0"},
		{semantic && l.NoCache, "--semantic-cache keeps its verdicts in the reply cache: it can't be used with --no-cache"},
		{semantic && l.Batch, "--semantic-cache can't be used with --batch: a verdict can be reused only after an earlier one is known"},
		{o.Prescreens() && o.Threshold != nil, "--threshold can't be used with --prescreen, whose verdicts are for 0.5"},
	}
	if p := o.Published(); p != nil {
		evidence := "joined"
		if p.Style == judge.DeepEval {
			evidence = "chunks"
		}
		with := " can't be used with --profile " + p.Profile
		body, _ := llm.ParseExtraBody(l.ExtraBody) // checked when it was set
		return append(all,
			conflict{l.Strict, "--strict" + with + ", whose prompt decides what counts as support"},
			conflict{!p.EachChunk && o.Evidence != evidence, "--evidence " + o.Evidence + with + ", which reads all contexts together"},
			conflict{o.Prescreens() && (!p.Logprobs || p.Style == judge.DeepEval), "--prescreen" + with},
			conflict{!p.Logprobs && (o.Threshold != nil || o.Calibration != ""), "--threshold and --calibration" + with + ": its scores are 1 or 0"},
			conflict{p.Style == judge.Guardian && bytes.Contains(body, []byte(`"chat_template_kwargs"`)), "--extra-body: chat_template_kwargs contains the documents of --profile " + p.Profile + " and can't be replaced"})
	}
	if o.Combined() {
		const with = " can't be used with --profile rag-evals, which finds and judges claims in one request"
		return append(all,
			conflict{l.Votes > 1, "--votes" + with},
			conflict{l.SemanticCache, "--semantic-cache" + with},
			conflict{o.Prescreens(), "--prescreen" + with},
			conflict{o.Evidence != "chunks", "--evidence " + o.Evidence + with})
	}
	return all
}

// localConflicts returns the conflicts of local model options.
func (f *scoreFlags) localConflicts() []conflict {
	o := &f.Options
	if !o.UsesLocalModel() {
		unused := f.explicitFlags(localModelGroup)
		if o.LLM.SemanticCache && o.LLM.EmbedsLocally() { // the embedding model may be in --models
			unused = slices.DeleteFunc(unused, func(name string) bool { return name == "--models" })
		}
		return []conflict{
			{o.Profile == app.ProfileLettuce, "--profile lettucedetect needs a judge that classifies tokens, not " + o.Judge},
			{len(unused) > 0, strings.Join(unused, ", ") + ": no local model is used without --judge hhem or MODEL"},
		}
	}
	device := o.Local.Device
	return []conflict{
		{device != ort.None && o.Local.Precision == app.PrecisionInt8, fmt.Sprintf("--precision int8 needs --device cpu: %s computes in float32", device)},
		{device == ort.None && explicit(f.flags, "onnxruntime"), "--onnxruntime has no effect on --device cpu: use --device cuda:N"},
	}
}

// checkBatch checks that a batch can keep its state and read its datasets more than once.
func (f *scoreFlags) checkBatch() error {
	if !f.UsesBatch() || f.DryRun {
		return nil
	}
	if f.JSONL() == "" {
		return exit.Usagef("--batch keeps its state beside a JSONL file: add -o FILE.jsonl")
	}
	for _, path := range f.Datasets {
		if path == "-" {
			return exit.Usagef("--batch reads the dataset more than once: want a file instead of standard input")
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return exit.Usagef("--batch reads the dataset more than once: %s is not a regular file", path)
		}
	}
	return nil
}

// explicitFlags returns the flags of a group that were given on the command line.
func (f *scoreFlags) explicitFlags(group string) []string {
	var names []string
	f.flags.VisitAll(func(flag *pflag.Flag) {
		if annotation(flag, groupKey) == group && explicit(f.flags, flag.Name) {
			names = append(names, "--"+flag.Name)
		}
	})
	return names
}
