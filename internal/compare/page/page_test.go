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

// hostile is a text that is made to break out of what it stands in.
const hostile = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u202e\u2028`@all` [x](http://evil.example) \"'&<img src=y onerror=window.hacked=2>"

// answered makes a row of claims that each end in + for supported, - for not
// mentioned or ! for contradicted.
func answered(id string, claims ...string) *result.Row {
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

// compared is a comparison with rows of all kinds.
func compared(t testing.TB) *compare.Comparison {
	t.Helper()
	bar := 0.02
	var was, is []*result.Row
	was = append(was, answered("turned", "It is 🐼 red.+", "It is old.-", "It was here.+"), answered(hostile, hostile+"+"), answered("risen", "a-", "b+"), answered("even", "c+", "d-"))
	is = append(is, answered("turned", "It is 🐼 red.!", "It is old.-", "It is new.+"), answered(hostile, hostile+"-"), answered("risen", "a+", "b+"), answered("even", "c-", "d+"))
	for i := range 30 {
		was = append(was, answered(strconv.Itoa(i), "x+", "y+"))
		is = append(is, answered(strconv.Itoa(i), "x+", "y"+map[bool]string{true: "-", false: "+"}[i < 12]))
	}
	was = append(was, answered(hostile+"2", "x+"))
	c, err := compare.Run(context.Background(), source(hostile, was...), source("new.jsonl", is...), compare.Options{MaxDrop: &bar})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rendered(t testing.TB, c *compare.Comparison) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestThePageSaysWhatChanged(t *testing.T) {
	page := rendered(t, compared(t))
	for _, want := range []string{
		"<strong>-0.2010</strong>", "Gate failed", "Rows that changed: 16",
		"mean faithfulness dropped by 0.2010 &gt; 0.02, p = ",
		"only in the baseline",
		`<details class="change worse" data-way="worse" data-place="0">`,
		`<mark class="contradicted turned">It is 🐼 red.</mark>`,
		`<mark class="supported">It is new.</mark>`,
		"because It is 🐼 red.", "quoted It is 🐼 red.",
		"Claims of the Baseline alone", "1 no longer supported, 1 gone, 1 new",
		"Rows by their difference: down by 0.9 to 1: 1, down by 0.4 to 0.5: 12, down by 0.3 to 0.4: 1, no difference: 19, up by 0.4 to 0.5: 1.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if got := strings.Count(page, "<details "); got != 16 {
		t.Errorf("%d rows", got)
	}
}

func TestHostileTextsAreNoMarkup(t *testing.T) {
	page := rendered(t, compared(t))
	for _, bad := range []string{"<img", "<a ", "\u202e", "\u2028", "window.hacked=1</script>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if a, b := strings.Count(page, "<script"), strings.Count(page, "</script>"); a != 1 || b != 1 {
		t.Errorf("%d scripts begin and %d end", a, b)
	}
	if !strings.Contains(page, `<span class="hidden-character">U&#43;202E</span>`) && !strings.Contains(page, `<span class="hidden-character">U+202E</span>`) {
		t.Error("a change of direction is not shown")
	}
}

func TestThePolicyNamesTheOnlyScriptAndStyle(t *testing.T) {
	page := rendered(t, compared(t))
	browsertest.HasPolicy(t, page)
	outside := strings.ReplaceAll(page, "http://evil.example", "")
	if found := regexp.MustCompile(`https?:|\bhref=|url\(|@import|<[^>]*\s(src|style|on\w+)=`).FindAllString(outside, -1); found != nil {
		t.Error(found)
	}
}

func TestRowsBeyondTheRoomAreCountedAndSaid(t *testing.T) {
	var b strings.Builder
	if err := write(&b, compared(t), 1); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); strings.Count(page, "<details ") != 1 || !strings.Contains(page, "Here are 1 of them, the worst and the best; 15 more") {
		t.Error("the page does not say what it leaves out")
	}
}

func TestNothingChangedIsSaid(t *testing.T) {
	c, err := compare.Run(context.Background(), source("a", answered("x", "a+")), source("b", answered("x", "a+")), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := rendered(t, c)
	for _, want := range []string{"No compared row changed.", "No gate was set.", "no interval: 1 is too few"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if page != rendered(t, c) {
		t.Error("two pages of one comparison differ")
	}
}

func TestClaimsAreMarkedInTheirPlaces(t *testing.T) {
	r := answered("x", "One.+", "Two.-")
	r.Claims = append(r.Claims, result.Claim{ID: 2, Text: "in Two", Start: 6, End: 7, Verdict: result.NotMentioned}, result.Claim{ID: 3, Start: -1, End: -1, Verdict: result.NotMentioned}, result.Claim{ID: 4, Start: -1, End: -1, From: &result.Span{Start: 9, End: 999}, Verdict: result.Contradicted})
	number := func(class, text string) string {
		word := map[string]string{"supported": "supported", "not_mentioned": "not mentioned", "contradicted": "contradicted"}[strings.TrimSuffix(class, " turned")]
		return `<span class="number ` + class + `" title="Claim ` + text[:1] + `, ` + word + `">` + text + `</span>`
	}
	want := number("supported", "0✓") + `<mark class="supported">One.</mark> ` +
		number("not_mentioned turned", "1?") + `<mark class="not_mentioned turned">Two.</mark>` + number("not_mentioned", "2?") +
		number("contradicted", "4✗") + `<mark class="contradicted"> </mark>`
	if got := string(marked(r, map[int]bool{1: true})); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestHiddenCharactersAreShownByTheirNumber(t *testing.T) {
	for text, want := range map[string]string{
		"a\u202eb":      `a<span class="hidden-character">U+202E</span>b`,
		"\x00":          `<span class="hidden-character">U+0000</span>`,
		"a\tb\r\nc\n":   "a\tb\nc\n",
		"\xff<":         "\uFFFD&lt;",
		"👩\u200d🚀":      "👩\u200d🚀",
		"x\xff\u2066\r": "x\uFFFD<span class=\"hidden-character\">U+2066</span><span class=\"hidden-character\">U+000D</span>",
	} {
		if got := string(visible(text)); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestWriteErrorsAreReturned(t *testing.T) {
	full := errors.New("disk full")
	if err := Write(failing{full}, compared(t)); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
