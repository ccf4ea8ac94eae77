package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is how wide the help is set.
const helpWidth = 100

// A flagGroup is a heading of the help with the flags below it.
type flagGroup struct {
	name  string
	flags *pflag.FlagSet
}

// newFlagSet returns a set that shows its flags in the order of definition.
func newFlagSet() *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	return fs
}

// groupedUsage shows the flags of a command by group, and the end after them.
func groupedUsage(groups []flagGroup, end string) func(*cobra.Command) error {
	return func(cmd *cobra.Command) error {
		var b strings.Builder
		fmt.Fprintf(&b, "Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
		for _, g := range groups {
			fmt.Fprintf(&b, "\n%s:\n%s", g.name, g.flags.FlagUsagesWrapped(helpWidth))
		}
		fmt.Fprintf(&b, "\n%s\n", end)
		_, err := fmt.Fprint(cmd.OutOrStderr(), b.String())
		return err
	}
}

// completeValues offers the known words of every flag that has some to the
// shell's completion.
func completeValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		// The only error is that of a flag that does not exist.
		switch v := f.Value.(type) {
		case *choice:
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.known, cobra.ShellCompDirectiveNoFileComp))
		case judgeName: // or a folder
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(judgeNames(), cobra.ShellCompDirectiveDefault))
		}
	})
}
