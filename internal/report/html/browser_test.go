package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ragfaith/ragfaith/internal/report"
)

// openRow opens the row at a position of the table, which must be near the start.
func openRow(p *tab, position int) {
	p.T.Helper()
	row := fmt.Sprintf(`document.querySelector('.row[data-position="%d"]')`, position)
	p.RunScript(`document.getElementById('grid').scrollIntoView()`)
	p.WaitFor(row+` !== null`, "true") // drawn when scrolled into view
	p.RunScript(row + `.click()`)
	p.WaitFor(`document.getElementById('detail').open`, "true")
}

// indexes is a script that returns the indexes of the rows in the table.
const indexes = `[...document.querySelectorAll('.row .at-index')].map((e) => e.textContent).join(' ')`

func TestPageInBrowser(t *testing.T) {
	b := startBrowser(t)
	page := render(t, Run{Datasets: []string{"d.jsonl"}, Tally: report.NewTally("", []string{"model"}, 0)}, scoredRow(), hostileRow(), refusedRow(), failedRow())
	for name, test := range map[string]func(*tab){
		"sorting": func(p *tab) {
			p.WaitFor(indexes, "0 1 3 2") // rows without a score come last, failed ones first
			p.WaitFor(`document.querySelector('.head .at-faithfulness').ariaSort`, "ascending")
			p.Click(".head .at-faithfulness button")
			p.WaitFor(indexes, "1 0 3 2") // in both directions
			p.WaitFor(`document.querySelector('.head .at-faithfulness').ariaSort`, "descending")
			p.WaitFor(`document.getElementById('row-count').textContent`, "4 rows, sorted by score, descending")
			p.WaitFor(`location.hash`, "#sort=-faithfulness")
			p.Click(".head .at-confidence button")
			p.WaitFor(indexes, "0 3 1 2") // rows without a confidence come last
			p.Click(".head .at-status button")
			p.WaitFor(indexes, "3 2 0 1")
		},
		"filtering": func(p *tab) {
			p.SetField("status", "failed")
			p.WaitFor(indexes, "3")
			p.WaitFor(`document.getElementById('row-count').textContent`, "1 of 4 rows, sorted by score")
			p.WaitFor(`location.hash`, "#status=failed")
			p.SetField("status", "")
			p.SetField("verdict", "contradicted")
			p.WaitFor(indexes, "0")
			p.SetField("verdict", "supported")
			p.WaitFor(indexes, "1")
			p.SetField("verdict", "")
			p.SetField("min", "0.5")
			p.WaitFor(indexes, "1")
			p.SetField("max", "1")
			p.WaitFor(indexes, "")
			p.SetField("min", "0.3")
			p.WaitFor(indexes, "0")
			p.Click("#clear")
			p.SetField("column.model", "=m-1")
			p.WaitFor(indexes, "0")
			p.WaitFor(`location.hash`, "#column.model=%3Dm-1")
			p.SetField("column.__proto__", `={"faithfulness":9}`)
			p.WaitFor(indexes, "")
			p.Click("#clear")
			p.WaitFor(`location.hash`, "")
			p.Do(chromedp.SendKeys(chromedp.CSS("#search"), "no reply"))
			p.WaitFor(indexes, "3")
			p.WaitFor(`document.querySelector('.row .trouble').textContent.startsWith('verdict: no reply <')`, "true")
			p.Click("#clear")
			p.Do(chromedp.SendKeys(chromedp.CSS("#search"), "RED 東京"))
			p.WaitFor(indexes, "0")
			p.Do(chromedp.SendKeys(chromedp.CSS("#search"), " nowhere"))
			p.WaitFor(indexes, "")
			p.WaitFor(`document.getElementById('row-count').textContent`, "No matching rows. “Reset filters” shows all.")
			p.Click("#clear")
			p.WaitFor(indexes, "0 1 3 2")
			p.WaitFor(`document.activeElement.id`, "search")
			p.Click(".share-list a[href='#verdict=contradicted']")
			p.WaitFor(indexes, "0")
			p.Click(".facts a[href='#status=failed']")
			p.WaitFor(indexes, "3")
		},
		"marks of spans in code points": func(p *tab) {
			p.Click(".row")
			p.WaitFor(`document.getElementById('detail').open`, "true")
			p.WaitFor(textsExpr(".answer mark"), "Opened in 1958.|高さは|999メートル|。|It is red.")
			p.WaitFor(textsExpr(".answer u.unsupported"), "999メートル")
			p.WaitFor(textsExpr(".answer .number"), "0✓|1✗|2?")
			p.WaitFor(textsExpr("[data-chunk='0'] mark"), "opened in 1958|333 m")
			p.WaitFor(textsExpr("[data-chunk='1'] mark"), "🐼 red")
			p.WaitFor(textsExpr(".claim-card .unsupported"), "999メートル")
			p.WaitFor(textsExpr(".claim-card .score"), " · score 0.98 · confidence 0.95| · score 0.01 · confidence 0.62| · score 0.30")
			p.WaitFor(textsExpr(".claim-card .quote .which"), "Chunk 0 |Contradicts it, chunk 0 |Nearest passage, chunk 1 ")
			p.WaitFor(textsExpr(".legend"), "✗ contradicts a claim · ? nearest to a claim, but does not support it")
			p.WaitFor(`[...document.querySelectorAll('.chunk .number')].map((e) => e.title).join('|')`,
				"Evidence for claim 0, supported|Contradicts claim 1, contradicted|Nearest passage to claim 2, not mentioned")
			p.WaitFor(textsExpr(".claim-card .badge"), "✓ supported|✗ contradicted|? not mentioned")
			p.WaitFor(textsExpr(".kept dd"), "m-1|12345678901234567890")
			p.WaitFor(`[...document.querySelectorAll('.chunk .text')].map((e) => { const c = e.cloneNode(true); c.querySelectorAll('.number').forEach((n) => n.remove()); return c.textContent; }).join('|')`,
				strings.Join(scoredRow().Contexts, "|"))
		},
		"selecting a claim and its evidence": func(p *tab) {
			p.Click(".row")
			p.Click(".answer .number.contradicted")
			p.WaitFor(textsExpr("mark.selected"), "高さは|999メートル|。|333 m")
			p.WaitFor(`document.querySelector('.claim-card.selected .which').textContent`, " claim 1")
			p.WaitFor(`document.querySelectorAll('[aria-pressed=true]').length`, "3")
			p.Click(".answer .number.contradicted")
			p.WaitFor(textsExpr("mark.selected"), "")
			p.Click(".claim-card.supported .quote")
			p.WaitFor(`document.activeElement.textContent + document.activeElement.closest('[data-chunk]').dataset.chunk`, "0✓0")
			p.Click(".claim-card.not_mentioned .quote")
			p.WaitFor(textsExpr(".chunk mark.selected"), "🐼 red")
			p.WaitFor(`document.activeElement.textContent + document.activeElement.closest('[data-chunk]').dataset.chunk`, "2?1")
		},
		"hostile texts": func(p *tab) {
			p.WaitFor(`document.querySelectorAll('body a:not([href^="#"]), option *').length`, "0")
			openRow(p, 1)
			p.WaitFor(`document.querySelector('#detail-title .id')?.textContent.includes('</script>')`, "true")
			p.WaitFor(`document.querySelector('.answer mark').textContent`, strings.NewReplacer(
				"\u2028", "U+2028", "\u2029", "U+2029", "\u202e", "U+202E", "\u202c", "U+202C").Replace(hostile))
			p.WaitFor(`document.querySelectorAll('body img, dialog a, dialog script, dialog style, main script, dialog svg, [onerror], [onload], iframe').length`, "0")
			p.WaitFor(`typeof window.hacked`, "undefined")
			p.WaitFor(`document.querySelectorAll('.kept dt').length`, "2")
			// Not even the script of the page can turn text into markup.
			p.WaitFor(`(() => { try { document.body.innerHTML = '<b>'; return 'allowed' } catch { return 'refused' } })()`, "refused")
			p.ClearErrors() // the refusal is reported
		},
		"keyboard": func(p *tab) {
			// chromedp would also send the character, which the browser would not.
			p.RunScript(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true}))`)
			p.WaitFor(`document.activeElement.id`, "search")
			p.Press(kb.ArrowDown)
			p.WaitFor(`document.activeElement.dataset.position`, "0")
			p.Press(kb.ArrowDown)
			p.Press(kb.ArrowDown)
			p.WaitFor(`document.activeElement.dataset.position`, "2")
			p.WaitFor(`getComputedStyle(document.activeElement).outlineStyle`, "solid")
			p.Press(kb.Enter)
			p.WaitFor(`document.activeElement.textContent`, "Row 3 ")
			p.WaitFor(textsExpr(".claim-card .badge"), "– not judged|– not judged")
			p.Press(kb.ArrowRight)
			p.WaitFor(`document.activeElement.textContent`, "Row 2 refused")
			p.WaitFor(`document.querySelector('.where').textContent`, "4 of 4")
			p.Press(kb.Escape)
			p.WaitFor(`document.getElementById('detail').open`, "false")
			p.WaitFor(`document.activeElement.dataset.position`, "3")
			p.Press(kb.Home)
			p.Press(kb.Enter)
			p.WaitFor(`document.activeElement.textContent`, "Row 0 spans")
			for range 20 {
				p.Press(kb.Tab)
				if p.Eval(`document.activeElement.matches('.verdict')`) == true {
					break
				}
			}
			p.Press(kb.ArrowDown)
			p.WaitFor(textsExpr(".claim-card.selected .which"), " claim 1|Contradicts it, chunk 0 ")
			p.WaitFor(textsExpr("mark.selected"), "高さは|999メートル|。|333 m")
		},
		"dark theme": func(p *tab) {
			const background = `getComputedStyle(document.body).backgroundColor`
			p.SetColorScheme("light")
			p.WaitFor(background, "rgb(255, 255, 255)")
			p.SetColorScheme("dark")
			p.WaitFor(background, "rgb(20, 23, 27)")
		},
		"narrow and wide screens": func(p *tab) {
			for _, width := range []int64{320, 360, 900, 1600} {
				p.SetViewport(width, 740)
				p.WaitFor(`document.documentElement.scrollWidth <= innerWidth`, "true")
				openRow(p, 1)
				p.WaitFor(`[...document.querySelectorAll('dialog, dialog *')].filter((e) => !e.closest('.bar h2') && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible').map((e) => e.className).join()`, "")
				p.Press(kb.Escape)
				p.WaitFor(`document.getElementById('detail').open`, "false")
			}
		},
		"printing": func(p *tab) {
			p.RunScript(`dispatchEvent(new Event('beforeprint'))`)
			p.WaitFor(indexes, "0 1 3 2")
			p.WaitFor(`document.querySelector('.body').style.height`, "auto")
			p.RunScript(`dispatchEvent(new Event('afterprint'))`)
			p.WaitFor(indexes, "0 1 3 2")
			p.Click(".row")
			call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
			p.WaitFor(`getComputedStyle(document.getElementById('main')).display`, "none")
			p.WaitFor(`getComputedStyle(document.querySelector('.side')).overflowY`, "visible")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.Open(t, page, "")
			p.T = t
			test(p)
		})
	}

	t.Run("linked row", func(t *testing.T) { testLinkedRow(t, b, page) })
	t.Run("linked filters", func(t *testing.T) { testLinkedFilters(t, b) })
	t.Run("histogram", func(t *testing.T) { testHistogram(t, b) })
	t.Run("columns", func(t *testing.T) { testColumns(t, b) })
	t.Run("opening a row while another closes", func(t *testing.T) { testOpenDuringClose(t, b) })
	t.Run("damaged file", func(t *testing.T) { testDamagedFile(t, b, page) })
	t.Run("citations", func(t *testing.T) { testCitations(t, b) })
	t.Run("many rows", func(t *testing.T) { testManyRows(t, b) })
	t.Run("accessibility", func(t *testing.T) { testAccessibility(t, b, page) })
}
