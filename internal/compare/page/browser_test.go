package page

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// A tab is a page in a browser.
type tab struct {
	t   testing.TB
	ctx context.Context //nolint:containedctx // chromedp names a tab by it
}

// open opens a page in Chromium, or skips the test where there is none. What the
// browser reports of it is a fault.
func open(t *testing.T, page string) *tab {
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
	ctx, cancel = context.WithTimeout(ctx, 8*time.Minute) // far more than a test takes; a page that hangs ends
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Error(e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			t.Error(string(e.Entry.Source) + ": " + e.Entry.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "compare.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	call(p, log.Enable, cdp.Empty{})
	p.size(1600, 1200)
	p.do(chromedp.Navigate("file://"+filepath.ToSlash(file)), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	return p
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

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

func (p *tab) scheme(value string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
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

// is waits until the value of a script, as fmt writes it, is want.
func (p *tab) is(script, want string) {
	p.t.Helper()
	var got any
	for range 200 {
		if got = p.value(script); fmt.Sprint(got) == want {
			return
		}
		p.value(`new Promise((done) => setTimeout(() => done(0), 15))`) // the page works in its own time
	}
	p.t.Errorf("%s\n got %v\nwant %v", script, got, want)
}

func (p *tab) choose(id, value string) {
	p.t.Helper()
	p.value(fmt.Sprintf(`{const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change"))}`, id, value))
}

const (
	seen  = `document.querySelectorAll('.change:not([hidden])').length`
	first = `document.querySelector('.change:not([hidden]) .at-id').textContent`
)

func TestThePageInABrowser(t *testing.T) {
	p := open(t, rendered(t, compared(t)))
	p.is(seen, "16")
	p.is(`document.getElementById('said').textContent`, "16 rows")
	p.choose("way", "better")
	p.is(first, "risen")
	p.is(`document.getElementById('said').textContent`, "1 of 16 rows")
	p.choose("way", "same")
	p.is(first, "even")
	p.do(chromedp.Click(chromedp.CSS("#clear"), chromedp.NodeVisible))
	p.is(seen, "16")
	p.choose("order", "best")
	p.is(first, "risen")
	p.choose("order", "id")
	p.is(`[...document.querySelectorAll('.at-id')].slice(1, 4).map((e) => e.textContent).join()`, "0,1,2")
	p.choose("order", "worst")
	p.do(chromedp.SendKeys(chromedp.CSS("#search"), "🐼 OLD"))
	p.is(seen, "1")
	p.do(chromedp.KeyEvent(kb.ArrowDown))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.is(`document.querySelector('.change[open] .at-id').textContent`, "turned")
	p.is(`[...document.querySelectorAll('.change[open] mark')].map((e) => e.textContent).join('|')`, "It is 🐼 red.|It is old.|It was here.|It is 🐼 red.|It is old.|It is new.")
	p.is(`[...document.querySelectorAll('.change[open] .flip .badge')].map((e) => e.textContent).join('|')`, "✓ supported|✗ contradicted")
	p.is(`getComputedStyle(document.querySelector('.change[open] .flip .claim-text')).display`, "none")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.is(`document.querySelectorAll('.change[open]').length + document.activeElement.tagName`, "0SUMMARY")

	// A hostile text does nothing, seen or not.
	p.value(`document.querySelectorAll('.change').forEach((e) => { e.hidden = false; e.open = true; })`)
	p.is(`document.querySelectorAll('body img, body a, main script, main style, iframe, [onerror]').length + typeof window.hacked`, "0undefined")

	for _, width := range []int64{320, 500, 900, 1600} {
		p.size(width, 1200)
		p.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		p.shot(fmt.Sprintf("compare-%d-light", width))
	}
	p.scheme("dark")
	p.is(`getComputedStyle(document.body).backgroundColor`, "rgb(20, 23, 27)")
	p.shot("compare-1600-dark")
	p.accessible()
	p.scheme("light")
	p.accessible()
}

// shot takes a picture, where that is asked for.
func (p *tab) shot(name string) {
	p.t.Helper()
	if *shots == "" {
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), picture, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// accessible has axe-core look at the page, where that is on this machine.
func (p *tab) accessible() {
	p.t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		p.t.Skip(err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "ragfaith", "test-libraries", "axe-core-*", "axe.min.js"))
	if err != nil || len(found) == 0 {
		p.t.Skip("axe-core is not there: scripts/fetch-axe.sh")
	}
	axe, err := os.ReadFile(found[0])
	if err != nil {
		p.t.Fatal(err)
	}
	p.value(string(axe) + "; 0")
	p.is(`axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html + n.failureSummary).join()).join("; "))`, "")
	if strings.Contains(fmt.Sprint(p.value(`axe.version`)), "undefined") {
		p.t.Error("axe did not run")
	}
}
