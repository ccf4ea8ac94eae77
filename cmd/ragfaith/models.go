package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/report"
)

// modelsFlag returns the --models flag, which all model commands share.
func modelsFlag(to *string) flagSpec {
	return flagSpec{name: "models", arg: "DIR", value: to, path: dirPath, help: "model directory (default: the Hugging Face cache)"}
}

// shortNames returns the short names of models.
func shortNames() []string {
	return namesOf(hub.Names(), func(n hub.Name) string { return n.Short })
}

// resolveModel returns the model with the given name. An unknown name is a usage error.
func resolveModel(name string) (hub.Name, error) {
	n, err := hub.Resolve(name)
	if err != nil {
		return n, &exit.UsageError{Err: err}
	}
	return n, nil
}

// completeModels completes the short names of models.
func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return shortNames(), cobra.ShellCompDirectiveNoFileComp
}

func shortCommit(commit string) string { return commit[:min(len(commit), 7)] }

func newModelsList(sys system) *cobra.Command {
	var models string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the models on this machine, and those to download",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := sys.ModelStore(models)
			if err != nil {
				return err
			}
			list, err := store.List()
			if err != nil {
				return err
			}
			missing := missingModels(list)
			_, err = fmt.Fprintln(cmd.OutOrStdout(), modelsTable(list, missing, store))
			return err
		},
	}
	addFlags(cmd, flagGroup{defaultGroup, []flagSpec{
		modelsFlag(&models),
	}})
	return cmd
}

// revision returns the downloaded revision and its commit.
func revision(m *hub.Model) string {
	if m.Revision == "" || m.Revision == m.Commit {
		return shortCommit(m.Commit)
	}
	return m.Revision + " at " + shortCommit(m.Commit)
}

// missingModels returns the models with a short name that are not in list.
func missingModels(list []hub.Model) []hub.Name {
	return slices.DeleteFunc(hub.Names(), func(n hub.Name) bool {
		return slices.ContainsFunc(list, func(m hub.Model) bool { return m.Name == n })
	})
}

// modelsTable returns a table of the models on this machine and those to download.
func modelsTable(list []hub.Model, missing []hub.Name, store hub.Store) string {
	w := plainTable()
	w.SetColumnConfigs([]pretty.ColumnConfig{{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight}})
	w.AppendHeader(pretty.Row{"name", "parameters", "license", "language", "published accuracy", "on this machine"})
	add := func(n hub.Name, here string) {
		c, parameters := n.Card, ""
		if c.Millions > 0 {
			parameters = strconv.Itoa(c.Millions) + "M"
		}
		w.AppendRow(pretty.Row{n.String(), cmp.Or(parameters, "-"), cmp.Or(c.License, "-"), cmp.Or(c.Languages, "-"), cmp.Or(c.Accuracy, "-"), here})
	}
	for i := range list {
		add(list[i].Name, console.Bytes(list[i].Size())+", "+revision(&list[i]))
	}
	for _, n := range missing {
		add(n, "-")
	}
	return w.Render() + "\n\n\"ragfaith models pull\" downloads these, or any ORG/REPO, into " + report.Printable(store.Dir)
}

// plainTable returns a table writer without borders or separators.
func plainTable() pretty.Writer {
	w := pretty.NewWriter()
	w.SetStyle(report.PlainStyle())
	w.SuppressTrailingSpaces()
	return w
}
