package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
)

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

// checkBatch returns an error for a batch whose state has no place, or whose datasets can't
// be read more than once.
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
