package app

import (
	"context"
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
		for _, n := range hub.Names() { // best first
			if n.Card.Accuracy == "" {
				continue
			}
			if _, err := store.Lookup(n); err == nil {
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
