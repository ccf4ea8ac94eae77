package browsertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// LoadAxe puts axe-core into the page, where scripts/fetch-axe.sh has put it on
// this machine. Where it has not, the test is skipped.
func (p *Tab) LoadAxe() {
	p.T.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		p.T.Skipf("there is no folder of caches, where axe-core would be: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "ragfaith", "test-libraries", "axe-core-*", "axe.min.js"))
	if err != nil || len(found) == 0 {
		p.T.Skip("axe-core is not there: scripts/fetch-axe.sh fetches it")
	}
	axe, err := os.ReadFile(found[len(found)-1])
	if err != nil {
		p.T.Fatal(err)
	}
	p.Value(string(axe) + ";0")
}

// Axe reports what axe-core, once loaded, finds in the page as it is; where says
// what is seen of it.
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
		p.T.Errorf("%s: axe has looked at %d rules only", where, report.Passes)
	}
	if len(report.Violations) > 0 {
		p.T.Errorf("%s:\n%s", where, strings.Join(report.Violations, "\n"))
	}
}
