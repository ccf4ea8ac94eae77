package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

func newModels(sys system) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "Download, list or verify models",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newModelsPull(sys), newModelsList(sys), newModelsVerify(sys))
	return cmd
}

// modelsFlag returns the --models flag, which all model commands share.
func modelsFlag(to *string) flagSpec {
	return flagSpec{name: "models", arg: "DIR", value: to, path: dirPath, help: "model directory (default: in the user's cache directory)"}
}

// modelStore returns the local model store, which consists of dir and the Hugging Face
// cache. An empty dir means the default directory.
func modelStore(dir string, sys system) (hub.Store, error) {
	if dir == "" {
		if sys.CacheDir == nil {
			return hub.Store{}, errors.New("no user cache directory: use --models DIR")
		}
		cache, err := sys.CacheDir()
		if err != nil {
			return hub.Store{}, fmt.Errorf("%w: use --models DIR", err)
		}
		dir = filepath.Join(cache, "ragfaith", "models")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return hub.Store{}, fmt.Errorf("--models %s: %w", dir, err)
	}
	cache := hubCache(sys)
	if cache != "" {
		if cache, err = filepath.Abs(cache); err != nil {
			return hub.Store{}, err
		}
	}
	return hub.Store{Dir: abs, Cache: cache}, nil
}

// The lookup of Hugging Face directories follows
// https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables

// hubHome returns the home directory of the Hugging Face libraries, or "" if it is unknown.
func hubHome(sys system) string {
	if home := sys.getenv("HF_HOME"); home != "" {
		return expandHome(home, sys)
	}
	cache := sys.getenv("XDG_CACHE_HOME")
	if cache == "" {
		home := userHome(sys)
		if home == "" {
			return ""
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "huggingface")
}

// hubCache returns the directory of the Hugging Face cache, or "" if it is unknown.
func hubCache(sys system) string {
	if cache := cmp.Or(sys.getenv("HF_HUB_CACHE"), sys.getenv("HUGGINGFACE_HUB_CACHE")); cache != "" {
		return expandHome(cache, sys)
	}
	if home := hubHome(sys); home != "" {
		return filepath.Join(home, "hub")
	}
	return ""
}

// maxToken limits the size of a token file; real tokens are far shorter.
const maxToken = 64 << 10

// hubToken returns the token from HF_TOKEN or, if unset, from the token file that the
// Hugging Face login writes. It returns "" if neither exists.
func hubToken(sys system) (string, error) {
	if token := strings.TrimSpace(sys.getenv("HF_TOKEN")); token != "" {
		return token, nil
	}
	path := expandHome(sys.getenv("HF_TOKEN_PATH"), sys)
	named := path != ""
	if !named {
		home := hubHome(sys)
		if home == "" {
			return "", nil
		}
		path = filepath.Join(home, "token")
	}
	content, err := safefile.ReadFile(path, maxToken)
	switch {
	case err == nil:
		return strings.TrimSpace(string(content)), nil
	case named:
		return "", fmt.Errorf("HF_TOKEN_PATH: %w", err)
	}
	return "", nil
}

func userHome(sys system) string {
	return cmp.Or(sys.getenv("HOME"), sys.getenv("USERPROFILE"))
}

// expandHome replaces a leading ~ with the user's home directory.
func expandHome(path string, sys system) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) && userHome(sys) != "" {
		return filepath.Join(userHome(sys), rest)
	}
	return path
}

// shortNames returns the short names of models.
func shortNames() []string {
	var names []string
	for _, n := range hub.Names() {
		names = append(names, n.Short)
	}
	return names
}

// resolveModel returns the model with the given name. An unknown name is a usage error.
func resolveModel(name string) (hub.Name, error) {
	n, err := hub.Resolve(name)
	if err == nil {
		return n, nil
	}
	if similar := flagvalue.Nearest(name, shortNames()); similar != "" {
		return n, usagef("unknown model %q, did you mean %s? (known: %s, or ORG/REPO)", name, similar, strings.Join(shortNames(), ", "))
	}
	return n, &usageError{err}
}

// completeModels completes the short names of models.
func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return shortNames(), cobra.ShellCompDirectiveNoFileComp
}

func shortCommit(commit string) string { return commit[:min(len(commit), 7)] }

func newModelsList(sys system) *cobra.Command {
	var models, to string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the models on this machine, and those to download",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := modelStore(models, sys)
			if err != nil {
				return err
			}
			// List the readable models even if others are damaged.
			list, listErr := store.List()
			missing := missingModels(list)
			shown := modelsTable(list, missing, store)
			if to == "json" {
				if shown, err = modelsJSON(list, missing); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), shown); err != nil {
				return err
			}
			return listErr
		},
	}
	addFlags(cmd, flagGroup{defaultGroup, []flagSpec{
		modelsFlag(&models),
		{name: "to", arg: "FORMAT", value: flagvalue.OneOf(&to, "table", "table", "json"), untrusted: "table none", help: "format written to stdout: table or json"},
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

// modelsTable returns a table of models on this machine and one of those to download.
// Cells are never truncated, so that paths can be copied.
func modelsTable(list []hub.Model, missing []hub.Name, store hub.Store) string {
	here := "no models in " + report.Printable(store.Dir)
	if len(list) > 0 {
		here = presentTable(list)
	}
	if len(missing) == 0 {
		return here
	}
	w := plainTable()
	w.SetColumnConfigs([]pretty.ColumnConfig{{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight}})
	w.AppendHeader(pretty.Row{"name", "parameters", "license", "language", "published accuracy"})
	for _, n := range missing {
		w.AppendRow(pretty.Row{n.Short, strconv.Itoa(n.Card.Millions) + "M", n.Card.License, n.Card.Languages, cmp.Or(n.Card.Accuracy, "-")})
	}
	return here + "\n\n\"ragfaith models pull\" downloads these, or any ORG/REPO:\n\n" + w.Render()
}

func presentTable(list []hub.Model) string {
	w := plainTable()
	w.SetColumnConfigs([]pretty.ColumnConfig{{Number: 4, Align: text.AlignRight, AlignHeader: text.AlignRight}})
	w.AppendHeader(pretty.Row{"name", "repository", "revision", "size", "directory"})
	for i := range list {
		m := &list[i]
		name := m.Name.Short
		if name == "" {
			name = "-"
		}
		w.AppendRow(pretty.Row{name, m.Name.Repo, revision(m), console.Bytes(m.Size()), report.Printable(m.Dir)})
	}
	return w.Render()
}

// plainTable returns a table writer without borders or separators.
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

// modelsJSON returns the models as a JSON array: those on this machine, then those to
// download.
func modelsJSON(list []hub.Model, missing []hub.Name) (string, error) {
	type model struct {
		Name     *string `json:"name"` // null if the model has no short name
		Repo     string  `json:"repo"`
		Revision *string `json:"revision"` // null if unknown
		Commit   *string `json:"commit"`   // null if not on this machine
		Files    int     `json:"files"`
		Size     int64   `json:"size"`   // in bytes
		Dir      *string `json:"dir"`    // null if not on this machine
		Shared   bool    `json:"shared"` // in the Hugging Face cache

		Parameters int     `json:"parameters,omitempty"` // in millions
		License    string  `json:"license,omitempty"`
		Languages  string  `json:"languages,omitempty"`
		Accuracy   *string `json:"published_accuracy"` // null if none is known
	}
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	all := make([]model, 0, len(list)+len(missing))
	add := func(m *hub.Model) {
		card := m.Name.Card
		all = append(all, model{
			optional(m.Name.Short), m.Name.Repo, optional(m.Revision), optional(m.Commit), len(m.Files), m.Size(), optional(m.Dir), m.Shared,
			card.Millions, card.License, card.Languages, optional(card.Accuracy),
		})
	}
	for i := range list {
		add(&list[i])
	}
	for _, n := range missing {
		add(&hub.Model{Name: n})
	}
	content, err := json.MarshalIndent(all, "", "  ")
	return string(content), err
}
