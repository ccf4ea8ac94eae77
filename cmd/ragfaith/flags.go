package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/output"
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

// argCount requires minArgs to maxArgs arguments, which want describes.
func argCount(minArgs, maxArgs int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < minArgs || len(args) > maxArgs {
			return exit.Usagef("want %s, got %d", want, len(args))
		}
		return nil
	}
}

// someArgs requires at least one argument. missing names it in the error.
func someArgs(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return exit.Usagef("missing %s", missing)
		}
		return nil
	}
}

// parsedKey marks a command with valid flags and arguments, whose errors are not usage errors.
const parsedKey = "parsed"

func parsed(cmd *cobra.Command) bool { return cmd.Annotations[parsedKey] != "" }

// markParsed is the PersistentPreRunE of commands that read no environment or config file.
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

// group returns a command that only has subcommands.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(subcommands...)
	return cmd
}

// A system is the environment of a command. Tests replace it.
type system struct {
	app.System

	Terminal func(io.Writer) int // columns of the terminal behind a writer, or 0 if it is not a terminal
	environ  func() []string     // the environment as in os.Environ; may be nil
	color    *string             // value of --color; nil means auto
	commands io.Writer           // standard error for workflow commands; nil outside of GitHub Actions
}

// palette returns the colors for w. --color overrides https://no-color.org.
func (sys system) palette(w io.Writer) report.Palette {
	mode := "auto"
	if sys.color != nil {
		mode = *sys.color
	}
	switch {
	case mode != "auto":
		return report.Palette{Enabled: mode == "always"}
	case sys.Getenv("NO_COLOR") != "", sys.Getenv("TERM") == "dumb":
		return report.Palette{}
	}
	return report.Palette{Enabled: sys.Terminal(w) > 0 && console.SupportsEscapes(w)}
}

// streams returns the streams of score and report.
func (sys system) streams(cmd *cobra.Command, o *output.Options) *output.Streams {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	return &output.Streams{
		Stdout: sys.guarded(o.To, stdout), Width: sys.tableWidth(stdout), Palette: sys.palette(stdout),
		Marks:   o.Show > 0 || sys.Terminal(stdout) > 0,
		Console: console.New(stderr, sys.palette(stderr)), Bar: sys.Terminal(stderr) > 0,
		Commands: sys.commands, StepSummary: sys.Getenv("GITHUB_STEP_SUMMARY"), StepOutput: sys.Getenv("GITHUB_OUTPUT"),
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
	if n, err := strconv.Atoi(sys.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return sys.Terminal(stdout)
}
