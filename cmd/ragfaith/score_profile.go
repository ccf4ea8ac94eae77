package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
)

// A profile is a set of flag values that reproduces the evaluation of another tool. Flags
// that are set explicitly override it.
type profile struct {
	name  string
	flags [][2]string
}

func profiles() []profile {
	return []profile{
		{app.ProfileRagas, [][2]string{{"claims", app.ClaimsLLM}, {"judge", app.JudgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileRagEvals, [][2]string{{"claims", app.ClaimsLLM}, {"judge", app.JudgeLLM}, {"evidence", "chunks"}, {"no-claims", "0"}}},
		{app.ProfileHHEM, [][2]string{{"claims", app.ClaimsLLM}, {"judge", app.JudgeHHEM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileLettuce, [][2]string{{"claims", app.ClaimsAnswer}, {"judge", "lettucedetect-base"}, {"no-claims", "null"}}},
		{app.ProfileMiniCheck, [][2]string{{"claims", "sentence"}, {"judge", app.JudgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileLynx, [][2]string{{"claims", app.ClaimsAnswer}, {"judge", app.JudgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileGuardian, [][2]string{{"claims", app.ClaimsAnswer}, {"judge", app.JudgeLLM}, {"evidence", "joined"}, {"no-claims", "null"}}},
		{app.ProfileDeepEval, [][2]string{{"claims", app.ClaimsLLM}, {"judge", app.JudgeLLM}, {"evidence", "chunks"}, {"no-claims", "1"}}},
	}
}

func profileNames() []string {
	return namesOf(profiles(), func(p profile) string { return p.name })
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
		if p.name == name.Value.String() {
			return setUnset(flags, p.flags, fmt.Sprintf("profile %s (%s)", p.name, originOf(name)))
		}
	}
	return nil
}

// applyServer sets the flags that a server named by --judge implies and that are not set
// yet: its address, the model, no key, and the requests that it answers at once. It is
// called when [applyProfile] is, and for the same reason.
func applyServer(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	judge := flags.Lookup("judge")
	if judge == nil || !judge.Changed {
		return nil
	}
	s, model, ok := llm.ParseLocal(judge.Value.String())
	if !ok {
		return nil
	}
	ollamaHost, _ := lookup("OLLAMA_HOST")
	implied := [][2]string{{"base-url", s.BaseURL(ollamaHost)}, {"model", model}, {"api-key-env", ""}}
	if s.Slots > 0 {
		implied = append(implied, [2]string{"concurrency", strconv.Itoa(s.Slots)})
	}
	if given := flags.Lookup("model"); given.Changed && model != "" && given.Value.String() != model {
		return exit.Usagef("--judge %s: --model %s is another model", judge.Value, given.Value)
	}
	return setUnset(flags, implied, fmt.Sprintf("judge %s (%s)", judge.Value, originOf(judge)))
}

// setUnset sets the flags that are not set yet to values with the given origin.
func setUnset(flags *pflag.FlagSet, values [][2]string, origin string) error {
	for _, v := range values {
		flag := flags.Lookup(v[0])
		if flag.Changed {
			continue
		}
		if err := flag.Value.Set(v[1]); err != nil {
			return err
		}
		setOrigin(flag, origin)
	}
	return nil
}
