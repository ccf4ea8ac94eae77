package main

import (
	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/exit"
)

// group returns a command that only has subcommands.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(subcommands...)
	return cmd
}

// argCount requires minArgs to maxArgs arguments, which want describes.
func argCount(minArgs, maxArgs int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < minArgs || len(args) > maxArgs {
			return exit.Usagef("want %s, got %d", want, len(args))
		}
		return nil
	}
}

// someArgs requires an argument, whose lack missing describes.
func someArgs(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return exit.Usagef("missing %s", missing)
		}
		return nil
	}
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

// documentedCommands returns a command and the visible commands below it.
func documentedCommands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, documentedCommands(sub)...)
		}
	}
	return all
}
