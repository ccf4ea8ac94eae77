package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
)

// loadRetries is the number of retries while a server loads its model: with the delays of
// llm.Retry, about a minute and a half.
const loadRetries = 8

// askServer asks the server that --judge names for its models. It returns the name of the
// model to use and its context window in tokens, or 0 if that is set or unknown.
func (r *run) askServer(ctx context.Context, config llm.Config) (model string, window int, err error) {
	l := &r.options.LLM
	config.Model = l.Server.Name // not sent
	client, err := llm.NewClient(config)
	if err != nil {
		return "", 0, &exit.UsageError{Err: err}
	}
	defer client.Close()
	// llama.cpp answers 503 while it loads the model.
	notify := func(err error, _ time.Duration) { r.notef("waiting for %s: %v", l.Server.Title, err) }
	var models []llm.ServedModel
	var down *llm.NetworkError
	err = llm.Retry(ctx, r.sys.Clock, loadRetries, notify, func(ctx context.Context) error {
		var err error
		if models, err = llm.ListModels(ctx, client.Ask); errors.As(err, &down) {
			return nil
		}
		return err
	})
	if down != nil {
		return "", 0, fmt.Errorf("--judge %s: %s is not running at %s: start it with %s", l.Server.Name, l.Server.Title, client.Endpoint(), l.Server.Start)
	}
	if err != nil {
		return "", 0, fmt.Errorf("--judge %s: list the models at %s: %w", l.Server.Name, client.Endpoint(), err)
	}
	m, err := l.chooseModel(models)
	if err != nil {
		return "", 0, fmt.Errorf("--judge %s: %s", l.Server.Name, client.Redact(err.Error()))
	}
	if l.MaxContextTokens == 0 && r.options.Judge == JudgeLLM {
		window = l.Server.Window(ctx, client.Ask, m)
	}
	return m.Name, window, nil
}

// chooseModel returns the model that the options name, or the only one of the server.
func (l *LLMOptions) chooseModel(models []llm.ServedModel) (llm.ServedModel, error) {
	var names []string
	for _, m := range models {
		if m.Name == l.Model || l.Server.Name == "ollama" && m.Name == l.Model+":latest" {
			return m, nil
		}
		names = append(names, report.Printable(m.Name))
	}
	const maxShown = 8
	list := strings.Join(names[:min(len(names), maxShown)], ", ")
	if len(names) > maxShown {
		list += ", …"
	}
	getHint := ""
	if l.Server.Get != "" && l.Model != "" {
		getHint = fmt.Sprintf("; get it with %q", l.Server.Get+" "+l.Model)
	}
	switch {
	case l.Model == "" && len(models) == 1:
		return models[0], nil
	case len(models) == 0:
		return llm.ServedModel{}, fmt.Errorf("%s has no model%s", l.Server.Title, getHint)
	case l.Model == "":
		return llm.ServedModel{}, fmt.Errorf("%s has several models, choose one with --judge %s/MODEL: %s", l.Server.Title, l.Server.Name, list)
	}
	return llm.ServedModel{}, fmt.Errorf("%s has no model %s%s; it has: %s", l.Server.Title, l.Model, getHint, list)
}

// extend adds the values of --header and --extra-body to a client. A dry run does not need
// the variables that headers name.
func (l *LLMOptions) extend(c *llm.Config, sys *System, dryRun bool) (err error) {
	lookup := sys.LookupEnv
	if dryRun {
		lookup = func(string) (string, bool) { return "x", true }
	}
	if c.Headers, err = llm.ParseHeaders(l.Headers, lookup); err != nil {
		return exit.Usagef("--header %w", err)
	}
	if c.ExtraBody, err = llm.ParseExtraBody(l.ExtraBody); err != nil {
		return exit.Usagef("--extra-body: %w", err)
	}
	return nil
}
