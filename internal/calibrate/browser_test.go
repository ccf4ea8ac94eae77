package calibrate

import (
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
)

func TestPageInBrowser(t *testing.T) {
	r := exampleReport(t)
	r.Results = strings.Repeat("results-of-a-long-name-", 20)
	r.Statistics.Notes = []string{"a note"}
	var b strings.Builder
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	p := browsertest.Start(t).Load(t, b.String(), "")
	p.WaitFor(`document.readyState`, "complete")
	for _, width := range []int64{320, 500, 1400} {
		p.SetViewport(width, 1200)
		p.WaitFor(`document.documentElement.scrollWidth <= innerWidth`, "true")
		p.WaitFor(`document.querySelector('.verdicts thead').getBoundingClientRect().height > 10`, "true")
	}
	p.LoadAxe()
	p.EachLook(func(look string) { p.CheckAccessibility(look) })
}
