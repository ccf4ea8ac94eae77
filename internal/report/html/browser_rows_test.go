package html

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func openLinked(t *testing.T, b browser, some string) {
	p := b.opened(t, some, "#row-2")
	p.is(`document.querySelector('#detail-title')?.textContent`, "Row 2 refused")
	p.is(texts(".answer .skipped"), "I don't know.")
}

func openDamaged(t *testing.T, b browser, some string) {
	const start = `data-block="rows">`
	at := strings.Index(some, start) + len(start) + 200
	p := b.opened(t, some[:at]+"AAAAAAAAAAAA"+some[at+12:], "#row-0")
	p.is(texts("dialog [role=alert]"), "This row of the file is damaged and can’t be shown.")
	const index = `data-block="index">`
	at = strings.Index(some, index) + len(index) + 200
	p = b.open(t, some[:at]+"AAAAAAAAAAAA"+some[at+12:], "")
	p.is(texts("#said"), "The rows of this file are damaged and can’t be shown.")
}

func openMany(t *testing.T, b browser) {
	p := b.opened(t, rendered(t, Run{}, manyRows(3000)...), "")
	p.is(`document.querySelectorAll('.row').length < 80`, "true")
	p.is(`document.getElementById('grid').ariaRowCount`, "3001")
	p.do(chromedp.Focus(chromedp.CSS("#search")))
	p.press(kb.ArrowDown)
	p.press(kb.End)
	p.is(`document.activeElement.querySelector('.at-index').textContent`, "2999")
	p.is(`(() => { const b = document.activeElement.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; })()`, "true")
	p.is(`document.querySelectorAll('.row').length < 80`, "true")
	p.is(`document.activeElement.ariaRowIndex`, "3001")
	p.press(kb.Enter)
	p.is(texts(".answer mark"), "It is 2999.")
	p.press(kb.Escape)
	p.press(kb.PageUp)
	p.press(kb.ArrowUp)
	p.is(`Number(document.activeElement.dataset.place) > 2950 && Number(document.activeElement.dataset.place) < 2998`, "true")
}

// openNext opens a row while the last one still closes. The row is in a block of
// its own, so that it takes a while to be there.
func openNext(t *testing.T, b browser) {
	first := plainRow(0)
	first.Row.Contexts = []string{strings.Repeat("A long context. ", rowsBlock/16)}
	p := b.opened(t, rendered(t, Run{}, first, plainRow(1)), "")
	p.run(`const row = document.querySelector('.row'); row.focus(); row.click()`)
	p.is(`document.getElementById('detail').open`, "true")
	// All in one task, as for keys that come faster than the page works.
	p.run(`const key = (on, key) => on.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
		key(document.getElementById('detail'), 'Escape'); key(document.activeElement, 'ArrowDown'); key(document.activeElement, 'Enter')`)
	p.is(`document.getElementById('detail').open && document.querySelector('.where').textContent`, "2 of 2")
	p.run(`document.getElementById('detail').close()`) // as a browser does on its own
	p.is(`document.activeElement.dataset.place`, "1")
	p.is(`location.hash`, "")
}
