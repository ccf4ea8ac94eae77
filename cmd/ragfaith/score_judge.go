package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm/local"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/crossencoder"
	"github.com/ragfaith/ragfaith/internal/verdict/embedded"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
	"github.com/ragfaith/ragfaith/internal/verdict/markup"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// stages are the stages of the pipeline: either an extractor and a judge, or a combined
// stage.
type stages struct {
	extractor eval.Extractor
	judge     verdict.Judge
	combined  eval.Combined
	nearest   verdict.Judge // finds the nearest passage if the judge returns no evidence
	threshold float64
	refusals  eval.RefusalChecker
}

// newStages returns the stages for --claims and --judge. m may be nil if neither is llm.
// local may be nil if the judge is not a local model, or in a dry run.
func (o *scoreOptions) newStages(m *model, local *localModel) (stages, error) {
	words, err := o.newLexical()
	if err != nil {
		return stages{}, err
	}
	s := stages{extractor: o.newExtractor(m), refusals: words}
	switch {
	case local != nil:
		s.nearest = markup.Judge{Inner: words}
		s.judge, s.threshold, err = local.judge(o)
		return s, err
	case o.usesLocalModel(): // in a dry run
		s.judge, s.threshold = noopJudge{}, *cmp.Or(o.threshold, new(crossencoder.DefaultThreshold))
		return s, nil
	case o.judge == judgeEmbedded:
		reader := embedded.New(embedded.Options{Lexical: words, Threshold: words.Threshold(), Sentences: o.sentences})
		s.judge, s.threshold = markup.Judge{Inner: reader}, reader.Threshold()
		return s, nil
	case o.judge != judgeLLM:
		s.judge, s.threshold = markup.Judge{Inner: words}, words.Threshold()
		return s, nil
	}
	s.nearest = markup.Judge{Inner: words}
	opts := o.judgeOptions(m)
	if o.evidence == "joined" || o.published() != nil {
		s.refusals = nil // a verdict of 0 does not tell a false refusal from a true one
	}
	j := judge.New(opts)
	s.judge, s.threshold = j, j.Threshold()
	if o.combined() {
		s.combined = judge.NewCombined(opts, o.lang)
		return s, nil
	}
	if m.embedder != nil {
		s.judge, err = o.newSemantic(m, j)
	}
	return s, err
}

// judgeOptions returns the options of the judge that asks m.
func (o *scoreOptions) judgeOptions(m *model) judge.Options {
	opts := judge.Options{
		Model: m, Prompts: m.prompts, Strict: o.llm.strict, Votes: o.llm.votes,
		Threshold: o.threshold, MaxContextTokens: cmp.Or(o.llm.maxContextTokens, o.llm.window), Tokens: m.stack.Tokens.Text, Limit: m.stack.Limit,
	}
	if p := o.published(); p != nil {
		opts.Style, opts.EachChunk = p.style, p.eachChunk && o.evidence == "chunks"
	} else if o.evidence == "joined" {
		opts.Style = judge.Ragas
	}
	return opts
}

// window returns the maximum number of rows between reading and writing, or 0 for the
// default. Fast stages need a larger window to keep all workers busy.
func (o *scoreOptions) window(dryRun bool) int {
	const quick = 512
	if dryRun || !o.usesLLM() && !o.usesLocalModel() {
		return quick
	}
	return 0
}

// newExtractor returns the extractor for --claims.
func (o *scoreOptions) newExtractor(m *model) eval.Extractor {
	switch o.claims {
	case claimsLLM:
	case claimsClause:
		return extract.Clauses{Sentences: extract.Sentences{Lang: o.lang}}
	case claimsAnswer:
		return extract.WholeAnswer{Sentences: extract.Sentences{Lang: o.lang}}
	default:
		return extract.Sentences{Lang: o.lang}
	}
	return extractllm.Extractor{Model: m, Prompts: m.prompts, Lang: o.lang, Strict: o.llm.strict, Whole: o.wholeAnswers()}
}

// newSemantic wraps a judge in the semantic cache. Without a reply cache, its entries are
// discarded after the run.
func (o *scoreOptions) newSemantic(m *model, j *judge.Judge) (verdict.Judge, error) {
	opts := semantic.Options{
		Judge: j, Embedder: m.embedder, Store: &semantic.Memory{}, Threshold: *o.llm.semanticThreshold, Waiting: eval.Waiting,
		Key: strings.Join([]string{m.stack.Client.Endpoint(), m.stack.Client.ModelKey(), j.Settings()}, "\x00"),
	}
	if m.cache != nil {
		opts.Store = m.cache
	}
	return semantic.New(opts)
}

// newLexical returns the lexical judge. Local models use it, too, to select quotes.
func (o *scoreOptions) newLexical() (*lexical.Judge, error) {
	opts := lexical.Options{
		Threshold: lexical.DefaultThreshold,
		Joined:    o.evidence == "joined" && !o.usesLocalModel(),
		Sentences: o.sentences,
	}
	if o.threshold != nil && !o.usesLocalModel() {
		opts.Threshold = *o.threshold
	}
	return lexical.New(opts)
}

// sentences yields the byte offsets of the sentences of a context.
func (o *scoreOptions) sentences(text string, yield func(start, end int)) {
	for _, s := range segment.Sentences(text, o.lang) {
		yield(s.Start, s.End)
	}
}

// roundsScores reports whether scores are rounded half to even before they are compared
// with the threshold, as Ragas does with HHEM.
func (o *scoreOptions) roundsScores() bool { return o.profile == profileHHEM && o.threshold == nil }

// A profile is a set of flag values that reproduces the evaluation of another tool. Flags
// that are set explicitly override it.
type profile struct {
	name  string
	flags [][2]string
}

const (
	profileRagas    = "ragas"
	profileRagEvals = "rag-evals"
	profileHHEM     = "hhem"
	profileLettuce  = "lettucedetect"

	profileMiniCheck = "minicheck"
	profileLynx      = "lynx"
	profileGuardian  = "granite-guardian"
	profileDeepEval  = "deepeval"
)

func profiles() []profile {
	return []profile{
		{profileRagas, [][2]string{{"claims", claimsLLM}, {"judge", judgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{profileRagEvals, [][2]string{{"claims", claimsLLM}, {"judge", judgeLLM}, {"evidence", "chunks"}, {"no-claims", "0"}}},
		{profileHHEM, [][2]string{{"claims", claimsLLM}, {"judge", judgeHHEM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{profileLettuce, [][2]string{{"claims", claimsAnswer}, {"judge", "lettucedetect-base"}, {"no-claims", "null"}}},
		{profileMiniCheck, [][2]string{{"claims", "sentence"}, {"judge", judgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{profileLynx, [][2]string{{"claims", claimsAnswer}, {"judge", judgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{profileGuardian, [][2]string{{"claims", claimsAnswer}, {"judge", judgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{profileDeepEval, [][2]string{{"claims", claimsLLM}, {"judge", judgeLLM}, {"evidence", "chunks"}, {"no-claims", "1"}}},
	}
}

func profileNames() []string {
	var names []string
	for _, p := range profiles() {
		names = append(names, p.name)
	}
	return names
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
		if p.name != name.Value.String() {
			continue
		}
		for _, f := range p.flags {
			flag := flags.Lookup(f[0])
			if flag.Changed {
				continue
			}
			if err := flag.Value.Set(f[1]); err != nil {
				return err
			}
			setOrigin(flag, fromProfile, p.name, originOf(name).place)
		}
	}
	return nil
}

// wholeAnswers reports whether claims are extracted from the whole answer at once, as
// Ragas and DeepEval do.
func (o *scoreOptions) wholeAnswers() bool {
	return (o.profile == profileRagas || o.profile == profileHHEM || o.profile == profileDeepEval) && o.claims == claimsLLM
}

// combined reports whether a single request extracts and judges the claims, as in
// rag_evals.
func (o *scoreOptions) combined() bool {
	return o.profile == profileRagEvals && o.claims == claimsLLM && o.judge == judgeLLM
}

// applyCalibration sets the threshold from --calibration, unless --threshold is set, or the
// bounds of --prescreen.
func (o *scoreOptions) applyCalibration(warn func(error)) error {
	switch {
	case o.prescreens():
		return o.applyBounds()
	case o.calibration == "":
		return nil
	}
	c, err := calibrate.Read(o.calibration)
	if err != nil {
		return err
	}
	if o.threshold != nil {
		warn(fmt.Errorf("--calibration %s has no effect because --threshold is set", o.calibration))
		return nil
	}
	if err := c.CheckThreshold(); err != nil {
		return err
	}
	o.threshold, o.calibrated = new(c.Threshold), c
	return nil
}

// checkCalibration returns an error for a calibration that was made for another judge.
func (o *scoreOptions) checkCalibration(settings result.Settings, warn func(error)) error {
	if o.calibrated == nil {
		return nil
	}
	refused, doubtful := o.calibrated.Match(summarySettings(settings), version())
	if len(refused) > 0 {
		return usagef("--calibration %s was made for another judge: %s", o.calibration, strings.Join(refused, "; "))
	}
	for _, d := range doubtful {
		warn(fmt.Errorf("--calibration %s may not apply: %s", o.calibration, d))
	}
	return nil
}

// calibrationNote returns the description of the calibration in reports, or "" without
// one.
func (o *scoreOptions) calibrationNote() string {
	if o.calibrated == nil {
		return ""
	}
	if o.prescreens() {
		return "prescreen " + o.llm.prescreen + ": " + o.calibrated.DescribeBounds()
	}
	return "calibration " + o.calibrated.String()
}

// A judgeName is the flag value of --judge: a known name or a model directory.
type judgeName struct{ dst *string }

func (j judgeName) String() string { return *j.dst }

func (j judgeName) Type() string { return "string" }

// Set rejects invalid names. It can't check that a model exists, because the model
// directory is not known yet.
func (j judgeName) Set(s string) error {
	if s == "" {
		return errors.New("want lexical, embedded, llm, hhem, or a model")
	}
	if server, model, ok := local.Parse(s); ok {
		if model == "" && strings.HasSuffix(s, "/") {
			return fmt.Errorf("want %s/MODEL", server.Name)
		}
		*j.dst = s
		return nil
	}
	if _, err := os.Stat(s); err != nil {
		if model, ok := apiModel(s); ok && !slices.Contains(judgeNames(), s) {
			if strings.Contains(s, ":") { // as Ollama names its models
				return fmt.Errorf("%q is a model on a server: use --judge ollama/%s, or --judge llm --model %s", s, model, model)
			}
			return fmt.Errorf("%q is a model on a server: use --judge llm --model %s", s, model)
		}
		if n, err := hub.Resolve(s); err == nil && n.Embeds {
			return fmt.Errorf("%q embeds texts and can't judge: use it as --embed-model", s)
		}
	}
	if _, err := os.Stat(s); err != nil && !strings.ContainsAny(s, `/\`) {
		if err := flagvalue.CheckWord(s, append(judgeNames(), serverNames()...),
			strings.Join(append([]string{judgeLexical, judgeEmbedded, judgeAuto, judgeLLM, judgeHHEM}, serverNames()...), ", ")+`, the directory of a model, or a name in "ragfaith models list"`); err != nil {
			return err
		}
	}
	*j.dst = s
	return nil
}

// judgeNames returns the judges that --judge accepts by name.
func judgeNames() []string {
	names := []string{judgeLexical, judgeEmbedded, judgeAuto, judgeLLM, judgeHHEM}
	for _, n := range hub.Names() {
		if !n.Embeds {
			names = append(names, n.Short)
		}
	}
	return names
}
