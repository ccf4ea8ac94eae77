package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/segment"
	"github.com/ragfaith/ragfaith/internal/setting"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
	"github.com/ragfaith/ragfaith/internal/verdict/markup"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// stages are the stages of the pipeline: an extractor and a judge, or one that does both.
type stages struct {
	extractor eval.Extractor
	judge     eval.Judge
	combined  eval.Combined
	nearest   eval.Judge // finds the nearest passage if the judge names none
	threshold float64
	refusals  eval.RefusalChecker
}

// newStages returns the stages for --claims and --judge. m is nil if neither is llm, and
// local if the judge is not a local model or the run is a dry run.
func (o *scoreOptions) newStages(m *model, local localJudge) (stages, error) {
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
		s.judge = newNoopJudge()
		return s, nil
	case o.judge != judgeLLM:
		s.judge, s.threshold = markup.Judge{Inner: words}, words.Threshold()
		return s, nil
	}
	s.nearest = markup.Judge{Inner: words}
	opts := judge.Options{
		Model: m, Prompts: m.prompts, Strict: o.llm.strict, Votes: o.llm.votes,
		MaxContextTokens: o.llm.maxContextTokens, Tokens: m.stack.Tokens.Text, Limit: m.stack.Limit,
	}
	if o.evidence == "joined" {
		opts.Style = judge.Ragas
	}
	j, err := judge.New(opts)
	if err != nil {
		return s, err
	}
	s.judge, s.threshold = j, j.Threshold()
	if o.combined() {
		s.combined, err = judge.NewCombined(opts, o.lang)
		return s, err
	}
	if m.embedder != nil {
		s.judge, err = o.newSemantic(m, j)
	}
	return s, err
}

// window returns the maximum number of rows between reading and writing, 0 for the
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
	if o.claims != claimsLLM {
		return extract.Sentences{Lang: o.lang}
	}
	return extractllm.Extractor{Model: m, Prompts: m.prompts, Lang: o.lang, Strict: o.llm.strict, Whole: o.wholeAnswers()}
}

// newSemantic adds the semantic cache to a judge. Without a reply cache it lasts for the
// run only.
func (o *scoreOptions) newSemantic(m *model, j *judge.Judge) (eval.Judge, error) {
	opts := semantic.Options{
		Judge: j, Embedder: m.embedder, Store: &semantic.Memory{}, Threshold: *o.llm.semanticThreshold, Waiting: eval.Waiting,
		Key: strings.Join([]string{m.stack.Client.Endpoint(), m.stack.Client.Model(), j.Settings()}, "\x00"),
	}
	if m.cache != nil {
		opts.Store = m.cache
	}
	return semantic.New(opts)
}

// newLexical returns the lexical judge, which local models also quote with.
func (o *scoreOptions) newLexical() (*lexical.Judge, error) {
	opts := lexical.Options{
		Threshold: lexical.DefaultThreshold,
		Joined:    o.evidence == "joined" && (o.judge == judgeEmbedded || !o.usesLocalModel()),
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

// A profile is a set of flags that evaluates as another tool does. Flags that are set
// explicitly override it.
type profile struct {
	name  string
	flags [][2]string
}

const (
	profileRagas    = "ragas"
	profileRagEvals = "rag-evals"
	profileHHEM     = "hhem"
)

func profiles() []profile {
	return []profile{
		{profileRagas, [][2]string{{"claims", claimsLLM}, {"judge", judgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{profileRagEvals, [][2]string{{"claims", claimsLLM}, {"judge", judgeLLM}, {"evidence", "chunks"}, {"no-claims", "0"}}},
		{profileHHEM, [][2]string{{"claims", claimsLLM}, {"judge", judgeHHEM}, {"evidence", "joined"}, {"no-claims", "null"}}},
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
// source of options, so that a profile has the precedence of its source: a profile on
// the command line overrides the judge of a config file.
func applyProfile(flags *pflag.FlagSet) error {
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

// wholeAnswers reports whether statements are extracted from the answer as one text, as
// in Ragas.
func (o *scoreOptions) wholeAnswers() bool {
	return (o.profile == profileRagas || o.profile == profileHHEM) && o.claims == claimsLLM
}

// combined reports whether one request finds and judges the claims, as in rag_evals.
func (o *scoreOptions) combined() bool {
	return o.profile == profileRagEvals && o.claims == claimsLLM && o.judge == judgeLLM
}

// applyCalibration sets the threshold to that of --calibration, unless --threshold is
// set.
func (o *scoreOptions) applyCalibration(warn func(error)) error {
	switch {
	case o.calibration == "":
		return nil
	case o.judge == judgeLLM:
		return usagef("--calibration can't be used with --judge llm: the model's verdict decides, or the majority of --votes")
	}
	c, err := calibrate.Read(o.calibration)
	if err != nil {
		return err
	}
	if o.threshold != nil {
		warn(fmt.Errorf("--calibration %s has no effect because --threshold is set", o.calibration))
		return nil
	}
	t := float64(c.Threshold)
	o.threshold, o.calibrated = &t, c
	return nil
}

// checkCalibration returns an error for a calibration that was made for another judge.
func (o *scoreOptions) checkCalibration(settings setting.List, warn func(error)) error {
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

// calibrationNote describes the calibration in reports; it is "" for none.
func (o *scoreOptions) calibrationNote() string {
	if o.calibrated == nil {
		return ""
	}
	return "calibration " + o.calibrated.String()
}

// A judgeName is the value of --judge: a known name or the directory of a model.
type judgeName struct{ to *string }

func (j judgeName) String() string { return *j.to }

func (j judgeName) Type() string { return "string" }

// Set rejects what can't be a judge. Whether a model exists is checked when the model
// directory is known.
func (j judgeName) Set(s string) error {
	if s == "" {
		return errors.New("want lexical, embedded, llm, hhem, or a model")
	}
	if _, err := os.Stat(s); err != nil && !strings.ContainsAny(s, `/\`) {
		if err := flagvalue.CheckWord(s, judgeNames(), ", or the directory of a model"); err != nil {
			return err
		}
	}
	*j.to = s
	return nil
}

// judgeNames returns the known names of judges.
func judgeNames() []string {
	return append([]string{judgeLexical, judgeEmbedded, judgeLLM, judgeHHEM}, shortNames()...)
}
