package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
)

// BestJudge returns the value of --judge for the best judge that can be used without any
// preparation and costs nothing, and why: a server on this machine, a downloaded model, or
// embedded. Servers are only asked for the names of their models; errors are ignored.
func BestJudge(ctx context.Context, o *Options, sys *System) (name, why string) {
	if sys.FindServers != nil {
		for _, f := range sys.FindServers(ctx) {
			if f.Model != "" {
				return f.Judge(), f.Title + " is running at " + f.URL
			}
		}
	}
	if store, err := sys.ModelStore(o.Local.Models); err == nil {
		for _, n := range rankedModels() {
			if _, err := store.Lookup(n.Short); err == nil {
				return n.Short, "it is downloaded; published accuracy: " + n.Card.Accuracy
			}
		}
	}
	why = "no model server is running, and no judge is downloaded"
	if strings.TrimSpace(sys.Getenv(o.LLM.KeyVariable)) != "" {
		why += "; --judge llm can use " + o.LLM.KeyVariable + ", but costs money"
	}
	return JudgeEmbedded, why
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
