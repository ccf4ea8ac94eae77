package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/encoder/hub"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/spf13/cobra"
)

// verifyOptions are the options of "ragfaith models verify".
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
their checksums, and the scores of judges with those that their authors published.
Exits with 1 if any differs.`,
		Args:              argCount(0, 1, "at most one model"),
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := sys.ModelStore(o.models)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				list, err := store.List()
				if err != nil {
					return err
				}
				if len(list) == 0 && !o.quiet {
					fmt.Fprintf(cmd.ErrOrStderr(), "no models in %s\n", store.Dir)
				}
				return o.run(cmd, list, sys)
			}
			name, err := resolveModel(args[0])
			if err != nil {
				return err
			}
			list, err := store.Copies(name)
			if err != nil {
				return err
			}
			return o.run(cmd, list, sys)
		},
	}
	addFlags(cmd, flagGroup{defaultGroup, []flagSpec{
		modelsFlag(&o.models),
		{name: "quiet", short: "q", value: &o.quiet, harmless: true, help: "only errors on stderr"},
		{name: "no-progress", value: &o.noProgress, harmless: true, help: "no progress on stderr"},
	}})
	return cmd
}

// run writes a line for each intact model, each damaged file and each model with
// published results.
func (o *verifyOptions) run(cmd *cobra.Command, list []hub.Model, sys system) error {
	stderr := cmd.ErrOrStderr()
	transfer := console.NewTransfer(console.New(stderr, report.Palette{}), "verifying")
	defer transfer.Stop()
	if !o.quiet && !o.noProgress && sys.Terminal(stderr) > 0 {
		var total int64
		for i := range list {
			total += list[i].Size()
		}
		transfer.Start(total)
	}
	files, damaged, unknown, wrong := 0, 0, 0, 0
	var lines []string
	for i := range list {
		m := &list[i]
		fileErrs, err := m.Verify(cmd.Context(), transfer.Add)
		if err != nil {
			return err
		}
		files += len(m.Files)
		for _, fileErr := range fileErrs {
			if fileErr.Reason == hub.NoChecksum {
				unknown++
			} else {
				damaged++
			}
			lines = append(lines, fmt.Sprintf("%s: %s: %v", m.Name, m.Dir, fileErr))
		}
		if len(fileErrs) > 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s: %d files verified, %s", m.Name, m.Dir, len(m.Files), console.Bytes(m.Size())))
		examples := examplesOf(m.Name.Short)
		if len(examples) == 0 {
			continue
		}
		line, err := checkExamples(cmd.Context(), examples, m.Dir, sys)
		if ctxErr := cmd.Context().Err(); ctxErr != nil {
			return ctxErr
		}
		if err != nil {
			wrong++
			line = err.Error()
		}
		lines = append(lines, fmt.Sprintf("%s: %s", m.Name, line))
	}
	transfer.Stop()
	for _, line := range lines {
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), report.Printable(line)); err != nil {
			return err
		}
	}
	if damaged > 0 {
		return fmt.Errorf("%d of %d files are damaged; \"ragfaith models pull\" downloads them again", damaged, files)
	}
	if unknown > 0 {
		return fmt.Errorf("%d of %d files can't be verified; \"ragfaith models pull\" compares them with the hub", unknown, files)
	}
	if wrong > 0 {
		return fmt.Errorf("models that do not give their published results: %d", wrong)
	}
	return nil
}

// An example is a judge's input with the output that its authors published.
type example struct {
	question         string
	contexts, claims []string
	scores           []float64        // of each claim; NaN if not published
	unsupported      [][]extract.Span // parts of each claim; nil if not published
}

// exampleTolerance is the maximum difference of a score from the published one, which
// may be rounded or computed on a GPU in lower precision.
const exampleTolerance = 0.01

// examplesOf returns the published examples of the model with a short name.
func examplesOf(name string) []example {
	pair := func(text, claim string, score float64) example {
		return example{contexts: []string{text}, claims: []string{claim}, scores: []float64{score}}
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
			contexts: []string{"France is a country in Europe. The capital of France is Paris. The population of France is 67 million."},
			claims:   []string{"The capital of France is Paris.", "The population of France is 69 million."},
			scores:   []float64{math.NaN(), 1 - 0.9944},
			// The published span starts with the space before the second claim.
			unsupported: [][]extract.Span{nil, {{Start: 0, End: 39}}},
		}}
	case "lettucedetect-v2-mmbert-base": // its model card, docs/code-hallucination/model_card_v2_mmbert_base.md
		return []example{{
			contexts:    []string{"France is in Western Europe. Its capital Paris had about 2.1 million people in 2019."},
			claims:      []string{"The capital of France is Paris, with a population of about 4.5 million people."},
			scores:      []float64{math.NaN()},
			unsupported: [][]extract.Span{{{Start: 59, End: 70}}},
		}}
	}
	return nil
}

// checkExamples compares the scores of the model in dir with published ones. It returns
// a description, or an error that names the first difference.
func checkExamples(ctx context.Context, examples []example, dir string, sys system) (string, error) {
	j, model, err := app.OpenJudge(&app.Options{Judge: dir}, &sys.System) //nolint:contextcheck // opening takes milliseconds
	if err != nil {
		return "", err
	}
	defer model.Close()
	n, largest := 0, 0.0
	for _, e := range examples {
		task := verdict.Task{Question: e.question, Contexts: e.contexts}
		for i, text := range e.claims {
			task.Claims = append(task.Claims, extract.Claim{ID: i, Text: text})
		}
		got, err := j.Judge(ctx, task)
		if err != nil {
			return "", err
		}
		for i, want := range e.scores {
			if math.IsNaN(want) {
				continue
			}
			d := math.Abs(got.Verdicts[i].Score - want)
			if !(d <= exampleTolerance) {
				return "", fmt.Errorf("scores %.4f for %q, published: %.4f", got.Verdicts[i].Score, e.claims[i], want)
			}
			n, largest = n+1, max(largest, d)
		}
		for i, want := range e.unsupported {
			if got := got.Verdicts[i].Unsupported; !slices.Equal(got, want) {
				return "", fmt.Errorf("unsupported parts %v of %q, published: %v", got, e.claims[i], want)
			}
			n++
		}
	}
	return fmt.Sprintf("%d published results reproduced, scores within %.4f", n, largest), nil
}
