package main

import (
	"encoding/json"
	"fmt"
	"io"
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
  ragfaith config show --to json | jq '.settings[] | select(.source != "default")'
  ragfaith config show score --profile ragas --threshold 0.6`

const configNotes = `Exit codes: 0 success, 1 failure, 2 usage error or invalid config file.`

func newConfig(sys system) *cobra.Command {
	return group("config", "Create or show config files", newConfigInit(sys), newConfigShow(sys))
}

func newConfigShow(sys system) *cobra.Command {
	var to string
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
			return showConfig(cmd.OutOrStdout(), to, args, cmd.Flag("config"), sys)
		},
	}
	addFlags(cmd, flagGroup{defaultGroup, []flagSpec{
		formatFlag(&to, "table", "json"),
	}})
	cmd.Flags().SetInterspersed(false) // flags after COMMAND are flags of that command
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, c := range configurableCommands(cmd.Root()) {
			if len(args) == 0 && !c.Parent().HasParent() {
				names = append(names, c.Name())
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// An option is a flag with its value.
type option struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // string, number, boolean or list; null if not set
	origin
}

// showConfig prints the effective options of a command. config is the --config flag given
// before COMMAND.
func showConfig(w io.Writer, to string, args []string, config *pflag.Flag, sys system) error {
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
	var all []option
	for _, f := range flagsOf(cmd) {
		all = append(all, option{f.Name, shownValue(f), originOf(f)})
	}
	if to == "json" {
		content, err := json.MarshalIndent(struct {
			Command  string   `json:"command"`
			Settings []option `json:"settings"`
		}{strings.TrimPrefix(cmd.CommandPath(), root.Name()+" "), all}, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, string(content))
		return err
	}
	_, err = fmt.Fprintln(w, optionsTable(all))
	return err
}

// optionsTable returns a table of options.
func optionsTable(all []option) string {
	w := plainTable()
	w.AppendHeader(pretty.Row{"option", "value", "from"})
	for i := range all {
		s := &all[i]
		w.AppendRow(pretty.Row{s.Name, report.Printable(valueText(s.Value)), report.Printable(s.place)})
	}
	return w.Render()
}

// valueText formats a value for a table.
func valueText(value any) string {
	switch v := value.(type) {
	case nil:
		return "-"
	case []string:
		if len(v) == 0 {
			return "-"
		}
		return strings.Join(v, ", ")
	}
	return fmt.Sprint(value)
}

// shownValue returns the value of a flag for JSON output. Possible API keys are hidden.
func shownValue(f *pflag.Flag) any {
	const hidden = "(hidden)"
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values := append([]string{}, list.GetSlice()...)
		for i := range values {
			if name, _, ok := strings.Cut(values[i], ":"); f.Name == "header" && ok {
				values[i] = name + ": " + hidden
			} else if f.Name == "header" {
				values[i] = hidden
			}
		}
		return values
	}
	text := f.Value.String()
	switch {
	case text == "":
		return nil
	case strings.HasSuffix(f.Name, "api-key-env") && !isVariable(text), strings.HasSuffix(f.Name, "base-url") && hasUser(text):
		return hidden
	}
	switch typeOf(f) {
	case "boolean":
		return text == "true"
	case "integer", "number":
		return json.Number(text)
	}
	return text
}
