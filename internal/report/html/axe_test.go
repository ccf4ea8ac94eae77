package html

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// LoadAxe loads axe-core into the page. It skips the test unless scripts/fetch-axe.sh has
// installed axe-core.
func (t *tab) LoadAxe() {
	t.T.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.T.Skipf("no cache directory: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "ragfaith", "test-libraries", "axe-core-*", "axe.min.js"))
	if err != nil || len(found) == 0 {
		t.T.Skip("axe-core is not installed; run scripts/fetch-axe.sh")
	}
	axe, err := os.ReadFile(found[len(found)-1])
	if err != nil {
		t.T.Fatal(err)
	}
	t.Eval(string(axe) + ";0")
}

// CheckAccessibility runs axe-core on the page and reports its violations. state describes
// the page in error messages.
func (t *tab) CheckAccessibility(state string) {
	t.T.Helper()
	result := t.Eval(`axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify({
		passes: r.passes.length,
		violations: r.violations.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary).slice(0, 3).join(' / '))}))`)
	var report struct {
		Passes     int
		Violations []string
	}
	if err := json.Unmarshal([]byte(result.(string)), &report); err != nil {
		t.T.Fatal(err)
	}
	if report.Passes < 10 {
		t.T.Errorf("%s: axe-core passed only %d rules, want at least 10", state, report.Passes)
	}
	if len(report.Violations) > 0 {
		t.T.Errorf("%s:\n%s", state, strings.Join(report.Violations, "\n"))
	}
}
