package html

import (
	"context"
	"errors"
	"iter"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/result"
)

// comparedHostile is a text that tries to break out of every context.
const comparedHostile = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202e\u2028`@all` [x](http://evil.example) \"'&<img src=y onerror=window.hacked=2>"

// comparedRow returns a row. The last character of a claim is its verdict: + for supported,
// - for not mentioned, ! for contradicted.
func comparedRow(id string, claims ...string) *result.Row {
	r := &result.Row{
		ID: id, Question: "Why " + id + "?", Contexts: []string{"c"},
		Status: result.Scored, Support: math.NaN(),
	}
	for i, text := range claims {
		text, sign := text[:len(text)-1], text[len(text)-1]
		label := map[byte]result.Verdict{'+': result.Supported, '-': result.NotMentioned, '!': result.Contradicted}[sign]
		start := len([]rune(r.Answer))
		r.Answer += text + " "
		r.Claims = append(r.Claims, result.Claim{
			ID: i, Text: text, Start: start, End: start + len([]rune(text)), Verdict: label, Score: 0.5, Reason: "because " + text, Evidence: []result.Evidence{{Quote: "quoted " + text}},
		})
	}
	r.Faithfulness = float64(r.Supported()) / float64(len(claims))
	return r
}

func source(name string, rows ...*result.Row) compare.Source {
	return compare.Source{Name: name, Rows: func() (iter.Seq2[*result.Row, error], error) {
		return func(yield func(*result.Row, error) bool) {
			for _, r := range rows {
				copied := *r
				if !yield(&copied, nil) {
					return
				}
			}
		}, nil
	}}
}

// comparison returns a comparison with rows of every kind.
func comparison(t testing.TB) *compare.Comparison {
	t.Helper()
	maxDrop := 0.02
	var was, is []*result.Row
	was = append(was, comparedRow("changed", "It is 🐼 red.+", "It is old.-", "It was here.+"), comparedRow(comparedHostile, comparedHostile+"+"), comparedRow("improved", "a-", "b+"), comparedRow("equal", "c+", "d-"))
	is = append(is, comparedRow("changed", "It is 🐼 red.!", "It is old.-", "It is new.+"), comparedRow(comparedHostile, comparedHostile+"-"), comparedRow("improved", "a+", "b+"), comparedRow("equal", "c-", "d+"))
	for i := range 30 {
		was = append(was, comparedRow(strconv.Itoa(i), "x+", "y+"))
		is = append(is, comparedRow(strconv.Itoa(i), "x+", "y"+map[bool]string{true: "-", false: "+"}[i < 12]))
	}
	was = append(was, comparedRow(comparedHostile+"2", "x+"))
	c, err := compare.Run(context.Background(), source(comparedHostile, was...), source("new.jsonl", is...), compare.Options{MaxDrop: &maxDrop})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func renderComparison(t testing.TB, c *compare.Comparison) string {
	t.Helper()
	var b strings.Builder
	if err := WriteComparison(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestComparisonShowsChanges(t *testing.T) {
	page := renderComparison(t, comparison(t))
	checkContains(t, page,
		"<strong>-0.2010</strong>", "Gate failed", "Changed rows: 16",
		"mean faithfulness dropped by 0.2010 &gt; 0.02, p = ",
		"only in the baseline",
		`<details class="change worse" data-direction="worse" data-position="0" data-bin="0">`,
		`<mark class="contradicted flipped">It is 🐼 red.</mark>`,
		`<mark class="supported">It is new.</mark>`,
		"because It is 🐼 red.", "quoted It is 🐼 red.",
		"Claims only in the Baseline", "1 no longer supported, 1 removed, 1 new",
		"Rows by difference: down by 0.9 to 1: 1, down by 0.4 to 0.5: 12, down by 0.3 to 0.4: 1, no difference: 19, up by 0.4 to 0.5: 1.",
	)
	if got := strings.Count(page, "<details "); got != 16 {
		t.Errorf("got %d rows, want 16", got)
	}
}

func TestComparisonEscapesHostileTexts(t *testing.T) {
	page := renderComparison(t, comparison(t))
	for _, bad := range []string{"<img", "<a ", "\u202e", "\u2028", "window.hacked=1</script>"} {
		if strings.Contains(page, bad) {
			t.Errorf("page contains %q", bad)
		}
	}
	if a, b := strings.Count(page, "<script"), strings.Count(page, "</script>"); a != 1 || b != 1 {
		t.Errorf("got %d start and %d end tags of scripts, want 1", a, b)
	}
	if !strings.Contains(page, `<span class="hidden-character">U&#43;202E</span>`) && !strings.Contains(page, `<span class="hidden-character">U+202E</span>`) {
		t.Error("direction override is not shown")
	}
}

func TestComparisonHasNoExternalReferences(t *testing.T) {
	page := renderComparison(t, comparison(t))
	checkPolicy(t, page)
	outside := strings.ReplaceAll(page, "http://evil.example", "")
	if found := regexp.MustCompile(`https?:|\bhref=|url\(|@import|<[^>]*\s(src|style|on\w+)=`).FindAllString(outside, -1); found != nil {
		t.Error(found)
	}
}

func TestComparisonReportsOmittedRows(t *testing.T) {
	var b strings.Builder
	if err := writeComparison(&b, comparison(t), 1); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); strings.Count(page, "<details ") != 1 || !strings.Contains(page, "The 1 worst rows are shown; the other 15") {
		t.Error("page does not report the omitted rows")
	}
}

func TestComparisonWithoutChanges(t *testing.T) {
	c, err := compare.Run(context.Background(), source("a", comparedRow("x", "a+")), source("b", comparedRow("x", "a+")), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := renderComparison(t, c)
	checkContains(t, page, "No compared row changed.", "<dt>gates</dt><dd>none</dd>", "0.0000, too few for an interval")
	if page != renderComparison(t, c) {
		t.Error("two pages of the same comparison differ")
	}
}

func TestMarkClaims(t *testing.T) {
	r := comparedRow("x", "One.+", "Two.-")
	r.Claims = append(r.Claims, result.Claim{ID: 2, Text: "in Two", Start: 6, End: 7, Verdict: result.NotMentioned}, result.Claim{ID: 3, Start: -1, End: -1, Verdict: result.NotMentioned}, result.Claim{ID: 4, Start: -1, End: -1, From: &result.Span{Start: 9, End: 999}, Verdict: result.Contradicted})
	number := func(class, text string) string {
		word := map[string]string{"supported": "supported", "not_mentioned": "not mentioned", "contradicted": "contradicted"}[strings.TrimSuffix(class, " flipped")]
		return `<span class="number ` + class + `" title="Claim ` + text[:1] + `, ` + word + `">` + text + `</span>`
	}
	want := number("supported", "0✓") + `<mark class="supported">One.</mark> ` +
		number("not_mentioned flipped", "1?") + `<mark class="not_mentioned flipped">Two.</mark>` + number("not_mentioned", "2?") +
		number("contradicted", "4✗") + `<mark class="contradicted"> </mark>`
	if got := string(markClaims(r, map[int]bool{1: true})); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestWriteComparisonReturnsErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := WriteComparison(&limitedWriter{0, full}, comparison(t)); !errors.Is(err, full) {
		t.Error(err)
	}
}
