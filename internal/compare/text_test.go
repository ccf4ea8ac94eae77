package compare

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// hostile is a text that tries to break out of every context.
const hostile = "``` \x1b[31m\u202e\x00EVIL\n\n# EVIL | <img src=x onerror=EVIL> [EVIL](http://evil.example) @EVIL #12 \x1b[31m\u202e\x00"

// signedRow returns a row with a claim per sign: + is supported, - is not.
func signedRow(id, text, signs string) *result.Row {
	var claims []string
	for i, sign := range signs {
		claims = append(claims, text+strconv.Itoa(i)+string(sign))
	}
	r := row(id, claims...)
	for i := range r.Claims {
		r.Claims[i].Reason = "why " + text
	}
	return r
}

func comparison(t *testing.T, was, is []*result.Row) *Comparison {
	t.Helper()
	maxDrop := 0.02
	return run(t, Options{MaxDrop: &maxDrop}, source("was|.jsonl", was...), source("is.jsonl", is...))
}

// changedRuns returns two runs with rows of every kind, n of them changed.
func changedRuns(n int, text string) (was, is []*result.Row) {
	for i := range n {
		id := text + strconv.Itoa(i)
		was, is = append(was, signedRow(id, text, "++++++++")), append(is, signedRow(id, text, "+-------"))
	}
	failed := &result.Row{ID: "f", Status: result.Failed, Reason: "verdict", Err: errors.New("no"), Faithfulness: math.NaN()}
	unscored := *failed // in both runs
	unscored.ID = text + "unscored"
	was = append(was, signedRow("same", "t", "+"), signedRow("only", "t", "+"), signedRow("f", "t", "+"), signedRow("up", "t", "-"), &unscored)
	is = append(is, signedRow("same", "t", "+"), failed, signedRow("up", "t", "+"), &unscored)
	return was, is
}

func jsonOf(t *testing.T, c *Comparison) string {
	t.Helper()
	c.ragfaith = "1.0"
	content, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestMarkdownIsLimited(t *testing.T) {
	was, is := changedRuns(400, strings.Repeat(hostile, 20))
	text := comparison(t, was, is).Markdown()
	if len(text) > report.MaxMarkdown {
		t.Errorf("got %d bytes, want at most %d", len(text), report.MaxMarkdown)
	}
	if !strings.HasPrefix(text, "## Faithfulness: -0.8682 (0.1294, was 0.9975)\n\n> [!WARNING]\n") || !strings.Contains(text, " more; -o FILE.html shows all and their claims\n") {
		t.Errorf("got %q ... %q", text[:200], text[len(text)-200:])
	}
}

func TestHostileTextsAreEscaped(t *testing.T) {
	was, is := changedRuns(9, hostile)
	c := comparison(t, was, is)
	text := c.Markdown()
	for line := range strings.Lines(text) {
		outside := line
		for _, fence := range []string{"````", "`"} { // texts with three backticks have a fence of four
			for {
				before, rest, ok := strings.Cut(outside, fence)
				_, after, closed := strings.Cut(rest, fence)
				if !ok || !closed {
					break
				}
				outside = before + after
			}
		}
		if strings.Contains(outside, "EVIL") || strings.Contains(outside, "<img") {
			t.Errorf("outside of a code span: %s", line)
		}
	}
	for name, text := range map[string]string{"markdown": text, "table": c.Table(100)} {
		if i := strings.IndexAny(text, "\x00\x1b\u202e"); i >= 0 {
			t.Errorf("%s contains a control character: %q", name, text[max(0, i-20):i+4])
		}
	}
}

func TestChangedRowsHaveTheirQuestion(t *testing.T) {
	was, is := changedRuns(2, "row")
	is[0].Question = "Which row |?"
	c := comparison(t, was, is)
	for name, x := range map[string]struct{ text, want string }{
		"table":    {c.Table(100), "\nid    question "},
		"row":      {c.Table(100), "row0  Which row |? "},
		"markdown": {c.Markdown(), "| `row0` | `Which row \\|?` |"},
		"json":     {jsonOf(t, c), `"question": "Which row |?"`},
	} {
		if !strings.Contains(x.text, x.want) {
			t.Errorf("%s: got %s, want it to contain %q", name, x.text, x.want)
		}
	}
	for _, r := range is {
		r.Question = ""
	}
	c = comparison(t, was, is)
	if got := c.Table(100) + c.Markdown(); strings.Contains(got, "\nid    question") || strings.Contains(got, "| question |") {
		t.Errorf("without questions: got %s", got)
	}
}

func TestJSONMatchesItsSchema(t *testing.T) {
	s, err := jsonschema.NewCompiler().Compile("../../schema/compare.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	was, is := changedRuns(30, hostile)
	plain := run(t, Options{}, source("a", was[:1]...), source("b", is[:1]...))
	nothing := run(t, Options{MaxDrop: new(float64)}, source("a", was[0]), source("b", unscored(was[0].ID, result.Failed)))
	if doc, err := jsonschema.UnmarshalJSON(strings.NewReader(jsonOf(t, nothing))); err != nil || s.Validate(doc) != nil {
		t.Errorf("nothing compared: got %v %v, want a valid document", err, s.Validate(doc))
	}
	for _, c := range []*Comparison{comparison(t, was, is), plain} {
		valid := jsonOf(t, c)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(valid))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%v: %s", err, valid)
		}
		for _, change := range [][2]string{{`"paired":`, `"pairs":`}, {`"verdict": "supported"`, `"verdict": "yes"`}, {`"version": 1`, `"version": 2`}, {`"estimate": -`, `"estimate": "x", "y": -`}} {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(valid, change[0], change[1], 1)))
			if !strings.Contains(valid, change[0]) || err == nil && s.Validate(doc) == nil {
				t.Errorf("schema accepts %s", change[1])
			}
		}
	}
}

func TestPValuesAreShown(t *testing.T) {
	maxDrop := 0.0
	was, is := runs(6, 6, 0)
	both := run(t, Options{}, source("a", was...), source("b", is...))
	nothing := run(t, Options{MaxDrop: &maxDrop}, source("a", was[0]), source("b", unscored("0", result.Failed)))
	for text, want := range map[string]string{
		both.Table(0):      "\np-value     0.0312 (exact permutation)\n",
		nothing.Table(0):   "\np-value     none\n",
		jsonOf(t, nothing): `"permutation": null,`,
		nothing.Markdown(): "nothing to compare",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want it to contain %q", text, want)
		}
	}
	if object := jsonOf(t, nothing); !strings.Contains(object, `"p": null`) || nothing.Passed ||
		!strings.Contains(object, "cannot be checked (no row has a score in both runs)") {
		t.Errorf("got %s, want a failed gate without a p-value that names the reason", object)
	}
}

func TestSigned(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0000", -0.00001: "0.0000", 0.00001: "0.0000", 0.5: "+0.5000", -0.25: "-0.2500"} {
		if got := Signed(x); got != want {
			t.Errorf("Signed(%v): got %q, want %q", x, got, want)
		}
	}
}
