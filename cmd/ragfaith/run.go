package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
)

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
	cmd, err := root.ExecuteContextC(ctx)
	var reported *exit.ReportedError
	var usage *exit.UsageError
	var data *dataset.UsageError
	var file *fs.PathError
	switch {
	case err == nil:
		return exit.OK
	case errors.As(err, &reported):
		return reported.Code
	case errors.Is(err, exit.ErrInterrupted), errors.Is(err, context.Canceled):
		printError(stderr, err)
		return exit.Interrupted
	case errors.As(err, &usage), errors.As(err, &data), !parsed(cmd) && !errors.As(err, &file):
		printError(stderr, err)
		fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
		return exit.Usage
	}
	printError(stderr, err)
	return exit.Failure
}

// withCommand inserts score before a dataset and the flags before it, so that "ragfaith FILE" scores it.
func withCommand(root *cobra.Command, args []string) []string {
	at := slices.IndexFunc(args, isDataset)
	if at < 0 {
		return args
	}
	name, isFlag := strings.CutPrefix(args[0], "--")
	if known := root.Flags().Lookup(name) != nil || root.PersistentFlags().Lookup(name) != nil; at > 0 && (!isFlag || known) {
		return args
	}
	root.InitDefaultHelpCmd()
	if cmd, _, err := root.Find(args); err == nil && cmd != root {
		return args // a file that has the name of a command, or a file of another command
	}
	return append([]string{"score"}, args...)
}

// isDataset reports whether an argument is -, a file, or has the extension of a dataset.
func isDataset(arg string) bool {
	if arg == "-" || dataset.HasExtension(arg) && !strings.HasPrefix(arg, "-") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

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
		Args:          cobra.NoArgs,
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
	root.Flags().Bool("version", false, "print the version")
	root.SetUsageFunc(writeUsage)
	for _, spec := range []flagSpec{
		{"color", "WHEN", flagvalue.OneOf(sys.color, "auto", "auto", "always", "never"), "when to color output: auto, always or never"},
		{"config", "FILE", &config, "config file (default: ragfaith.yaml), or none"},
	} {
		spec.add(root.PersistentFlags(), "Global")
	}
	root.AddCommand(newScore(sys), newCompare(sys), newReport(sys), newCalibrate(sys), newSegment(), newPrompts(), newMan(), newVersion(),
		group("cache", "Show or clear the reply cache", newCacheStats(sys), newCacheClear(sys)),
		group("models", "Download, list or verify models", newModelsPull(sys), newModelsList(sys), newModelsVerify(sys)),
		group("config", "Create or show config files", newConfigInit(), newConfigShow(sys)))
	completeValues(root)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.RunE = root.RunE
	}
	return root
}

// printError writes err, or each of several joined errors on its own line.
func printError(w io.Writer, err error) {
	if usage, ok := err.(*exit.UsageError); ok { //nolint:errorlint // a wrapped one must keep its prefix
		err = usage.Err
	}
	console.New(w, report.Palette{}).Error(err)
}
