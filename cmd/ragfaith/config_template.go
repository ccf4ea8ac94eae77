package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

const configInitLong = `Create a config file that lists every option of score as a comment, with its default.
FILE defaults to ragfaith.yaml, which ragfaith looks for in the working directory. An
existing file is not overwritten.`

func newConfigInit(sys system) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "init [FILE]",
		Short:             "Create a commented config file",
		Long:              configInitLong,
		Example:           "  ragfaith config init\n  ragfaith config init config/nightly.yaml",
		Args:              argCount(0, 1, "one FILE"),
		PersistentPreRunE: markParsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := configName
			if len(args) == 1 {
				path = args[0]
			}
			if err := writeNew(path, configTemplate(sys)); err != nil {
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
func configTemplate(sys system) string {
	var b strings.Builder
	b.WriteString(templateIntro)
	root := newRoot(sys)
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
# variable with api-key-env.
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
