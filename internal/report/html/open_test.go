package html

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
)

var pageFile = flag.String("page", "", "report for BenchmarkOpen")

// BenchmarkOpen opens the report in -page in a new tab and measures the time from the
// start of the navigation until the first rows and all rows are shown, and the time of a
// search and of sorting. scripts/bench-page.sh runs it.
func BenchmarkOpen(b *testing.B) {
	if *pageFile == "" {
		b.Skip("-page is not set")
	}
	page, err := os.ReadFile(*pageFile)
	if err != nil {
		b.Fatal(err)
	}
	chromium := startBrowser(b)
	var first, all, search, sort, heap float64
	for b.Loop() {
		p := chromium.Open(b, string(page), "")
		var at struct{ First, All, Search, Sort, Heap float64 }
		text := p.Eval(`(() => {
			const mark = (name) => performance.getEntriesByName(name)[0].startTime;
			const measure = (work) => { const start = performance.now(); work(); document.body.offsetHeight; return performance.now() - start; };
			const search = document.getElementById('search');
			return JSON.stringify({
				First: mark('first rows'), All: mark('all rows'),
				Search: measure(() => { search.value = 'the water'; document.querySelector('[name=status]').dispatchEvent(new Event('input', {bubbles: true})); }),
				Sort: measure(() => document.querySelector('.head .at-support button').click()),
			});
		})()`).(string)
		if err := json.Unmarshal([]byte(text), &at); err != nil {
			b.Fatal(err)
		}
		call(p, heapprofiler.CollectGarbage, cdp.Empty{})
		at.Heap = call(p, runtime.GetHeapUsage, cdp.Empty{}).UsedSize / 1e6
		first, all, search, sort, heap = first+at.First, all+at.All, search+at.Search, sort+at.Sort, heap+at.Heap
		p.Close()
	}
	n := float64(b.N)
	b.ReportMetric(first/n, "ms/first-rows")
	b.ReportMetric(all/n, "ms/all-rows")
	b.ReportMetric(search/n, "ms/search")
	b.ReportMetric(sort/n, "ms/sort")
	b.ReportMetric(heap/n, "MB-heap")
	b.ReportMetric(float64(len(page))/1e6, "MB-file")
}
