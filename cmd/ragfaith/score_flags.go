package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict/local"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
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

// slowTimeout is the timeout for a model that reasons, and for a server on this machine:
// without a GPU, a long prompt takes minutes, and a large model one to load.
const slowTimeout = 10 * time.Minute

// llmFlags sets the defaults of a language model and returns its flags.
func (f *scoreFlags) llmFlags() []flagSpec {
	l := &f.LLM
	*l = app.LLMOptions{
		Model: "gpt-4o-mini", KeyVariable: "OPENAI_API_KEY", EmbedModel: app.EmbedLocal,
		SemanticThreshold: new(semantic.DefaultThreshold), Audit: new(0.05),
	}
	return []flagSpec{
		{name: "model", arg: "NAME", value: &l.Model, help: "model name"},
		{name: "base-url", arg: "URL", value: &l.BaseURL, help: "OpenAI-compatible server (default: the OpenAI API)"},
		{name: "api-key-env", arg: "VARIABLE", value: &l.KeyVariable, help: "environment variable with the API key"},
		{name: "header", arg: "'NAME: VALUE'", value: &l.Headers, help: "add a request header; $VARIABLE is replaced; repeatable"},
		{name: "extra-body", arg: "JSON", value: flagvalue.Text(&l.ExtraBody, checkExtraBody), help: "object to add to chat requests, such as {\"top_p\":0.9}"},
		{name: "timeout", arg: "DURATION", value: flagvalue.Duration(&l.Timeout, time.Minute, time.Millisecond), help: "timeout of a request; 10m if the model reasons or is local"},
		{name: "retries", arg: "N", value: flagvalue.Int(&l.Retries, 5, 0), help: "retry transient failures up to N times"},
		{name: "rpm", arg: "N", value: flagvalue.Int(&l.RPM, 0, 0), help: "maximum requests per minute; 0 for no limit"},
		{name: "tpm", arg: "N", value: flagvalue.Int(&l.TPM, 0, 0), help: "maximum tokens per minute; 0 for no limit"},
		{name: "max-cost", arg: "USD", value: flagvalue.Dollars(&l.MaxCost), help: "stop before the run costs more than USD; 0 for no limit"},
		{name: "max-total-tokens", arg: "N", value: flagvalue.Int(&l.MaxTokens, 0, 0), help: "stop before the run uses more than N tokens; 0 for no limit"},
		{name: "price", arg: "IN,OUT", value: flagvalue.Prices(&l.Price), help: "USD per million prompt and completion tokens"},
		{name: "batch", value: &l.Batch, help: "use the server's batch API: cheaper, but takes up to a day"},
		{name: "batch-poll", arg: "DURATION", value: flagvalue.Duration(&l.BatchPoll, 30*time.Second, time.Millisecond), help: "batch polling interval"},
		{name: "prompts", arg: "DIR", value: &l.Prompts, path: dirPath, help: "use the prompts in DIR (\"ragfaith prompts export\")"},
		{name: "strict", value: &l.Strict, help: "accept explicit statements only, no inference"},
		{name: "votes", arg: "N", value: flagvalue.Int(&l.Votes, 1, 1), help: "judge each claim N times (odd) and average the scores"},
		{
			name: "prescreen", arg: "JUDGE", value: flagvalue.OneOf(&l.Prescreen, app.PrescreenNone, app.PrescreenNone, app.JudgeLexical, app.JudgeEmbedded),
			help: "judge of clear claims: none, lexical or embedded",
		},
		{name: "audit", arg: "SHARE", value: flagvalue.Proportion(&l.Audit), help: "share of the decided claims to send anyway, as a check"},
		{name: "max-context-tokens", arg: "N", value: flagvalue.Int(&l.MaxContextTokens, 0, 0), help: "context window in tokens; 0 to detect it"},
		{name: "max-output-tokens", arg: "N", value: flagvalue.Int(&l.MaxOutputTokens, 0, 0), help: "maximum output tokens per request; 0 to adapt to the model"},
		{name: "reasoning-effort", arg: "LEVEL", value: flagvalue.OneOf(&l.ReasoningEffort, app.EffortAuto, append([]string{app.EffortAuto}, llm.Efforts()...)...), help: "reasoning effort, such as none, low or high"},
		cacheFlag(&l.Cache),
		{name: "no-cache", value: &l.NoCache, help: "do not read or write the reply cache"},
		{name: "semantic-cache", value: &l.SemanticCache, help: "reuse verdicts of claims with the same meaning and contexts"},
		{name: "semantic-threshold", arg: "COSINE", value: flagvalue.Fraction(&l.SemanticThreshold), help: "minimum cosine similarity to reuse a verdict"},
		{name: "embed-model", arg: "NAME", value: &l.EmbedModel, help: "embedding model: local (built in), or a name or DIR"},
		{name: "embed-base-url", arg: "URL", value: &l.EmbedBaseURL, help: "embedding server (default: --base-url)"},
		{name: "embed-api-key-env", arg: "VARIABLE", value: &l.EmbedKeyVariable, help: "environment variable with the key of --embed-base-url"},
	}
}

// checkExtraBody checks a value of --extra-body.
func checkExtraBody(text string) error {
	_, err := llm.ParseExtraBody(text)
	return err
}

// localFlags returns the flags of local models.
func (f *scoreFlags) localFlags() []flagSpec {
	l := &f.Local
	return []flagSpec{
		modelsFlag(&l.Models),
		{name: "device", arg: "DEVICE", value: flagvalue.New(&l.Device, "string", ort.ParseDevice, ort.Device.String), help: "cpu, or cuda:N with ONNX Runtime (experimental)"},
		{name: "onnxruntime", arg: "FILE", value: &l.Library, path: filePath, help: "ONNX Runtime library, or the directory that contains it"},
		{name: "model-batch-size", arg: "N", value: flagvalue.Int(&l.Batch, local.DefaultBatch, 1), help: "evaluate N claim and context pairs at a time"},
		{name: "prefilter", arg: "N", value: flagvalue.Int(&l.Prefilter, 8, 0), help: "judge each claim against the N nearest passages; 0 for all"},
		{
			name: "precision", arg: "TYPE", value: flagvalue.OneOf(&l.Precision, app.PrecisionFloat32, app.PrecisionFloat32, app.PrecisionInt8),
			help: "float32, or int8: faster, slightly less exact",
		},
		{name: "label-map", arg: "LABEL=MEANING", value: &l.Labels, help: "read LABEL as supported, contradicted or not_mentioned; repeatable"},
	}
}

// judgeAuto is the value of --judge for the best judge at hand that costs nothing.
const judgeAuto = "auto"

// checkJudge checks a value of --judge: a known name or a model directory. It can't check
// that a model exists, because the model directory is not known yet.
func checkJudge(s string) error {
	if s == "" {
		return errors.New("want lexical, embedded, llm, hhem, or a model")
	}
	if server, model, ok := llm.ParseLocal(s); ok {
		if model == "" && strings.HasSuffix(s, "/") {
			return fmt.Errorf("want %s/MODEL", server.Name)
		}
		return nil
	}
	if _, err := os.Stat(s); err == nil {
		return nil
	}
	if n, err := hub.Resolve(s); err == nil && n.Embeds {
		return fmt.Errorf("%q embeds texts and can't judge: use it as --embed-model", s)
	}
	if strings.ContainsAny(s, `/\`) {
		return nil
	}
	if slices.Contains(judgeNames(), s) {
		return nil
	}
	return fmt.Errorf(`unknown %q: want lexical, embedded, auto, llm, hhem, a name in "ragfaith models list", or the directory of a model; a model on a server is --judge llm --model NAME, or ollama/NAME`, s)
}

// judgeNames returns the judges that --judge accepts by name.
func judgeNames() []string {
	names := []string{app.JudgeLexical, app.JudgeEmbedded, judgeAuto, app.JudgeLLM, app.JudgeHHEM}
	for _, n := range hub.Names() {
		if !n.Embeds {
			names = append(names, n.Short)
		}
	}
	return names
}

// serverNames returns the values of --judge for servers on this machine, as far as they
// can be completed.
func serverNames() []string {
	return namesOf(llm.LocalServers(), func(s llm.LocalServer) string { return s.Name })
}
