package main

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// setOutputs gives the step of a workflow its outputs, for later steps to read:
// mean, where a row was scored, lower, where it has an interval, and passed. They
// are numbers and words of our own, and so can't set another output. That it can't
// be done does not fail the run.
func (g *githubRun) setOutputs(t *report.Tally, means *report.Means, gates []report.Gate) {
	if g == nil || g.outputs == "" {
		return
	}
	var text strings.Builder
	for _, f := range []struct {
		name  string
		value float64
	}{{"mean", t.Faithfulness.Mean()}, {"lower", means.Rows.Lower}} {
		if !math.IsNaN(f.value) {
			text.WriteString(f.name + "=" + strconv.FormatFloat(f.value, 'f', -1, 64) + "\n")
		}
	}
	text.WriteString("passed=" + strconv.FormatBool(gateCode(gates) == exitOK) + "\n")
	file, err := safefile.OpenFile(g.outputs, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = file.WriteString(text.String())
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		g.console.say("warning: the step has no outputs: %v", err)
	}
}
