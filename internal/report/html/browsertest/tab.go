package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A Tab is a page in a browser. Whatever can't be done in it ends the test.
type Tab struct {
	T   testing.TB      // the test that faults are reported to
	ctx context.Context //nolint:containedctx // chromedp names a tab by it
	mu  sync.Mutex
	bad []string // exceptions, and what the policy refused
}

// Close closes the tab before the test ends.
func (p *Tab) Close() {
	p.T.Helper()
	if err := chromedp.Cancel(p.ctx); err != nil {
		p.T.Fatal(err)
	}
}

// Forgive forgets what the browser has reported of the page so far.
func (p *Tab) Forgive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad = nil
}

// Do does what a person would.
func (p *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.T.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.T.Fatal(err)
	}
}

// Call sends the browser a command.
func Call[P, R any](p *Tab, command cdp.Command[P, R], params P) {
	p.T.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.T.Fatal(err)
	}
}

// Size sets the size of the window, in CSS pixels.
func (p *Tab) Size(width, height int64) {
	p.T.Helper()
	Call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
	})
}

// Scheme sets what the system prefers, dark or light.
func (p *Tab) Scheme(value string) {
	p.T.Helper()
	Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
}

// Run does a script.
func (p *Tab) Run(script string) {
	p.T.Helper()
	p.Value("(() => {" + script + "})()")
}

// Value is that of a script, or of its promise.
func (p *Tab) Value(script string) any {
	p.T.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[any](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.T.Fatalf("%s: %v", script, err)
	}
	return v
}

// Is waits until the value of a script, as fmt writes it, is want. That it does not
// become so is a fault, and the test goes on.
func (p *Tab) Is(script, want string) {
	p.T.Helper()
	var got any
	for range 200 {
		if got = p.Value(script); fmt.Sprint(got) == want {
			return
		}
		// the page works in its own time: let it have a frame
		p.Value(`new Promise((done) => setTimeout(() => done(0), 15))`)
	}
	p.T.Errorf("%s\n got %v\nwant %v", script, got, want)
}

// Click clicks on the first element of a selector.
func (p *Tab) Click(selector string) {
	p.T.Helper()
	p.Do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Press presses keys, such as those that package kb names.
func (p *Tab) Press(keys string) {
	p.T.Helper()
	p.Do(chromedp.KeyEvent(keys))
}

// Choose takes an option of the select element with an id.
func (p *Tab) Choose(id, value string) {
	p.T.Helper()
	p.Run(fmt.Sprintf(`const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change"))`, id, value))
}

// Texts is a script for the texts of the elements of a selector, with | between
// them.
func Texts(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.textContent).join('|')`, selector)
}

// Picture writes a picture of what is seen, or of the whole page, as a file
// name.png in a folder.
func (p *Tab) Picture(folder, name string, whole bool) {
	p.T.Helper()
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(p.ctx, take)
	if err != nil {
		p.T.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600); err != nil {
		p.T.Fatal(err)
	}
}
