package html

import (
	"fmt"
	"testing"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
	"github.com/ragfaith/ragfaith/internal/result"
)

func manyRows(n int) []*result.Row {
	rows := make([]*result.Row, n)
	for i := range rows {
		rows[i] = plainRow(i)
	}
	return rows
}

// takeScreenshots takes screenshots at three widths in both color schemes.
func takeScreenshots(t *testing.T, b browsertest.Browser) {
	rows := append([]*result.Row{scoredRow(), hostileRow(), refusedRow(), failedRow()}, manyRows(60)[4:]...)
	page := render(t, Run{
		Datasets: []string{"answers-2026-05.jsonl"},
		Settings: []Setting{{"judge", "lexical"}, {"threshold", "0.5"}, {"claims", "sentence"}, {"evidence", "chunks"}},
		Conclude: func(*report.Tally) Conclusion {
			return Conclusion{
				Figures: []Figure{{"95% interval", "0.3012 to 0.5541", "n = 58 rows, BCa bootstrap"}, {"mean of claims", "0.4411", ""}, {"95% interval", "none", "n = 12 groups by document with 230 claims: 12 is too few for an interval, which takes 20"}},
				Gates:   []Gate{{"mean faithfulness 0.4283 < 0.80 (n = 58 scored): FAIL", false}},
			}
		},
	}, rows...)
	p := b.Open(t, page, "")
	for _, scheme := range []string{"light", "dark"} {
		p.Scheme(scheme)
		for _, width := range []int64{360, 900, 1600} {
			p.Size(width, max(740, width*5/8))
			p.Screenshot(*shots, fmt.Sprintf("%s-%d-list", scheme, width), false)
			p.Run(`document.getElementById('rows-title').scrollIntoView()`)
			p.Screenshot(*shots, fmt.Sprintf("%s-%d-rows", scheme, width), false)
			openRow(p, 0)
			p.Screenshot(*shots, fmt.Sprintf("%s-%d-row", scheme, width), false)
			p.Run(`document.querySelector('.claim-card.contradicted .verdict').click()`)
			p.Screenshot(*shots, fmt.Sprintf("%s-%d-claim", scheme, width), false)
			p.Run(`document.querySelector('dialog .close').click(); scrollTo(0, 0)`)
		}
	}
}

// testAccessibility checks the table and the open rows with axe-core, in both color schemes
// and at two widths.
func testAccessibility(t *testing.T, b browsertest.Browser, page string) {
	p := b.Open(t, page, "")
	p.LoadAxe()
	for _, scheme := range []string{"light", "dark"} {
		p.Scheme(scheme)
		for _, width := range []int64{360, 1600} {
			p.Size(width, 900)
			p.Axe(fmt.Sprintf("the table, %s, %d wide", scheme, width))
			for row := range 4 {
				openRow(p, row)
				if row == 0 {
					p.Run(`document.querySelector('.claim-card.contradicted .verdict').click()`)
				}
				p.Axe(fmt.Sprintf("row %d, %s, %d wide", row, scheme, width))
				p.Run(`document.querySelector('dialog .close').click()`)
				p.Is(`document.getElementById('detail').open`, "false")
			}
		}
	}
}
