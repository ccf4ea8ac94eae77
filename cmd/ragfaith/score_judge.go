package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm/local"
)

// judgeAuto is the value of --judge for the best judge at hand that costs nothing.
const judgeAuto = "auto"

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
			strings.Join(append([]string{app.JudgeLexical, app.JudgeEmbedded, judgeAuto, app.JudgeLLM, app.JudgeHHEM}, serverNames()...), ", ")+`, the directory of a model, or a name in "ragfaith models list"`); err != nil {
			return err
		}
	}
	*j.dst = s
	return nil
}

// judgeNames returns the judges that --judge accepts by name.
func judgeNames() []string {
	names := []string{app.JudgeLexical, app.JudgeEmbedded, judgeAuto, app.JudgeLLM, app.JudgeHHEM}
	for _, n := range hub.Names() {
		if !n.Embeds {
			names = append(names, n.Short)
		}
	}
	return names
}

// serverNames returns the values of --judge for servers on this machine, as far as they
// can be completed.
func serverNames() []string {
	var names []string
	for _, s := range local.Servers() {
		names = append(names, s.Name)
	}
	return names
}
