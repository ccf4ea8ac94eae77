// Package app runs "ragfaith score": it builds the judge, the extractor and the outputs
// that the options name, and runs the rows of the datasets through them.
package app

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/output"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
)

// Options are the options of a run. They are complete and consistent: nothing has to be
// filled in, and nothing changes them during a run.
type Options struct {
	output.Options

	Datasets []string // paths; - is standard input
	Lang     string   // language of the answers, or "" to detect it

	// The flags as given, which are stored with results. Dataset and Rows have their values.
	Map    []string // FIELD=COLUMN
	Where  []string // conditions
	Keep   []string // columns, or all
	KeepAs []string // COLUMN=NAME

	Dataset dataset.Options // how datasets are read, without streams and callbacks
	Rows    eval.Selection
	Names   *KeptNames // of kept columns in results

	Profile       string        // a constant such as ProfileRagas, or ""
	Claims        string        // sentence, ClaimsAnswer or ClaimsLLM
	Judge         string        // JudgeLexical, JudgeEmbedded, JudgeLLM, JudgeHHEM, or a local model
	Evidence      string        // chunks or joined
	Threshold     *float64      // minimum score of a supported claim; nil for the default of the judge
	NoClaims      string        // score of an answer without claims: null, 0 or 1
	EmptyContexts string        // EmptyScore, EmptyFail or EmptySkip
	Concurrency   int           // rows judged at once; default 16, or what the server of Judge answers at once
	RowTimeout    time.Duration // of a row, without waits; default 1 minute, 0 for no limit

	Calibration string // file, or ""
	// Calibrated is the calibration that sets Threshold or the bounds; nil for none.
	Calibrated *calibrate.Calibration
	// SupportedFrom and UnsupportedFrom are the confidences from which the judge of
	// LLM.Prescreen decides a claim.
	SupportedFrom, UnsupportedFrom float64

	LLM   LLMOptions
	Local LocalOptions

	Resume     bool // continue an interrupted run
	DryRun     bool // estimate requests and cost, and send nothing
	Verbose    bool // list all failed rows, the options and the duration
	NoProgress bool // no progress bar
}

// LLMOptions are the options of a language model.
type LLMOptions struct {
	Model       string           // default gpt-4o-mini; "" for the only model of Server
	BaseURL     string           // "" for the OpenAI API
	KeyVariable string           // environment variable with the API key; default OPENAI_API_KEY
	KeyRequired bool             // an empty KeyVariable is an error
	Server      *llm.LocalServer // on this machine, named by --judge; nil for none
	Headers     []string         // NAME: VALUE, with variables
	ExtraBody   string           // JSON object that is added to requests, or ""

	Timeout          time.Duration // of a request; default 1 minute, 10 for a server on this machine
	ReasoningTimeout time.Duration // of a request to a model that reasons; 0 for Timeout, default 10 minutes
	Retries          int           // of transient failures; default 5
	RPM, TPM         int           // requests and tokens per minute; 0 for no limit
	MaxCost          float64       // USD; 0 for no limit
	MaxTokens        int           // of the run; 0 for no limit
	Price            *[2]float64   // USD per million prompt and completion tokens; nil for the known price

	Prompts          string // directory of prompts; "" for the built-in ones
	Strict           bool   // accept explicit statements only
	Votes            int    // verdicts per claim, an odd number; default 1
	MaxContextTokens int    // context window; 0 to detect it
	MaxOutputTokens  int    // of a request; 0 to adapt to the model
	ReasoningEffort  string // EffortAuto or one of llm.Efforts

	Cache     string   // directory of the reply cache; "" for the default
	NoCache   bool     // no reply cache
	Prescreen string   // the offline judge, or PrescreenNone
	Audit     *float64 // share of its verdicts that the model checks; default 0.05

	SemanticCache     bool     // reuse verdicts of claims with the same meaning
	SemanticThreshold *float64 // minimum cosine similarity; default semantic.DefaultThreshold
	EmbedModel        string   // EmbedLocal, or a model or directory
	EmbedBaseURL      string   // "" for a local model or BaseURL
	EmbedKeyVariable  string   // environment variable with the key of EmbedBaseURL, or ""
	EmbedKeyRequired  bool     // an empty EmbedKeyVariable is an error

	Batch     bool          // send requests in batches
	BatchPoll time.Duration // default 30 seconds
}

// LocalOptions are the options of a local model.
type LocalOptions struct {
	Models         string     // directory of downloaded models; "" for the Hugging Face cache
	Device         ort.Device // default CPU
	Library        string     // path of ONNX Runtime, or ""
	Batch          int        // pairs of claims and contexts evaluated at a time; default local.DefaultBatch
	Prefilter      int        // passages that each claim is judged against, or 0 for all; default 8
	PrefilterGiven bool       // a judge that Prefilter has no effect on is an error
	Precision      string     // PrecisionFloat32 or PrecisionInt8
	Labels         []string   // LABEL=MEANING
}

// Values of Options.Judge that do not name a model, and HHEM.
const (
	JudgeLexical  = "lexical"
	JudgeEmbedded = "embedded"
	JudgeLLM      = "llm"
	JudgeHHEM     = "hhem" // short for HHEMModel
	HHEMModel     = "hhem-2.1-open"
)

// Values of other options.
const (
	ClaimsLLM    = "llm"
	ClaimsAnswer = "answer" // the whole answer is one claim

	EmptyScore = "score" // no claim is supported
	EmptyFail  = "fail"
	EmptySkip  = "skip"

	PrecisionFloat32 = "float32"
	PrecisionInt8    = "int8"

	PrescreenNone = "none"
	EffortAuto    = "auto"  // leaves the effort to the model
	EmbedLocal    = "local" // the built-in embeddings
)

// UsesLLM reports whether the run uses a language model.
func (o *Options) UsesLLM() bool { return o.Claims == ClaimsLLM || o.Judge == JudgeLLM }

// UsesLocalModel reports whether the judge is a local model.
func (o *Options) UsesLocalModel() bool { return !o.usesBuiltin() && o.Judge != JudgeLLM }

// usesBuiltin reports whether the judge is part of the program.
func (o *Options) usesBuiltin() bool { return o.Judge == JudgeLexical || o.Judge == JudgeEmbedded }

// UsesBatch reports whether requests are sent in batches.
func (o *Options) UsesBatch() bool { return o.LLM.Batch && o.UsesLLM() }

// Prescreens reports whether an offline judge decides clear claims in place of the model.
func (o *Options) Prescreens() bool {
	return o.LLM.Prescreen != PrescreenNone && o.Judge == JudgeLLM
}

// usesSemanticCache reports whether verdicts are reused for claims with the same meaning.
func (o *Options) usesSemanticCache() bool { return o.LLM.SemanticCache && o.Judge == JudgeLLM }

// Values of Options.Profile, each of which reproduces the evaluation of another tool.
const (
	ProfileRagas     = "ragas"
	ProfileRagEvals  = "rag-evals"
	ProfileHHEM      = "hhem"
	ProfileLettuce   = "lettucedetect"
	ProfileMiniCheck = "minicheck"
	ProfileLynx      = "lynx"
	ProfileGuardian  = "granite-guardian"
	ProfileDeepEval  = "deepeval"
)

// A PublishedJudge is a profile with a prompt of its own for verdicts.
type PublishedJudge struct {
	Profile   string
	Style     judge.Style
	EachChunk bool // --evidence chunks judges every context separately; otherwise it is fixed
	Logprobs  bool // scores can be probabilities
}

// Published returns the judge of the profile, or nil if the profile has none.
func (o *Options) Published() *PublishedJudge {
	for _, p := range []PublishedJudge{
		{ProfileMiniCheck, judge.MiniCheck, true, true},
		{ProfileLynx, judge.Lynx, false, false},
		{ProfileGuardian, judge.Guardian, false, true},
		{ProfileDeepEval, judge.DeepEval, false, true},
	} {
		if p.Profile == o.Profile && o.Judge == JudgeLLM {
			return &p
		}
	}
	return nil
}

// Combined reports whether one request extracts and judges the claims, as in rag_evals.
func (o *Options) Combined() bool {
	return o.Profile == ProfileRagEvals && o.Claims == ClaimsLLM && o.Judge == JudgeLLM
}

// roundsScores reports whether scores are rounded half to even before they are compared
// with the threshold, as Ragas does with HHEM.
func (o *Options) roundsScores() bool { return o.Profile == ProfileHHEM && o.Threshold == nil }

// InputColumns returns the columns named by --keep, --keep-as, --cluster, --by and --where.
// Those that group rows are kept so that "ragfaith report" can compute the same statistics.
func (o *Options) InputColumns() []string {
	kept := slices.Clone(o.Keep)
	add := func(column string) {
		if !slices.Contains(kept, column) {
			kept = append(kept, column)
		}
	}
	for _, pair := range o.KeepAs {
		column, _, _ := strings.Cut(pair, "=")
		add(column)
	}
	for _, c := range o.KeptColumns() {
		add(c.Name)
	}
	for _, c := range o.Rows.Where {
		add(c.Column)
	}
	return kept
}

// noClaimsScore returns the value of NoClaims, or nil for null.
func (o *Options) noClaimsScore() *float64 {
	if x, err := strconv.ParseFloat(o.NoClaims, 64); err == nil {
		return &x
	}
	return nil
}

// notef writes a message, unless --quiet is set.
func (r *run) notef(format string, args ...any) {
	if !r.options.Quiet {
		r.console.Printf(format, args...)
	}
}
