package page

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
	"github.com/ragfaith/ragfaith/internal/report/html/browsertest"
	"github.com/ragfaith/ragfaith/internal/result"
)

// hostile is a text that tries to break out of every context.
const hostile = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202e\u2028`@all` [x](http://evil.example) \"'&<img src=y onerror=window.hacked=2>"

// scoredRow returns a row. The last character of a claim is its verdict: + for supported,
// - for not mentioned, ! for contradicted.
func scoredRow(id string, claims ...string) *result.Row {
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
	was = append(was, scoredRow("changed", "It is 🐼 red.+", "It is old.-", "It was here.+"), scoredRow(hostile, hostile+"+"), scoredRow("improved", "a-", "b+"), scoredRow("equal", "c+", "d-"))
	is = append(is, scoredRow("changed", "It is 🐼 red.!", "It is old.-", "It is new.+"), scoredRow(hostile, hostile+"-"), scoredRow("improved", "a+", "b+"), scoredRow("equal", "c-", "d+"))
	for i := range 30 {
		was = append(was, scoredRow(strconv.Itoa(i), "x+", "y+"))
		is = append(is, scoredRow(strconv.Itoa(i), "x+", "y"+map[bool]string{true: "-", false: "+"}[i < 12]))
	}
	was = append(was, scoredRow(hostile+"2", "x+"))
	c, err := compare.Run(context.Background(), source(hostile, was...), source("new.jsonl", is...), compare.Options{MaxDrop: &maxDrop})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func render(t testing.TB, c *compare.Comparison) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteShowsChanges(t *testing.T) {
	page := render(t, comparison(t))
	for _, want := range []string{
		"<strong>-0.2010</strong>", "Gate failed", "Changed rows: 16",
		"mean faithfulness dropped by 0.2010 &gt; 0.02, p = ",
		"only in the baseline",
		`<details class="change worse" data-direction="worse" data-position="0" data-bin="0">`,
		`<mark class="contradicted flipped">It is 🐼 red.</mark>`,
		`<mark class="supported">It is new.</mark>`,
		"because It is 🐼 red.", "quoted It is 🐼 red.",
		"Claims only in the Baseline", "1 no longer supported, 1 removed, 1 new",
		"Rows by difference: down by 0.9 to 1: 1, down by 0.4 to 0.5: 12, down by 0.3 to 0.4: 1, no difference: 19, up by 0.4 to 0.5: 1.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("page does not contain %q", want)
		}
	}
	if got := strings.Count(page, "<details "); got != 16 {
		t.Errorf("got %d rows, want 16", got)
	}
}

func TestHostileTextsAreEscaped(t *testing.T) {
	page := render(t, comparison(t))
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

func TestPolicyAllowsOnlyTheScriptAndTheStyle(t *testing.T) {
	page := render(t, comparison(t))
	browsertest.CheckPolicy(t, page)
	outside := strings.ReplaceAll(page, "http://evil.example", "")
	if found := regexp.MustCompile(`https?:|\bhref=|url\(|@import|<[^>]*\s(src|style|on\w+)=`).FindAllString(outside, -1); found != nil {
		t.Error(found)
	}
}

func TestWriteReportsOmittedRows(t *testing.T) {
	var b strings.Builder
	if err := write(&b, comparison(t), 1); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); strings.Count(page, "<details ") != 1 || !strings.Contains(page, "The 1 worst and best rows are shown; the other 15") {
		t.Error("page does not report the omitted rows")
	}
}

func TestWriteWithoutChanges(t *testing.T) {
	c, err := compare.Run(context.Background(), source("a", scoredRow("x", "a+")), source("b", scoredRow("x", "a+")), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := render(t, c)
	for _, want := range []string{"No compared row changed.", "<dt>gates</dt><dd>none</dd>", "0.0000, too few for an interval"} {
		if !strings.Contains(page, want) {
			t.Errorf("page does not contain %q", want)
		}
	}
	if page != render(t, c) {
		t.Error("two pages of the same comparison differ")
	}
}

func TestMarkClaims(t *testing.T) {
	r := scoredRow("x", "One.+", "Two.-")
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

func TestWriteReturnsErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := Write(failing{full}, comparison(t)); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
