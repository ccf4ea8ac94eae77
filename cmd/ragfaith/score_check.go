package main

import (
	"bytes"
	"cmp"
	"errors"
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
// columns. An option without effect is
// an error on the command line only: in the environment or a config file it may be meant
// for other runs.
func (f *scoreFlags) check() (err error) {
	o := &f.Options
	if o.Verbose && o.Quiet {
		return exit.Usagef("--verbose and --quiet cannot be used together")
	}
	if err := checkShow(&o.Options, explicit(f.flags, "show")); err != nil {
		return err
	}
	if err := errors.Join(f.checkLLM(), f.checkLocal(), checkGroups(&o.Options)); err != nil {
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

// checkLLM returns an error for invalid combinations of language model options.
func (f *scoreFlags) checkLLM() error {
	o := &f.Options
	if unused := f.explicitFlags(languageModelGroup); len(unused) > 0 && !o.UsesLLM() {
		return exit.Usagef("%s: no language model is used without --judge llm, --claims llm or a --profile", strings.Join(unused, ", "))
	}
	if o.Judge != app.JudgeLLM {
		for _, name := range []string{"votes", "max-context-tokens", "semantic-cache", "prescreen"} {
			if explicit(f.flags, name) {
				return exit.Usagef("--%s needs --judge llm", name)
			}
		}
	}
	if !o.UsesLLM() {
		return nil
	}
	l := &o.LLM
	switch {
	case l.Votes%2 == 0:
		return exit.Usagef("--votes %d: want an odd number", l.Votes)
	case l.NoCache && explicit(f.flags, "cache"):
		return exit.Usagef("--cache and --no-cache cannot be used together")
	case strings.TrimSpace(l.Model) == "" && l.Server == nil:
		return exit.Usagef("--model: want the name of a model")
	}
	if l.SemanticCache && o.Judge == app.JudgeLLM {
		switch {
		case l.EmbedModel == "":
			return exit.Usagef("--embed-model: want the name of a model")
		case l.EmbedModel == app.EmbedLocal && l.EmbedBaseURL != "":
			return exit.Usagef("--embed-model local is built in: --embed-base-url has no effect")
		case *l.SemanticThreshold == 0:
			return exit.Usagef("--semantic-threshold: want a cosine above 0")
		}
	}
	switch {
	case l.Batch && l.SemanticCache && o.Judge == app.JudgeLLM:
		return exit.Usagef("--semantic-cache can't be used with --batch: a verdict can be reused only after an earlier one is known")
	case !l.Batch && explicit(f.flags, "batch-poll"):
		return exit.Usagef("--batch-poll needs --batch")
	case explicit(f.flags, "audit") && !o.Prescreens():
		return exit.Usagef("--audit needs --prescreen")
	case o.Prescreens() && o.Threshold != nil:
		return exit.Usagef("--threshold can't be used with --prescreen, whose verdicts are for 0.5")
	}
	if err := f.checkPublished(); err != nil {
		return err
	}
	if o.Combined() {
		const why = "can't be used with --profile rag-evals, which finds and judges claims in one request"
		switch {
		case l.Votes > 1:
			return exit.Usagef("--votes %s", why)
		case l.SemanticCache:
			return exit.Usagef("--semantic-cache %s", why)
		case o.Prescreens():
			return exit.Usagef("--prescreen %s", why)
		case o.Evidence != "chunks":
			return exit.Usagef("--evidence %s %s", o.Evidence, why)
		}
	}
	return nil
}

// checkPublished returns an error for options that the judge of the profile can't use.
func (f *scoreFlags) checkPublished() error {
	o := &f.Options
	p := o.Published()
	if p == nil {
		return nil
	}
	evidence := "joined"
	if p.Style == judge.DeepEval {
		evidence = "chunks"
	}
	switch {
	case o.LLM.Strict:
		return exit.Usagef("--strict can't be used with --profile %s, whose prompt decides what counts as support", p.Profile)
	case p.Style == judge.DeepEval && o.Prescreens():
		return exit.Usagef("--prescreen can't be used with --profile deepeval, which supports what the contexts do not mention")
	case !p.EachChunk && o.Evidence != evidence:
		return exit.Usagef("--evidence %s can't be used with --profile %s, which reads all contexts together", o.Evidence, p.Profile)
	case !p.Logprobs && (o.Threshold != nil || o.Calibration != ""):
		if o.Prescreens() {
			return exit.Usagef("--prescreen can't be used with --profile %s", p.Profile)
		}
		return exit.Usagef("--threshold and --calibration can't be used with --profile %s: its scores are 1 or 0", p.Profile)
	}
	if body, err := llm.ParseExtraBody(o.LLM.ExtraBody); p.Style == judge.Guardian && err == nil && bytes.Contains(body, []byte(`"chat_template_kwargs"`)) {
		return exit.Usagef("--extra-body: chat_template_kwargs contains the documents of --profile %s and can't be replaced", p.Profile)
	}
	return nil
}

// checkLocal returns an error for invalid combinations of local model options.
func (f *scoreFlags) checkLocal() error {
	o := &f.Options
	if !o.UsesLocalModel() {
		if o.Profile == app.ProfileLettuce {
			return exit.Usagef("--profile lettucedetect needs a judge that classifies tokens, not %s", o.Judge)
		}
		unused := f.explicitFlags(localModelGroup)
		if o.LLM.SemanticCache && o.LLM.EmbedsLocally() { // the embedding model may be in --models
			unused = slices.DeleteFunc(unused, func(name string) bool { return name == "--models" })
		}
		if len(unused) > 0 {
			return exit.Usagef("%s: no local model is used without --judge hhem or MODEL", strings.Join(unused, ", "))
		}
		return nil
	}
	device := o.Local.Device
	switch {
	case device.Provider != ort.None && o.Local.Precision == app.PrecisionInt8:
		return exit.Usagef("--precision int8 needs --device cpu: %s computes in float32", device)
	case device.Provider == ort.None && explicit(f.flags, "onnxruntime"):
		return exit.Usagef("--onnxruntime has no effect on --device cpu: use --device cuda:N")
	}
	return nil
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

// explicit reports whether the named flag was set by the command line, rather than by the
// environment, a config file or a profile.
func explicit(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && len(f.Annotations[sourceKey]) == 0
}
