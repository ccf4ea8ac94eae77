package main

import (
	"context"
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
	text, claim string
	score       float64 // NaN if not published
	question    string
	unsupported []extract.Span // parts of the claim; nil if not published
}

// exampleTolerance is the maximum difference of a score from the published one, which
// may be rounded or computed on a GPU in lower precision.
const exampleTolerance = 0.01

// examplesOf returns the published examples of the model with a short name.
func examplesOf(name string) []example {
	pair := func(text, claim string, score float64) example {
		return example{text: text, claim: claim, score: score}
	}
	switch name {
	case app.HHEMModel: // model card of vectara/hallucination_evaluation_model
		return []example{
			pair("The capital of France is Berlin.", "The capital of France is Paris.", 0.0111),
			pair("I am in California", "I am in United States.", 0.6474),
			pair("I am in United States", "I am in California.", 0.1290),
			pair("A person on a horse jumps over a broken down airplane.", "A person is outdoors, on a horse.", 0.8969),
			pair("A boy is jumping on skateboard in the middle of a red bridge.", "The boy skates down the sidewalk on a red bridge", 0.1846),
			pair("A man with blond-hair, and a brown shirt drinking out of a public water fountain.", "A blond man wearing a brown shirt is reading a book.", 0.0050),
			pair("Mark Wahlberg was a fan of Manny.", "Manny was a fan of Mark Wahlberg.", 0.0543),
		}
	case "factcg-deberta-v3-large": // README of derenlei/FactCG
		return []example{
			pair("sun raises from east", "sun raises from west", 0.0653),
			pair("sun raises from west", "sun raises from west", 0.7840),
		}
	case "minicheck-flan-t5-large": // README of Liyan06/MiniCheck
		const text = "A group of students gather in the school library to study for their upcoming final exams."
		return []example{
			pair(text, "The students are preparing for an examination.", 0.9806),
			pair(text, "The students are on vacation.", 0.0071),
		}
	case "lettucedetect-base": // README of KRLabsOrg/LettuceDetect
		return []example{{
			question: "What is the capital of France? What is the population of France?",
			text:     "France is a country in Europe. The capital of France is Paris. The population of France is 67 million.",
			claim:    "The capital of France is Paris. The population of France is 69 million.",
			score:    1 - 0.9944,
			// The published span starts with the space before the second sentence.
			unsupported: []extract.Span{{Start: 32, End: 71}},
		}}
	case "lettucedetect-v2-mmbert-base": // its model card, docs/code-hallucination/model_card_v2_mmbert_base.md
		return []example{{
			text:        "France is in Western Europe. Its capital Paris had about 2.1 million people in 2019.",
			claim:       "The capital of France is Paris, with a population of about 4.5 million people.",
			score:       math.NaN(),
			unsupported: []extract.Span{{Start: 59, End: 70}},
		}}
	}
	return nil
}

// checkExamples returns the first difference of the model in dir from published outputs.
func checkExamples(ctx context.Context, examples []example, dir string, sys system) error {
	j, model, err := app.OpenJudge(&app.Options{Judge: dir}, &sys.System) //nolint:contextcheck // opening takes milliseconds
	if err != nil {
		return err
	}
	defer model.Close()
	for _, e := range examples {
		out, err := j.Judge(ctx, verdict.Task{Question: e.question, Contexts: []string{e.text}, Claims: []extract.Claim{{Text: e.claim}}})
		if err != nil {
			return err
		}
		got := out.Verdicts[0]
		if !math.IsNaN(e.score) && !(math.Abs(got.Score-e.score) <= exampleTolerance) {
			return fmt.Errorf("scores %.4f for %q, published: %.4f", got.Score, e.claim, e.score)
		}
		if e.unsupported != nil && !slices.Equal(got.Unsupported, e.unsupported) {
			return fmt.Errorf("unsupported parts %v of %q, published: %v", got.Unsupported, e.claim, e.unsupported)
		}
	}
	return nil
}
