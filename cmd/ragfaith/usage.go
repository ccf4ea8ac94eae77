package main

import (
	"fmt"
	"slices"
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

// everyCommand is the heading of the flags that every command has.
const everyCommand = "Every command"

// groupKey is where a flag has the heading that it stands below, and its place.
const groupKey = "group"

// inOrder returns the flags of a command as its help shows them, and then those
// that every command has, but not those that ask for help.
func inOrder(cmd *cobra.Command) []*pflag.Flag {
	var all []*pflag.Flag
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" {
			all = append(all, f)
		}
	})
	place := func(f *pflag.Flag) string {
		if group := f.Annotations[groupKey]; len(group) > 1 {
			return group[1]
		}
		return ""
	}
	slices.SortStableFunc(all, func(a, b *pflag.Flag) int { return strings.Compare(place(a), place(b)) })
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { all = append(all, f) })
	return all
}

// heading is the group of a flag.
func heading(f *pflag.Flag, otherwise string) string {
	if group := f.Annotations[groupKey]; len(group) > 0 {
		return group[0]
	}
	return otherwise
}

// groupedUsage shows the flags of a command by group, and the end after them.
func groupedUsage(groups []flagGroup, end string) func(*cobra.Command) error {
	for i, g := range groups {
		place := 0
		g.flags.VisitAll(func(f *pflag.Flag) {
			if f.Annotations == nil {
				f.Annotations = make(map[string][]string)
			}
			f.Annotations[groupKey] = []string{g.name, fmt.Sprintf("%03d.%03d", i, place)}
			place++
		})
	}
	return func(cmd *cobra.Command) error {
		var b strings.Builder
		fmt.Fprintf(&b, "Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
		for _, g := range groups {
			fmt.Fprintf(&b, "\n%s:\n%s", g.name, g.flags.FlagUsagesWrapped(helpWidth))
		}
		if inherited := cmd.InheritedFlags(); inherited.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", everyCommand, inherited.FlagUsagesWrapped(helpWidth))
		}
		fmt.Fprintf(&b, "\n%s\n", end)
		_, err := fmt.Fprint(cmd.OutOrStderr(), b.String())
		return err
	}
}
