package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/report"
)

// A FoundJudge is a judge that can be used without any preparation.
type FoundJudge struct {
	Name string // value of --judge
	Why  string
	Paid bool
}

// FindJudges returns the judges at hand, best first: those of servers on this machine,
// downloaded models, a paid model whose key is in the environment, and embedded. Servers are
// only asked for the names of their models; errors are ignored.
func FindJudges(ctx context.Context, o *Options, sys *System) []FoundJudge {
	var all []FoundJudge
	if sys.FindServers != nil {
		for _, f := range sys.FindServers(ctx) {
			if f.Model != "" {
				all = append(all, FoundJudge{Name: f.Judge(), Why: f.Title + " is running at " + f.URL})
			}
		}
	}
	why := "no model server is running, and no judge is downloaded"
	if store, err := sys.ModelStore(o.Local.Models); err == nil {
		for _, n := range rankedModels() {
			if _, err := store.Lookup(n.Short); err == nil {
				all = append(all, FoundJudge{Name: n.Short, Why: "it is downloaded; published accuracy: " + n.Card.Accuracy})
			}
		}
	}
	if strings.TrimSpace(sys.Getenv(o.LLM.KeyVariable)) != "" {
		all = append(all, FoundJudge{Name: JudgeLLM, Paid: true})
		why += "; --judge llm can use " + o.LLM.KeyVariable + ", but costs money"
	}
	return append(all, FoundJudge{Name: JudgeEmbedded, Why: why})
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

// suggestJudge names the best judge at hand, after a run with a built-in
// judge whose share of uncertain verdicts exceeds [report.ManyUncertain].
func (r *run) suggestJudge(ctx context.Context, uncertain float64) {
	o := r.options
	if o.Quiet || !o.usesBuiltin() || !(uncertain > report.ManyUncertain) {
		return
	}
	best := FindJudges(ctx, o, r.sys)[0]
	if best.Name == o.Judge {
		r.console.Printf("note: no model is at hand: docs/judges.md lists the other judges")
		return
	}
	found := "a model is at hand"
	switch {
	case best.Name == JudgeEmbedded:
		found = "the embedded judge also reads the claims"
	case best.Paid:
		found += " and costs money (--dry-run estimates it)"
	}
	r.console.Printf("note: %s: use --judge %s", found, report.Printable(best.Name))
}
