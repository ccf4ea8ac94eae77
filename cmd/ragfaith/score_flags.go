package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict/local"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// defaultRowTimeout stops only pathological rows: without a server, 200 claims take about 20 s with AVX2.
const defaultRowTimeout = time.Minute

// scoreFlags are the flags of "ragfaith score". Their values are stored in an app.Options
// that is incomplete: resolve returns one that can be run.
type scoreFlags struct {
	app.Options

	inputFormat, from, turns string

	flags *pflag.FlagSet // all flags of the command
}

func (f *scoreFlags) define(cmd *cobra.Command) {
	addFlags(cmd,
		flagGroup{"Input", f.inputFlags()},
		flagGroup{"Judging", f.judgingFlags()},
		flagGroup{"Output", f.outputFlags()},
		flagGroup{"Gates", gateFlags(&f.Options.Options)},
		flagGroup{localModelGroup, f.localFlags()},
		flagGroup{languageModelGroup, f.llmFlags()})
	f.flags = cmd.Flags()
}

// Names of the flag groups that only some judges use.
const (
	localModelGroup    = "Local model"
	languageModelGroup = "Language model"
)

func (f *scoreFlags) inputFlags() []flagSpec {
	o := &f.Options
	o.Rows.Shard, o.Rows.Shards = 1, 1
	o.Dataset.MaxRowBytes = dataset.DefaultMaxRowBytes
	formats := append([]string{"auto"}, dataset.Formats()...)
	return []flagSpec{
		{"input-format", "FORMAT", flagvalue.OneOf(&f.inputFormat, "auto", formats...), "dataset format: " + report.OrList(formats)},
		{"delimiter", "CHAR", flagvalue.Delimiter(&o.Dataset.Delimiter), "delimiter of CSV files, or tab (default: detected)"},
		{"from", "TOOL", flagvalue.OneOf(&f.from, "auto", append([]string{"auto"}, dataset.Exporters()...)...), "tool that exported the dataset, such as langfuse"},
		{"map", "FIELD=COLUMN", &o.Map, "read a field from a column or a path such as docs[*].text; repeatable"},
		{"turns", "WHICH", flagvalue.OneOf(&f.turns, "last", "last", "all"), "score the last answer of each chat, or all"},
		{"keep", "COLUMN", &o.Keep, "copy COLUMN into the results; all for every column; repeatable"},
		{"keep-as", "COLUMN=NAME", &o.KeepAs, "copy COLUMN into the results as NAME; repeatable"},
		{"where", "CONDITION", &o.Where, "score only rows with COLUMN=VALUE, or !=, <, <=, > or >=; repeatable"},
		{"limit", "N", flagvalue.Int(&o.Rows.Limit, 0, 0), "score only the first N rows; 0 for all"},
		{"sample", "N", flagvalue.Int(&o.Rows.Sample, 0, 0), "score a random sample of N rows; 0 for all"},
		{"seed", "N", &o.Seed, "random seed"},
		{"shard", "I/N", flagvalue.Shard(&o.Rows.Shard, &o.Rows.Shards), "score only shard I of N: rows whose index mod N is I-1"},
		{"max-row-bytes", "SIZE", flagvalue.Size(&o.Dataset.MaxRowBytes), "rows larger than this fail"},
		{"lang", "LANG", flagvalue.Language(&o.Lang, segment.Languages()), "language of the answers, such as de (default: detected)"},
	}
}

func (f *scoreFlags) judgingFlags() []flagSpec {
	o := &f.Options
	o.Judge = app.JudgeEmbedded
	return []flagSpec{
		{"profile", "NAME", flagvalue.OneOf(&o.Profile, "", namesOf(profiles(), func(p profile) string { return p.name })...), "evaluate as another tool does, such as ragas or deepeval"},
		{"claims", "METHOD", flagvalue.OneOf(&o.Claims, "sentence", "sentence", app.ClaimsAnswer, app.ClaimsLLM), "split answers into claims: sentence, answer or llm"},
		{"judge", "JUDGE", flagvalue.Text(&o.Judge, checkJudge), "embedded, lexical (fast), auto, llm, ollama/MODEL, or a model"},
		{"evidence", "MODE", flagvalue.OneOf(&o.Evidence, "chunks", "chunks", "joined"), "compare claims with single chunks or with all joined"},
		{"threshold", "SCORE", flagvalue.Fraction(&o.Threshold), "minimum score of a supported claim (default: the judge's)"},
		{"calibration", "FILE", &o.Calibration, "read threshold or bounds written by \"ragfaith calibrate\""},
		{"no-claims", "SCORE", flagvalue.OneOf(&o.NoClaims, "null", "null", "0", "1"), "score of an answer without claims: null, 0 or 1"},
		{"empty-contexts", "HOW", flagvalue.OneOf(&o.EmptyContexts, app.EmptyScore, app.EmptyScore, app.EmptyFail, app.EmptySkip), "if nothing was retrieved: score (0), fail or skip the row"},
		{"concurrency", "N", flagvalue.Int(&o.Concurrency, 16, 1), "judge up to N rows at once"},
		{"row-timeout", "DURATION", flagvalue.Duration(&o.RowTimeout, defaultRowTimeout, 0), "time limit for one row, not counting waits; 0s for none"},
	}
}

func (f *scoreFlags) outputFlags() []flagSpec {
	o := &f.Options
	return append(outputFlags(&o.Options), []flagSpec{
		{"resume", "", &o.Resume, "continue an interrupted run that writes a JSONL file"},
		{"dry-run", "", &o.DryRun, "estimate claims, requests, tokens and cost; send nothing"},
		{"verbose", "", &o.Verbose, "list all failed rows, the options and the duration"},
		{"quiet", "", &o.Quiet, "no progress, warnings or failed rows on stderr"},
		{"no-progress", "", &o.NoProgress, "no progress on stderr"},
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
		{"model", "NAME", &l.Model, "model name"},
		{"base-url", "URL", &l.BaseURL, "OpenAI-compatible server (default: the OpenAI API)"},
		{"api-key-env", "VARIABLE", &l.KeyVariable, "environment variable with the API key"},
		{"header", "'NAME: VALUE'", &l.Headers, "add a request header; $VARIABLE is replaced; repeatable"},
		{"extra-body", "JSON", flagvalue.Text(&l.ExtraBody, checkExtraBody), "object to add to chat requests, such as {\"top_p\":0.9}"},
		{"timeout", "DURATION", flagvalue.Duration(&l.Timeout, time.Minute, time.Millisecond), "timeout for a request; 10m if the model reasons or is local"},
		{"retries", "N", flagvalue.Int(&l.Retries, 5, 0), "retry transient failures up to N times"},
		{"rpm", "N", flagvalue.Int(&l.RPM, 0, 0), "maximum requests per minute; 0 for no limit"},
		{"tpm", "N", flagvalue.Int(&l.TPM, 0, 0), "maximum tokens per minute; 0 for no limit"},
		{"max-cost", "USD", flagvalue.Dollars(&l.MaxCost), "stop before the run costs more than USD; 0 for no limit"},
		{"max-total-tokens", "N", flagvalue.Int(&l.MaxTokens, 0, 0), "stop before the run uses more than N tokens; 0 for no limit"},
		{"price", "IN,OUT", flagvalue.Prices(&l.Price), "USD per million prompt and completion tokens"},
		{"batch", "", &l.Batch, "use the server's batch API: cheaper, but takes up to a day"},
		{"batch-poll", "DURATION", flagvalue.Duration(&l.BatchPoll, 30*time.Second, time.Millisecond), "batch polling interval"},
		{"prompts", "DIR", &l.Prompts, "use the prompts in DIR (\"ragfaith prompts export\")"},
		{"strict", "", &l.Strict, "accept explicit statements only, no inference"},
		{"votes", "N", flagvalue.Int(&l.Votes, 1, 1), "judge each claim N times (odd) and average the scores"},
		{"prescreen", "JUDGE", flagvalue.OneOf(&l.Prescreen, app.PrescreenNone, app.PrescreenNone, app.JudgeLexical, app.JudgeEmbedded), "judge of clear claims: none, lexical or embedded"},
		{"audit", "SHARE", flagvalue.Proportion(&l.Audit), "share of the decided claims to send anyway, as a check"},
		{"max-context-tokens", "N", flagvalue.Int(&l.MaxContextTokens, 0, 0), "context window in tokens; 0 to detect it"},
		{"max-output-tokens", "N", flagvalue.Int(&l.MaxOutputTokens, 0, 0), "maximum output tokens per request; 0 to adapt to the model"},
		{"reasoning-effort", "LEVEL", flagvalue.OneOf(&l.ReasoningEffort, app.EffortAuto, append([]string{app.EffortAuto}, llm.Efforts()...)...), "reasoning effort, such as none, low or high"},
		cacheFlag(&l.Cache),
		{"no-cache", "", &l.NoCache, "do not read or write the reply cache"},
		{"semantic-cache", "", &l.SemanticCache, "reuse verdicts of claims with the same meaning and contexts"},
		{"semantic-threshold", "COSINE", flagvalue.Fraction(&l.SemanticThreshold), "minimum cosine similarity to reuse a verdict"},
		{"embed-model", "NAME", &l.EmbedModel, "embedding model: local (built in), or a name or DIR"},
		{"embed-base-url", "URL", &l.EmbedBaseURL, "embedding server (default: --base-url)"},
		{"embed-api-key-env", "VARIABLE", &l.EmbedKeyVariable, "environment variable with the key of --embed-base-url"},
	}
}

func checkExtraBody(text string) error {
	_, err := llm.ParseExtraBody(text)
	return err
}

func (f *scoreFlags) localFlags() []flagSpec {
	l := &f.Local
	return []flagSpec{
		modelsFlag(&l.Models),
		{"device", "DEVICE", flagvalue.New(&l.Device, "string", ort.ParseDevice, ort.Device.String), "cpu, or cuda:N with ONNX Runtime (experimental)"},
		{"onnxruntime", "FILE", &l.Library, "ONNX Runtime library, or the directory that contains it"},
		{"model-batch-size", "N", flagvalue.Int(&l.Batch, local.DefaultBatch, 1), "evaluate N claim and context pairs at a time"},
		{"prefilter", "N", flagvalue.Int(&l.Prefilter, 8, 0), "judge each claim against the N nearest passages; 0 for all"},
		{"precision", "TYPE", flagvalue.OneOf(&l.Precision, app.PrecisionFloat32, app.PrecisionFloat32, app.PrecisionInt8), "float32, or int8: faster, slightly less exact"},
		{"label-map", "LABEL=MEANING", &l.Labels, "read LABEL as supported, contradicted or not_mentioned; repeatable"},
	}
}

// judgeAuto is the value of --judge for the best available free judge.
const judgeAuto = "auto"

// checkJudge checks a value of --judge: a known name or a model directory. It can't check
// that a model exists, because the model directory is not known yet.
func checkJudge(s string) error {
	if s == "" {
		return errors.New("want embedded, lexical, auto, llm, hhem, or a model")
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
	return fmt.Errorf(`unknown %q: want embedded, lexical, auto, llm, hhem, a name in "ragfaith models list", or the directory of a model; a model on a server is --judge llm --model NAME, or ollama/NAME`, s)
}

// judgeNames returns the judges that --judge accepts by name.
func judgeNames() []string {
	names := []string{app.JudgeEmbedded, app.JudgeLexical, judgeAuto, app.JudgeLLM, app.JudgeHHEM}
	for _, n := range hub.Names() {
		if !n.Embeds {
			names = append(names, n.Short)
		}
	}
	return names
}

// A profile is a set of flag values that reproduces the evaluation of another tool. Flags
// that are set explicitly override it.
type profile struct {
	name  string
	flags [][2]string
}

func profiles() []profile {
	return []profile{
		{app.ProfileRagas, [][2]string{{"claims", app.ClaimsLLM}, {"judge", app.JudgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileRagEvals, [][2]string{{"claims", app.ClaimsLLM}, {"judge", app.JudgeLLM}, {"evidence", "chunks"}, {"no-claims", "0"}}},
		{app.ProfileHHEM, [][2]string{{"claims", app.ClaimsLLM}, {"judge", app.JudgeHHEM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileLettuce, [][2]string{{"claims", app.ClaimsAnswer}, {"judge", "lettucedetect-base"}, {"no-claims", "null"}}},
		{app.ProfileMiniCheck, [][2]string{{"claims", "sentence"}, {"judge", app.JudgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileLynx, [][2]string{{"claims", app.ClaimsAnswer}, {"judge", app.JudgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileGuardian, [][2]string{{"claims", app.ClaimsAnswer}, {"judge", app.JudgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileDeepEval, [][2]string{{"claims", app.ClaimsLLM}, {"judge", app.JudgeLLM}, {"evidence", "chunks"}, {"no-claims", "1"}}},
	}
}

// applyProfile sets the flags of --profile that are not set yet. It is called after each
// source of options, so that a profile has the precedence of its source: for example, a
// profile on the command line overrides the judge set in a config file.
func applyProfile(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	if err := applyServer(flags, lookup); err != nil {
		return err
	}
	name := flags.Lookup("profile")
	if name == nil || !name.Changed {
		return nil
	}
	for _, p := range profiles() {
		if p.name == name.Value.String() {
			return setUnset(flags, p.flags, fmt.Sprintf("profile %s (%s)", p.name, originOf(name)))
		}
	}
	return nil
}

// applyServer sets the flags that a server named by --judge implies and that are not set
// yet: its address, the model, no key, and its number of parallel requests. It is
// called when [applyProfile] is, and for the same reason.
func applyServer(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	judge := flags.Lookup("judge")
	if judge == nil || !judge.Changed {
		return nil
	}
	s, model, ok := llm.ParseLocal(judge.Value.String())
	if !ok {
		return nil
	}
	ollamaHost, _ := lookup("OLLAMA_HOST")
	implied := [][2]string{{"base-url", s.BaseURL(ollamaHost)}, {"model", model}, {"api-key-env", ""}}
	if s.Slots > 0 {
		implied = append(implied, [2]string{"concurrency", strconv.Itoa(s.Slots)})
	}
	if given := flags.Lookup("model"); given.Changed && model != "" && given.Value.String() != model {
		return exit.Usagef("--judge %s: --model %s is another model", judge.Value, given.Value)
	}
	return setUnset(flags, implied, fmt.Sprintf("judge %s (%s)", judge.Value, originOf(judge)))
}

// setUnset sets the flags that are not set yet to values with the given origin.
func setUnset(flags *pflag.FlagSet, values [][2]string, origin string) error {
	for _, v := range values {
		flag := flags.Lookup(v[0])
		if flag.Changed {
			continue
		}
		if err := flag.Value.Set(v[1]); err != nil {
			return err
		}
		setOrigin(flag, origin)
	}
	return nil
}
