package html

import (
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
	"github.com/ragfaith/ragfaith/internal/result"
)

func testLinkedRow(t *testing.T, b browsertest.Browser, page string) {
	p := b.Open(t, page, "#row-2")
	p.Is(`document.querySelector('#detail-title')?.textContent`, "Row 2 refused")
	p.Is(browsertest.Texts(".answer .skipped"), "I don't know.")
}

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
