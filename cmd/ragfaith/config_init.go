package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/config"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

const configInitLong = `Create a config file that lists every option of score as a comment, with its default.
FILE defaults to ragfaith.yaml, which ragfaith looks for in the working directory and,
inside a Git repository, in the directories above. An existing file is not overwritten.`

func newConfigInit(sys system) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "init [FILE]",
		Short:   "Create a commented config file",
		Long:    configInitLong,
		Example: "  ragfaith config init\n  ragfaith config init config/nightly.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want one FILE, got %d", len(args))
			}
			return nil
		},
		PersistentPreRunE: begin,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := config.Name
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

// writeNew writes a file that must not exist.
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
		return errors.Join(err, os.Remove(path)) // half of it would be in the way of a second try
	}
	return nil
}

// configTemplate is a file in which all settings of score are comments.
func configTemplate(sys system) string {
	const wide = 76
	var b strings.Builder
	b.WriteString("# yaml-language-server: $schema=" + schemaID + "\n#\n")
	for line := range strings.SplitSeq(text.WrapSoft(templateBegin, wide), "\n") {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	root := newRoot(sys)
	score, _, err := root.Find([]string{"score"})
	if err != nil {
		return b.String()
	}
	group := ""
	for _, f := range flagsOf(score) {
		if f.Name == "config" {
			continue
		}
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

const templateBegin = `Settings of ragfaith. Take away the # in front of a setting to set it. A flag wins over the environment (RAGFAITH_ and the name in capitals), and that over this file. A setting holds for every command that has such a flag; below the name of a command, as in "score:", it holds for that command alone. Names of files and folders are relative to this file. Keys have no place here: name the variable that holds one.
"ragfaith config show" prints what holds, and why.`

// exampleOf is the default of a flag, or where there is none a value that it
// takes.
func exampleOf(f *pflag.Flag) string {
	if _, list := f.Value.(pflag.SliceValue); list {
		return "[]"
	}
	if f.DefValue != "" {
		return yamlScalar(f.DefValue, typeOf(f))
	}
	switch f.Value.Type() {
	case "float":
		return "0.5"
	case "IN,OUT":
		return `"0.15,0.60"`
	}
	return `""`
}
