// Command ragfaith scores how faithful answers are to the contexts that were retrieved for them.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
)

// A signal ends the process within two seconds. If a command has not returned after
// signalGrace, the process exits, and finished rows stay in .part files. The final message
// has messageGrace, because stderr may block.
const (
	signalGrace  = 1500 * time.Millisecond
	messageGrace = 100 * time.Millisecond
)

// findTimeout limits the search for servers, which answer within milliseconds.
const findTimeout = 300 * time.Millisecond

func main() {
	// A closed pipe must be a write error, so that files can still be closed.
	signal.Ignore(syscall.SIGPIPE)
	disableCoreDumps()
	// net/http logs bytes that servers send, which may contain a key in any encoding.
	log.SetOutput(io.Discard)

	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel(exit.ErrInterrupted)
		select {
		case <-signals:
		case <-time.After(signalGrace):
			go fmt.Fprintln(os.Stderr, "ragfaith: interrupted: exiting without waiting for rows in progress; rows in a .part file are kept")
			time.Sleep(messageGrace)
		}
		os.Exit(exit.Interrupted)
	}()

	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, system{
		System: app.System{
			LookupEnv:   os.LookupEnv,
			Clock:       llm.NewClock(time.Now),
			CacheDir:    os.UserCacheDir,
			FindServers: findServers,
		},
		Terminal: console.Width,
		environ:  os.Environ,
	}))
}

// findServers returns the servers that run on this machine.
func findServers(ctx context.Context) []llm.FoundServer {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	return llm.FindLocal(ctx, os.Getenv("OLLAMA_HOST"), func(base string) (llm.Ask, error) {
		client, err := llm.NewClient(llm.Config{BaseURL: base, Model: "any"}) // the model is not sent
		if err != nil {
			return nil, err
		}
		return client.Ask, nil
	})
}

// A system is the environment of a command. Tests replace it.
type system struct {
	app.System

	Terminal func(io.Writer) int // columns of the terminal behind a writer, or 0 if it is not a terminal
	environ  func() []string     // the environment as in os.Environ; may be nil
	color    *string             // value of --color; nil means auto
	commands io.Writer           // standard error for workflow commands; nil outside of GitHub Actions
}

// palette returns the colors for w. --color overrides https://no-color.org.
func (sys system) palette(w io.Writer) report.Palette {
	mode := "auto"
	if sys.color != nil {
		mode = *sys.color
	}
	switch {
	case mode != "auto":
		return report.Palette{Enabled: mode == "always"}
	case sys.Getenv("NO_COLOR") != "", sys.Getenv("TERM") == "dumb":
		return report.Palette{}
	}
	return report.Palette{Enabled: sys.Terminal(w) > 0 && console.SupportsEscapes(w)}
}

// streams returns the streams of score and report.
func (sys system) streams(cmd *cobra.Command, o *output.Options) *output.Streams {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	return &output.Streams{
		Stdout: sys.guarded(o.To, stdout), Width: sys.tableWidth(stdout), Palette: sys.palette(stdout),
		Marks:   o.Show > 0 || sys.Terminal(stdout) > 0,
		Console: console.New(stderr, sys.palette(stderr)), Bar: sys.Terminal(stderr) > 0,
		Commands: sys.commands, StepSummary: sys.Getenv("GITHUB_STEP_SUMMARY"), StepOutput: sys.Getenv("GITHUB_OUTPUT"),
	}
}

// guarded wraps stdout so that a table and the rows of --show can't inject workflow commands into GitHub Actions.
// Other formats are data and are written unchanged.
func (sys system) guarded(to string, stdout io.Writer) io.Writer {
	if sys.commands != nil && (to == "table" || to == "none") {
		return report.NewActionsGuard(stdout)
	}
	return stdout
}

// tableWidth returns the maximum width of a table: COLUMNS if set, or else the width of
// the terminal, or 0 if it is unknown.
func (sys system) tableWidth(stdout io.Writer) int {
	if n, err := strconv.Atoi(sys.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return sys.Terminal(stdout)
}
