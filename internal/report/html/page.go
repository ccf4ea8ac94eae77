package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
)

//go:embed page
var files embed.FS

// scripts are the parts of the page's script, in order: one module, so that
// their names are nobody else's.
func scripts() []string {
	return []string{"text.js", "blocks.js", "rows.js", "grid.js", "detail.js", "theme.js", "main.js"}
}

// A page is the frame of a report: what stands before its rows and after them.
type page struct {
	templates     *template.Template
	script, style string
}

func newPage() (*page, error) {
	p := &page{}
	var b strings.Builder
	b.WriteByte('\n')
	for _, name := range scripts() {
		source, err := files.ReadFile("page/" + name)
		if err != nil {
			return nil, err
		}
		b.Write(source)
		b.WriteByte('\n')
	}
	p.script = b.String()
	style, err := files.ReadFile("page/style.css")
	if err != nil {
		return nil, err
	}
	p.style = "\n" + string(style)
	p.templates, err = template.New("").Funcs(template.FuncMap{
		"thousands": thousands,
		"printable": report.Printable,
		"names":     names,
	}).ParseFS(files, "page/*.tmpl")
	return p, err
}

// head writes the page up to its rows.
func (p *page) head(w io.Writer, datasets []string) error {
	return p.templates.ExecuteTemplate(w, "head.tmpl", struct {
		Title  string
		Policy string
		Style  template.CSS
	}{names(datasets), p.policy(), template.CSS(p.style)}) //nolint:gosec // it is a file of this package
}

// Shared returns a file that other pages of ragfaith have in common with this one:
// style.css, or theme.js, whose function useTheme makes the button with the id
// theme work.
func Shared(name string) (string, error) {
	source, err := files.ReadFile("page/" + name)
	return string(source), err
}

func (p *page) policy() string { return Policy(p.script, p.style) }

// Policy is the Content-Security-Policy of a page that lets its script and its
// style run, and nothing else. Nothing may be fetched, framed or sent, and no text
// may become markup or script.
func Policy(script, style string) string {
	return "default-src 'none'; script-src " + hashOf(script) + "; style-src " + hashOf(style) +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// hashOf is a source of a Content-Security-Policy.
func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A view is what the page shows besides its rows.
type view struct {
	Datasets         []string
	Settings         []Setting
	Tally            *report.Tally
	Embedded, Beyond int // rows in the table, and not in it
	Valued           int // rows that have a score
	Mean             string
	Figures, Rest    []Figure
	Gates            []Gate
	Passed           bool // all gates
	Histogram        drawing
}

// tail writes the page after its rows.
func (p *page) tail(w io.Writer, v view) error {
	return p.templates.ExecuteTemplate(w, "tail.tmpl", struct {
		view
		Script template.JS
	}{v, template.JS(p.script)}) //nolint:gosec // it is files of this package
}

// names lists datasets in a line.
func names(datasets []string) string {
	shown := make([]string, len(datasets))
	for i, name := range datasets {
		if shown[i] = report.Printable(name); name == "-" {
			shown[i] = "standard input"
		}
	}
	return strings.Join(shown, ", ")
}

// thousands writes n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
