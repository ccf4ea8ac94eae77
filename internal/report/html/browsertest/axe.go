package browsertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	axe, err := os.ReadFile(newest(found))
	if err != nil {
		p.T.Fatal(err)
	}
	p.Value(string(axe) + ";0")
}

// newest returns the path whose directory name ends with the highest version.
func newest(paths []string) string {
	version := func(path string) (numbers []int) {
		dir := filepath.Base(filepath.Dir(path))
		for part := range strings.SplitSeq(dir[strings.LastIndexByte(dir, '-')+1:], ".") {
			n, _ := strconv.Atoi(part) // 0 if it is not a number
			numbers = append(numbers, n)
		}
		return numbers
	}
	return slices.MaxFunc(paths, func(a, b string) int { return slices.Compare(version(a), version(b)) })
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
