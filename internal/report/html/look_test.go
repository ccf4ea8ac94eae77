package html

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
)

func manyRows(n int) []*eval.Result {
	rows := make([]*eval.Result, n)
	for i := range rows {
		rows[i] = plainRow(i)
	}
	return rows
}

// look takes pictures of the page at three widths in both schemes.
func look(t *testing.T, b browser) {
	rows := append([]*eval.Result{scoredRow(), hostileRow(), refusedRow(), failedRow()}, manyRows(60)[4:]...)
	page := rendered(t, Run{
		Datasets: []string{"answers-2026-05.jsonl"},
		Settings: []Setting{{"judge", "lexical"}, {"threshold", "0.5"}, {"claims", "sentence"}, {"evidence", "chunks"}},
		Conclude: func(*report.Tally) Conclusion {
			return Conclusion{
				Figures: []Figure{{"95% interval", "0.3012 to 0.5541", "n = 58 rows, BCa bootstrap"}, {"mean of claims", "0.4411", ""}, {"95% interval", "none", "n = 12 groups by document with 230 claims: 12 is too few for an interval, which takes 20"}},
				Gates:   []Gate{{"mean faithfulness 0.4283 < 0.80 (n = 58 scored): FAIL", false}},
			}
		},
	}, rows...)
	p := b.opened(t, page, "")
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		for _, width := range []int64{360, 900, 1600} {
			p.size(width, max(740, width*5/8))
			p.picture(fmt.Sprintf("%s-%d-list", scheme, width))
			p.run(`document.getElementById('rows-title').scrollIntoView()`)
			p.picture(fmt.Sprintf("%s-%d-rows", scheme, width))
			p.row(0)
			p.picture(fmt.Sprintf("%s-%d-row", scheme, width))
			p.run(`document.querySelector('.claim-card.contradicted .verdict').click()`)
			p.picture(fmt.Sprintf("%s-%d-claim", scheme, width))
			p.run(`document.querySelector('dialog .close').click(); scrollTo(0, 0)`)
		}
	}
}

func (p *tab) picture(name string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// accessible runs axe-core over the table and an open row in both schemes and at
// two widths.
func accessible(t *testing.T, b browser, page string) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "ragfaith", "test-libraries", "axe-core-*", "axe.min.js"))
	if err != nil || len(found) == 0 {
		t.Skip("axe-core is not there: scripts/fetch-axe.sh fetches it")
	}
	axe, err := os.ReadFile(found[len(found)-1])
	if err != nil {
		t.Fatal(err)
	}
	p := b.opened(t, page, "")
	p.value(string(axe) + ";0")
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		for _, width := range []int64{360, 1600} {
			p.size(width, 900)
			p.axe(fmt.Sprintf("the table, %s, %d wide", scheme, width))
			for row := range 4 {
				p.row(row)
				if row == 0 {
					p.run(`document.querySelector('.claim-card.contradicted .verdict').click()`)
				}
				p.axe(fmt.Sprintf("row %d, %s, %d wide", row, scheme, width))
				p.run(`document.querySelector('dialog .close').click()`)
				p.is(`document.getElementById('detail').open`, "false")
			}
		}
	}
}

// axe reports what axe-core finds in the page as it is.
func (p *tab) axe(where string) {
	p.t.Helper()
	answer := p.value(`axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify({
		passes: r.passes.length,
		violations: r.violations.map((v) => v.id + ': ' + v.help + ': ' + v.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary).slice(0, 3).join(' / '))}))`)
	var report struct {
		Passes     int
		Violations []string
	}
	if err := json.Unmarshal([]byte(answer.(string)), &report); err != nil {
		p.t.Fatal(err)
	}
	if report.Passes < 10 {
		p.t.Errorf("%s: axe has looked at %d rules only", where, report.Passes)
	}
	if len(report.Violations) > 0 {
		p.t.Errorf("%s:\n%s", where, strings.Join(report.Violations, "\n"))
	}
}
