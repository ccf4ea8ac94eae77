package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/local"
	"github.com/ragfaith/ragfaith/internal/report"
)

// serverNames returns the values of --judge for servers on this machine, as far as they
// can be completed.
func serverNames() []string {
	var names []string
	for _, s := range local.Servers() {
		names = append(names, s.Name)
	}
	return names
}

// applyServer sets the flags that a server named by --judge implies and that are not set
// yet: its address, the model, no key, and the requests that it answers at once. It is called when [applyProfile] is, and for the same reason.
func applyServer(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	judge := flags.Lookup("judge")
	if judge == nil || !judge.Changed {
		return nil
	}
	s, model, ok := local.Parse(judge.Value.String())
	if !ok {
		return nil
	}
	ollamaHost, _ := lookup("OLLAMA_HOST")
	implied := [][2]string{{"base-url", s.BaseURL(ollamaHost)}, {"model", model}, {"api-key-env", ""}}
	if s.Slots > 0 {
		implied = append(implied, [2]string{"concurrency", strconv.Itoa(s.Slots)})
	}
	for _, f := range implied {
		flag := flags.Lookup(f[0])
		if flag == nil {
			continue
		}
		if flag.Changed {
			if given := flag.Value.String(); f[0] == "model" && model != "" && given != model {
				return usagef("--judge %s: --model %s is another model", judge.Value, given)
			}
			continue
		}
		if err := flag.Value.Set(f[1]); err != nil {
			return err
		}
		setOrigin(flag, fromJudge, judge.Value.String(), originOf(judge).place)
	}
	return nil
}

// loadRetries is the number of retries while a server loads its model: with the delays of
// llm.Retry, about a minute and a half.
const loadRetries = 8

// askServer asks the server that --judge names for its models and for the context window,
// and sets the model of config.
func (o *scoreOptions) askServer(ctx context.Context, sys system, c *console.Console, config *llm.Config) error {
	l := &o.llm
	bootstrap := *config
	bootstrap.Model = l.server.Name // not sent
	client, err := llm.NewClient(bootstrap)
	if err != nil {
		return &usageError{err}
	}
	defer client.Close()
	// llama.cpp answers 503 while it loads the model.
	notify := func(err error, _ time.Duration) {
		if !o.quiet {
			c.Printf("waiting for %s: %v", l.server.Title, err)
		}
	}
	var models []local.Model
	var down *llm.NetworkError
	err = llm.Retry(ctx, sys.Clock, loadRetries, notify, func(ctx context.Context) error {
		var err error
		if models, err = local.Models(ctx, client.Ask); errors.As(err, &down) {
			return nil
		}
		return err
	})
	if down != nil {
		return fmt.Errorf("--judge %s: %s is not running at %s: start it with %s", l.server.Name, l.server.Title, client.Endpoint(), l.server.Start)
	}
	if err != nil {
		return fmt.Errorf("--judge %s: list the models at %s: %w", l.server.Name, client.Endpoint(), err)
	}
	m, err := l.chooseModel(models)
	if err != nil {
		return fmt.Errorf("--judge %s: %s", l.server.Name, client.Redact(err.Error()))
	}
	l.model, config.Model = m.Name, m.Name
	if l.maxContextTokens == 0 && o.judge == judgeLLM {
		l.window = l.server.Window(ctx, client.Ask, m)
	}
	return nil
}

// chooseModel returns the model that the options name, or the only one of the server.
func (l *llmOptions) chooseModel(models []local.Model) (local.Model, error) {
	var names []string
	for _, m := range models {
		if m.Name == l.model || l.server.Name == "ollama" && m.Name == l.model+":latest" {
			return m, nil
		}
		names = append(names, report.Printable(m.Name))
	}
	const maxShown = 8
	names = flagvalue.NearestFirst(l.model, names)
	list := strings.Join(names[:min(len(names), maxShown)], ", ")
	if len(names) > maxShown {
		list += ", …"
	}
	getHint := ""
	if l.server.Get != "" && l.model != "" {
		getHint = fmt.Sprintf("; get it with %q", l.server.Get+" "+l.model)
	}
	switch {
	case l.model == "" && len(models) == 1:
		return models[0], nil
	case len(models) == 0:
		return local.Model{}, fmt.Errorf("%s has no model%s", l.server.Title, getHint)
	case l.model == "":
		return local.Model{}, fmt.Errorf("%s has several models, choose one with --judge %s/MODEL: %s", l.server.Title, l.server.Name, list)
	}
	return local.Model{}, fmt.Errorf("%s has no model %s%s; it has: %s", l.server.Title, l.model, getHint, list)
}

// foundServers returns a hint that names the servers running on this machine, to append
// to an error, or "".
func (o *scoreOptions) foundServers(ctx context.Context, sys system) string {
	if sys.FindServers == nil || o.judge != judgeLLM {
		return ""
	}
	var hints strings.Builder
	for _, f := range sys.FindServers(ctx) {
		fmt.Fprintf(&hints, "; found %s at %s with %s: use --judge %s", f.Title, f.URL, report.Printable(f.Model), report.Printable(f.Judge()))
	}
	return hints.String()
}

// extend adds the values of --header, --extra-body and --client-cert to a client. A dry
// run does not need the variables that headers name.
func (l *llmOptions) extend(c *llm.Config, sys system, dryRun bool) (err error) {
	lookup := sys.LookupEnv
	if dryRun {
		lookup = func(string) (string, bool) { return "x", true }
	}
	if c.Headers, err = llm.ParseHeaders(l.headers, lookup); err != nil {
		return usagef("--header %w", err)
	}
	if c.ExtraBody, err = llm.ParseExtraBody(l.extraBody); err != nil {
		return usagef("--extra-body: %w", err)
	}
	if l.clientCert != "" {
		if c.Certificate, err = llm.ReadClientCert(l.clientCert); err != nil {
			return fmt.Errorf("--client-cert %w", err)
		}
	}
	return nil
}

// checkExtraBody checks a value of --extra-body.
func checkExtraBody(text string) error {
	_, err := llm.ParseExtraBody(text)
	return err
}

// connectServer returns the function that asks a server on this machine.
func connectServer(base string) (local.Ask, error) {
	client, err := llm.NewClient(llm.Config{BaseURL: base, Model: "any"}) // the model is not sent
	if err != nil {
		return nil, err
	}
	return client.Ask, nil
}
