package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm/local"
	"github.com/ragfaith/ragfaith/internal/segment"
)

// defaultRowTimeout only stops pathological rows: without a server, any real row takes
// far less.
const defaultRowTimeout = time.Minute

// scoreOptions are the options of "ragfaith score".
type scoreOptions struct {
	inputFormat   string
	delimiter     byte
	from          string
	turns         string
	columns       []string // values of --map
	where         []string
	conditions    []dataset.Condition // parsed from where
	keep, keepAs  []string
	names         *keptNames // set by check
	limit, sample int
	seed          uint64
	shard, shards int
	maxRowBytes   int
	lang          string

	claims, judge, evidence string
	threshold               *float64 // nil to use the judge's default
	calibration             string
	calibrated              *calibrate.Calibration // read from --calibration; nil unless it sets the threshold or the bounds
	supportedFrom           float64                // bounds of --prescreen
	unsupportedFrom         float64
	noClaims, emptyContexts string
	concurrency             int
	rowTimeout              time.Duration
	profile                 string
	llm                     llmOptions
	localModel              localOptions

	outputOptions
	resume bool

	gateOptions

	verbose, noProgress bool
	dryRun              bool

	flags *pflag.FlagSet // all flags of the command; nil in tests
}

const scoreLong = `Score how far each answer of a dataset is supported by its contexts. An answer is
split into claims; its score is the share of claims that the contexts support.
Rows that can't be read or judged count as failed and do not stop the run.`

const scoreExample = `  ragfaith score dataset.jsonl -o results.jsonl --min-mean 0.9
  ragfaith score dataset.csv --map answer=reply --keep model -o report.html
  cat dataset.jsonl | ragfaith score - --to jsonl | jq .faithfulness`

const scoreNotes = `Exit codes: 0 success, 1 failure, 2 usage error, 3 more failed rows than --max-failed,
4 gate not met, 130 interrupted (finished rows are kept for --resume).

Flags can also be set in the environment (--min-mean as RAGFAITH_MIN_MEAN; lists with
commas) and in ragfaith.yaml ("ragfaith config --help").`

func newScore(sys system) *cobra.Command {
	var o scoreOptions
	cmd := &cobra.Command{
		Use:         "score DATASET...",
		Short:       "Score every row of a dataset",
		Long:        scoreLong,
		Example:     scoreExample,
		Annotations: map[string]string{notesKey: scoreNotes},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("missing DATASET argument: want a file, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScore(cmd.Context(), &o, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), sys)
		},
	}
	addFlags(cmd,
		flagGroup{inputGroup, o.inputFlags()},
		flagGroup{"Judging", o.judgingFlags()},
		flagGroup{"Output", o.outputFlags()},
		flagGroup{"Gates", o.gateFlags()},
		flagGroup{localModelGroup, o.localModel.flags()},
		flagGroup{languageModelGroup, o.llm.flags()})
	completeScore(cmd, sys)
	o.flags = cmd.Flags()
	return cmd
}

// The values of --empty-contexts.
const (
	emptyScore = "score" // no claim is supported
	emptyFail  = "fail"
	emptySkip  = "skip"
)

// Names of flag groups. Only some judges use the last two.
const (
	inputGroup         = "Input"
	localModelGroup    = "Local model"
	languageModelGroup = "Language model"
)

func (o *scoreOptions) inputFlags() []flagSpec {
	o.shard, o.shards = 1, 1
	o.maxRowBytes = dataset.DefaultMaxRowBytes
	formats := append([]string{"auto"}, dataset.Formats()...)
	return []flagSpec{
		{
			name: "input-format", arg: "FORMAT", value: flagvalue.OneOf(&o.inputFormat, "auto", formats...),
			help: "dataset format: " + orList(formats),
		},
		{
			name: "delimiter", arg: "CHAR", value: flagvalue.Delimiter(&o.delimiter),
			help: "delimiter of CSV files, or tab (default: detected)",
		},
		{
			name: "from", arg: "TOOL", value: flagvalue.OneOf(&o.from, "auto", append([]string{"auto"}, dataset.Exporters()...)...),
			help: "the tool that exported the dataset, such as langfuse",
		},
		{
			name: "map", arg: "FIELD=COLUMN", value: &o.columns,
			help: "read a field from a column or a path such as docs[*].text; repeatable",
		},
		{
			name: "turns", arg: "WHICH", value: flagvalue.OneOf(&o.turns, "last", "last", "all"),
			help: "score the last answer of each chat, or all",
		},
		{name: "keep", arg: "COLUMN", value: &o.keep, harmless: true, help: "copy COLUMN into the results; all for every column; repeatable"},
		{name: "keep-as", arg: "COLUMN=NAME", value: &o.keepAs, harmless: true, help: "copy COLUMN into the results as NAME; repeatable"},
		{name: "where", arg: "CONDITION", value: &o.where, help: "score only rows with COLUMN=VALUE, or !=, <, <=, > or >=; repeatable"},
		{name: "limit", arg: "N", value: flagvalue.Int(&o.limit, 0, 0), help: "score only the first N rows; 0 for all"},
		{name: "sample", arg: "N", value: flagvalue.Int(&o.sample, 0, 0), help: "score a random sample of N rows; 0 for all"},
		{name: "seed", arg: "N", value: &o.seed, help: "random seed"},
		{name: "shard", arg: "I/N", value: flagvalue.Shard(&o.shard, &o.shards), help: "score only shard I of N: rows whose index mod N is I-1"},
		{name: "max-row-bytes", arg: "SIZE", value: flagvalue.Size(&o.maxRowBytes), help: "rows larger than this fail"},
		{name: "lang", arg: "LANG", value: flagvalue.Language(&o.lang, segment.Languages()), help: "language of the answers, such as de (default: detected)"},
	}
}

func (o *scoreOptions) judgingFlags() []flagSpec {
	o.judge = judgeLexical
	return []flagSpec{
		{name: "profile", arg: "NAME", value: flagvalue.OneOf(&o.profile, "", profileNames()...), help: "evaluate as another tool does, such as ragas or deepeval"},
		{
			name: "claims", arg: "METHOD", value: flagvalue.OneOf(&o.claims, "sentence", "sentence", claimsClause, claimsAnswer, claimsLLM),
			help: "split answers into claims: sentence, clause, answer or llm",
		},
		{
			name: "judge", arg: "JUDGE", value: judgeName{&o.judge},
			help: "lexical, embedded, auto, llm, ollama/MODEL, or a model or DIR",
		},
		{
			name: "evidence", arg: "MODE", value: flagvalue.OneOf(&o.evidence, "chunks", "chunks", "joined"),
			help: "compare claims with single chunks or with all joined",
		},
		{name: "threshold", arg: "SCORE", value: flagvalue.Fraction(&o.threshold), help: "minimum score of a supported claim (default: the judge's)"},
		{name: "calibration", arg: "FILE", value: &o.calibration, path: filePath, help: "read threshold or bounds written by \"ragfaith calibrate\""},
		{
			name: "no-claims", arg: "SCORE", value: flagvalue.OneOf(&o.noClaims, "null", "null", "0", "1"),
			help: "score of an answer without claims: null, 0 or 1",
		},
		{
			name: "empty-contexts", arg: "HOW", value: flagvalue.OneOf(&o.emptyContexts, emptyScore, emptyScore, emptyFail, emptySkip),
			help: "if nothing was retrieved: score (0), fail or skip the row",
		},
		{name: "concurrency", arg: "N", value: flagvalue.Int(&o.concurrency, 16, 1), help: "judge up to N rows at once"},
		{
			name: "row-timeout", arg: "DURATION", value: flagvalue.Duration(&o.rowTimeout, defaultRowTimeout, 0),
			help: "time limit for one row, not counting waits; 0s for none",
		},
	}
}

func (o *scoreOptions) outputFlags() []flagSpec {
	return append(o.outputOptions.flags(), []flagSpec{
		{name: "resume", value: &o.resume, help: "continue an interrupted run that writes a JSONL file"},
		{name: "dry-run", value: &o.dryRun, help: "estimate claims, requests, tokens and cost; send nothing"},
		{name: "verbose", short: "v", value: &o.verbose, harmless: true, help: "list all failed rows, the options and the duration"},
		{name: "quiet", short: "q", value: &o.quiet, harmless: true, help: "no progress, warnings or failed rows on stderr"},
		{name: "no-progress", value: &o.noProgress, harmless: true, help: "no progress on stderr"},
	}...)
}

// check reports invalid combinations of options and arguments.
func (o *scoreOptions) check(paths []string) (err error) {
	if s, _, ok := local.Parse(o.judge); ok {
		o.judge, o.llm.server = judgeLLM, &s
	}
	if o.verbose && o.quiet {
		return usagef("--verbose and --quiet cannot be used together")
	}
	if err := o.checkShow(o.explicit("show")); err != nil {
		return err
	}
	if err := errors.Join(o.checkLLM(), o.checkLocal(), o.checkGroups()); err != nil {
		return err
	}
	if o.names, err = newKeptNames(o.keepAs, o.keptColumns()); err != nil {
		return err
	}
	for _, c := range o.keptGroupColumns() {
		if name := o.names.name(c.name); name != c.name {
			return usagef("--keep-as %s=%s: %s needs the column under its own name", c.name, name, c.flag)
		}
	}
	if err := checkStdinOnce(paths); err != nil {
		return err
	}
	if err := errors.Join(o.checkOutputs("the dataset", paths), o.checkBatch(paths)); err != nil {
		return err
	}
	if o.resume && !o.usesBatch() && !slices.ContainsFunc(o.output, isJSONL) {
		return usagef("--resume needs the JSONL file of the interrupted run: -o FILE.jsonl")
	}
	return nil
}

// datasetOptions returns the options for reading the dataset.
func (o *scoreOptions) datasetOptions() (dataset.Options, error) {
	opts := dataset.Options{MaxRowBytes: o.maxRowBytes, Delimiter: o.delimiter, NeedText: o.emptyContexts == emptyFail}
	opts.AllTurns = o.turns == "all"
	if o.from != "auto" {
		opts.From = o.from
	}
	if o.inputFormat != "auto" {
		format, err := dataset.ParseFormat(o.inputFormat)
		if err != nil {
			return opts, &usageError{err}
		}
		opts.Format = format
	}
	fields := []dataset.Field{dataset.FieldID, dataset.FieldQuestion, dataset.FieldAnswer, dataset.FieldContexts}
	for _, m := range o.columns {
		name, column, ok := strings.Cut(m, "=")
		field := dataset.Field(name)
		switch {
		case !ok || column == "":
			return opts, usagef("--map %s: want FIELD=COLUMN", m)
		case !slices.Contains(fields, field):
			return opts, usagef("--map %s: unknown field %q, want id, question, answer or contexts", m, name)
		case opts.Map[field] != "":
			return opts, usagef("--map: two columns for %s: %s and %s", name, opts.Map[field], column)
		case opts.Map == nil:
			opts.Map = make(map[dataset.Field]string)
		}
		opts.Map[field] = column
	}
	o.conditions = nil
	for _, text := range o.where {
		c, err := dataset.ParseCondition(text)
		if err != nil {
			return opts, usagef("--where: %v", err)
		}
		o.conditions = append(o.conditions, c)
	}
	opts.Keep, opts.KeepAll = o.kept()
	for _, c := range o.keptGroupColumns() {
		opts.Required = append(opts.Required, dataset.Required{Flag: c.flag, Column: c.name})
	}
	for _, c := range o.conditions {
		opts.Required = append(opts.Required, dataset.Required{Flag: "--where", Column: c.Column})
	}
	return opts, nil
}

// kept returns the columns to copy into the results; all is true for --keep all.
func (o *scoreOptions) kept() (columns []string, all bool) {
	columns = o.keptColumns()
	if all = slices.Contains(o.keep, "all"); all {
		columns = slices.DeleteFunc(columns, func(column string) bool { return slices.Contains(o.keep, column) })
	}
	return columns, all
}

// keptColumns returns the columns named by --keep, --keep-as, --cluster, --by and --where.
// Those that group rows are kept so that "ragfaith report" can compute the same statistics from the
// results.
func (o *scoreOptions) keptColumns() []string {
	kept := slices.Clone(o.keep)
	add := func(column string) {
		if !slices.Contains(kept, column) {
			kept = append(kept, column)
		}
	}
	for _, pair := range o.keepAs {
		column, _, _ := strings.Cut(pair, "=")
		add(column)
	}
	for _, c := range o.keptGroupColumns() {
		add(c.name)
	}
	for _, c := range o.conditions {
		add(c.Column)
	}
	return kept
}

// selection returns which rows of the dataset to score.
func (o *scoreOptions) selection() eval.Selection {
	return eval.Selection{Where: o.conditions, Limit: o.limit, Sample: o.sample, Seed: o.seed, Shard: o.shard, Shards: o.shards}
}

// noClaimsScore returns the value of --no-claims, or nil for null.
func (o *scoreOptions) noClaimsScore() *float64 {
	switch o.noClaims {
	case "0":
		return new(0.0)
	case "1":
		return new(1.0)
	}
	return nil
}

// explicit reports whether a flag was given on the command line.
func (o *scoreOptions) explicit(name string) bool { return o.flags != nil && explicit(o.flags, name) }

// explicitFlags returns the flags of a group that were given on the command line.
func (o *scoreOptions) explicitFlags(group string) []string {
	var names []string
	if o.flags != nil {
		o.flags.VisitAll(func(f *pflag.Flag) {
			if annotation(f, groupKey) == group && o.explicit(f.Name) {
				names = append(names, "--"+f.Name)
			}
		})
	}
	return names
}

// explicit reports whether the named flag was set by the command line, rather than by the
// environment, a config file or a profile.
func explicit(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && len(f.Annotations[sourceKey]) == 0
}
