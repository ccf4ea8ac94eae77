package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// resolveFlags sets the flags that are not given from the environment, then the config file.
func resolveFlags(cmd *cobra.Command, sys system) error {
	flags := cmd.Flags()
	err := applyProfile(flags, sys.LookupEnv)
	if err == nil {
		err = fromEnvironment(flags, sys.LookupEnv)
	}
	if err == nil {
		err = applyProfile(flags, sys.LookupEnv)
	}
	if err != nil || !configurable(cmd) {
		return err
	}
	f, err := readConfig(flags.Lookup("config").Value.String())
	if err != nil {
		return err
	}
	if f != nil {
		if err := errors.Join(append(f.check(cmd.Root()), f.apply(cmd, sys)...)...); err != nil {
			return &exit.UsageError{Err: err}
		}
	}
	if quiet := flags.Lookup("quiet"); quiet == nil || quiet.Value.String() != "true" {
		warnUnusedVariables(cmd, sys)
	}
	return applyProfile(flags, sys.LookupEnv)
}

// fromEnvironment sets the flags that are not set yet from variables such as
// RAGFAITH_MIN_MEAN, unless they are empty. A repeatable flag takes a comma-separated list.
func fromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var errs []error
	flags.VisitAll(func(f *pflag.Flag) {
		name := variableOf(f.Name)
		value, _ := lookup(name)
		if value == "" || f.Changed || f.Name == "help" || f.Name == "version" {
			return
		}
		values := []string{value}
		if isList(f) {
			values = strings.Split(value, ",")
		}
		for _, v := range values {
			if err := f.Value.Set(v); err != nil {
				errs = append(errs, fmt.Errorf("%s=%s: %w", name, v, err))
			}
		}
		setOrigin(f, "environment "+name)
	})
	if len(errs) > 0 {
		return &exit.UsageError{Err: errors.Join(errs...)}
	}
	return nil
}

// warnUnusedVariables warns about variables such as RAGFAITH_MIN_MAEN, which set no flag of any
// command, and about empty ones of gates: a gate would be missing.
func warnUnusedVariables(cmd *cobra.Command, sys system) {
	if sys.environ == nil {
		return
	}
	known := append(namesOf(optionNames(cmd.Root()), variableOf), variableOf("config"), "RAGFAITH_BINARY") // read by the Python module
	for _, entry := range sys.environ() {
		name, value, _ := strings.Cut(entry, "=")
		option, ok := strings.CutPrefix(name, variableOf(""))
		switch {
		case !ok:
		case !slices.Contains(known, name):
			fmt.Fprintf(cmd.ErrOrStderr(), "ragfaith: warning: unknown environment variable %s\n", report.Printable(name))
		case value == "" && (strings.HasPrefix(option, "MIN_") || strings.HasPrefix(option, "MAX_")):
			fmt.Fprintf(cmd.ErrOrStderr(), "ragfaith: warning: the variable %s is empty and sets nothing\n", name)
		}
	}
}

// configurable reports whether a command reads config files. It must have local flags and
// not be one of the commands that have to work even if a config file is invalid.
func configurable(cmd *cobra.Command) bool {
	top := cmd
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	if slices.Contains([]string{"completion", "config", "help", "man", "version", cobra.ShellCompRequestCmd}, top.Name()) {
		return false
	}
	return cmd.HasParent() && slices.ContainsFunc(flagsOf(cmd), func(f *pflag.Flag) bool { return cmd.InheritedFlags().Lookup(f.Name) == nil })
}

// configurableCommands returns those of cmd and its subcommands that read config files.
func configurableCommands(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(documentedCommands(cmd), func(c *cobra.Command) bool { return !configurable(c) })
}

// optionsOf returns the flags of a command that a config file can set: all except --config.
func optionsOf(cmd *cobra.Command) []*pflag.Flag {
	return slices.DeleteFunc(flagsOf(cmd), func(f *pflag.Flag) bool { return f.Name == "config" })
}

// sectionsOf returns the commands that can have a section in a config file, by name.
func sectionsOf(root *cobra.Command) map[string]*cobra.Command {
	sections := make(map[string]*cobra.Command)
	for _, cmd := range configurableCommands(root) {
		if cmd.Parent() == root {
			sections[cmd.Name()] = cmd
		}
	}
	return sections
}

// optionNames returns the names of the options of all commands.
func optionNames(root *cobra.Command) []string {
	var names []string
	for _, cmd := range configurableCommands(root) {
		names = append(names, namesOf(optionsOf(cmd), func(f *pflag.Flag) string { return f.Name })...)
	}
	return names
}

// check returns an error for each secret and each unknown key; a section accepts only options of
// its command. Other values are checked when they are set.
func (f *configFile) check(root *cobra.Command) (errs []error) {
	checkAll := func(entries []configEntry, known []string, section string) {
		for _, e := range entries {
			if !slices.Contains(known, e.Key) {
				errs = append(errs, f.errorf(e.Line, "%sunknown option %s", section, e.Key))
			}
			for _, v := range append([]*yaml.Node{e.Value}, e.Value.Content...) {
				if err := checkSecret(e.Key, v.Value); err != nil {
					errs = append(errs, f.errorf(v.Line, "%s: %w", e.Key, err))
				}
			}
		}
	}
	sections := sectionsOf(root)
	isSection := func(e configEntry) bool { return sections[e.Key] != nil }
	checkAll(slices.DeleteFunc(slices.Clone(f.Entries), isSection), optionNames(root), "")
	for _, e := range f.Entries {
		if !isSection(e) || isEmpty(e.Value) { // all options are commented out
			continue
		}
		section, err := f.entries(e.Value)
		if err != nil {
			errs = append(errs, err)
		}
		cmd := sections[e.Key]
		checkAll(section, namesOf(optionsOf(cmd), func(f *pflag.Flag) string { return f.Name }), cmd.Name()+": ")
	}
	return errs
}

// apply sets the unset flags of cmd from its section and then from the top level. A key with
// the name of a command is always a section, even if cmd has a flag of that name.
func (f *configFile) apply(cmd *cobra.Command, sys system) (errs []error) {
	refused := false
	set := func(entries []configEntry) {
		for _, e := range entries {
			flag := cmd.Flag(e.Key)
			if flag == nil || flag.Changed {
				continue
			}
			if err := f.set(flag, e, sys); err != nil {
				errs = append(errs, err)
			} else if f.found && !isHarmless(flag) {
				refused, errs = true, append(errs, f.errorf(e.Line, "%s: only a config file named by --config can set this", e.Key))
			}
			setOrigin(flag, fmt.Sprintf("%s:%d", f.Path, e.Line))
		}
	}
	for _, e := range f.Entries {
		if e.Key == cmd.Name() && !cmd.Parent().HasParent() && !isEmpty(e.Value) {
			if section, err := f.entries(e.Value); err == nil { // check reports it
				set(section)
			}
		}
	}
	sections := sectionsOf(cmd.Root())
	top := slices.DeleteFunc(slices.Clone(f.Entries), func(e configEntry) bool { return sections[e.Key] != nil })
	set(top)
	if refused {
		errs = append(errs, fmt.Errorf("%s was found in this directory: read it, then use --config %[1]s, or --config none to ignore it", f.Path))
	}
	return errs
}

func (f *configFile) set(flag *pflag.Flag, e configEntry, sys system) error {
	values, err := f.values(flag, e)
	if err != nil {
		return err
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok && len(values) == 0 {
		return list.Replace(nil)
	}
	for _, v := range values {
		if err := flag.Value.Set(f.resolvePath(flag, v.Value, sys)); err != nil {
			return f.errorf(v.Line, "%s: %w", e.Key, err)
		}
	}
	return nil
}

// values returns the scalars of an entry to pass to a flag. A flag that can be repeated
// takes a list, or a mapping if its values are pairs.
func (f *configFile) values(flag *pflag.Flag, e configEntry) ([]yaml.Node, error) {
	scalars, want := []yaml.Node{*e.Value}, "want a single value"
	if isList(flag) {
		want = "want a string or a list of strings"
		switch {
		case e.Value.Kind == yaml.SequenceNode:
			scalars = nil
			for _, item := range e.Value.Content {
				scalars = append(scalars, *item)
			}
		case e.Value.Kind == yaml.MappingNode && strings.Contains(annotation(flag, argKey), "="):
			pairs, err := f.entries(e.Value)
			if err != nil {
				return nil, err
			}
			scalars = nil
			for _, pair := range pairs {
				scalar := *pair.Value
				scalar.Value = pair.Key + "=" + scalar.Value
				scalars = append(scalars, scalar)
			}
		}
	}
	for i := range scalars {
		if isEmpty(&scalars[i]) {
			return nil, f.errorf(e.Line, "%s: missing value", e.Key)
		}
		if scalars[i].Kind != yaml.ScalarNode {
			return nil, f.errorf(scalars[i].Line, "%s: %s", e.Key, want)
		}
	}
	return scalars, nil
}

// resolvePath resolves a path relative to the directory of the config file, so that it does not
// depend on the working directory. A judge or an embedding model is a path if it starts with ./, ../ or ~.
func (f *configFile) resolvePath(flag *pflag.Flag, text string, sys system) string {
	slashed := filepath.ToSlash(text)
	isModelPath := (flag.Name == "judge" || flag.Name == "embed-model") &&
		(strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") || strings.HasPrefix(slashed, "~"))
	if !isModelPath && !isPath(flag) || text == "" {
		return text
	}
	base := filepath.Dir(f.Path)
	if text = hub.Environment(sys.Getenv).ExpandHome(text); filepath.IsAbs(text) || base == "." {
		return text
	}
	return filepath.Join(base, text)
}

// variableOf returns the name of the environment variable that sets a flag.
func variableOf(flag string) string {
	return "RAGFAITH_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// checkSecret rejects values that may contain a secret, because config files are often shared.
func checkSecret(option, text string) error {
	switch {
	case strings.HasSuffix(option, "api-key-env") && !variableName.MatchString(text):
		return errors.New("want the name of an environment variable, such as OPENAI_API_KEY; keys are not allowed in a config file")
	case option == "header" && !strings.Contains(text, "$"):
		if name, _, _ := strings.Cut(text, ":"); keyName.MatchString(strings.TrimSpace(name)) {
			return errors.New("want the value from the environment, such as 'Authorization: Bearer $TOKEN'; keys are not allowed in a config file")
		}
	case strings.HasSuffix(option, "base-url") && hasUser(text):
		return errors.New("the URL contains a user or a password; set it with " + variableOf(option) + " in the environment instead")
	}
	return nil
}

var (
	// keyName matches the name of a header that may contain a key.
	keyName = regexp.MustCompile(`(?i)(^|[-_])(api-?key|authorization|bearer|cookie|key|token|secret|password|credentials)$`)
	// variableName matches a variable in capital letters. Keys have other letters, too.
	variableName = regexp.MustCompile(`^([A-Z_][A-Z0-9_]*)?$`)
)

// hasUser reports whether a URL contains a password or a user name, which may be a key.
func hasUser(text string) bool {
	u, err := url.Parse(text)
	if err != nil { // rejected later, but must not be printed
		return strings.Contains(text, "@")
	}
	return u.User != nil
}

func newConfigInit() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Create a commented config file",
		Long: `Create a config file that lists every option of score as a comment, with its default.
FILE defaults to ragfaith.yaml, which ragfaith looks for in the working directory. An
existing file is not overwritten.`,
		Example:           "  ragfaith config init\n  ragfaith config init config/nightly.yaml",
		Args:              argCount(0, 1, "one FILE"),
		PersistentPreRunE: markParsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := configName
			if len(args) == 1 {
				path = args[0]
			}
			if err := writeNew(path, configTemplate(cmd.Root())); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
	return cmd
}

// writeNew creates a file. It is an error if the file exists.
func writeNew(path, content string) error {
	f, err := safefile.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch reason, ok := errors.AsType[*fs.PathError](err); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: already exists; not overwritten", path)
	case ok:
		return fmt.Errorf("%s: %w", path, reason.Err)
	case err != nil:
		return err
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // allow another attempt
	}
	return nil
}

// configTemplate returns a config file with every option of score commented out.
func configTemplate(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(templateIntro)
	score, _, err := root.Find([]string{"score"})
	if err != nil {
		return b.String()
	}
	group := ""
	for _, f := range optionsOf(score) {
		if g := annotation(f, groupKey); g != group {
			group = g
			b.WriteString("\n# ---- " + group + "\n")
		}
		b.WriteByte('\n')
		b.WriteString("# " + f.Usage + "\n")
		b.WriteString("#" + f.Name + ": " + exampleOf(f) + "\n")
	}
	return b.String()
}

const templateIntro = `# Options of ragfaith. Uncomment an option to set it. Flags override the
# environment (RAGFAITH_MIN_MEAN for min-mean), and the environment overrides
# this file. An option applies to every command that has such a flag; below the
# name of a command, such as "score:", it applies to that command only. Paths
# are relative to this file. Keys are not allowed here: name an environment
# variable with api-key-env. A file that is found in the working directory may
# not set all of them, such as judge: name it with --config.
# "ragfaith config show" prints all options and where they come from.
`

// exampleOf returns the default of a flag or, without a default, some valid value.
func exampleOf(f *pflag.Flag) string {
	if isList(f) {
		return "[]"
	}
	if f.DefValue != "" {
		return f.DefValue
	}
	switch f.Value.Type() {
	case "float":
		return "0.5"
	case "IN,OUT":
		return `"0.15,0.60"`
	}
	return `""`
}

func newConfigShow(sys system) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [COMMAND [FLAG...]]",
		Short: "Show each option, its value and its origin",
		Long: `Print the options of a command (default: score) with their values and where each
value comes from: a flag, the environment, a line of a config file, a profile or the
default. Flags after COMMAND are read as COMMAND would read them; nothing is run.`,
		Example: `  ragfaith config show
  ragfaith config show score --profile ragas --threshold 0.6`,
		Annotations: map[string]string{notesKey: `Exit codes: 0 success, 1 failure, 2 usage error or invalid config file.`},
		Args:        cobra.ArbitraryArgs,
		// Show invalid options, too, instead of failing.
		PersistentPreRunE: markParsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"score"}
			}
			return showConfig(cmd.OutOrStdout(), args, cmd.Flag("config"), sys)
		},
	}
	cmd.Flags().SetInterspersed(false) // flags after COMMAND are flags of that command
	return cmd
}

// showConfig prints the options of a command. config is the --config flag before COMMAND.
func showConfig(w io.Writer, args []string, config *pflag.Flag, sys system) error {
	root := newRoot(sys)
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		return exit.Usagef("unknown command %q", args[0])
	}
	if !configurable(cmd) {
		return exit.Usagef("%q has no options", cmd.CommandPath())
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return &exit.UsageError{Err: err}
	}
	if inner := cmd.Flag("config"); config.Changed && !inner.Changed {
		if err := inner.Value.Set(config.Value.String()); err != nil {
			return err
		}
		inner.Changed = true
	}
	if err := resolveFlags(cmd, sys); err != nil {
		return err
	}
	table := report.Table{Columns: []report.Column{{Name: "option"}, {Name: "value"}, {Name: "from"}}}
	for _, f := range flagsOf(cmd) {
		table.AddRow(f.Name, report.Printable(shownValue(f)), report.Printable(originOf(f)))
	}
	_, err = io.WriteString(w, table.Terminal(math.MaxInt))
	return err
}

// shownValue returns the value of a flag, or "-" for none. Possible API keys are hidden.
func shownValue(f *pflag.Flag) string {
	const none, hidden = "-", "(hidden)"
	text := f.Value.String()
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values := slices.Clone(list.GetSlice())
		for i := range values {
			if name, _, ok := strings.Cut(values[i], ":"); f.Name == "header" && ok {
				values[i] = name + ": " + hidden
			} else if f.Name == "header" {
				values[i] = hidden
			}
		}
		text = strings.Join(values, ", ")
	}
	switch {
	case text == "":
		return none
	case strings.HasSuffix(f.Name, "api-key-env") && !variableName.MatchString(text), strings.HasSuffix(f.Name, "base-url") && hasUser(text):
		return hidden
	}
	return text
}
