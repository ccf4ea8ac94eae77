package calibrate

import (
	"fmt"
	"math"
	"strings"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// A section is a heading with figures, as every format for a person has them.
type section struct {
	Title string
	Lines []line
}

// A line is a figure with its interval as text. What the rows can't carry is
// missing, and Note says why.
type line struct {
	Name, Estimate, Interval, Note string
}

const dash = "–"

// figure makes a line of an interval.
func figure(name string, i stats.Interval) line {
	if !i.Reliable() || math.IsNaN(i.Estimate) {
		return line{Name: name, Estimate: dash, Note: i.Note}
	}
	return line{name, decimals(i.Estimate), decimals(i.Lower) + " to " + decimals(i.Upper), i.Note}
}

// number makes a line of a figure without an interval.
func number(name string, x float64) line {
	if math.IsNaN(x) {
		return line{Name: name, Estimate: dash}
	}
	return line{Name: name, Estimate: decimals(x)}
}

// sections are all figures but those of reliability.
func (r *Report) sections() []section {
	f := r.Figures
	return []section{
		{"scores against labels", f.scoreLines()},
		{"rows without an unsupported claim, as judged, against labels", f.judgedLines()},
		{"threshold of the " + f.Score.String(), r.thresholdLines()},
		{"mean", f.meanLines()},
	}
}

func (f *Figures) scoreLines() []line {
	var lines []line
	for _, a := range f.Scores {
		lines = append(lines, figure("AUROC, "+a.Score.String(), a.AUROC))
	}
	for _, a := range f.Scores {
		lines = append(lines, figure("Spearman, "+a.Score.String(), a.Spearman))
	}
	return lines
}

func (f *Figures) judgedLines() []line {
	j := f.Judged
	lines := []line{figure("balanced accuracy", j.BalancedAccuracy), figure("kappa", j.Kappa)}
	if f.Positive.N > 0 {
		lines = append(lines, line{Name: "faithful to", Note: fmt.Sprintf("both %d, the judge alone %d, people alone %d, neither %d",
			j.TruePositive, j.FalsePositive, j.FalseNegative, j.TrueNegative)})
	}
	return lines
}

func (r *Report) thresholdLines() []line {
	b, choice := r.Figures.Best, r.Choice()
	var lines []line
	if b.OutOfFold.Reliable() {
		lines = append(
			lines,
			line{"best for these labels", short(b.Threshold), "", "with a tenth of the rows left out, " + short(b.Low) + " to " + short(b.High)},
			figure("balanced accuracy, on other rows", b.OutOfFold),
			line{"balanced accuracy, on these rows", decimals(b.Apparent), "", "too high: it was chosen by them"},
		)
	}
	use := line{"for score --calibration", dash, "", choice.Why}
	if !math.IsNaN(choice.Threshold) {
		use.Estimate = short(choice.Threshold)
		if choice.Own {
			use.Note = "the judge's own: " + use.Note
		}
	}
	return append(lines, use)
}

func (f *Figures) meanLines() []line {
	m := &f.Mean
	judged := number("faithfulness, as judged", m.Judged)
	judged.Note = fmt.Sprintf("of %d rows", m.Rows)
	labelled := figure("label, of the labelled rows alone", m.Corrected.Labelled)
	corrected := figure("label, of all rows, by labels and judge", m.Corrected.Mean)
	switch {
	case m.Note != "":
		labelled.Note, corrected.Note = m.Note, m.Note
	case f.Counts.Unlabelled == 0:
		corrected.Note = join(corrected.Note, "no row is without a label, so these are the same")
	case m.Corrected.Mean.Reliable():
		corrected.Note = join(corrected.Note, fmt.Sprintf("of %d rows with a label and %d without; right if those with one were drawn at random",
			m.Corrected.Mean.N, f.Counts.Unlabelled))
	}
	return []line{judged, labelled, corrected}
}

// join puts two notes together, of which either may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// reliabilityTitle is the heading of the diagram.
func (f *Figures) reliabilityTitle() string {
	title := "share of faithful rows by " + f.Score.String()
	if f.Reliability.Bins != nil {
		title += fmt.Sprintf(": ECE %s (by chance %s)", decimals(f.Reliability.ECE), decimals(f.Reliability.Chance))
	}
	return title
}

// barCells is how wide a bar is.
const barCells = 20

// bar draws the share of faithful rows of a bin, with a mark at the mean of their
// scores: a calibrated score ends where the mark is.
func bar(b *stats.Bin) string {
	full := int(math.Round(b.Share * barCells))
	cells := []rune(strings.Repeat("█", full) + strings.Repeat("·", barCells-full))
	cells[min(barCells-1, int(b.Mean*barCells))] = '|'
	return string(cells)
}

// between names the scores of a bin.
func between(b *stats.Bin) string { return fmt.Sprintf("%.1f to %.1f", b.Low, b.High) }
