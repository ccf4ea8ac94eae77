package browsertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// LoadAxe loads axe-core into the page. It skips the test unless scripts/fetch-axe.sh has
// installed axe-core.
func (p *Tab) LoadAxe() {
	p.T.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		p.T.Skipf("no cache directory: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "ragfaith", "test-libraries", "axe-core-*", "axe.min.js"))
	if err != nil || len(found) == 0 {
		p.T.Skip("axe-core is not installed; run scripts/fetch-axe.sh")
	}
	axe, err := os.ReadFile(found[len(found)-1])
	if err != nil {
		p.T.Fatal(err)
	}
	p.Value(string(axe) + ";0")
}

// Axe reports violations that axe-core finds in the current state of the page, which
// where describes.
func (p *Tab) Axe(where string) {
	p.T.Helper()
	answer := p.Value(`axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify({
		passes: r.passes.length,
		violations: r.violations.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary).slice(0, 3).join(' / '))}))`)
	var report struct {
		Passes     int
		Violations []string
	}
	if err := json.Unmarshal([]byte(answer.(string)), &report); err != nil {
		p.T.Fatal(err)
	}
	if report.Passes < 10 {
		p.T.Errorf("%s: axe-core passed only %d rules, want at least 10", where, report.Passes)
	}
	if len(report.Violations) > 0 {
		p.T.Errorf("%s:\n%s", where, strings.Join(report.Violations, "\n"))
	}
}
