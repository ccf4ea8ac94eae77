package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"
	"github.com/dustin/go-humanize"

	"github.com/ragfaith/ragfaith/internal/report"
)

//go:embed frame page comparison calibration
var files embed.FS

// parse parses the templates (*.tmpl) in directory dir together with the shared ones: "head", with
// the title as its data, begins the document and its body; "foot" ends it, with the script as one
// module; "histogram" draws a [chart]; "table" shows a [report.Table].
//
// The style consists of the shared style.css and the one in dir, the script of the shared
// page.js and the named scripts in dir. Without named scripts the page has no script.
//
// Templates can call the functions below, and no methods: a program that can look up any method
// by name has to contain every exported method of its dependencies.
func parse(dir string, scripts ...string) (*template.Template, error) {
	style, err := concat("frame/style.css", dir+"/style.css")
	if err != nil {
		return nil, err
	}
	var script string
	if len(scripts) > 0 {
		paths := []string{"frame/page.js"}
		for _, name := range scripts {
			paths = append(paths, dir+"/"+name)
		}
		if script, err = concat(paths...); err != nil {
			return nil, err
		}
	}
	return template.New("").Funcs(template.FuncMap{
		"policy":    func() string { return policy(script, style) },
		"style":     func() template.CSS { return template.CSS(style) }, //nolint:gosec // from embedded files
		"script":    func() template.JS { return template.JS(script) },  //nolint:gosec // from embedded files
		"printable": report.Printable,
		"visible":   visible,
		"thousands": func(n int) string { return humanize.Comma(int64(n)) },
		"cells":     report.Table.Rows,
	}).ParseFS(files, "frame/*.tmpl", dir+"/*.tmpl")
}

func concat(paths ...string) (string, error) {
	var b strings.Builder
	b.WriteString("\n")
	for _, path := range paths {
		content, err := files.ReadFile(path)
		if err != nil {
			return "", err
		}
		b.WriteString(string(content) + "\n")
	}
	return b.String(), nil
}

// policy returns a Content-Security-Policy that allows only the given script and style.
// Nothing can be fetched, framed or submitted, and scripts cannot turn text into markup.
func policy(script, style string) string {
	scriptSource := "'none'"
	if script != "" {
		scriptSource = hashSource(script)
	}
	return "default-src 'none'; script-src " + scriptSource + "; style-src " + hashSource(style) +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// hashSource returns the source expression that allows an inline script or style.
func hashSource(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// visible returns text as HTML with the code points of characters that are hidden.
func visible(text string) template.HTML {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	start := 0
	for i, r := range text {
		if !hidden(r) {
			continue
		}
		b.WriteString(template.HTMLEscapeString(text[start:i]))
		fmt.Fprintf(&b, `<span class="hidden-character">U+%04X</span>`, r)
		start = i + len(string(r))
	}
	b.WriteString(template.HTMLEscapeString(text[start:]))
	return template.HTML(b.String()) //nolint:gosec // escaped above
}

// hidden reports whether a character is invisible or changes the text direction, except
// joiners, which letters and emoji need. HIDDEN in text.js is the same list.
func hidden(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t' && r != '\n'
	case r >= 0x7f && r <= 0x9f, r == 0x61c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f,
		r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb,
		r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
