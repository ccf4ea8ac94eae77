package main

import (
	"encoding/json"
	"fmt"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/report"
)

func newModelsList(sys system) *cobra.Command {
	var models, to string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the models on this machine",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := modelStore(models, sys)
			if err != nil {
				return err
			}
			// Those that can be read are shown even where others can't.
			list, broken := store.List()
			shown := modelsTable(list, store)
			if to == "json" {
				if shown, err = modelsJSON(list); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), shown); err != nil {
				return err
			}
			return broken
		},
	}
	addFlags(cmd, flagGroup{plainFlags, []flagSpec{
		modelsFlag(&models),
		{name: "to", arg: "FORMAT", value: oneOf(&to, "table", "table", "json"), found: "table none", help: "format written to stdout: table or json"},
	}})
	return cmd
}

// revisionOf says what was asked for and the commit that it was.
func revisionOf(m *hub.Model) string {
	if m.Revision == "" || m.Revision == m.Commit {
		return shortCommit(m.Commit)
	}
	return m.Revision + " at " + shortCommit(m.Commit)
}

// modelsTable shows models as the other tables are shown. No text is cut: paths
// are there to be copied.
func modelsTable(list []hub.Model, store hub.Store) string {
	if len(list) == 0 {
		return fmt.Sprintf("there are no models in %s\n\"ragfaith models pull\" fetches %s, or any ORG/REPO",
			report.Printable(store.Dir), strings.Join(shortNames(), ", "))
	}
	w := plainTable()
	w.SetColumnConfigs([]pretty.ColumnConfig{{Number: 4, Align: text.AlignRight, AlignHeader: text.AlignRight}})
	w.AppendHeader(pretty.Row{"name", "repository", "revision", "size", "where"})
	for i := range list {
		m := &list[i]
		name := m.Name.Short
		if name == "" {
			name = "-"
		}
		w.AppendRow(pretty.Row{name, m.Name.Repo, revisionOf(m), byteCount(m.Size()), report.Printable(m.Dir)})
	}
	return w.Render()
}

// plainTable is a table without lines.
func plainTable() pretty.Writer {
	w := pretty.NewWriter()
	style := pretty.Style{Name: "plain", Options: pretty.OptionsNoBordersAndSeparators}
	style.Options.SeparateColumns = true
	style.Box.MiddleVertical, style.Box.MiddleSeparator = "  ", "  "
	style.Format = pretty.FormatOptions{Row: text.FormatDefault, Header: text.FormatDefault}
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	return w
}

// modelsJSON is an array of models.
func modelsJSON(list []hub.Model) (string, error) {
	type model struct {
		Name     *string `json:"name"` // null for one without a short name
		Repo     string  `json:"repo"`
		Revision *string `json:"revision"` // null where it is unknown
		Commit   string  `json:"commit"`
		Files    int     `json:"files"`
		Size     int64   `json:"size"` // in bytes
		Dir      string  `json:"dir"`
		Shared   bool    `json:"shared"` // it lies in the Hugging Face cache
	}
	known := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	all := make([]model, len(list))
	for i := range list {
		m := &list[i]
		all[i] = model{known(m.Name.Short), m.Name.Repo, known(m.Revision), m.Commit, len(m.Files), m.Size(), m.Dir, m.Shared}
	}
	content, err := json.MarshalIndent(all, "", "  ")
	return string(content), err
}
