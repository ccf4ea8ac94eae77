package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm/local"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// judgeAuto is the value of --judge for the best judge at hand that costs nothing.
const judgeAuto = "auto"

// A foundJudge is a judge that can be used without any preparation.
type foundJudge struct {
	name string // value of --judge
	why  string
	paid bool
}

// findJudges returns the judges at hand, best first: those of servers on this machine,
// downloaded models, a paid model whose key is in the environment, and lexical. Servers are
// only asked for the names of their models; errors are ignored.
func (o *scoreOptions) findJudges(ctx context.Context, sys system) []foundJudge {
	var all []foundJudge
	if sys.FindServers != nil {
		for _, f := range sys.FindServers(ctx) {
			if (judgeName{new(string)}).Set(f.Judge()) == nil { // a model may have any name
				all = append(all, foundJudge{name: f.Judge(), why: f.Title + " is running at " + f.URL})
			}
		}
	}
	why := "no model server is running, and no judge is downloaded"
	if store, err := sys.modelStore(o.localModel.models); err == nil {
		for _, n := range rankedModels() {
			if _, err := store.Lookup(n.Short); err == nil {
				all = append(all, foundJudge{name: n.Short, why: "it is downloaded; published accuracy: " + n.Card.Accuracy})
			}
		}
	}
	if strings.TrimSpace(sys.getenv(o.llm.keyVariable)) != "" {
		all = append(all, foundJudge{name: judgeLLM, paid: true})
		why += "; --judge llm can use " + o.llm.keyVariable + ", but costs money"
	}
	return append(all, foundJudge{name: judgeLexical, why: why})
}

// rankedModels returns the models with a published accuracy, best first. Figures of
// LLM-AggreFact, which is a mean of several datasets, precede those of RAGTruth, one of them.
func rankedModels() []hub.Name {
	models := slices.DeleteFunc(hub.Names(), func(n hub.Name) bool { return n.Embeds || n.Card.Accuracy == "" })
	slices.SortStableFunc(models, func(a, b hub.Name) int {
		benchmarkA, figureA, _ := strings.Cut(a.Card.Accuracy, " ")
		benchmarkB, figureB, _ := strings.Cut(b.Card.Accuracy, " ")
		return cmp.Or(cmp.Compare(benchmarkA, benchmarkB), cmp.Compare(figureB, figureA)) // figures have the form 75.6
	})
	return models
}

// chooseJudge replaces --judge auto by the best judge at hand that costs nothing, or by that
// of the results to resume.
func (r *scoreRun) chooseJudge(ctx context.Context) error {
	o := r.options
	if o.judge != judgeAuto {
		return nil
	}
	server := []string{"base-url", "model", "api-key-env"}
	for _, name := range server {
		if o.explicit(name) {
			return usagef("--%s can't be used with --judge auto, which chooses the server and the model", name)
		}
	}
	chosen, err := o.storedJudge(r.sys)
	if err != nil {
		return err
	}
	if chosen.name == "" {
		found := o.findJudges(ctx, r.sys)
		chosen = found[slices.IndexFunc(found, func(j foundJudge) bool { return !j.paid })]
	}
	if !o.quiet {
		r.console.Printf("--judge auto: %s (%s)", chosen.name, chosen.why)
	}
	judge := o.flags.Lookup("judge")
	if err := judge.Value.Set(chosen.name); err != nil {
		return usagef("--judge auto: %w", err)
	}
	if _, _, ok := local.Parse(chosen.name); ok {
		for _, name := range server { // those of a config file may belong to a server that costs money
			o.flags.Lookup(name).Changed = false
		}
	}
	return applyServer(o.flags, r.sys.LookupEnv)
}

// storedJudge returns the judge of the results to resume. Its name is "" if there are none.
func (o *scoreOptions) storedJudge(sys system) (foundJudge, error) {
	i := slices.IndexFunc(o.output, isJSONL)
	if !o.resume || i < 0 {
		return foundJudge{}, nil
	}
	stored, err := journal.StoredSettings(o.output[i])
	if stored == nil {
		return foundJudge{}, err
	}
	part := o.output[i] + safefile.PartSuffix
	judge := foundJudge{name: stored.Get("--judge"), why: "the judge of " + part}
	if judge.name != judgeLLM {
		return judge, nil
	}
	for _, s := range local.Servers() {
		if s.BaseURL(sys.getenv("OLLAMA_HOST")) == stored.Get("--base-url") {
			judge.name = s.Name + "/" + stored.Get("--model")
			return judge, nil
		}
	}
	return judge, usagef("--judge auto: the judge of %s is the model %s at %s: resume with --judge llm", part, stored.Get("--model"), stored.Get("--base-url"))
}

// suggestJudge names the command for the best judge at hand, after a run with the lexical
// judge whose share of uncertain verdicts exceeds [report.ManyUncertain].
func (r *scoreRun) suggestJudge(ctx context.Context, uncertain float64) {
	o := r.options
	if o.quiet || o.judge != judgeLexical || !(uncertain > report.ManyUncertain) {
		return
	}
	best := o.findJudges(ctx, r.sys)[0]
	if best.name == judgeLexical {
		r.console.Printf("note: no model is at hand: docs/judges.md lists the other judges")
		return
	}
	price := ""
	if best.paid {
		price = " and costs money (--dry-run estimates it)"
	}
	words := slices.Concat([]string{"ragfaith", "score"}, r.paths, o.inputArguments(), []string{"--judge", best.name})
	for i := range words {
		words[i] = shellWord(words[i])
	}
	r.console.Printf("note: a model is at hand%s: %s", price, strings.Join(words, " "))
}

// inputArguments returns the flags of the command line that decide which rows are read.
func (o *scoreOptions) inputArguments() (arguments []string) {
	o.flags.VisitAll(func(f *pflag.Flag) {
		if annotation(f, groupKey) != inputGroup || !o.explicit(f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			arguments = append(arguments, "--"+f.Name, v)
		}
	})
	return arguments
}

// shellWord quotes a word for a POSIX shell if needed.
func shellWord(word string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@%+"
	if word != "" && strings.Trim(word, safe) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
