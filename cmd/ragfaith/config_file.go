package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

const (
	// configName is the name of the config file in a working directory.
	configName = "ragfaith.yaml"
	// noConfig is the value of --config that disables config files.
	noConfig = "none"
	// maxConfigBytes is the maximum size of a config file.
	maxConfigBytes = 1 << 20
)

// A configFile is a parsed config file: one YAML document, a mapping of names to scalars,
// lists and mappings. Aliases are rejected, so that a value is what a reader sees at its key.
type configFile struct {
	Path    string
	Entries []configEntry
	found   bool // in the working directory, so anyone may have written it
}

// A configEntry is a key with its value.
type configEntry struct {
	Key   string
	Line  int // line of Key, from 1
	Value *yaml.Node
}

// readConfig reads the file that --config names or, if it names none, the one in the
// working directory. It returns nil if there is no file. Invalid content is a usage error.
func readConfig(path string) (*configFile, error) {
	found := path == ""
	switch {
	case path == noConfig:
		return nil, nil
	case found:
		path = configName
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			const other = "ragfaith.yml"
			if _, err := os.Lstat(other); err == nil {
				return nil, exit.Usagef("%s is not read: name it %s, or use --config %[1]s, or --config none to ignore it", other, path)
			}
			return nil, nil
		}
		// Paths in a linked file would be relative to an unexpected directory, and in a shared
		// directory anyone could have created the file.
		err := safefile.CheckPath(path)
		if reason, ok := errors.AsType[*fs.PathError](err); ok {
			return nil, exit.Usagef("%s %w: use --config FILE to read it anyway, or --config none to ignore it", path, reason.Err)
		}
		if err != nil {
			return nil, err
		}
	}
	content, err := safefile.ReadFile(path, maxConfigBytes)
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		err = reason.Err // the path is added below
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := parseConfig(path, content)
	f.found = found
	return f, err
}

// parseConfig parses content, which was read from path. All errors are usage errors.
func parseConfig(path string, content []byte) (*configFile, error) {
	f := &configFile{Path: path}
	loader, err := yaml.NewLoader(bytes.NewReader(content))
	var document, second yaml.Node
	if err == nil {
		err = loader.Load(&document)
	}
	if errors.Is(err, io.EOF) {
		return f, nil
	}
	if err == nil && !errors.Is(loader.Load(&second), io.EOF) {
		err = errors.New("want a single YAML document, without ---")
	}
	if err != nil {
		return f, exit.Usagef("%s: %w", path, err)
	}
	if len(document.Content) == 0 || isEmpty(document.Content[0]) {
		return f, nil
	}
	f.Entries, err = f.entries(document.Content[0])
	return f, err
}

// isEmpty reports whether a value is missing after its key.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0
}

// entries returns the entries of a mapping, which must have unique keys.
func (f *configFile) entries(n *yaml.Node) ([]configEntry, error) {
	if n.Kind != yaml.MappingNode {
		return nil, f.errorf(n.Line, "want options as NAME: VALUE")
	}
	var entries []configEntry
	lines := make(map[string]int)
	for pair := range slices.Chunk(n.Content, 2) {
		key := pair[0]
		if key.Kind != yaml.ScalarNode {
			return nil, f.errorf(key.Line, "want a name")
		}
		if first, ok := lines[key.Value]; ok {
			return nil, f.errorf(key.Line, "duplicate key %s (first on line %d)", key.Value, first)
		}
		lines[key.Value] = key.Line
		entries = append(entries, configEntry{key.Value, key.Line, pair[1]})
	}
	return entries, nil
}

// errorf returns a usage error for a line of the file.
func (f *configFile) errorf(line int, format string, args ...any) error {
	return exit.Usagef("%s:%d: %w", f.Path, line, fmt.Errorf(format, args...))
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
