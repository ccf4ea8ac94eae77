package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/llm"
)

// pullOptions are the flags of "ragfaith models pull".
type pullOptions struct {
	models, revision, endpoint string
	timeout                    time.Duration
	retries                    int
	quiet, noProgress          bool
}

const pullLong = `Fetch a model from the Hugging Face hub, and print the folder that it is in. It
appears there when it is complete and its checksums are right. A model that is
there already is read again, and only what is missing or wrong is fetched. One
that other programs have left in the Hugging Face cache is used where it is.

A model is ORG/REPO, or one of these names:
`

func newModelsPull(sys system) *cobra.Command {
	var o pullOptions
	var names strings.Builder
	for _, n := range hub.Names() {
		fmt.Fprintf(&names, "  %-24s %s\n", n.Short, n.Repo)
	}
	cmd := &cobra.Command{
		Use:   "pull NAME|ORG/REPO",
		Short: "Fetch a model",
		Long:  pullLong + strings.TrimRight(names.String(), "\n"),
		Example: `  ragfaith models pull minilm-l6
  ragfaith models pull cross-encoder/nli-deberta-v3-large --revision main`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("which model? Name one: ORG/REPO or one of %s", strings.Join(shortNames(), ", "))
			}
			return nil
		},
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("endpoint") {
				o.endpoint = variable(sys, "HF_ENDPOINT")
			}
			return o.run(cmd, args[0], sys)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.revision, "revision", hub.DefaultRevision, "a branch, a tag or a commit by `name`")
	flags.StringVar(&o.endpoint, "endpoint", "", "`address` of the hub (default: HF_ENDPOINT, or "+hub.DefaultEndpoint+")")
	modelsFlag(flags, &o.models)
	flags.Var(atLeastDuration(&o.timeout, hub.DefaultStall, time.Second), "timeout", "give up a try when nothing comes for this `time`")
	flags.Var(atLeast(&o.retries, 5, 0), "retries", "try `N` times more when the server or the network fails")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "nothing on standard error but errors")
	flags.BoolVar(&o.noProgress, "no-progress", false, "no progress on standard error")
	return cmd
}

func (o *pullOptions) run(cmd *cobra.Command, typed string, sys system) error {
	name, err := resolveModel(typed)
	if err != nil {
		return err
	}
	if err := hub.CheckRevision(o.revision); err != nil {
		return &usageError{err}
	}
	store, err := modelStore(o.models, sys)
	if err != nil {
		return err
	}
	token, err := hubToken(sys)
	if err != nil {
		return err
	}
	transport := http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	c := &console{w: cmd.ErrOrStderr()}
	shown := newTransfer(c, sys.Now, name.String())
	p := &hub.Puller{
		Store: store, Endpoint: o.endpoint, Token: token, HTTP: &http.Client{Transport: &transport},
		Clock: llm.NewClock(sys.Now), Stall: o.timeout, Retries: o.retries,
		Watch: hub.Watch{Plan: func(_ int, bytes int64) { shown.plan(bytes) }, Bytes: shown.add},
	}
	if err := p.Check(); err != nil {
		return &usageError{err}
	}
	if !o.quiet {
		p.Watch.Retry = func(err error, wait time.Duration) {
			c.say("%v; trying again in %v", err, wait.Round(100*time.Millisecond))
		}
		p.Watch.Wait = func(repo string) { c.say("another process is fetching %s: waiting for it", repo) }
	}
	if !o.quiet && !o.noProgress && sys.Terminal(c.w) > 0 {
		shown.begin()
		defer shown.end()
	}
	m, err := p.Pull(cmd.Context(), name, o.revision)
	shown.end()
	if errors.Is(err, errInterrupted) {
		return fmt.Errorf("%w: what was fetched is kept, and the same command goes on from there", errInterrupted)
	}
	if err != nil {
		return err
	}
	if !o.quiet {
		c.say("%s: %d files, %s, %s", name, len(m.Files), byteCount(m.Size()), revisionOf(m))
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), m.Dir)
	return err
}
