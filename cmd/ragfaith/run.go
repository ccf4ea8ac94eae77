package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/local"
	"github.com/ragfaith/ragfaith/internal/report"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1   // the command could not run: a file, the model, the network
	exitUsage       = 2   // the command line, the environment or a config file is invalid
	exitFailedRows  = 3   // more failed rows than --max-failed
	exitGate        = 4   // a gate is not met
	exitInterrupted = 130 // interrupted by a signal
)

// A system is the environment of a command. Tests replace it.
type system struct {
	LookupEnv func(name string) (string, bool)
	Clock     llm.Clock
	CacheDir  func() (string, error) // the user's cache directory; may be nil
	Terminal  func(io.Writer) int    // columns of the terminal behind a writer, or 0 if it is not a terminal
	// FindServers returns the servers that run on this machine; may be nil.
	FindServers func(ctx context.Context) []local.Found

	color    *string   // value of --color; nil means auto
	commands io.Writer // standard error for workflow commands; nil outside of GitHub Actions
}

// errInterrupted is the cancellation cause of a context that is canceled by a signal.
var errInterrupted = errors.New("interrupted")

// A usageError is an error in the command line, the environment or a config file.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// An exitError sets the exit code of a failure that has already been reported.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, sys system) int {
	if on, _ := sys.LookupEnv("GITHUB_ACTIONS"); on == "true" {
		sys.commands, stderr = stderr, report.NewActionsGuard(stderr)
	}
	root := newRoot(sys) //nolint:contextcheck // cobra passes ctx to every RunE
	root.SetArgs(withCommand(root, args))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	var helpErr error
	help := root.HelpFunc() // ignores write errors
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		cmd.SetOut(&text)
		help(cmd, args)
		_, helpErr = stdout.Write(text.Bytes())
	})
	cmd, err := root.ExecuteContextC(ctx)
	if helpErr != nil && !errors.Is(helpErr, syscall.EPIPE) {
		printError(stderr, fmt.Errorf("standard output: %w", helpErr))
		return exitFailure
	}

	var exit *exitError
	var usage *usageError
	var data *dataset.UsageError
	var file *fs.PathError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "ragfaith: %v\n", err)
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &data), !parsed(cmd) && !errors.As(err, &file):
		printError(stderr, err)
		fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
		return exitUsage
	}
	printError(stderr, err)
	return exitFailure
}

// newRoot returns the root command and its subcommands.
func newRoot(sys system) *cobra.Command {
	var config string // only read through the flag set
	sys.color = new(string)
	root := &cobra.Command{
		Use:   "ragfaith",
		Short: "Score how faithful answers are to their contexts",
		Long: `ragfaith scores how faithful the answers of a retrieval-augmented generation (RAG)
system are to the contexts they were generated from: the share of an answer's claims
that its contexts support.`,
		Example: `  ragfaith dataset.jsonl    # short for ragfaith score dataset.jsonl
  ragfaith score dataset.parquet -o results.jsonl --min-mean 0.9`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          unknownCommand,
		// Without RunE, cobra shows the help for a mistyped command and exits 0.
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("version") {
				return printVersion(cmd)
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := markParsed(cmd, nil); err != nil || cmd.Flags().Changed("version") {
				return err
			}
			return resolveFlags(cmd, sys)
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.Flags().Bool("version", false, "print the version")
	root.SetFlagErrorFunc(unknownFlag)
	root.SetUsageFunc(writeUsage)
	for _, spec := range []flagSpec{
		{
			name: "color", arg: "WHEN", value: flagvalue.OneOf(sys.color, colorAuto, colorAuto, colorAlways, colorNever), harmless: true,
			help: "when to color output: auto, always or never",
		},
		{
			name: "config", arg: "FILE", value: &config, path: filePath, exts: []string{"yaml", "yml"},
			help: "config file (default: ragfaith.yaml); none to read no file",
		},
	} {
		spec.add(root.PersistentFlags(), globalGroup)
	}
	root.AddCommand(newScore(sys), newCompare(sys), newReport(sys), newCalibrate(sys), newSegment(), newPrompts(), newCache(sys), newModels(sys), newConfig(sys), newMan(), newVersion())
	completeValues(root)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args, completion.RunE = unknownCommand, root.RunE
	}
	return root
}

// group returns a command that only has subcommands.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: unknownCommand, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(subcommands...)
	return cmd
}

// argCount requires at least least and at most most arguments, which want describes.
func argCount(least, most int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef("want %s, got %d", want, len(args))
		}
		return nil
	}
}

// unknownCommand rejects the arguments of a command that only has subcommands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		return usagef("unknown command %q, did you mean %s?", args[0], strings.Join(similar, " or "))
	}
	return usagef("unknown command %q", args[0])
}

// unknownFlag adds a suggestion to the error for an unknown flag.
func unknownFlag(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if similar := suggestFlag(cmd, cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())); similar != "" {
			return usagef("%w, did you mean %s?", err, similar)
		}
	}
	return &usageError{err}
}

// printError writes err, or each of several joined errors on its own line.
func printError(w io.Writer, err error) {
	if usage, ok := err.(*usageError); ok { //nolint:errorlint // a wrapped one must keep its prefix
		err = usage.err
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			printError(w, e)
		}
		return
	}
	fmt.Fprintf(w, "ragfaith: %s\n", report.Printable(err.Error()))
}

// parsedKey marks a command whose flags and arguments are valid, so that its errors are
// not usage errors.
const parsedKey = "parsed"

func parsed(cmd *cobra.Command) bool { return cmd.Annotations[parsedKey] != "" }

// markParsed is the PersistentPreRunE of commands that take no options from the
// environment or config files.
func markParsed(cmd *cobra.Command, _ []string) error {
	if cmd.Annotations == nil {
		cmd.Annotations = make(map[string]string)
	}
	cmd.Annotations[parsedKey] = "yes"
	return nil
}

// getenv returns the value of an environment variable, or "" if it is not set.
func (sys system) getenv(name string) string {
	value, _ := sys.LookupEnv(name)
	return value
}

// modelStore returns the local model store: dir or, if it is empty, the Hugging Face cache.
func (sys system) modelStore(dir string) (hub.Store, error) {
	userCache := ""
	if sys.CacheDir != nil {
		userCache, _ = sys.CacheDir() // "" if it is unknown
	}
	return hub.Environment(sys.getenv).Store(dir, userCache)
}

// Values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// palette returns the colors for w. It follows https://no-color.org and
// https://bixense.com/clicolors: --color overrides the environment variables, and NO_COLOR
// overrides the others.
func (sys system) palette(w io.Writer) report.Palette {
	mode := colorAuto
	if sys.color != nil {
		mode = *sys.color
	}
	force := sys.getenv("CLICOLOR_FORCE")
	switch {
	case mode != colorAuto:
		return report.Palette{Enabled: mode == colorAlways}
	case sys.getenv("NO_COLOR") != "":
		return report.Palette{}
	case force != "" && force != "0":
		return report.Palette{Enabled: true}
	}
	plain := sys.getenv("TERM") == "dumb" || sys.getenv("CLICOLOR") == "0"
	return report.Palette{Enabled: !plain && sys.Terminal(w) > 0 && console.SupportsEscapes(w)}
}

// An outputStream is standard output and its formatting options.
type outputStream struct {
	w       io.Writer
	width   int // maximum columns of a table; 0 for no limit
	palette report.Palette
	marks   bool // show a symbol for the verdict of each claim
}

// outputStream returns standard output for score and report.
func (sys system) outputStream(w io.Writer, o *outputOptions) outputStream {
	return outputStream{
		w: sys.guarded(o.to, w), width: sys.tableWidth(w), palette: sys.palette(w),
		marks: o.show > 0 || sys.Terminal(w) > 0,
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
	if n, err := strconv.Atoi(sys.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return sys.Terminal(stdout)
}
