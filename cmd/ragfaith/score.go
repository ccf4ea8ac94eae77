package main

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/segment"
)

// defaultRowTimeout only stops pathological rows: without a server, any real row takes
// far less.
const defaultRowTimeout = time.Minute

// scoreFlags are the flags of "ragfaith score". Their values are stored in an app.Options
// that is incomplete: resolve returns one that can be run.
type scoreFlags struct {
	app.Options

	inputFormat, from, turns string

	flags *pflag.FlagSet // all flags of the command
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
	var f scoreFlags
	cmd := &cobra.Command{
		Use:         "score DATASET...",
		Short:       "Score every row of a dataset",
		Long:        scoreLong,
		Example:     scoreExample,
		Annotations: map[string]string{notesKey: scoreNotes},
		Args:        someArgs("DATASET argument: want a file, or - for standard input"),
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
	completeScore(cmd)
	return cmd
}

// define adds the flags to the command.
func (f *scoreFlags) define(cmd *cobra.Command) {
	addFlags(cmd,
		flagGroup{inputGroup, f.inputFlags()},
		flagGroup{"Judging", f.judgingFlags()},
		flagGroup{"Output", f.outputFlags()},
		flagGroup{"Gates", gateFlags(&f.Options.Options)},
		flagGroup{localModelGroup, f.localFlags()},
		flagGroup{languageModelGroup, f.llmFlags()})
	f.flags = cmd.Flags()
}

// Names of flag groups. Only some judges use the last two.
const (
	inputGroup         = "Input"
	localModelGroup    = "Local model"
	languageModelGroup = "Language model"
)

func (f *scoreFlags) inputFlags() []flagSpec {
	o := &f.Options
	o.Rows.Shard, o.Rows.Shards = 1, 1
	o.Dataset.MaxRowBytes = dataset.DefaultMaxRowBytes
	formats := append([]string{"auto"}, dataset.Formats()...)
	return []flagSpec{
		{
			name: "input-format", arg: "FORMAT", value: flagvalue.OneOf(&f.inputFormat, "auto", formats...),
			help: "dataset format: " + report.OrList(formats),
		},
		{
			name: "delimiter", arg: "CHAR", value: flagvalue.Delimiter(&o.Dataset.Delimiter),
			help: "delimiter of CSV files, or tab (default: detected)",
		},
		{
			name: "from", arg: "TOOL", value: flagvalue.OneOf(&f.from, "auto", append([]string{"auto"}, dataset.Exporters()...)...),
			help: "the tool that exported the dataset, such as langfuse",
		},
		{
			name: "map", arg: "FIELD=COLUMN", value: &o.Map,
			help: "read a field from a column or a path such as docs[*].text; repeatable",
		},
		{
			name: "turns", arg: "WHICH", value: flagvalue.OneOf(&f.turns, "last", "last", "all"),
			help: "score the last answer of each chat, or all",
		},
		{name: "keep", arg: "COLUMN", value: &o.Keep, harmless: true, help: "copy COLUMN into the results; all for every column; repeatable"},
		{name: "keep-as", arg: "COLUMN=NAME", value: &o.KeepAs, harmless: true, help: "copy COLUMN into the results as NAME; repeatable"},
		{name: "where", arg: "CONDITION", value: &o.Where, help: "score only rows with COLUMN=VALUE, or !=, <, <=, > or >=; repeatable"},
		{name: "limit", arg: "N", value: flagvalue.Int(&o.Rows.Limit, 0, 0), help: "score only the first N rows; 0 for all"},
		{name: "sample", arg: "N", value: flagvalue.Int(&o.Rows.Sample, 0, 0), help: "score a random sample of N rows; 0 for all"},
		{name: "seed", arg: "N", value: &o.Seed, help: "random seed"},
		{name: "shard", arg: "I/N", value: flagvalue.Shard(&o.Rows.Shard, &o.Rows.Shards), help: "score only shard I of N: rows whose index mod N is I-1"},
		{name: "max-row-bytes", arg: "SIZE", value: flagvalue.Size(&o.Dataset.MaxRowBytes), help: "rows larger than this fail"},
		{name: "lang", arg: "LANG", value: flagvalue.Language(&o.Lang, segment.Languages()), help: "language of the answers, such as de (default: detected)"},
	}
}

func (f *scoreFlags) judgingFlags() []flagSpec {
	o := &f.Options
	o.Judge = app.JudgeLexical
	return []flagSpec{
		{name: "profile", arg: "NAME", value: flagvalue.OneOf(&o.Profile, "", profileNames()...), help: "evaluate as another tool does, such as ragas or deepeval"},
		{
			name: "claims", arg: "METHOD", value: flagvalue.OneOf(&o.Claims, "sentence", "sentence", app.ClaimsAnswer, app.ClaimsLLM),
			help: "split answers into claims: sentence, answer or llm",
		},
		{
			name: "judge", arg: "JUDGE", value: flagvalue.Text(&o.Judge, checkJudge),
			help: "lexical, embedded, auto, llm, ollama/MODEL, or a model or DIR",
		},
		{
			name: "evidence", arg: "MODE", value: flagvalue.OneOf(&o.Evidence, "chunks", "chunks", "joined"),
			help: "compare claims with single chunks or with all joined",
		},
		{name: "threshold", arg: "SCORE", value: flagvalue.Fraction(&o.Threshold), help: "minimum score of a supported claim (default: the judge's)"},
		{name: "calibration", arg: "FILE", value: &o.Calibration, path: filePath, help: "read threshold or bounds written by \"ragfaith calibrate\""},
		{
			name: "no-claims", arg: "SCORE", value: flagvalue.OneOf(&o.NoClaims, "null", "null", "0", "1"),
			help: "score of an answer without claims: null, 0 or 1",
		},
		{
			name: "empty-contexts", arg: "HOW", value: flagvalue.OneOf(&o.EmptyContexts, app.EmptyScore, app.EmptyScore, app.EmptyFail, app.EmptySkip),
			help: "if nothing was retrieved: score (0), fail or skip the row",
		},
		{name: "concurrency", arg: "N", value: flagvalue.Int(&o.Concurrency, 16, 1), help: "judge up to N rows at once"},
		{
			name: "row-timeout", arg: "DURATION", value: flagvalue.Duration(&o.RowTimeout, defaultRowTimeout, 0),
			help: "time limit for one row, not counting waits; 0s for none",
		},
	}
}

func (f *scoreFlags) outputFlags() []flagSpec {
	o := &f.Options
	return append(outputFlags(&o.Options), []flagSpec{
		{name: "resume", value: &o.Resume, help: "continue an interrupted run that writes a JSONL file"},
		{name: "dry-run", value: &o.DryRun, help: "estimate claims, requests, tokens and cost; send nothing"},
		{name: "verbose", short: "v", value: &o.Verbose, harmless: true, help: "list all failed rows, the options and the duration"},
		{name: "quiet", short: "q", value: &o.Quiet, harmless: true, help: "no progress, warnings or failed rows on stderr"},
		{name: "no-progress", value: &o.NoProgress, harmless: true, help: "no progress on stderr"},
	}...)
}
