package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
)

// A flagSpec describes a flag: on the command line, in the environment, in config
// files and their schema, in the help and in shell completion.
type flagSpec struct {
	name  string
	arg   string // name of the argument in the help; "" for a switch, FILE or DIR for a path
	value any    // *string, *bool, *uint64, *[]string or pflag.Value; holds the default
	help  string
}

// A flagGroup is a heading of the help with the flags below it.
type flagGroup struct {
	name  string
	flags []flagSpec
}

// defaultGroup is the help heading of the flags of a command with a single group.
const defaultGroup = "Flags"

// The keys of flag annotations.
const (
	groupKey = "group"
	argKey   = "argument"
	// sourceKey is the key of a flag that was not set on the command line. It contains where
	// the value was set, such as "environment RAGFAITH_JUDGE" or "ragfaith.yaml:3".
	sourceKey = "source"
)

// addFlags adds groups of flags to a command, in the order of its help.
func addFlags(cmd *cobra.Command, groups ...flagGroup) {
	cmd.Flags().SortFlags = false
	for _, g := range groups {
		for _, spec := range g.flags {
			spec.add(cmd.Flags(), g.name)
		}
	}
}

func (s *flagSpec) add(fs *pflag.FlagSet, group string) {
	short := map[string]string{"output": "o", "quiet": "q", "verbose": "v"}[s.name]
	switch v := s.value.(type) {
	case *string:
		fs.StringVarP(v, s.name, short, *v, s.help)
	case *bool:
		fs.BoolVarP(v, s.name, short, *v, s.help)
	case *uint64:
		fs.Uint64VarP(v, s.name, short, *v, s.help)
	case *[]string:
		fs.StringArrayVarP(v, s.name, short, *v, s.help)
	case pflag.Value:
		fs.VarP(v, s.name, short, s.help)
	default:
		panic(fmt.Sprintf("flag %s: unsupported type %T", s.name, v))
	}
	f := fs.Lookup(s.name)
	f.Annotations = map[string][]string{groupKey: {group}, argKey: {s.arg}}
	switch s.arg { // cobra completes paths
	case "FILE":
		f.Annotations[cobra.BashCompFilenameExt] = nil
	case "DIR":
		f.Annotations[cobra.BashCompSubdirsInDir] = nil
	}
}

// formatFlag returns the flag for the format written to stdout, by default the first.
func formatFlag(to *string, formats ...string) flagSpec {
	return flagSpec{"to", "FORMAT", flagvalue.OneOf(to, formats[0], formats...), "format written to stdout: " + report.OrList(formats)}
}

func namesOf[T any](items []T, name func(T) string) []string {
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = name(item)
	}
	return names
}

// annotation returns the text that add stored under key.
func annotation(f *pflag.Flag, key string) string {
	if texts := f.Annotations[key]; len(texts) > 0 {
		return texts[0]
	}
	return ""
}

// isHarmless reports whether a config file that was not named may set a flag: one that cannot
// write, send or select anything, or weaken a gate.
func isHarmless(f *pflag.Flag) bool {
	return slices.Contains(strings.Fields("by color github keep keep-as no-progress quiet show sort verbose max-drop max-no-claims max-uncertain max-unjudged min-citation-precision min-citation-recall min-lower min-mean min-mean-by"), f.Name)
}

// isPath reports whether the value of a flag names a file or a directory. Config files give
// such names relative to their own directory.
func isPath(f *pflag.Flag) bool {
	arg := annotation(f, argKey)
	return arg == "FILE" || arg == "DIR"
}

// isList reports whether a flag can be repeated.
func isList(f *pflag.Flag) bool {
	_, ok := f.Value.(pflag.SliceValue)
	return ok
}

// setOrigin records where the value of a flag was set.
func setOrigin(f *pflag.Flag, place string) {
	f.Changed = true
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[sourceKey] = []string{place}
}

// originOf returns where the value of a flag was set.
func originOf(f *pflag.Flag) string {
	if !f.Changed {
		return "default"
	}
	return cmp.Or(annotation(f, sourceKey), "flag")
}

// explicit reports whether the named flag was set by the command line, rather than by the
// environment, a config file or a profile.
func explicit(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && len(f.Annotations[sourceKey]) == 0
}

// flagsOf returns the flags of a command in the order of its help, except --help and --version.
func flagsOf(cmd *cobra.Command) []*pflag.Flag {
	var flags []*pflag.Flag
	add := func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" {
			flags = append(flags, f)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return flags
}

// notesKey is the annotation of a command with the text after its flags, such as exit codes.
const notesKey = "notes"

// writeUsage writes everything in the help of a command but its description.
func writeUsage(cmd *cobra.Command) error {
	var b strings.Builder
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		use = cmd.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(&b, "Usage: %s\n", use)
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s  %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for flags := flagsOf(cmd); len(flags) > 0; {
		group := annotation(flags[0], groupKey)
		n := slices.IndexFunc(flags, func(f *pflag.Flag) bool { return annotation(f, groupKey) != group })
		if n < 0 {
			n = len(flags)
		}
		fmt.Fprintf(&b, "\n%s:\n", group)
		writeFlags(&b, flags[:n])
		flags = flags[n:]
	}
	if notes := cmd.Annotations[notesKey]; notes != "" {
		fmt.Fprintf(&b, "\n%s\n", notes)
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// writeFlags writes a line for each flag.
func writeFlags(b *strings.Builder, flags []*pflag.Flag) {
	names := make([]string, len(flags))
	width := 0
	for i, f := range flags {
		names[i] = "    --" + f.Name
		if f.Shorthand != "" {
			names[i] = "-" + f.Shorthand + ", --" + f.Name
		}
		if arg := annotation(f, argKey); arg != "" {
			names[i] += " " + arg
		}
		width = max(width, len(names[i]))
	}
	for i, f := range flags {
		fmt.Fprintf(b, "  %-*s  %s", width, names[i], f.Usage)
		if !isList(f) && !slices.Contains([]string{"", "0", "0s", "false"}, f.DefValue) {
			fmt.Fprintf(b, " (default %s)", f.DefValue)
		}
		b.WriteByte('\n')
	}
}

// completeValues registers the completion of the flags of a command and those below it: the
// known words, and nothing for numbers and names. cobra completes paths.
func completeValues(cmd *cobra.Command) {
	complete := func(f *pflag.Flag) {
		if isPath(f) {
			return
		}
		var words []string
		if v, ok := f.Value.(*flagvalue.Value); ok {
			words = v.Words()
		}
		// This fails only for flags that have a completion already.
		_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	cmd.Flags().VisitAll(complete)
	cmd.PersistentFlags().VisitAll(complete)
	for _, sub := range cmd.Commands() {
		completeValues(sub)
	}
}
