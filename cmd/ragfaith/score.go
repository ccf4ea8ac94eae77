package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
)

// defaultRowTimeout is far more than any real row takes without a server.
const defaultRowTimeout = time.Minute

// scoreOptions are the flags of "ragfaith score".
type scoreOptions struct {
	inputFormat   string
	columns, keep []string
	limit, sample int
	seed          uint64
	shard, shards int
	maxRowBytes   int
	lang          string

	claims, judge, evidence string
	threshold               *float64
	calibration             string
	calibrated              *calibrate.Calibration // nil where it decides nothing
	noClaims                string
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

	flags      *pflag.FlagSet // all of them, and where each one comes from
	language   *pflag.FlagSet // those of llm
	localFlags *pflag.FlagSet // those of localModel
}

const scoreLong = `Score every row of one or more datasets: split its answer into claims, decide
for each claim whether the row's contexts support it, and report the share of
supported claims.

A dataset is a file, or - for standard input. Its columns are found by name;
--map decides where that is not enough. Rows that can't be read or judged are
counted as failed and stop nothing else.`

const scoreExample = `  ragfaith score dataset.jsonl
  ragfaith score dataset.csv --map answer=reply --keep model -o results.jsonl
  cat dataset.jsonl | ragfaith score - --to jsonl | jq .faithfulness
  ragfaith score dataset.parquet --to none -o results.csv --min-mean 0.9
  ragfaith score dataset.jsonl --judge llm --model gpt-4o-mini --dry-run
  ragfaith score dataset.jsonl --profile ragas --base-url http://localhost:8080/v1 --model qwen3`

const scoreExit = `Exit codes:
  0    done, gates passed
  1    it could not run: a file, the model, the network
  2    usage
  3    more rows failed than --max-failed
  4    below a gate
  130  interrupted; what was finished is kept, and --resume goes on

Every flag can also be set in the environment: --min-mean as RAGFAITH_MIN_MEAN.
A list takes commas there. ragfaith.yaml has settings by the same names, see
"ragfaith config". A flag beats the environment, and that the file.`

func newScore(sys system) *cobra.Command {
	var o scoreOptions
	cmd := &cobra.Command{
		Use:     "score DATASET...",
		Short:   "Score every row of a dataset",
		Long:    scoreLong,
		Example: scoreExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which dataset? Name a file, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScore(cmd.Context(), &o, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), sys)
		},
	}
	o.language, o.localFlags = o.llm.flags(), o.localModel.flags()
	groups := []flagGroup{
		{"Input", o.inputFlags()},
		{"Judging", o.judgingFlags()},
		{"Language model", o.language},
		{"Model on this machine", o.localFlags},
		{"Output", o.outputFlags()},
		{"Gates", o.gateFlags()},
	}
	for _, g := range groups {
		cmd.Flags().AddFlagSet(g.flags)
	}
	o.flags = cmd.Flags()
	cmd.SetUsageFunc(groupedUsage(groups, scoreExit))
	completeScore(cmd, sys)
	completeValues(cmd)
	return cmd
}

func (o *scoreOptions) inputFlags() *pflag.FlagSet {
	fs := newFlagSet()
	fs.Var(oneOf(&o.inputFormat, "auto", append([]string{"auto"}, dataset.Formats()...)...), "input-format",
		"`format` of the datasets: "+strings.Join(dataset.Formats(), ", ")+"; auto goes by extension, then by content")
	fs.StringArrayVar(&o.columns, "map", nil, "read a field from a column, as `FIELD=COLUMN`; FIELD is id, question, answer or contexts; repeatable")
	fs.StringArrayVar(&o.keep, "keep", nil, "carry a `column` into the results, or all of them with \"all\"; repeatable")
	fs.Var(atLeast(&o.limit, 0, 0), "limit", "score only the first `N` rows; 0 is all")
	fs.Var(atLeast(&o.sample, 0, 0), "sample", "score only `N` rows drawn at random, of those within --limit; 0 is all")
	fs.Uint64Var(&o.seed, "seed", 0, "of the random `number`s: the same one draws the same rows, and the same resamples for intervals")
	o.shard, o.shards = 1, 1
	fs.Var(share{&o.shard, &o.shards}, "shard", "score only the `I/N`th part: rows whose index mod N is I-1, of those drawn")
	o.maxRowBytes = dataset.DefaultMaxRowBytes
	fs.Var(size{&o.maxRowBytes}, "max-row-bytes", "a row of more `bytes` fails unread")
	fs.StringVar(&o.lang, "lang", "", "`language` of the answers, such as de; without it the language is found")
	return fs
}

func (o *scoreOptions) judgingFlags() *pflag.FlagSet {
	fs := newFlagSet()
	fs.Var(oneOf(&o.profile, "", profileNames()...), "profile", "a set of flags by `name`, to work as another tool does: "+strings.Join(profileNames(), " or ")+"; a flag given beside it wins")
	fs.Var(oneOf(&o.claims, "sentence", "sentence", withLLM), "claims", "what a claim is: sentence takes the answer's sentences word for word, llm has a language model rewrite them")
	o.judge = withLexical
	fs.Var(judgeName{&o.judge}, "judge", "what decides: lexical compares words, numbers, dates and names; embedded has a small model, which is in the binary, read them too; hhem, or a `model` by its name or its folder, runs on this machine; llm asks a language model")
	fs.Var(oneOf(&o.evidence, "chunks", "chunks", "joined"), "evidence", "hold a claim against each context by itself (chunks) or all of them as one text (joined)")
	fs.Var(fraction{&o.threshold}, "threshold", "a claim with this `score` or more is supported (default: that of the judge)")
	fs.StringVar(&o.calibration, "calibration", "", "take the threshold from a `FILE` of \"ragfaith calibrate\", made for this judge; --threshold wins")
	fs.Var(oneOf(&o.noClaims, "null", "null", "0", "1"), "no-claims", "faithfulness of a row whose answer claims nothing: null, 0 or 1")
	fs.Var(atLeast(&o.concurrency, 16, 1), "concurrency", "judge `N` rows at once")
	fs.Var(atLeastDuration(&o.rowTimeout, defaultRowTimeout, 0), "row-timeout", "fail a row after this `time`, waiting excluded; 0s is no limit")
	return fs
}

func (o *scoreOptions) outputFlags() *pflag.FlagSet {
	fs := newFlagSet()
	o.addFlags(fs)
	fs.BoolVar(&o.resume, "resume", false, "go on from the rows that an interrupted run has finished of the same JSONL file")
	fs.BoolVar(&o.dryRun, "dry-run", false, "print how many rows, claims, requests and tokens there are, and what they cost; send and write nothing")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "name every failed row, and the settings and the time of the run")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "no progress, no warnings and no failed rows on standard error")
	fs.BoolVar(&o.noProgress, "no-progress", false, "no progress on standard error")
	return fs
}

// check finds what is wrong with the options together, or with the arguments.
func (o *scoreOptions) check(paths []string) error {
	if o.verbose && o.quiet {
		return usagef("--verbose and --quiet exclude each other")
	}
	if err := o.checkShow(o.typed("show")); err != nil {
		return err
	}
	if err := errors.Join(o.checkLLM(), o.checkLocal(), o.checkCluster()); err != nil {
		return err
	}
	if n := len(slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p != "-" })); n > 1 {
		return usagef("standard input (-) can be read only once")
	}
	if err := errors.Join(o.checkOutputs("the dataset", paths), o.checkBatch(paths)); err != nil {
		return err
	}
	if o.resume && !o.batched() && !slices.ContainsFunc(o.output, isJSONL) {
		return usagef("--resume goes on with a JSONL file, and none is named: -o FILE.jsonl")
	}
	return nil
}

// dataset turns the input flags into options of the reader.
func (o *scoreOptions) dataset() (dataset.Options, error) {
	opts := dataset.Options{Reserved: report.Reserved(), MaxRowBytes: o.maxRowBytes}
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
			return opts, usagef("--map gives the field %s two columns, %s and %s", name, opts.Map[field], column)
		case opts.Map == nil:
			opts.Map = make(map[dataset.Field]string)
		}
		opts.Map[field] = column
	}
	opts.Keep, opts.KeepAll = o.kept()
	opts.Cluster = o.clusterColumn()
	return opts, nil
}

// kept returns the columns to keep, or that all are.
func (o *scoreOptions) kept() (columns []string, all bool) {
	if slices.Contains(o.keep, "all") {
		return nil, true
	}
	return o.keptNames(), false
}

// keptNames are the values of --keep, and the column of --cluster: it is kept, so
// that "ragfaith report" finds the same interval from the results.
func (o *scoreOptions) keptNames() []string {
	if c := o.clusterColumn(); c != "" && !slices.Contains(o.keep, c) {
		return append(slices.Clone(o.keep), c)
	}
	return o.keep
}

// selection is the part of the dataset that is scored.
func (o *scoreOptions) selection() eval.Selection {
	return eval.Selection{Limit: o.limit, Sample: o.sample, Seed: o.seed, Shard: o.shard, Shards: o.shards}
}

// noClaimsScore is the value of --no-claims, nil for null.
func (o *scoreOptions) noClaimsScore() *float64 {
	if o.noClaims == "null" {
		return nil
	}
	score := 0.0
	if o.noClaims == "1" {
		score = 1
	}
	return &score
}

// settings describes the run for --verbose.
func (o *scoreOptions) settings(threshold float64, m *model, local localJudge) string {
	line := fmt.Sprintf("claims %s, judge %s, evidence %s, threshold %v, concurrency %d, %d processors",
		o.claims, o.judge, o.evidence, threshold, o.concurrency, runtime.GOMAXPROCS(0))
	if local != nil {
		line += ", " + local.String()
	}
	if note := o.calibrationNote(); note != "" {
		line += ", " + note
	}
	if m != nil {
		line += fmt.Sprintf(", model %s at %s", m.stack.Client.Model(), m.stack.Client.Endpoint())
	}
	return line
}
