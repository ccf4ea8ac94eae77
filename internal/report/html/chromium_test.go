package html

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A browser is a running Chromium.
type browser struct {
	ctx context.Context //nolint:containedctx // identifies the browser in chromedp
}

// startBrowser starts Chromium until the test ends. It skips the test with -short or if Chromium
// is not installed.
func startBrowser(t testing.TB) browser {
	t.Helper()
	if testing.Short() {
		t.Skip("skipping browser test with -short")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("Chromium is not installed")
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

// Load opens a page, given as HTML, in a new tab without waiting for its scripts. The hash
// is empty or a fragment such as "#row=2". The tab is closed when the test ends, or after 4
// minutes.
func (b browser) Load(t testing.TB, page, hash string) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute) // much longer than any test takes
	t.Cleanup(cancel)
	opened := &tab{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, func(event any) {
		opened.mu.Lock()
		defer opened.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			opened.errors = append(opened.errors, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			opened.errors = append(opened.errors, string(e.Entry.Source)+": "+e.Entry.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	opened.SetViewport(1600, 1000)
	call(opened, log.Enable, cdp.Empty{})
	opened.Do(chromedp.Navigate("file://" + filepath.ToSlash(file) + hash))
	return opened
}

// Open is like Load and waits until the page is ready, which the page reports by the
// attribute data-ready of its root. Exceptions and CSP violations until the end of the test are
// errors.
func (b browser) Open(t testing.TB, page, hash string) *tab {
	t.Helper()
	opened := b.Load(t, page, hash)
	opened.Do(chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	t.Cleanup(func() {
		opened.mu.Lock()
		defer opened.mu.Unlock()
		if len(opened.errors) > 0 {
			t.Errorf("errors in the browser: %s", strings.Join(opened.errors, "\n"))
		}
	})
	return opened
}
