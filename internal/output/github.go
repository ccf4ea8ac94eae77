package output

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxStepSummary is GitHub's size limit for a step summary. GitHub discards larger summaries.
const maxStepSummary = 1 << 20

// A step is a step of a GitHub Actions workflow. It writes a report to the step summary, sets
// outputs of the step and adds annotations to its log. The methods of a nil step do nothing.
type step struct {
	*Streams

	report report.Writer // nil without a step summary
	text   bytes.Buffer
}

// newStep returns nil outside GitHub Actions and with --github off.
func newStep(o *Options, s *Streams, opts report.Options) (*step, error) {
	if s.Commands == nil || o.GitHub == "off" {
		return nil, nil
	}
	g := &step{Streams: s}
	var err error
	if s.StepSummary != "" {
		g.report, err = report.New(report.FormatMarkdown, &g.text, opts)
	}
	return g, err
}

// addSummary appends the report to the step summary. Errors are printed as warnings, not returned.
func (g *step) addSummary() {
	if g == nil || g.report == nil {
		return
	}
	err := g.report.Close()
	if err == nil {
		err = appendText(g.StepSummary, func(size int64) (string, error) {
			text := g.text.String()
			if size > 0 {
				text = "\n" + text
			}
			if size+int64(len(text)) > maxStepSummary {
				return "", fmt.Errorf("%s has %d bytes already; the limit is %d", g.StepSummary, size, maxStepSummary)
			}
			return text, nil
		})
	}
	if err != nil {
		g.Console.Printf("warning: can't write the step summary: %v", err)
	}
}

// appendText appends to a file what text returns for its size in bytes.
func appendText(path string, text func(size int64) (string, error)) error {
	file, err := safefile.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	added, err := text(info.Size())
	if err != nil {
		return err
	}
	_, err = file.WriteString(added)
	return errors.Join(err, file.Close())
}

// annotate adds annotations for gates that failed.
func (g *step) annotate(gates []report.Gate) {
	if g == nil {
		return
	}
	var b bytes.Buffer
	for i := range gates {
		if !gates[i].Passed {
			b.WriteString(gates[i].ActionsCommand() + "\n")
		}
	}
	g.Console.WriteRaw(g.Commands, b.Bytes())
}

// setOutputs sets the outputs of the step: mean if a row was scored, lower if the mean
// has an interval, and passed. No output contains text from the dataset, which could
// inject other outputs. Errors are printed as warnings, not returned.
func (g *step) setOutputs(t *report.Tally, gates []report.Gate) {
	if g == nil || g.StepOutput == "" {
		return
	}
	var text strings.Builder
	for _, f := range []struct {
		name  string
		value float64
	}{{"mean", t.Faithfulness.Mean()}, {"lower", t.Means().Rows.Lower}} {
		if !math.IsNaN(f.value) {
			text.WriteString(f.name + "=" + strconv.FormatFloat(f.value, 'f', -1, 64) + "\n")
		}
	}
	text.WriteString("passed=" + strconv.FormatBool(ExitCode(gates) == exit.OK) + "\n")
	err := appendText(g.StepOutput, func(int64) (string, error) { return text.String(), nil })
	if err != nil {
		g.Console.Printf("warning: can't set the outputs of the step: %v", err)
	}
}
