package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A Tab is a page in a browser. Its methods end the test if they fail.
type Tab struct {
	T      testing.TB      // test to report errors to
	ctx    context.Context //nolint:containedctx // identifies the tab in chromedp
	mu     sync.Mutex
	errors []string // exceptions and violations of the policy
}

// Close closes the tab before the test ends.
func (p *Tab) Close() {
	p.T.Helper()
	if err := chromedp.Cancel(p.ctx); err != nil {
		p.T.Fatal(err)
	}
}

// ClearErrors discards the errors that the browser has reported so far.
func (p *Tab) ClearErrors() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors = nil
}

// Do runs actions.
func (p *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.T.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.T.Fatal(err)
	}
}

// Call sends a command to the browser and returns its result.
func Call[P, R any](p *Tab, command cdp.Command[P, R], params P) R {
	p.T.Helper()
	r, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.T.Fatal(err)
	}
	return r
}

// Size sets the size of the window, in CSS pixels.
func (p *Tab) Size(width, height int64) {
	p.T.Helper()
	Call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
	})
}

// Scheme sets the preferred color scheme, dark or light.
func (p *Tab) Scheme(value string) {
	p.T.Helper()
	Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
}

// Run runs a script.
func (p *Tab) Run(script string) {
	p.T.Helper()
	p.Value("(() => {" + script + "})()")
}

// Value returns the value of an expression, or of its promise.
func (p *Tab) Value(script string) any {
	p.T.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[any](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.T.Fatalf("%s: %v", script, err)
	}
	return v
}

// Is waits until the value of an expression, formatted by fmt, is want. If that does not
// happen, it reports an error and the test continues.
func (p *Tab) Is(script, want string) {
	p.T.Helper()
	var got any
	for range 200 {
		if got = p.Value(script); fmt.Sprint(got) == want {
			return
		}
		// wait for the next frame
		p.Value(`new Promise((done) => setTimeout(() => done(0), 15))`)
	}
	p.T.Errorf("%s\n got %v\nwant %v", script, got, want)
}

// Click clicks the first element that matches a selector.
func (p *Tab) Click(selector string) {
	p.T.Helper()
	p.Do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Press presses keys, such as the constants of package kb.
func (p *Tab) Press(keys string) {
	p.T.Helper()
	p.Do(chromedp.KeyEvent(keys))
}

// Choose sets the field of the search form with the given name.
func (p *Tab) Choose(name, value string) {
	p.T.Helper()
	p.Run(fmt.Sprintf(`const f = document.getElementById("tools").elements.namedItem(%s);
		f.value = %s; f.dispatchEvent(new Event("input", {bubbles: true}))`, quote(name), quote(value)))
}

// quote returns s as a JavaScript string.
func quote(s string) string {
	b, _ := json.Marshal(s) // never fails
	return string(b)
}

// Texts returns an expression for the texts of all elements that match a selector, joined
// by |.
func Texts(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].map((e) => e.textContent).join('|')`, quote(selector))
}

// Screenshot writes a screenshot of the visible part or of the full page to name.png in a
// directory.
func (p *Tab) Screenshot(dir, name string, full bool) {
	p.T.Helper()
	capture := chromedp.CaptureScreenshot()
	if full {
		capture = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(p.ctx, capture)
	if err != nil {
		p.T.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		p.T.Fatal(err)
	}
}

// Picture returns a picture of the visible part.
func (p *Tab) Picture() image.Image {
	p.T.Helper()
	content, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.T.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		p.T.Fatal(err)
	}
	return picture
}
