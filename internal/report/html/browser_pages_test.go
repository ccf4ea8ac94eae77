package html

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
	"github.com/ragfaith/ragfaith/internal/result"
)

// testLinkedRow opens a page at the fragment of a row.
func testLinkedRow(t *testing.T, b browsertest.Browser, page string) {
	p := b.Open(t, page, "#row-2")
	p.Is(`document.querySelector('#detail-title')?.textContent`, "Row 2 refused")
	p.Is(browsertest.Texts(".answer .skipped"), "I don't know.")
}

// testDamagedFile opens pages with a damaged row block and a damaged index block.
func testDamagedFile(t *testing.T, b browsertest.Browser, page string) {
	const start = `data-block="rows">`
	at := strings.Index(page, start) + len(start) + 200
	p := b.Open(t, page[:at]+"AAAAAAAAAAAA"+page[at+12:], "#row-0")
	p.Is(browsertest.Texts("dialog [role=alert]"), "This row of the file is damaged and can’t be shown.")
	const index = `data-block="index">`
	at = strings.Index(page, index) + len(index) + 200
	p = b.Load(t, page[:at]+"AAAAAAAAAAAA"+page[at+12:], "")
	p.Is(browsertest.Texts("#row-count"), "The rows of this file are damaged and can’t be shown.")
}

// testCitations opens a row with a resolved and an unresolved citation.
func testCitations(t *testing.T, b browsertest.Browser) {
	r := plainRow(0)
	r.Answer = "It is 0 [1][<b>]."
	r.Claims[0].Citations = []result.Citation{
		{Text: "[1]", Start: 8, End: 11, Verdict: result.NotMentioned}, {Text: "[<b>]", Start: 11, End: 16, Chunk: -1},
	}
	r.Citations = &result.CitationScores{Precision: math.NaN(), Unresolved: 1}
	p := b.Open(t, render(t, Run{}, r), "#row-0")
	p.Is(browsertest.Texts(".citation"), "[1]? chunk 0: not mentioned|[<b>]✗ unresolved")
	p.Is(`document.querySelector('.citation.unresolved').textContent`, "[<b>]✗ unresolved")
	p.Is(`document.querySelector('.row-facts').textContent.includes("recall 0.00, precision –, 1 unresolved")`, "true")
	p.Is(`document.querySelectorAll('.kept').length`, "0")
	p.Is(browsertest.Texts(".cited"), "Citations: recall 0.0000, precision none (1 of 1 row cites, 1 citation resolves to nothing)")
}

// testManyRows checks that only the visible rows of a long table are drawn.
func testManyRows(t *testing.T, b browsertest.Browser) {
	p := b.Open(t, render(t, Run{}, manyRows(3000)...), "")
	p.Is(`document.querySelectorAll('.row').length < 80`, "true")
	p.Is(`document.getElementById('grid').ariaRowCount`, "3001")
	p.Do(chromedp.Focus(chromedp.CSS("#search")))
	p.Press(kb.ArrowDown)
	p.Press(kb.End)
	p.Is(`document.activeElement.querySelector('.at-index').textContent`, "2999")
	p.Is(`(() => { const b = document.activeElement.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; })()`, "true")
	p.Is(`document.querySelectorAll('.row').length < 80`, "true")
	p.Is(`document.activeElement.ariaRowIndex`, "3001")
	p.Press(kb.Enter)
	p.Is(browsertest.Texts(".answer mark"), "It is 2999.")
	p.Press(kb.Escape)
	p.Press(kb.PageUp)
	p.Press(kb.ArrowUp)
	p.Is(`Number(document.activeElement.dataset.position) > 2950 && Number(document.activeElement.dataset.position) < 2998`, "true")
}

// testOpenDuringClose opens a row while another is closing. The row is in a separate block,
// so that loading it takes a while.
func testOpenDuringClose(t *testing.T, b browsertest.Browser) {
	first := plainRow(0)
	first.Contexts = []string{strings.Repeat("A long context. ", rowsBlock/16)}
	p := b.Open(t, render(t, Run{}, first, plainRow(1)), "")
	p.Run(`const row = document.querySelector('.row'); row.focus(); row.click()`)
	p.Is(`document.getElementById('detail').open`, "true")
	// All in one task, as if the keys were pressed faster than the page reacts.
	p.Run(`const key = (on, key) => on.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
		key(document.getElementById('detail'), 'Escape'); key(document.activeElement, 'ArrowDown'); key(document.activeElement, 'Enter')`)
	p.Is(`document.getElementById('detail').open && document.querySelector('.where').textContent`, "2 of 2")
	p.Run(`document.getElementById('detail').close()`) // as the browser may do
	p.Is(`document.activeElement.dataset.position`, "1")
	p.Is(`location.hash`, "")
}

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
				Figures: []Figure{{"95% interval", "0.3012 to 0.5541", "n = 58 rows, BCa bootstrap"}, {"mean of claims", "0.4411", ""}, {"95% interval", "none", "n = 12 groups by document with 230 claims: too few for an interval (minimum 20)"}},
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
