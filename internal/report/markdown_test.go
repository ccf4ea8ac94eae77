package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

// someGates returns one gate that passed and two that failed.
func someGates() []Gate {
	return []Gate{
		{Name: GateMinMean, Threshold: 0.9, Value: 0.3, Text: "mean faithfulness 0.3333 < 0.90 (n = 1 scored)"},
		{Name: GateMaxFailed, Threshold: 1, Value: 1, Passed: true, Text: "1 failed row <= 1 (--max-failed)"},
		{Name: GateMinMean, Threshold: 0.9, Value: math.NaN(), Text: "nothing <b>to judge</b>"},
	}
}

func TestMarkdownGolden(t *testing.T) {
	worse := resulttest.WithOptionalFields()
	worse.Faithfulness, worse.ID = 0, "worst"
	o := Options{Gates: someGates, Tally: someTally(), Notes: []string{"rows.jsonl", "--judge lexical", "`@team`"}}
	golden(t, "report.md", write(t, FormatMarkdown, o, resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), worse, resulttest.WithMarkup()))
}

func TestMarkdownWithoutUnsupportedRows(t *testing.T) {
	got := write(t, FormatMarkdown, Options{})
	if !strings.HasPrefix(got, "## Faithfulness: no row has a score\n") || strings.Contains(got, "NaN") || strings.Contains(got, "gate") {
		t.Errorf("no rows: got %s", got)
	}
	supported := resulttest.Scored()
	supported.Claims = supported.Claims[:1]
	if got := write(t, FormatMarkdown, Options{}, supported); !strings.Contains(got, "Every claim of the scored rows is supported.") {
		t.Errorf("supported row: got %s", got)
	}
}

func TestMarkdownSizeIsLimited(t *testing.T) {
	for _, letter := range []string{"x", "\u202e", "`", "🌕", "|"} {
		r := resulttest.Scored()
		r.ID = strings.Repeat(letter, 500)
		c := resulttest.WithMarkup().Claims[1]
		c.Text, c.Reason, c.Evidence[0].Quote = strings.Repeat(letter, 500), strings.Repeat(letter, 500), strings.Repeat(letter, 500)
		r.Claims = slices.Repeat([]result.Claim{c}, 20)
		failed := resulttest.JudgeFailed()
		failed.Err = fmt.Errorf("verdict: %w", errFull)
		rows := slices.Repeat([]*result.Row{r, failed}, 100)
		got := write(t, FormatMarkdown, Options{Gates: someGates}, rows...)
		if len(got) > MaxMarkdown || utf8.RuneCountInString(got) > 65_536 || !utf8.ValidString(got) {
			t.Errorf("%q: got %d bytes, want valid UTF-8 of at most %d", letter, len(got), MaxMarkdown)
		}
		if len(got) < MaxMarkdown/2 {
			t.Errorf("%q: got %d bytes, want at least %d", letter, len(got), MaxMarkdown/2)
		}
		shown := strings.Count(got, " claims supported\n")
		if want := fmt.Sprintf("\nand %d more rows with unsupported claims\n", 100-shown); !strings.Contains(got, want) {
			t.Errorf("%q: got %d rows without %q", letter, shown, want)
		}
		if !strings.Contains(got, "\nand 90 more failed rows\n") {
			t.Errorf("%q: got no count of the other failed rows", letter)
		}
	}
}

func TestMarkdownSummarizesNothingThatFits(t *testing.T) {
	got := write(t, FormatMarkdown, Options{Gates: someGates, Notes: slices.Repeat([]string{"note"}, maxNotes)}, resulttest.Scored())
	if strings.Contains(got, "more") {
		t.Errorf("got %s, want nothing omitted", got)
	}
}

// A parser of GitHub Flavored Markdown sees texts of the dataset in code spans only, and
// unchanged.
func TestMarkdownEscapesDataset(t *testing.T) {
	source := []byte(write(t, FormatMarkdown, Options{Gates: someGates, Notes: []string{"@EVIL `` #1"}}, resulttest.WithMarkup(), hostileFailure()))
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	spans, tables := map[string]bool{}, 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			var b strings.Builder
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if segment, ok := c.(*ast.Text); ok {
					b.Write(segment.Value(source))
				}
			}
			spans[b.String()] = true
			return ast.WalkSkipChildren, nil
		case *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML, *ast.HTMLBlock, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Blockquote, *ast.ThematicBreak:
			t.Errorf("got a %s", n.Kind())
		case *ast.Heading:
			if n.Level == 1 {
				t.Error("got a heading of level 1, which only the dataset has")
			}
		case *ast.Text:
			if s := string(n.Value(source)); strings.ContainsAny(s, "@#`<>[]!\u202e") || strings.Contains(s, "EVIL") {
				t.Errorf("got %q outside of code spans", s)
			}
		default:
			if n.Kind().String() == "Table" {
				tables++
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if tables != 3 {
		t.Errorf("got %d tables, want 3", tables)
	}
	r := resulttest.WithMarkup()
	for _, s := range []string{r.ID, r.Claims[1].Text, r.Claims[1].Reason, r.Claims[1].Evidence[0].Quote, hostileFailure().Err.Error()} {
		if !spans[Clip(s, worstText)] {
			t.Errorf("got no code span %q", Clip(s, worstText))
		}
	}
}

// hostileFailure returns a failed row whose error contains markup.
func hostileFailure() *result.Row {
	r := resulttest.JudgeFailed()
	r.ID = "# EVIL"
	r.Err = fmt.Errorf("verdict: `` <EVIL@evil.example> ## EVIL\n\n---\n> %s", resulttest.WithMarkup().Claims[1].Text)
	return r
}

func TestCodeSpanKeepsSpaces(t *testing.T) {
	for s, want := range map[string]string{" a ": "`  a  `", " a": "` a`", "a ": "`a `", " ` ": "``  `  ``"} {
		if got := CodeSpan(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func FuzzCodeSpan(f *testing.F) {
	f.Add("a `` b ` c")
	f.Add("`")
	f.Add(" x ")
	f.Fuzz(func(t *testing.T, s string) {
		s = Clip(s, worstText)
		source := []byte("- " + CodeSpan(s) + "\n")
		doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
		var got strings.Builder
		nodes := 0
		_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				nodes++
				if segment, ok := n.(*ast.Text); ok {
					got.Write(segment.Value(source))
				}
			}
			return ast.WalkContinue, nil
		})
		want := s
		if s == "" {
			want = "(empty)"
		}
		if got.String() != want || nodes > 6 {
			t.Errorf("got %q in %d nodes, want %q in at most 6", got.String(), nodes, want)
		}
	})
}
