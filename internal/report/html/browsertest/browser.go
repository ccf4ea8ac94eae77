// Package browsertest opens HTML pages in Chromium for tests.
package browsertest

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

// A Browser is a running Chromium.
type Browser struct {
	ctx context.Context //nolint:containedctx // identifies the browser in chromedp
}

// Start starts Chromium until the test ends. It skips the test with -short or if Chromium
// is not installed.
func Start(t testing.TB) Browser {
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
	return Browser{ctx}
}

// Load opens a page, given as HTML, in a new tab without waiting for its scripts. The hash
// is empty or a fragment such as "#row=2". The tab is closed when the test ends, or after 4
// minutes.
func (b Browser) Load(t testing.TB, page, hash string) *Tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute) // much longer than any test takes
	t.Cleanup(cancel)
	tab := &Tab{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, func(event any) {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			tab.errors = append(tab.errors, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			tab.errors = append(tab.errors, string(e.Entry.Source)+": "+e.Entry.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	tab.SetViewport(1600, 1000)
	Call(tab, log.Enable, cdp.Empty{})
	tab.Do(chromedp.Navigate("file://" + filepath.ToSlash(file) + hash))
	return tab
}

// Open is like Load and waits until the page is ready, which the page reports by the
// attribute data-ready of its root. Exceptions and CSP violations until the end of the test are
// errors.
func (b Browser) Open(t testing.TB, page, hash string) *Tab {
	t.Helper()
	tab := b.Load(t, page, hash)
	tab.Do(chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	t.Cleanup(func() {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		if len(tab.errors) > 0 {
			t.Errorf("errors in the browser: %s", strings.Join(tab.errors, "\n"))
		}
	})
	return tab
}
