package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func newModelsVerify(sys system) *cobra.Command {
	var models string
	cmd := &cobra.Command{
		Use:   "verify [NAME|ORG/REPO]",
		Short: "Verify the files of models",
		Long: `Compare the files of a model, or of all models that "ragfaith models list" shows, with
their checksums, and the scores of judges with those that their authors published.
Exits with 1 if any differs.`,
		Args:              argCount(0, 1, "at most one model"),
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := sys.ModelStore(models)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				list, err := store.List()
				if err != nil {
					return err
				}
				if len(list) == 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "no models in %s\n", store.Dir)
				}
				return verifyModels(cmd, list, sys)
			}
			name, err := resolveModel(args[0])
			if err != nil {
				return err
			}
			m, err := store.Lookup(name)
			if err != nil {
				return err
			}
			return verifyModels(cmd, []hub.Model{*m}, sys)
		},
	}
	addFlags(cmd, flagGroup{defaultGroup, []flagSpec{modelsFlag(&models)}})
	return cmd
}

// verifyModels writes a line for each intact model, damaged file and published result.
func verifyModels(cmd *cobra.Command, list []hub.Model, sys system) error {
	files, damaged, unknown, wrong := 0, 0, 0, 0
	for i := range list {
		m := &list[i]
		fileErrs, err := m.Verify(cmd.Context())
		if err != nil {
			return err
		}
		files += len(m.Files)
		var lines []string
		for _, fileErr := range fileErrs {
			if fileErr.Reason == hub.NoChecksum {
				unknown++
			} else {
				damaged++
			}
			lines = append(lines, fmt.Sprintf("%s: %v", m.Dir, fileErr))
		}
		if len(fileErrs) == 0 {
			lines = append(lines, fmt.Sprintf("%s: %d files verified, %s", m.Dir, len(m.Files), console.Bytes(m.Size())))
			if examples := examplesOf(m.Name.Short); len(examples) > 0 {
				line := fmt.Sprintf("%d published results reproduced", len(examples))
				err := checkExamples(cmd.Context(), examples, m.Dir, sys)
				if ctxErr := cmd.Context().Err(); ctxErr != nil {
					return ctxErr
				}
				if err != nil {
					wrong++
					line = err.Error()
				}
				lines = append(lines, line)
			}
		}
		for _, line := range lines {
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", m.Name, report.Printable(line)); err != nil {
				return err
			}
		}
	}
	switch {
	case damaged > 0:
		return fmt.Errorf("%d of %d files are damaged; \"ragfaith models pull\" downloads them again", damaged, files)
	case unknown > 0:
		return fmt.Errorf("%d of %d files can't be verified; \"ragfaith models pull\" compares them with the hub", unknown, files)
	case wrong > 0:
		return fmt.Errorf("models that do not give their published results: %d", wrong)
	}
	return nil
}

// An example is a judge's input with the output that its authors published.
type example struct {
	Model       string // its short name
	Question    string
	Text, Claim string
	Score       *float64       // nil if not published
	Unsupported []extract.Span // parts of the claim; nil if not published
}

//go:embed published.json
var publishedExamples []byte

// exampleTolerance is the maximum difference of a score from the published one, which
// may be rounded or computed on a GPU in lower precision.
const exampleTolerance = 0.01

// examplesOf returns the published examples of the model with a short name.
func examplesOf(name string) []example {
	var all []example
	if err := json.Unmarshal(publishedExamples, &all); err != nil {
		panic(err) // the tests read it
	}
	return slices.DeleteFunc(all, func(e example) bool { return e.Model != name })
}

// checkExamples returns the first difference of the model in dir from published outputs.
func checkExamples(ctx context.Context, examples []example, dir string, sys system) error {
	j, model, err := app.OpenJudge(&app.Options{Judge: dir}, &sys.System) //nolint:contextcheck // opening takes milliseconds
	if err != nil {
		return err
	}
	defer model.Close()
	for _, e := range examples {
		out, err := j.Judge(ctx, verdict.Task{Question: e.Question, Contexts: []string{e.Text}, Claims: []extract.Claim{{Text: e.Claim}}})
		if err != nil {
			return err
		}
		got := out.Verdicts[0]
		if e.Score != nil && !(math.Abs(got.Score-*e.Score) <= exampleTolerance) {
			return fmt.Errorf("scores %.4f for %q, published: %.4f", got.Score, e.Claim, *e.Score)
		}
		if e.Unsupported != nil && !slices.Equal(got.Unsupported, e.Unsupported) {
			return fmt.Errorf("unsupported parts %v of %q, published: %v", got.Unsupported, e.Claim, e.Unsupported)
		}
	}
	return nil
}
