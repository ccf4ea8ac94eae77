package html

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// calibration returns a calibration with 200 rows with the given names of files and columns.
func calibration(t *testing.T, name string) *calibrate.Calibration {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // reproducible
	s := calibrate.NewSample(calibrate.Options{})
	for i := range 200 {
		score, label := random.Float64(), calibrate.Label{}
		if random.Float64() < score {
			label.Value = 1
		}
		r := &result.Row{Status: result.Scored, Faithfulness: 0, Support: score, Claims: []result.Claim{{Verdict: result.NotMentioned, Score: score}}}
		if score >= 0.5 {
			r.Faithfulness, r.Claims[0].Verdict = 1, result.Supported
		}
		if err := s.Add(r, &label, fmt.Sprint("row ", i)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := s.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	f.Notes = []string{"a note"}
	source := calibrate.Source{Ragfaith: "ragfaith v1.2.0 (go1.26, linux/amd64)", Results: name, Labels: report.NullText(name), Label: name}
	return calibrate.New(f, source, result.Settings{{Name: "--judge", Value: "llm"}, {Name: "--model", Value: name}})
}

func renderCalibration(t *testing.T, c *calibrate.Calibration) string {
	t.Helper()
	var b strings.Builder
	if err := WriteCalibration(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHostileNamesAreEscaped(t *testing.T) {
	page := renderCalibration(t, calibration(t, "a`|</title><script>alert(1)</script>\n::error::x\x1b[31m\u202e"))
	if strings.ContainsAny(page, "\x1b\u202e") || strings.Contains(page, "\n::") ||
		strings.Contains(page, "<script") || strings.Count(page, "</title>") != 1 {
		t.Error(page)
	}
}

func TestPageHasNoScript(t *testing.T) {
	r := calibration(t, "r.jsonl")
	page := renderCalibration(t, r)
	if again := renderCalibration(t, r); again != page {
		t.Error("pages of equal reports differ")
	}
	style := strings.ReplaceAll(hash(only(t, page, `(?s)<style>(.*?)</style>`)), "+", "&#43;")
	checkContains(t, page, ">labelled unfaithful</th>", r.Advice,
		"\"default-src &#39;none&#39;; script-src &#39;none&#39;; style-src &#39;sha256-"+style+"&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;; ")
	for _, bad := range []string{"<script", "http:", "https:", "url(", "@import", " style=", " on" + "load="} {
		if strings.Contains(page, bad) {
			t.Errorf("page contains %q", bad)
		}
	}
}

func TestCalibrationInBrowser(t *testing.T) {
	r := calibration(t, strings.Repeat("results-of-a-long-name-", 20))
	p := startBrowser(t).Load(t, renderCalibration(t, r), "")
	p.WaitFor(`document.readyState`, "complete")
	for _, width := range []int64{320, 500, 1400} {
		p.SetViewport(width, 1200)
		p.WaitFor(`document.documentElement.scrollWidth <= innerWidth`, "true")
		p.WaitFor(`document.querySelector('.verdicts thead').getBoundingClientRect().height > 10`, "true")
	}
	p.LoadAxe()
	p.EachLook(func(look string) { p.CheckAccessibility(look) })
}
