// Command ragfaith scores how faithful answers are to the contexts that were retrieved for them.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/llm"
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
