package page

import (
	"flag"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
)

var shots = flag.String("shots", "", "write pictures of the page into this folder")

const (
	seen  = `document.querySelectorAll('.change:not([hidden])').length`
	first = `document.querySelector('.change:not([hidden]) .at-id').textContent`
)

func TestThePageInABrowser(t *testing.T) {
	p := browsertest.Start(t).Open(t, rendered(t, compared(t)), "")
	p.Is(seen, "16")
	p.Is(`document.getElementById('said').textContent`, "16 rows")
	p.Choose("way", "better")
	p.Is(first, "risen")
	p.Is(`document.getElementById('said').textContent`, "1 of 16 rows")
	p.Choose("way", "same")
	p.Is(first, "even")
	p.Click("#clear")
	p.Is(seen, "16")
	p.Choose("order", "best")
	p.Is(first, "risen")
	p.Choose("order", "id")
	p.Is(`[...document.querySelectorAll('.at-id')].slice(1, 4).map((e) => e.textContent).join()`, "0,1,2")
	p.Choose("order", "worst")
	p.Do(chromedp.SendKeys(chromedp.CSS("#search"), "🐼 OLD"))
	p.Is(seen, "1")
	p.Press(kb.ArrowDown)
	p.Press(kb.Enter)
	p.Is(`document.querySelector('.change[open] .at-id').textContent`, "turned")
	p.Is(`[...document.querySelectorAll('.change[open] mark')].map((e) => e.textContent).join('|')`, "It is 🐼 red.|It is old.|It was here.|It is 🐼 red.|It is old.|It is new.")
	p.Is(`[...document.querySelectorAll('.change[open] .flip .badge')].map((e) => e.textContent).join('|')`, "✓ supported|✗ contradicted")
	p.Is(`getComputedStyle(document.querySelector('.change[open] .flip .claim-text')).display`, "none")
	p.Press(kb.Escape)
	p.Is(`document.querySelectorAll('.change[open]').length + document.activeElement.tagName`, "0SUMMARY")

	// A hostile text does nothing, seen or not.
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
	t.Run("has no fault that axe finds", func(t *testing.T) {
		p.T = t
		p.LoadAxe()
		for _, scheme := range []string{"dark", "light"} {
			p.Scheme(scheme)
			p.Axe(scheme)
		}
	})
}

// shot takes a picture, where that is asked for.
func shot(p *browsertest.Tab, name string) {
	p.T.Helper()
	if *shots != "" {
		p.Picture(*shots, name, true)
	}
}
