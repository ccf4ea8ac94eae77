package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1   // it could not run: a file, the model, the network
	exitUsage       = 2   // the command line
	exitFailedRows  = 3   // more rows failed than --max-failed
	exitGate        = 4   // below a gate
	exitInterrupted = 130 // by a signal
)

// A system is what a command takes from the process that it runs in.
type system struct {
	LookupEnv func(name string) (string, bool)
	Clock     llm.Clock
	CacheDir  func() (string, error) // the user's folder for caches; nil for none
	Terminal  func(io.Writer) int    // columns of the terminal behind a writer; 0 for none
	ConfigDir func() (string, error) // the user's folder for settings; nil for none
	WorkDir   func() (string, error) // the working directory; nil where no settings are looked for

	color    *string   // what --color says; nil for auto
	commands io.Writer // standard error for commands to GitHub Actions; nil outside of it
}

// errInterrupted is the cause with which a signal ends a run.
var errInterrupted = errors.New("interrupted")

// A usageError is a mistake in the command line or the environment.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// An exitError ends the process with a code whose reason is already told.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// run is ragfaith without the process, and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, sys system) int {
	if on, _ := sys.LookupEnv("GITHUB_ACTIONS"); on == "true" {
		sys.commands, stderr = stderr, report.NewActionsGuard(stderr)
	}
	root := newRoot(sys) //nolint:contextcheck // cobra hands ctx to every RunE
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	var helpErr error
	help := root.HelpFunc() // which returns no error of writing
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		cmd.SetOut(&text)
		help(cmd, args)
		_, helpErr = stdout.Write(text.Bytes())
	})
	cmd, err := root.ExecuteContextC(ctx)
	if helpErr != nil && !errors.Is(helpErr, syscall.EPIPE) {
		tell(stderr, fmt.Errorf("standard output: %w", helpErr))
		return exitFailure
	}

	var told *exitError
	var usage *usageError
	var data *dataset.UsageError
	var file *fs.PathError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &told):
		return told.code
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "ragfaith: %v\n", err)
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &data), !begun(cmd) && !errors.As(err, &file):
		tell(stderr, err)
		fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
		return exitUsage
	}
	tell(stderr, err)
	return exitFailure
}

// tell says what is wrong: of several errors, each on a line of its own.
func tell(w io.Writer, err error) {
	if usage, ok := err.(*usageError); ok { //nolint:errorlint // only this one, and not what it wraps
		err = usage.err
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			tell(w, e)
		}
		return
	}
	fmt.Fprintf(w, "ragfaith: %s\n", report.Printable(err.Error()))
}

// begun reports whether the command line was found good, so that an error is
// not one of usage.
func begun(cmd *cobra.Command) bool { return cmd.Annotations[beganKey] != "" }

const beganKey = "began"
