package html

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	shownRows = `document.querySelectorAll('.change:not([hidden])').length`
	firstID   = `document.querySelector('.change:not([hidden]) .at-id').textContent`
)

func TestComparisonInBrowser(t *testing.T) {
	p := startBrowser(t).Open(t, renderComparison(t, comparison(t)), "")
	p.WaitFor(shownRows, "16")
	p.WaitFor(`document.getElementById('row-count').textContent`, "16 rows")
	p.SetField("direction", "better")
	p.WaitFor(firstID, "improved")
	p.WaitFor(`document.getElementById('row-count').textContent`, "1 of 16 rows")
	p.SetField("direction", "same")
	p.WaitFor(firstID, "equal")
	p.WaitFor(`location.hash`, "#direction=same")
	p.Click("#clear")
	p.WaitFor(shownRows, "16")
	p.Click(".bin[data-from='15']") // up by 0.4 to 0.5
	p.WaitFor(firstID, "improved")
	p.WaitFor(`document.getElementById('row-count').textContent`, "1 of 16 rows")
	p.Click("#clear")
	p.SetField("order", "best")
	p.WaitFor(firstID, "improved")
	p.SetField("order", "id")
	p.WaitFor(`[...document.querySelectorAll('.at-id')].slice(1, 4).map((e) => e.textContent).join()`, "0,1,2")
	p.SetField("order", "worst")
	p.Do(chromedp.SendKeys(chromedp.CSS("#search"), "🐼 OLD"))
	p.WaitFor(shownRows, "1")
	p.Press(kb.ArrowDown)
	p.Press(kb.Enter)
	p.WaitFor(`document.querySelector('.change[open] .at-id').textContent`, "changed")
	p.WaitFor(`[...document.querySelectorAll('.change[open] mark')].map((e) => e.textContent).join('|')`, "It is 🐼 red.|It is old.|It was here.|It is 🐼 red.|It is old.|It is new.")
	p.WaitFor(`[...document.querySelectorAll('.change[open] .flip .badge')].map((e) => e.textContent).join('|')`, "✓ supported|✗ contradicted")
	p.WaitFor(`getComputedStyle(document.querySelector('.change[open] .flip .claim-text')).display`, "none")
	p.Press(kb.Escape)
	p.WaitFor(`document.querySelectorAll('.change[open]').length + document.activeElement.tagName`, "0SUMMARY")

	// A link to a row resets filters that hide it, and scrolls to the row.
	p.SetViewport(1600, 250)
	p.RunScript(`location.hash = '#direction=better&row=equal'`)
	p.WaitFor(textsExpr(".change[open] .at-id"), "equal")
	p.WaitFor(shownRows, "16")
	p.WaitFor(`location.hash`, "#row=equal")
	p.WaitFor(`document.activeElement.getBoundingClientRect().top >= document.querySelector('.change-head').getBoundingClientRect().bottom`, "true")
	p.WaitFor(`document.activeElement.textContent.startsWith('equalWhy equal?')`, "true")
	p.SetViewport(1600, 1000)

	// Hostile texts do nothing, whether visible or not.
	p.Eval(`document.querySelectorAll('.change').forEach((e) => { e.hidden = false; e.open = true; })`)
	p.WaitFor(`document.querySelectorAll('body img, body a, main script, main style, iframe, [onerror]').length + typeof window.hacked`, "0undefined")

	for _, width := range []int64{320, 500, 900, 1600} {
		p.SetViewport(width, 1200)
		p.WaitFor(`document.documentElement.scrollWidth <= innerWidth`, "true")
	}
	p.SetColorScheme("dark")
	p.WaitFor(`getComputedStyle(document.body).backgroundColor`, "rgb(20, 23, 27)")
	t.Run("accessibility", func(t *testing.T) {
		p.T = t
		p.LoadAxe()
		p.EachLook(func(look string) {
			p.RunScript(`location.hash = ''; document.querySelectorAll('.change').forEach((e) => { e.open = true; })`)
			p.WaitFor(`document.querySelectorAll('.change[open]').length`, "16")
			p.CheckAccessibility("all rows open, " + look)
			p.RunScript(`location.hash = '#direction=worse&min=2&max=8'`)
			p.WaitFor(`document.querySelector('.histogram').classList.contains('filtered')`, "true")
			p.CheckAccessibility("filtered, " + look)
		})
	})
}
