// Package page writes a comparison of two runs as one page that opens from a disk,
// without a network: the figures, the gate, the differences as a histogram, and the
// rows that changed, each of which opens to both answers and to the claims that
// flipped with the reasons of both sides.
//
// The page is whole without its script, which only searches, filters and sorts.
// Every text goes through html/template or through [visible], and a
// Content-Security-Policy lets nothing run but that script.
package page

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/compare/view"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
)

//go:embed files
var files embed.FS

// maxBytes is how much the rows of a page take at most: what a browser opens within
// two seconds.
const maxBytes = 20_000_000

// Write writes c as a page.
func Write(w io.Writer, c *compare.Comparison) error { return write(w, c, maxBytes) }

func write(w io.Writer, c *compare.Comparison, most int) error {
	script, err := joined(
		func() (string, error) { return html.Shared("theme.js") },
		func() (string, error) { return file("main.js") },
	)
	if err != nil {
		return err
	}
	style, err := joined(
		func() (string, error) { return html.Shared("style.css") },
		func() (string, error) { return file("style.css") },
	)
	if err != nil {
		return err
	}
	t, err := template.New("").Funcs(template.FuncMap{"printable": report.Printable, "visible": visible}).ParseFS(files, "files/*.tmpl")
	if err != nil {
		return err
	}
	rows, shown, err := render(t, c, most)
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "page.tmpl", struct {
		Policy string
		Style  template.CSS
		Script template.JS
		shownComparison
	}{html.Policy(script, style), template.CSS(style), template.JS(script), show(c, rows, shown)}) //nolint:gosec // they are files of these packages
}

// joined returns texts one after the other, each on lines of its own.
func joined(parts ...func() (string, error)) (string, error) {
	var b strings.Builder
	b.WriteByte('\n')
	for _, part := range parts {
		text, err := part()
		if err != nil {
			return "", err
		}
		b.WriteString(text + "\n")
	}
	return b.String(), nil
}

func file(name string) (string, error) {
	content, err := files.ReadFile("files/" + name)
	return string(content), err
}

// render renders the changed rows, as many as there is room for.
func render(t *template.Template, c *compare.Comparison, most int) (template.HTML, int, error) {
	var b bytes.Buffer
	for i := range c.Changes {
		if b.Len() >= most {
			return template.HTML(b.String()), i, nil //nolint:gosec // it was made by the template
		}
		if err := t.ExecuteTemplate(&b, "row.tmpl", newRow(i, &c.Changes[i])); err != nil {
			return "", 0, err
		}
	}
	return template.HTML(b.String()), len(c.Changes), nil //nolint:gosec // it was made by the template
}

// A shownComparison is what the page shows besides its rows.
type shownComparison struct {
	*compare.Comparison
	Title               string
	Mean, Was, Is       string
	Figures, Facts      []fact
	Sides               []fact
	Histogram           drawing
	RowsHTML            template.HTML
	Shown, Beyond       int
	AnyChange, AnyWarns bool
}

// A fact is a named text.
type fact struct{ Name, Value string }

func show(c *compare.Comparison, rows template.HTML, shown int) shownComparison {
	s := shownComparison{
		Comparison: c, Title: c.Baseline.Name + " and " + c.Candidate.Name,
		Mean: "–", Was: view.Score(c.Baseline.Mean), Is: view.Score(c.Candidate.Mean),
		Histogram: draw(&c.Histogram), RowsHTML: rows, Shown: shown, Beyond: c.Changed - shown,
		AnyChange: c.Changed > 0, AnyWarns: len(c.Warnings) > 0,
	}
	if !math.IsNaN(c.Figures.Difference.Estimate) {
		s.Mean = view.Signed(c.Figures.Difference.Estimate)
	}
	s.Figures = []fact{
		{"compared", view.Units(c)},
		{"interval", view.Interval(c)},
		{"p-value", view.Tests(c)},
		{"detectable", view.Detectable(c)},
		{"claims", view.Flips(c)},
	}
	if text := view.Alone(c); text != "" {
		s.Figures = append(s.Figures, fact{"claims of one side", text})
	}
	s.Facts = []fact{
		{"better", strconv.Itoa(c.Better)},
		{"worse", strconv.Itoa(c.Worse)},
		{"the same", strconv.Itoa(c.Same)},
		{"same answer", strconv.Itoa(c.SameAnswers)},
	}
	if text := view.Never(c); text != "" {
		s.Facts = append(s.Facts, fact{"no score", text})
	}
	for _, side := range []*compare.Side{&c.Baseline, &c.Candidate} {
		s.Sides = append(s.Sides, fact{side.Name, view.Rows(side) + "; " + strconv.Itoa(side.Supported) + " of " + view.Count(side.Claims, "claim") + " supported"})
	}
	return s
}
