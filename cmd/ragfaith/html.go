package main

import (
	"io"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
)

// page returns what makes the writer of an HTML report. The page shows the
// settings that decide the results and, of the gates, what standard error gets.
func (o *scoreOptions) page(paths []string, threshold float64, m *model, local localJudge, conclude func(*report.Tally) html.Conclusion) func(io.Writer) (report.Writer, error) {
	settings := []html.Setting{
		{Name: "judge", Value: o.judge},
		{Name: "threshold", Value: atLeastDecimals(threshold, 1)},
		{Name: "claims", Value: o.claims},
		{Name: "evidence", Value: o.evidence},
	}
	if o.calibrated != nil {
		settings = append(settings, html.Setting{Name: "calibration", Value: o.calibrated.String()})
	}
	if local != nil {
		// Neither its folder nor the kernels belong to what decided the results.
		info := local.Info()
		settings = append(settings, html.Setting{Name: "local model", Value: info.Architecture + ", " + precisionName(info.Precision)})
	}
	if m != nil {
		settings = append(settings,
			html.Setting{Name: "language model", Value: m.stack.Client.Model()},
			html.Setting{Name: "server", Value: m.stack.Client.Endpoint()})
	}
	if o.profile != "" {
		settings = append(settings, html.Setting{Name: "profile", Value: o.profile})
	}
	return func(w io.Writer) (report.Writer, error) {
		return html.New(w, html.Run{Datasets: paths, Settings: settings, Conclude: conclude})
	}
}

// pageConclusion is what came of a run: the means with their intervals, and how the
// gates came out. One of failed rows that passed is not worth a line, as on
// standard error.
func pageConclusion(gates []report.Gate, means *report.Means) html.Conclusion {
	var end html.Conclusion
	for _, m := range means.Format() {
		interval := html.Figure{Name: "95% interval", Value: m.Interval, Note: m.Basis}
		if m.Interval == "" {
			interval.Value = "none"
		}
		if m.Of == "claims" {
			end.Figures = append(end.Figures, html.Figure{Name: "mean of claims", Value: m.Estimate})
		}
		end.Figures = append(end.Figures, interval)
	}
	for _, g := range gates {
		if g.Name != report.GateMaxFailed || !g.Passed {
			end.Gates = append(end.Gates, html.Gate{Text: g.Text + ": " + g.Outcome(), Passed: g.Passed})
		}
	}
	return end
}
