package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/report"
)

const configShowLong = `Print the options of a command (default: score) with their values and where each
value comes from: a flag, the environment, a line of a config file, a profile or the
default. Flags after COMMAND are read as COMMAND would read them; nothing is run.`

const configShowExample = `  ragfaith config show
  ragfaith config show score --profile ragas --threshold 0.6`

const configNotes = `Exit codes: 0 success, 1 failure, 2 usage error or invalid config file.`

func newConfig(sys system) *cobra.Command {
	return group("config", "Create or show config files", newConfigInit(sys), newConfigShow(sys))
}

func newConfigShow(sys system) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "show [COMMAND [FLAG...]]",
		Short:       "Show each option, its value and its origin",
		Long:        configShowLong,
		Example:     configShowExample,
		Annotations: map[string]string{notesKey: configNotes},
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

// showConfig prints the effective options of a command. config is the --config flag given
// before COMMAND.
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
	table := plainTable()
	table.AppendHeader(pretty.Row{"option", "value", "from"})
	for _, f := range flagsOf(cmd) {
		table.AppendRow(pretty.Row{f.Name, report.Printable(shownValue(f)), report.Printable(originOf(f))})
	}
	_, err = fmt.Fprintln(w, table.Render())
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
