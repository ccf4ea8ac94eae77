package html

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var shots = flag.String("shots", "", "write pictures of the page into this folder")

// A browser is a real one, and a tab a page in it. chromedp names them by a
// context.
type browser struct {
	ctx context.Context //nolint:containedctx // see above
}

type tab struct {
	t   testing.TB
	ctx context.Context //nolint:containedctx // see above
	mu  sync.Mutex
	bad []string // exceptions, and what the policy refused
}

// withBrowser starts Chromium, or skips the test where there is none.
func withBrowser(t testing.TB) browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is started without -short only")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WSURLReadTimeout(5*time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return browser{ctx}
}

// open opens a page from a file and waits until its rows are there.
func (b browser) open(t testing.TB, page, hash string) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute) // far more than a test takes; a page that hangs ends
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			p.bad = append(p.bad, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			p.bad = append(p.bad, string(e.Entry.Source)+": "+e.Entry.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	p.size(1600, 1000)
	call(p, log.Enable, cdp.Empty{})
	p.do(chromedp.Navigate("file://" + filepath.ToSlash(file) + hash))
	return p
}

// opened is open for a page whose rows can be read.
func (b browser) opened(t testing.TB, page, hash string) *tab {
	t.Helper()
	p := b.open(t, page, hash)
	p.do(chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.bad) > 0 {
			t.Errorf("the browser reports: %s", strings.Join(p.bad, "\n"))
		}
	})
	return p
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// run does a script.
func (p *tab) run(script string) {
	p.t.Helper()
	p.value("(() => {" + script + "})()")
}

// value is that of a script, or of its promise.
func (p *tab) value(script string) any {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[any](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// call sends the browser a command.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) size(width, height int64) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
	})
}

// scheme sets what the system prefers, dark or light.
func (p *tab) scheme(value string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
}

// is waits until the value of a script, as fmt writes it, is want.
func (p *tab) is(script, want string) {
	p.t.Helper()
	var got any
	for range 200 {
		if got = p.value(script); fmt.Sprint(got) == want {
			return
		}
		// the page works in its own time: let it have a frame
		p.value(`new Promise((done) => setTimeout(() => done(0), 15))`)
	}
	p.t.Errorf("%s\n got %v\nwant %v", script, got, want)
}

func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

func (p *tab) press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// row opens a row by its place in the table, which must be near the beginning.
func (p *tab) row(place int) {
	p.t.Helper()
	row := fmt.Sprintf(`document.querySelector('.row[data-place="%d"]')`, place)
	p.run(`document.getElementById('grid').scrollIntoView()`)
	p.is(row+` !== null`, "true") // it is drawn when it comes into view
	p.run(row + `.click()`)
	p.is(`document.getElementById('detail').open`, "true")
}

// choose takes an option of a select element.
func (p *tab) choose(id, value string) {
	p.t.Helper()
	p.run(fmt.Sprintf(`{const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change"))}`, id, value))
}

// ids lists the rows of the table by their index.
const ids = `[...document.querySelectorAll('.row .at-index')].map((e) => e.textContent).join(' ')`

// texts lists the texts of the elements of a selector.
func texts(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.textContent).join('|')`, selector)
}

func TestPageInABrowser(t *testing.T) {
	b := withBrowser(t)
	some := rendered(t, Run{Datasets: []string{"d.jsonl"}}, scoredRow(), hostileRow(), refusedRow(), failedRow())
	for name, test := range map[string]func(*tab){
		"sorts": func(p *tab) {
			p.is(ids, "0 1 2 3")
			p.click(".head .at-faithfulness button")
			p.is(ids, "0 1 2 3") // rows without a score come last,
			p.is(`document.querySelector('.head .at-faithfulness').ariaSort`, "ascending")
			p.click(".head .at-faithfulness button")
			p.is(ids, "1 0 2 3") // whichever way it goes
			p.is(`document.querySelector('.head .at-faithfulness').ariaSort`, "descending")
			p.is(`document.getElementById('said').textContent`, "4 rows, by score, falling")
			p.click(".head .at-status button")
			p.is(ids, "3 2 0 1")
		},
		"filters by status, verdict and words": func(p *tab) {
			p.choose("status", "failed")
			p.is(ids, "3")
			p.is(`document.getElementById('said').textContent`, "1 of 4 rows, by place in the dataset")
			p.choose("status", "")
			p.choose("verdict", "contradicted")
			p.is(ids, "0")
			p.choose("verdict", "supported")
			p.is(ids, "1")
			p.choose("verdict", "")
			p.do(chromedp.SendKeys(chromedp.CSS("#search"), "RED 東京"))
			p.is(ids, "0")
			p.do(chromedp.SendKeys(chromedp.CSS("#search"), " nowhere"))
			p.is(ids, "")
			p.is(`document.getElementById('said').textContent.startsWith('No row matches')`, "true")
			p.click("#clear")
			p.is(ids, "0 1 2 3")
			p.is(`document.activeElement.id`, "search")
		},
		"marks the places that are counted in code points": func(p *tab) {
			p.click(".row")
			p.is(`document.getElementById('detail').open`, "true")
			p.is(texts(".answer mark"), "Opened in 1958.|高さは|999メートル|。|It is red.")
			p.is(texts(".answer u.unsupported"), "999メートル")
			p.is(texts(".answer .number"), "0✓|1✗|2?")
			p.is(texts("[data-chunk='0'] mark"), "opened in 1958|333 m")
			p.is(texts("[data-chunk='1'] mark"), "🐼 red")
			p.is(texts(".claim-card .unsupported"), "999メートル")
			p.is(texts(".claim-card .badge"), "✓ supported|✗ contradicted|? not mentioned")
			p.is(texts(".kept dd"), "m-1|12345678901234567890")
			p.is(`[...document.querySelectorAll('.chunk .text')].map((e) => { const c = e.cloneNode(true); c.querySelectorAll('.number').forEach((n) => n.remove()); return c.textContent; }).join('|')`,
				strings.Join(scoredRow().Row.Contexts, "|"))
		},
		"points out a claim and its evidence": func(p *tab) {
			p.click(".row")
			p.click(".answer .number.contradicted")
			p.is(texts("mark.chosen"), "高さは|999メートル|。|333 m")
			p.is(`document.querySelector('.claim-card.chosen .which').textContent`, " claim 1")
			p.is(`document.querySelectorAll('[aria-pressed=true]').length`, "3")
			p.click(".answer .number.contradicted")
			p.is(texts("mark.chosen"), "")
			p.click(".claim-card.supported .quote")
			p.is(`document.activeElement.textContent + document.activeElement.closest('[data-chunk]').dataset.chunk`, "0✓0")
		},
		"lets a hostile text do nothing": func(p *tab) {
			p.row(1)
			p.is(`document.querySelector('#detail-title .id')?.textContent.includes('</script>')`, "true")
			p.is(`document.querySelector('.answer mark').textContent`, strings.NewReplacer(
				"\u2028", "U+2028", "\u2029", "U+2029", "\u202e", "U+202E", "\u202c", "U+202C").Replace(hostile))
			p.is(`document.querySelectorAll('body img, body a, dialog script, dialog style, main script, dialog svg, [onerror], [onload], iframe').length`, "0")
			p.is(`typeof window.hacked`, "undefined")
			p.is(`document.querySelectorAll('.kept dt').length`, "2")
			// Even a script of the page could make no markup of a text, and no other runs.
			p.is(`(() => { try { document.body.innerHTML = '<b>'; return 'made' } catch { return 'refused' } })()`, "refused")
			p.mu.Lock()
			p.bad = nil // that refusal is reported, as it should be
			p.mu.Unlock()
		},
		"works with the keyboard alone": func(p *tab) {
			// Only the key goes down: the character that follows it is a driver's, not a browser's.
			p.run(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true}))`)
			p.is(`document.activeElement.id`, "search")
			p.press(kb.ArrowDown)
			p.is(`document.activeElement.dataset.place`, "0")
			p.press(kb.ArrowDown)
			p.press(kb.ArrowDown)
			p.is(`document.activeElement.dataset.place`, "2")
			p.is(`getComputedStyle(document.activeElement).outlineStyle`, "solid")
			p.press(kb.Enter)
			p.is(`document.activeElement.textContent`, "Row 2 refused")
			p.press(kb.ArrowRight)
			p.is(`document.activeElement.textContent`, "Row 3 ")
			p.is(`document.querySelector('.where').textContent`, "4 of 4")
			p.is(texts(".claim-card .badge"), "– not judged|– not judged")
			p.press(kb.Escape)
			p.is(`document.getElementById('detail').open`, "false")
			p.is(`document.activeElement.dataset.place`, "3")
			p.press(kb.Home)
			p.press(kb.Enter)
			p.is(`document.activeElement.textContent`, "Row 0 places")
			for range 20 {
				p.press(kb.Tab)
				if p.value(`document.activeElement.matches('.verdict')`) == true {
					break
				}
			}
			p.press(kb.ArrowDown)
			p.is(texts(".claim-card.chosen .which"), " claim 1|Chunk 0 ")
			p.is(texts("mark.chosen"), "高さは|999メートル|。|333 m")
		},
		"is dark where that is preferred or chosen": func(p *tab) {
			const background = `getComputedStyle(document.body).backgroundColor`
			p.scheme("light")
			p.is(background, "rgb(255, 255, 255)")
			p.scheme("dark")
			p.is(background, "rgb(20, 23, 27)")
			p.click("#theme")
			p.is(background, "rgb(255, 255, 255)")
			p.is(`document.getElementById('theme').textContent`, "Theme: light")
			p.scheme("light")
			p.click("#theme")
			p.is(background, "rgb(20, 23, 27)")
			p.click("#theme")
			p.is(background, "rgb(255, 255, 255)")
		},
		"fits narrow and wide screens": func(p *tab) {
			for _, width := range []int64{320, 360, 900, 1600} {
				p.size(width, 740)
				p.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
				p.row(1)
				p.is(`[...document.querySelectorAll('dialog, dialog *')].filter((e) => !e.closest('.bar h2') && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible').map((e) => e.className).join()`, "")
				p.press(kb.Escape)
				p.is(`document.getElementById('detail').open`, "false")
			}
		},
		"prints rows, and an open row in full": func(p *tab) {
			p.run(`dispatchEvent(new Event('beforeprint'))`)
			p.is(ids, "0 1 2 3")
			p.is(`document.querySelector('.body').style.height`, "auto")
			p.run(`dispatchEvent(new Event('afterprint'))`)
			p.is(ids, "0 1 2 3")
			p.click(".row")
			call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
			p.is(`getComputedStyle(document.getElementById('main')).display`, "none")
			p.is(`getComputedStyle(document.querySelector('.side')).overflowY`, "visible")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.opened(t, some, "")
			p.t = t
			test(p)
		})
	}

	t.Run("opens the row that the address names", func(t *testing.T) { openLinked(t, b, some) })
	t.Run("opens the next row as soon as one is closed", func(t *testing.T) { openNext(t, b) })
	t.Run("says that a file is damaged", func(t *testing.T) { openDamaged(t, b, some) })
	t.Run("draws only what is seen of many rows", func(t *testing.T) { openMany(t, b) })
	if *shots != "" {
		t.Run("is looked at", func(t *testing.T) { look(t, b) })
	}
	t.Run("has no fault that axe finds", func(t *testing.T) { accessible(t, b, some) })
}
