package page

import (
	"flag"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
)

var shots = flag.String("shots", "", "write screenshots to this directory")

const (
	shownRows = `document.querySelectorAll('.change:not([hidden])').length`
	firstID   = `document.querySelector('.change:not([hidden]) .at-id').textContent`
)

func TestPageInBrowser(t *testing.T) {
	p := browsertest.Start(t).Open(t, render(t, comparison(t)), "")
	p.Is(shownRows, "16")
	p.Is(`document.getElementById('row-count').textContent`, "16 rows")
	p.Choose("direction", "better")
	p.Is(firstID, "improved")
	p.Is(`document.getElementById('row-count').textContent`, "1 of 16 rows")
	p.Choose("direction", "same")
	p.Is(firstID, "equal")
	p.Is(`location.hash`, "#direction=same")
	p.Click("#clear")
	p.Is(shownRows, "16")
	p.Click(".bin[data-from='15']") // up by 0.4 to 0.5
	p.Is(firstID, "improved")
	p.Is(`document.getElementById('row-count').textContent`, "1 of 16 rows")
	p.Click("#clear")
	p.Choose("order", "best")
	p.Is(firstID, "improved")
	p.Choose("order", "id")
	p.Is(`[...document.querySelectorAll('.at-id')].slice(1, 4).map((e) => e.textContent).join()`, "0,1,2")
	p.Choose("order", "worst")
	p.Do(chromedp.SendKeys(chromedp.CSS("#search"), "🐼 OLD"))
	p.Is(shownRows, "1")
	p.Press(kb.ArrowDown)
	p.Press(kb.Enter)
	p.Is(`document.querySelector('.change[open] .at-id').textContent`, "changed")
	p.Is(`[...document.querySelectorAll('.change[open] mark')].map((e) => e.textContent).join('|')`, "It is 🐼 red.|It is old.|It was here.|It is 🐼 red.|It is old.|It is new.")
	p.Is(`[...document.querySelectorAll('.change[open] .flip .badge')].map((e) => e.textContent).join('|')`, "✓ supported|✗ contradicted")
	p.Is(`getComputedStyle(document.querySelector('.change[open] .flip .claim-text')).display`, "none")
	p.Press(kb.Escape)
	p.Is(`document.querySelectorAll('.change[open]').length + document.activeElement.tagName`, "0SUMMARY")

	// A link to a row resets filters that hide it, and scrolls to the row.
	p.Size(1600, 250)
	p.Run(`location.hash = '#direction=better&row=equal'`)
	p.Is(browsertest.Texts(".change[open] .at-id"), "equal")
	p.Is(shownRows, "16")
	p.Is(`location.hash`, "#row=equal")
	p.Is(`document.activeElement.getBoundingClientRect().top >= document.querySelector('.change-head').getBoundingClientRect().bottom`, "true")
	p.Is(`document.activeElement.textContent.startsWith('equalWhy equal?')`, "true")
	p.Run(`navigator.clipboard.writeText = async (text) => { window.copied = text.split('#')[1]; }`)
	p.Size(1600, 1000)
	p.Click(".change[open] .copy-link")
	p.Is(`window.copied`, "row=equal")

	// Hostile texts do nothing, whether visible or not.
	p.Value(`document.querySelectorAll('.change').forEach((e) => { e.hidden = false; e.open = true; })`)
	p.Is(`document.querySelectorAll('body img, body a, main script, main style, iframe, [onerror]').length + typeof window.hacked`, "0undefined")

	for _, width := range []int64{320, 500, 900, 1600} {
		p.Size(width, 1200)
		p.Is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shot(p, fmt.Sprintf("compare-%d-light", width))
	}
	p.Scheme("dark")
	p.Is(`getComputedStyle(document.body).backgroundColor`, "rgb(20, 23, 27)")
	shot(p, "compare-1600-dark")
	t.Run("accessibility", func(t *testing.T) {
		p.T = t
		p.LoadAxe()
		for _, scheme := range []string{"dark", "light"} {
			p.Scheme(scheme)
			for _, width := range []int64{500, 1400} {
				p.Size(width, 1000)
				p.Run(`location.hash = ''; document.querySelectorAll('.change').forEach((e) => { e.open = true; })`)
				p.Is(`document.querySelectorAll('.copy-link').length`, "16")
				p.Axe(fmt.Sprintf("all rows open, %s, %d wide", scheme, width))
				p.Run(`location.hash = '#direction=worse&min=2&max=8'`)
				p.Is(`document.querySelector('.histogram').classList.contains('filtered')`, "true")
				p.Axe(fmt.Sprintf("filtered, %s, %d wide", scheme, width))
			}
		}
	})
}

// shot takes a screenshot if -shots is set.
func shot(p *browsertest.Tab, name string) {
	p.T.Helper()
	if *shots != "" {
		p.Screenshot(*shots, name, true)
	}
}
