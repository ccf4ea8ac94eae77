package app

import (
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A run is one run of "ragfaith score".
type run struct {
	options *Options
	sys     *System
	streams *output.Streams
	console *console.Console
	warn    func(error)

	model     *model      // nil if no language model is asked
	local     *localModel // nil if no local model is used
	pipeline  eval.Pipeline
	threshold float64         // of the judge
	settings  result.Settings // that decide the results

	out    *output.Writer
	batch  *llm.Batch      // nil without --batch
	stored *journal.Stored // rows of an earlier run; nil for none

	faithful *faithfulShare    // nil without a calibrated confidence
	progress *console.Progress // nil for none
	failures *console.FailureLog
	digest   string // of the rows of the datasets
	duration time.Duration
}

// notef writes a message, unless --quiet is set.
func (r *run) notef(format string, args ...any) {
	if !r.options.Quiet {
		r.console.Printf(format, args...)
	}
}
