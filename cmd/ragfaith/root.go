package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot builds the command tree.
func newRoot(sys system) *cobra.Command {
	var config string
	sys.color = new(string)
	root := &cobra.Command{
		Use:   "ragfaith",
		Short: "Score how faithful answers are to their contexts",
		Long: `ragfaith scores how faithful the answers of a retrieval-augmented generation (RAG)
system are to the contexts they were generated from: the share of an answer's claims
that its contexts support.`,
		Example: `  ragfaith score dataset.jsonl
  ragfaith score dataset.parquet -o results.jsonl --min-mean 0.9`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          unknownCommand,
		// Without RunE, cobra shows the help for a mistyped command and exits 0.
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := begin(cmd, nil); err != nil {
				return err
			}
			return resolve(cmd, sys, true)
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(unknownFlag)
	root.SetUsageFunc(writeUsage)
	root.SetGlobalNormalizationFunc(flagAlias)
	for _, spec := range []flagSpec{
		{name: "color", arg: "WHEN", value: oneOf(sys.color, colorAuto, colorAuto, colorAlways, colorNever), found: anyValue,
			help: "when to color output: auto, always or never"},
		{name: "config", arg: "FILE", value: &config, path: filePath, exts: []string{"yaml", "yml"},
			help: "read only this config file; none to read no file"},
	} {
		spec.add(root.PersistentFlags(), globalFlags)
	}
	root.AddCommand(newScore(sys), newCompare(sys), newReport(sys), newCalibrate(), newSegment(), newPrompts(), newCache(sys), newModels(sys), newConfig(sys), newMan(), newVersion())
	completeValues(root)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args, completion.RunE = unknownCommand, root.RunE // as for the root
	}
	return root
}

// unknownCommand is the check of the root's arguments, of which it has none.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("unknown command %q, did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return usagef("unknown command %q", args[0])
}

// unknownFlag names the flag that was probably meant.
func unknownFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
			return usagef("%w, did you mean --%s?", err, near)
		}
	}
	return &usageError{err}
}
