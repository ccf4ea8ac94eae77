package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
)

// A rendering takes results from files to outputs.
type rendering struct {
	options *reportOptions
	console *console
	origin  *resultfile.Origin
	paths   []string
	outputs *outputs
	after   *epilogue
	means   *report.Estimator
	tally   report.Tally
	paint   report.Palette // of standard output
	marks   bool           // the table shows a claim's verdict as a sign
	absent  int            // rows that no file has, before one that a file has
}

// openResults opens all files that have rows, or none.
func openResults(paths []string, origin *resultfile.Origin, o resultfile.Options) ([]*resultfile.File, error) {
	var files []*resultfile.File
	for _, path := range paths {
		o.Settings = origin.SettingsOf(path)
		f, err := resultfile.Open(path, o)
		if errors.Is(err, dataset.ErrEmpty) && origin.Empty(path) {
			continue
		}
		if err != nil {
			for _, f := range files {
				_ = f.Close() // it was only read
			}
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// rows writes the rows of all files to all sinks.
func (r *rendering) rows(ctx context.Context, files []*resultfile.File) error {
	merged := resultfile.Merge
	if r.options.appends {
		merged = resultfile.Append
	}
	sinks := append(tee{r.outputs, &r.tally, r.means}, r.after.sinks()...)
	if err := r.write(ctx, merged(files), sinks); err != nil {
		return err
	}
	return r.origin.CheckRows(files)
}

func (r *rendering) write(ctx context.Context, rows iter.Seq2[*result.Row, error], sinks tee) error {
	cluster, next, place := r.options.clusterColumn(), 0, r.dataset()
	for row, err := range rows {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if cluster != "" && row.Reason != result.StageRead { // what could not be read has no columns
			if row.KeptValue(cluster) == nil {
				return usagef("--cluster %s: the first row has no such column; score --cluster %s carries it into the results", cluster, cluster)
			}
			cluster = ""
		}
		r.absent += row.Index - next
		next = row.Index + 1
		row.File = place
		if err := sinks.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// dataset is what a report names as the file of a row. Results don't say of which of
// several datasets a row is.
func (r *rendering) dataset() string {
	if len(r.origin.Datasets) == 1 {
		return r.origin.Datasets[0]
	}
	return "results"
}

// conclude completes the outputs after an end with err, and decides the exit code.
func (r *rendering) conclude(err error) error {
	switch {
	case errors.Is(err, errReaderGone):
		_, err := r.outputs.abandon(false) // whoever read has what they wanted
		return err
	case err != nil:
		_, abandonErr := r.outputs.abandon(false)
		return errors.Join(err, abandonErr)
	}
	if err := r.outputs.finish(); err != nil {
		return err
	}
	means := r.means.Means(&r.tally)
	gates := r.options.of(&r.tally, means)
	if err := r.after.finish(gates, means); err != nil {
		return err
	}
	if !r.options.quiet {
		r.warnOfGaps()
		for _, doubt := range r.options.doubts(&r.tally) {
			r.console.say("warning: %s", doubt)
		}
		if report.Format(r.options.to) != report.FormatTable {
			r.console.line(summary(&r.tally, means)) // the table says it on standard output
		}
	}
	r.after.annotate(gates)
	return tellGates(gates, r.console)
}

// warnOfGaps says that results are not all of a run, which may be meant so.
func (r *rendering) warnOfGaps() {
	sample := r.origin.Settings.Get("--sample")
	switch {
	case len(r.origin.Missing) > 0:
		r.console.say("warning: no file is of shard %s: the figures are of a part of the rows", strings.Join(r.origin.Missing, ", "))
	case r.absent > 0 && (sample == "" || sample == "0"):
		r.console.say("warning: no file has %d of the rows before the last one: is a shard missing?", r.absent)
	}
}

// writerOptions are those of all outputs.
func (r *rendering) writerOptions(width int) report.Options {
	gates := func(t *report.Tally) []report.Gate { return r.options.of(t, r.means.Means(t)) }
	warn := func(err error) { r.console.say("warning: %v", err) }
	if r.options.quiet {
		warn = func(error) {}
	}
	o := report.Options{
		KeepAll: true, Width: width, Warn: warn, Gates: gates, Means: r.means.Means, Notes: named(r.paths),
		Palette: r.paint, Marks: r.marks, Show: r.options.show,
		Page: func(w io.Writer) (report.Writer, error) {
			run := html.Run{Datasets: r.paths, Conclude: func(t *report.Tally) html.Conclusion {
				return pageConclusion(gates(t), r.means.Means(t))
			}}
			if r.origin.Known {
				run.Datasets, run.Settings = r.origin.Datasets, r.pageSettings()
			}
			return html.New(w, run)
		},
	}
	if !r.origin.Known {
		return o
	}
	o.Notes = named(r.origin.Datasets)
	for _, name := range []string{"--claims", "--judge", "--evidence", "--threshold"} {
		o.Notes = append(o.Notes, name+" "+r.origin.Settings.Get(name))
	}
	o.Keep, o.KeepAll = r.kept()
	return o
}

// kept are the columns that were asked for, in the order in which they were.
func (r *rendering) kept() (columns []string, all bool) {
	for _, s := range r.origin.Settings {
		if name, _, _ := strings.Cut(s.Name, " "); name != "--keep" {
			continue
		}
		if s.Value == "all" {
			return nil, true
		}
		columns = append(columns, s.Value)
	}
	return columns, false
}

// pageSettings are the settings that the page of a run shows.
func (r *rendering) pageSettings() []html.Setting {
	threshold := r.origin.Settings.Get("--threshold")
	if x, err := strconv.ParseFloat(threshold, 64); err == nil {
		threshold = atLeastDecimals(x, 1)
	}
	settings := []html.Setting{
		{Name: "judge", Value: r.origin.Settings.Get("--judge")},
		{Name: "threshold", Value: threshold},
		{Name: "claims", Value: r.origin.Settings.Get("--claims")},
		{Name: "evidence", Value: r.origin.Settings.Get("--evidence")},
	}
	for _, more := range [][2]string{{"language model", "--model"}, {"server", "--base-url"}, {"profile", "--profile"}} {
		if value := r.origin.Settings.Get(more[1]); value != "" {
			settings = append(settings, html.Setting{Name: more[0], Value: value})
		}
	}
	return settings
}
