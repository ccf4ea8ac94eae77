package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/report"
)

// verifyOptions are the flags of "ragfaith models verify".
type verifyOptions struct {
	models            string
	quiet, noProgress bool
}

func newModelsVerify(sys system) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [NAME|ORG/REPO]",
		Short: "Verify the files of models",
		Long: `Compare the files of a model, or of all models that "ragfaith models list" shows, with
their checksums. Exits with 1 if any differs.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want at most one model, got %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := modelStore(o.models, sys)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				list, broken := store.List()
				if err := o.run(cmd, list, sys); err != nil {
					return err
				}
				return broken
			}
			name, err := resolveModel(args[0])
			if err != nil {
				return err
			}
			list, err := store.Of(name)
			if err != nil {
				return err
			}
			return o.run(cmd, list, sys)
		},
	}
	addFlags(cmd, flagGroup{plainFlags, []flagSpec{
		modelsFlag(&o.models),
		{name: "quiet", short: "q", value: &o.quiet, found: anyValue, help: "only errors on stderr"},
		{name: "no-progress", value: &o.noProgress, found: anyValue, help: "no progress on stderr"},
	}})
	return cmd
}

// run writes a line for each model that is good, and one for each file that is
// not.
func (o *verifyOptions) run(cmd *cobra.Command, list []hub.Model, sys system) error {
	c := &console{w: cmd.ErrOrStderr()}
	shown := newTransfer(c, sys.Clock.Now, "verifying")
	var total int64
	for i := range list {
		total += list[i].Size()
	}
	shown.plan(total)
	if !o.quiet && !o.noProgress && sys.Terminal(c.w) > 0 {
		shown.begin()
		defer shown.end()
	}
	files, bad := 0, 0
	var lines []string
	for i := range list {
		m := &list[i]
		wrong, err := m.Verify(cmd.Context(), shown.add)
		if err != nil {
			return err
		}
		files += len(m.Files)
		bad += len(wrong)
		for _, w := range wrong {
			lines = append(lines, fmt.Sprintf("%s: %s: %v", m.Name, m.Dir, w))
		}
		if len(wrong) == 0 {
			lines = append(lines, fmt.Sprintf("%s: %s: %d files are right, %s", m.Name, m.Dir, len(m.Files), byteCount(m.Size())))
		}
	}
	shown.end()
	for _, line := range lines {
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), report.Printable(line)); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("files that are wrong: %d of %d; \"ragfaith models pull\" fetches them again", bad, files)
	}
	return nil
}
