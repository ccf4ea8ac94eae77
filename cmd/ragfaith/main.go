// Command ragfaith scores how faithful answers are to the contexts that were
// retrieved for them.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/ragfaith/ragfaith/internal/llm"
)

// A signal ends the process within two seconds. A command that has not returned
// after signalGrace is ended: what it has finished is in its .part files by then,
// as after a kill. The last line on standard error, which nobody may be reading,
// gets lastWordGrace.
const (
	signalGrace   = 1500 * time.Millisecond
	lastWordGrace = 100 * time.Millisecond
)

func main() {
	// A reader that went away is an error of writing, to be dealt with where it
	// occurs, and not the end of the process: files may still have to be closed.
	signal.Ignore(syscall.SIGPIPE)
	dumpNothing()

	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel(errInterrupted)
		select {
		case <-signals:
		case <-time.After(signalGrace):
			said := make(chan struct{})
			go func() {
				defer close(said)
				_, _ = io.WriteString(os.Stderr, "ragfaith: interrupted: exiting without waiting for what is in progress; rows in a .part file are kept\n")
			}()
			select {
			case <-said:
			case <-signals:
			case <-time.After(lastWordGrace):
			}
		}
		os.Exit(exitInterrupted)
	}()

	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, system{
		LookupEnv: os.LookupEnv,
		Clock:     llm.NewClock(time.Now),
		CacheDir:  os.UserCacheDir,
		Terminal:  terminalWidth,
		ConfigDir: os.UserConfigDir,
		WorkDir:   os.Getwd,
	}))
}

// terminalWidth returns how many columns the terminal behind w has, 0 where
// there is no terminal.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
