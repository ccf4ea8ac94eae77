package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/verdict/local"
)

// modelsFlag returns the --models flag, which all model commands share.
func modelsFlag(to *string) flagSpec {
	return flagSpec{"models", "DIR", to, "model directory (default: the Hugging Face cache)"}
}

// resolveModel returns the model with the given name. An unknown name is a usage error.
func resolveModel(name string) (hub.Name, error) {
	n, err := hub.Resolve(name)
	if err != nil {
		return n, &exit.UsageError{Err: err}
	}
	return n, nil
}

func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return namesOf(hub.Names(), func(n hub.Name) string { return n.Short }), cobra.ShellCompDirectiveNoFileComp
}

func newModelsList(sys system) *cobra.Command {
	var models string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List local and downloadable models",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := sys.ModelStore(models)
			if err != nil {
				return err
			}
			list, err := store.List()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), modelsTable(list, store))
			return err
		},
	}
	addFlags(cmd, flagGroup{defaultGroup, []flagSpec{
		modelsFlag(&models),
	}})
	return cmd
}

// revision returns the downloaded revision and its commit.
func revision(m *hub.Model) string {
	short := m.Commit[:min(len(m.Commit), 7)]
	if m.Revision == "" || m.Revision == m.Commit {
		return short
	}
	return m.Revision + " at " + short
}

// modelsTable lists the models on this machine, and the other ones that have a short name.
func modelsTable(list []hub.Model, store hub.Store) string {
	t := report.Table{Columns: []report.Column{
		{Name: "name"}, {Name: "parameters", Right: true}, {Name: "license"}, {Name: "language"}, {Name: "published accuracy"}, {Name: "on this machine"},
	}}
	add := func(n hub.Name, here string) {
		c, parameters := n.Card, ""
		if c.Millions > 0 {
			parameters = strconv.Itoa(c.Millions) + "M"
		}
		t.AddRow(n.String(), cmp.Or(parameters, "-"), cmp.Or(c.License, "-"), cmp.Or(c.Languages, "-"), cmp.Or(c.Accuracy, "-"), here)
	}
	for i := range list {
		add(list[i].Name, console.Bytes(list[i].Size())+", "+revision(&list[i]))
	}
	for _, n := range hub.Names() {
		if !slices.ContainsFunc(list, func(m hub.Model) bool { return m.Name == n }) {
			add(n, "-")
		}
	}
	return t.Terminal(math.MaxInt) + "\n\"ragfaith models pull\" downloads these, or any ORG/REPO, into " + report.Printable(store.Dir)
}

type pullOptions struct {
	models, revision, endpoint string
	timeout                    time.Duration
	retries                    int
	quiet, noProgress          bool
}

const pullLong = `Download a model from the Hugging Face hub and print its directory. The directory
appears when the download is complete and its checksums match. Files that exist
already are verified; only missing or damaged ones are downloaded. Models are stored
in the Hugging Face cache, where other tools find them.

A model is ORG/REPO, or one of these names:
`

func newModelsPull(sys system) *cobra.Command {
	o := pullOptions{revision: hub.DefaultRevision}
	var names strings.Builder
	for _, n := range hub.Names() {
		fmt.Fprintf(&names, "  %-44s %s\n", n.Short, n.Repo)
	}
	cmd := &cobra.Command{
		Use:   "pull NAME|ORG/REPO",
		Short: "Download a model",
		Long:  pullLong + strings.TrimRight(names.String(), "\n"),
		Example: `  ragfaith models pull minilm-l6
  ragfaith models pull cross-encoder/nli-deberta-v3-large --revision main`,
		Args:              cobra.MatchAll(someArgs("model argument: want ORG/REPO or a name in \"ragfaith models list\""), argCount(1, 1, "one model")),
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("endpoint") {
				o.endpoint = sys.Getenv("HF_ENDPOINT")
			}
			return o.run(cmd, args[0], sys)
		},
	}
	addFlags(cmd, flagGroup{defaultGroup, []flagSpec{
		{"revision", "NAME", &o.revision, "branch, tag, commit or pull request (refs/pr/N)"},
		{"endpoint", "URL", &o.endpoint, "hub to download from (default: HF_ENDPOINT, or " + hub.DefaultEndpoint + ")"},
		modelsFlag(&o.models),
		{"timeout", "DURATION", flagvalue.Duration(&o.timeout, hub.DefaultStall, time.Second), "timeout if a download receives no data"},
		{"retries", "N", flagvalue.Int(&o.retries, 5, 0), "retry transient failures up to N times"},
		{"quiet", "", &o.quiet, "only errors on stderr"},
		{"no-progress", "", &o.noProgress, "no progress on stderr"},
	}})
	return cmd
}

func (o *pullOptions) run(cmd *cobra.Command, arg string, sys system) error {
	name, err := resolveModel(arg)
	if err != nil {
		return err
	}
	if err := hub.CheckRevision(o.revision); err != nil {
		return &exit.UsageError{Err: err}
	}
	store, err := sys.ModelStore(o.models)
	if err != nil {
		return err
	}
	transport := http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	stderr := cmd.ErrOrStderr()
	c := console.New(stderr, report.Palette{})
	p := &hub.Puller{
		Store: store, Endpoint: o.endpoint, Token: hub.Environment(sys.Getenv).Token(), HTTP: &http.Client{Transport: &transport},
		Clock: sys.Clock, Stall: o.timeout, Retries: o.retries, Offline: hub.Environment(sys.Getenv).Offline(),
		Watch: hub.Watch{Bytes: c.Transferred},
		CheckConfig: func(config []byte, sentence bool) error {
			var options encoder.Options
			if layout, ok := local.CrossEncoderLayouts()[name.Repo]; ok {
				layout.Apply(&options)
			}
			return encoder.CheckConfig("config.json", config, sentence, options)
		},
	}
	if err := p.Check(); err != nil {
		return &exit.UsageError{Err: err}
	}
	if !o.quiet {
		p.Watch.Retry = func(err error, wait time.Duration) {
			c.Printf("%v; retrying in %v", err, wait.Round(100*time.Millisecond))
		}
	}
	if !o.quiet && !o.noProgress && sys.Terminal(stderr) > 0 {
		p.Watch.Plan = func(total int64) { c.StartTransfer("downloading", total) }
	}
	m, err := p.Pull(cmd.Context(), name, o.revision)
	c.RemoveBar()
	if errors.Is(err, exit.ErrInterrupted) {
		return fmt.Errorf("%w: downloaded data is kept; run the same command to continue", exit.ErrInterrupted)
	}
	if err != nil {
		return err
	}
	if !o.quiet {
		c.Printf("%s: %d files, %s, %s", name, len(m.Files), console.Bytes(m.Size()), revision(m))
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), m.Dir)
	return err
}
