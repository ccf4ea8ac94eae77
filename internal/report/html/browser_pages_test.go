package html

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
)

// testLinkedRow opens a page at rows.
func testLinkedRow(t *testing.T, b browser, page string) {
	p := b.Open(t, page, "#row=refused")
	p.WaitFor(textsExpr("#detail-title"), "Row 2 refused")
	p.WaitFor(textsExpr(".answer .skipped"), "I don't know.")
	p.WaitFor(`location.hash`, "#row=refused")
	p.RunScript(`location.hash = '#status=failed'`)
	p.WaitFor(`document.getElementById('detail').open`, "false")
	p.WaitFor(indexes, "3")
	p.RunScript(`location.hash = '#status=failed&row=nowhere'`)
	p.WaitFor(`document.getElementById('row-count').textContent`, "The row in the address of the page is not in this table.")

	// A filter that hides the row is reset; rows of the same id have different links.
	rows := manyRows(300)
	rows[200].ID, rows[250].ID = "a&b=c#d", "a&b=c#d"
	p = b.Open(t, render(t, Run{}, rows...), "#status=failed&index=250")
	p.WaitFor(textsExpr("#detail-title"), "Row 250 a&b=c#d")
	p.WaitFor(`location.hash`, "#index=250")
	p.Press(kb.Escape)
	p.WaitFor(`location.hash`, "")
	p.WaitFor(`(() => { const box = document.activeElement.getBoundingClientRect(); return document.activeElement.querySelector('.at-index').textContent + (box.top >= 0 && box.bottom <= innerHeight); })()`, "250true")
	p.RunScript(`location.hash = '#row=' + encodeURIComponent('a&b=c#d')`)
	p.WaitFor(textsExpr("#detail-title"), "Row 200 a&b=c#d")
}

// testLinkedFilters opens a page at filters and a sort order, which stay in the address.
func testLinkedFilters(t *testing.T, b browser) {
	const hash = "#search=what+2&min=0&max=0.5&status=scored&sort=-index"
	p := b.Open(t, render(t, Run{}, manyRows(30)...), hash)
	p.WaitFor(indexes, "29 28 24 23 22 21 2")
	p.WaitFor(`location.hash`, hash)
	p.WaitFor(`document.getElementById('row-count').textContent`, "7 of 30 rows, sorted by position in the dataset, descending")
	p.RunScript(`location.hash = '#status=nonsense&sort=nonsense&unknown=1'`)
	p.WaitFor(`document.querySelectorAll('.row').length > 20`, "true")
	p.WaitFor(`location.hash`, "")
}

// testHistogram selects score ranges with the mouse and with the keyboard.
func testHistogram(t *testing.T, b browser) {
	p := b.Open(t, render(t, Run{}, scoredRow(), hostileRow(), plainRow(2)), "")
	const pressed = `[...document.querySelectorAll('.bin')].map((e, i) => e.ariaPressed === 'true' ? i : '').join('')`
	p.Click(".bin[data-from='0.3']")
	p.WaitFor(indexes, "0")
	p.WaitFor(pressed, "3")
	p.WaitFor(`location.hash`, "#min=0.3&max=0.4")
	p.Click(".bin[data-from='0.3']")
	p.WaitFor(`location.hash`, "")
	p.Click(".bin[data-from='1']")
	p.WaitFor(indexes, "1")
	p.WaitFor(`location.hash`, "#min=1")
	p.RunScript(`const bins = document.querySelectorAll('.bin'), svg = bins[0].ownerSVGElement;
		svg.setPointerCapture = () => {};
		const send = (type, bin) => { const box = bins[bin].getBoundingClientRect();
			svg.dispatchEvent(new PointerEvent(type, {clientX: box.left + box.width / 2, clientY: box.top + 9})); };
		send('pointerdown', 4); send('pointermove', 3); send('pointermove', 0); send('pointerup', 0);`)
	p.WaitFor(`location.hash`, "#min=0&max=0.5")
	p.WaitFor(pressed, "01234")
	p.WaitFor(indexes, "2 0")
	p.Click("#clear")
	p.Do(chromedp.Focus(chromedp.CSS(".bin[tabindex='0']")))
	p.Press(kb.Home)
	p.Press(kb.ArrowRight)
	p.Press(kb.Enter)
	p.WaitFor(`location.hash`, "#min=0.1&max=0.2")
	p.Do(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierShift)))
	p.WaitFor(`location.hash`, "#min=0.1&max=0.3")
	p.WaitFor(`document.activeElement.ariaLabel`, "0.2 to below 0.3: 0 rows")
}

// testColumns filters by kept columns with few values, many values and hostile names.
func testColumns(t *testing.T, b browser) {
	rows := manyRows(60)
	for i, r := range rows {
		add := func(name, value string) {
			r.Kept = append(r.Kept, dataset.Column{Name: name, Value: must(json.Marshal(value))})
		}
		add("topic", []string{"a & b", "c", ""}[i%3])
		add("note", fmt.Sprintf("Note %d", i))
		add("long", strings.Repeat("x", i*100))
		add(hostile, hostile)
		add("one more", "1")
	}
	rows[7].Kept = nil
	p := b.Open(t, render(t, Run{}, rows...), "#column.note=note+1&sort=index")
	p.WaitFor(indexes, "1 10 11 12 13 14 15 16 17 18 19")
	p.Click("#clear")
	p.RunScript(`const s = document.querySelector('#columns select'); s.value = 0; s.dispatchEvent(new Event('input', {bubbles: true}))`)
	p.WaitFor(textsExpr(`[name="column.topic"] option`), "any|(empty) (21)|a & b (20)|c (19)")
	p.WaitFor(`document.activeElement.name`, "column.topic")
	p.SetField("column.topic", "=")
	p.WaitFor(`document.getElementById('row-count').textContent.split(',')[0]`, "21 of 60 rows")
	p.SetField("column.topic", "=a & b")
	p.SetField("column.note", "=Note 3")
	p.WaitFor(indexes, "3")
	p.WaitFor(`location.hash`, "#column.note=%3DNote+3&column.topic=%3Da+%26+b&sort=index")
	openRow(p, 0)
	p.WaitFor(textsExpr(".kept dt")+`.startsWith('topic|note|long|<')`, "true")
	p.WaitFor(`document.querySelectorAll('.kept dd')[2].textContent.length`, "300")
	p.Press(kb.ArrowRight)
	p.RunScript(`location.hash = '#row=row-40'`)
	p.WaitFor(`document.querySelectorAll('.kept dd')[2].textContent.length`, "4000")
	p.RunScript(`const s = document.querySelector('#columns select'); s.value = 3; s.dispatchEvent(new Event('input', {bubbles: true}))`)
	p.WaitFor(`document.querySelectorAll('#columns select')[2].options.length`, "3")
	p.WaitFor(`typeof window.hacked`, "undefined")
}

// testDamagedFile opens pages with a damaged row block and a damaged index block.
func testDamagedFile(t *testing.T, b browser, page string) {
	const start = `data-block="rows">`
	at := strings.Index(page, start) + len(start) + 200
	p := b.Open(t, page[:at]+"AAAAAAAAAAAA"+page[at+12:], "#index=0")
	p.WaitFor(textsExpr("dialog [role=alert]"), "This row of the file is damaged and can’t be shown.")
	const index = `data-block="index">`
	at = strings.Index(page, index) + len(index) + 200
	p = b.Load(t, page[:at]+"AAAAAAAAAAAA"+page[at+12:], "")
	p.WaitFor(textsExpr("#row-count"), "The rows of this file are damaged and can’t be shown.")
}

// testCitations opens a row with a resolved and an unresolved citation.
func testCitations(t *testing.T, b browser) {
	r := plainRow(0)
	r.Answer = "It is 0 [1][<b>]."
	r.Claims[0].Citations = []result.Citation{
		{Text: "[1]", Start: 8, End: 11, Verdict: result.NotMentioned}, {Text: "[<b>]", Start: 11, End: 16, Chunk: -1},
	}
	r.Citations = &result.CitationScores{Precision: math.NaN(), Unresolved: 1}
	p := b.Open(t, render(t, Run{}, r), "#row=row-0")
	p.WaitFor(textsExpr(".citation"), "[1]? chunk 0: not mentioned|[<b>]✗ unresolved")
	p.WaitFor(`document.querySelector('.citation.unresolved').textContent`, "[<b>]✗ unresolved")
	p.WaitFor(`document.querySelector('.row-facts').textContent.includes("recall 0.00, precision –, 1 unresolved")`, "true")
	p.WaitFor(`document.querySelectorAll('.kept').length`, "0")
	p.WaitFor(textsExpr(".cited"), "Citations: recall 0.0000, precision none (1 of 1 row cites, 1 citation resolves to nothing)")
}

// testManyRows checks that only the visible rows of a long table are drawn.
func testManyRows(t *testing.T, b browser) {
	p := b.Open(t, render(t, Run{}, manyRows(3000)...), "")
	p.WaitFor(`document.querySelectorAll('.row').length < 80`, "true")
	p.WaitFor(`document.getElementById('grid').ariaRowCount`, "3001")
	p.Do(chromedp.Focus(chromedp.CSS("#search")))
	p.Press(kb.ArrowDown)
	p.Press(kb.End)
	p.WaitFor(`document.activeElement.querySelector('.at-index').textContent`, "2995") // the last one with a score of 1 and the highest support
	p.WaitFor(`(() => { const b = document.activeElement.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; })()`, "true")
	p.WaitFor(`document.querySelectorAll('.row').length < 80`, "true")
	p.WaitFor(`document.activeElement.ariaRowIndex`, "3001")
	p.Press(kb.Enter)
	p.WaitFor(textsExpr(".answer mark"), "It is 2995.")
	p.Press(kb.Escape)
	p.Press(kb.PageUp)
	p.Press(kb.ArrowUp)
	p.WaitFor(`Number(document.activeElement.dataset.position) > 2950 && Number(document.activeElement.dataset.position) < 2998`, "true")
}

// testOpenDuringClose opens a row while another is closing. The row is in a separate block,
// so that loading it takes a while.
func testOpenDuringClose(t *testing.T, b browser) {
	first := plainRow(0)
	first.Contexts = []string{strings.Repeat("A long context. ", rowsBlock/16)}
	p := b.Open(t, render(t, Run{}, first, plainRow(1)), "")
	p.RunScript(`const row = document.querySelector('.row'); row.focus(); row.click()`)
	p.WaitFor(`document.getElementById('detail').open`, "true")
	// All in one task, as if the keys were pressed faster than the page reacts.
	p.RunScript(`const key = (on, key) => on.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
		key(document.getElementById('detail'), 'Escape'); key(document.activeElement, 'ArrowDown'); key(document.activeElement, 'Enter')`)
	p.WaitFor(`document.getElementById('detail').open && document.querySelector('.where').textContent`, "2 of 2")
	p.RunScript(`document.getElementById('detail').close()`) // as the browser may do
	p.WaitFor(`document.activeElement.dataset.position`, "1")
	p.WaitFor(`location.hash`, "")
}

func manyRows(n int) []*result.Row {
	rows := make([]*result.Row, n)
	for i := range rows {
		rows[i] = plainRow(i)
	}
	return rows
}

// testAccessibility checks the table, active filters and open rows with axe-core, in both
// color schemes and at two widths.
func testAccessibility(t *testing.T, b browser, page string) {
	p := b.Open(t, page, "")
	p.LoadAxe()
	p.EachLook(func(look string) {
		p.RunScript(`location.hash = '#status=failed&verdict=supported&min=0.3&max=0.6&search=x&column.model=%3Dm-1&sort=-index'`)
		p.WaitFor(`document.querySelector('.histogram').classList.contains('filtered')`, "true")
		p.CheckAccessibility("filtered, " + look)
		p.RunScript(`location.hash = ''`)
		p.WaitFor(indexes, "0 1 3 2")
		p.CheckAccessibility("the table, " + look)
		for row := range 4 {
			openRow(p, row)
			if row == 0 {
				p.RunScript(`document.querySelector('.claim-card.contradicted .verdict').click()`)
			}
			p.CheckAccessibility(fmt.Sprintf("row %d, %s", row, look))
			p.RunScript(`document.querySelector('dialog .close').click()`)
			p.WaitFor(`document.getElementById('detail').open`, "false")
		}
	})
}
