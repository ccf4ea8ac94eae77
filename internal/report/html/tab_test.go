package html

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A tab is a page in a browser. Its methods end the test if they fail.
type tab struct {
	T      testing.TB      // test to report errors to
	ctx    context.Context //nolint:containedctx // identifies the tab in chromedp
	mu     sync.Mutex
	errors []string // exceptions and CSP violations
}

// Close closes the tab before the test ends.
func (t *tab) Close() {
	t.T.Helper()
	if err := chromedp.Cancel(t.ctx); err != nil {
		t.T.Fatal(err)
	}
}

// ClearErrors discards the errors that the browser has reported so far.
func (t *tab) ClearErrors() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errors = nil
}

// Do runs actions.
func (t *tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	t.T.Helper()
	if err := chromedp.Do(t.ctx, actions...); err != nil {
		t.T.Fatal(err)
	}
}

// call sends a command to the browser and returns its result.
func call[P, R any](t *tab, command cdp.Command[P, R], params P) R {
	t.T.Helper()
	r, err := chromedp.Call(t.ctx, command, params)
	if err != nil {
		t.T.Fatal(err)
	}
	return r
}

// SetViewport sets the size of the window, in CSS pixels.
func (t *tab) SetViewport(width, height int64) {
	t.T.Helper()
	call(t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500,
	})
}

// SetColorScheme sets the preferred color scheme, dark or light.
func (t *tab) SetColorScheme(value string) {
	t.T.Helper()
	call(t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
}

// EachLook calls check in both color schemes and at two widths. look describes them.
func (t *tab) EachLook(check func(look string)) {
	t.T.Helper()
	for _, scheme := range []string{"light", "dark"} {
		t.SetColorScheme(scheme)
		for _, width := range []int64{500, 1400} {
			t.SetViewport(width, 900)
			check(fmt.Sprintf("%s, %d wide", scheme, width))
		}
	}
}

// RunScript runs a script.
func (t *tab) RunScript(script string) {
	t.T.Helper()
	t.Eval("(() => {" + script + "})()")
}

// Eval returns the value of an expression, or of its promise.
func (t *tab) Eval(script string) any {
	t.T.Helper()
	v, err := chromedp.Run(t.ctx, chromedp.Evaluate[any](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.T.Fatalf("%s: %v", script, err)
	}
	return v
}

// WaitFor waits until the value of an expression, formatted by fmt, is want. After a
// timeout it reports an error and the test continues.
func (t *tab) WaitFor(script, want string) {
	t.T.Helper()
	var got any
	for range 200 {
		if got = t.Eval(script); fmt.Sprint(got) == want {
			return
		}
		// poll every 15 ms
		t.Eval(`new Promise((done) => setTimeout(() => done(0), 15))`)
	}
	t.T.Errorf("%s\n got %v\nwant %v", script, got, want)
}

// Click clicks the first element that matches a selector.
func (t *tab) Click(selector string) {
	t.T.Helper()
	t.Do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Press presses keys, such as the constants of package kb.
func (t *tab) Press(keys string) {
	t.T.Helper()
	t.Do(chromedp.KeyEvent(keys))
}

// SetField sets the field of the search form with the given name.
func (t *tab) SetField(name, value string) {
	t.T.Helper()
	t.RunScript(fmt.Sprintf(`const f = document.getElementById("tools").elements.namedItem(%s);
		f.value = %s; f.dispatchEvent(new Event("input", {bubbles: true}))`, quote(name), quote(value)))
}

// quote returns s as a JavaScript string.
func quote(s string) string {
	b, _ := json.Marshal(s) // never fails
	return string(b)
}

// textsExpr returns an expression for the texts of all elements that match a selector, joined
// by |.
func textsExpr(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].map((e) => e.textContent).join('|')`, quote(selector))
}
