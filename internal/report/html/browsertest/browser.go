// Package browsertest opens the pages that ragfaith writes in a real Chromium, for
// tests of what they do there. It is imported by tests alone.
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
	ctx context.Context //nolint:containedctx // chromedp names a browser by it
}

// Start starts Chromium for as long as the test takes. With -short, and where none
// is installed, the test is skipped.
func Start(t testing.TB) Browser {
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
	return Browser{ctx}
}

// Load opens a page, given as HTML, from a file in a tab of its own, at a hash
// such as "#row-2" or "" for none, and does not wait for its scripts. The tab is
// closed when the test ends, or after 4 minutes.
func (b Browser) Load(t testing.TB, page, hash string) *Tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute) // far more than a test takes; a page that hangs ends
	t.Cleanup(cancel)
	p := &Tab{T: t, ctx: ctx}
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
	p.Size(1600, 1000)
	Call(p, log.Enable, cdp.Empty{})
	p.Do(chromedp.Navigate("file://" + filepath.ToSlash(file) + hash))
	return p
}

// Open is Load for a page that says when it is ready, by data-ready on its root,
// and waits for that. What the browser reports of the page by the end of the test,
// such as an exception or what its policy refused, is a fault.
func (b Browser) Open(t testing.TB, page, hash string) *Tab {
	t.Helper()
	p := b.Load(t, page, hash)
	p.Do(chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.bad) > 0 {
			t.Errorf("the browser reports: %s", strings.Join(p.bad, "\n"))
		}
	})
	return p
}
