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

// someGates are a gate that passed and two that did not.
func someGates(*Tally) []Gate {
	return []Gate{
		{Name: GateMinMean, Bar: 0.9, Value: 0.3, Text: "mean faithfulness 0.3333 < 0.90 (n = 1 scored)"},
		{Name: GateMaxFailed, Bar: 1, Value: 1, Passed: true, Text: "1 failed rows <= 1 (--max-failed)"},
		{Name: GateMinMean, Bar: 0.9, Value: math.NaN(), Text: "nothing <b>to judge</b>"},
	}
}

func TestMarkdownGolden(t *testing.T) {
	worse := resulttest.Marked()
	worse.Faithfulness, worse.ID = 0, "worst"
	o := Options{Gates: someGates, Means: someMeans, Notes: []string{"rows.jsonl", "--judge lexical", "`@team`"}}
	golden(t, "report.md", write(t, FormatMarkdown, o, resulttest.Scored(), resulttest.NoClaims(), resulttest.Failed(), worse, resulttest.Hostile()))
}

func TestMarkdownWithoutRows(t *testing.T) {
	got := write(t, FormatMarkdown, Options{})
	if !strings.HasPrefix(got, "## Faithfulness: no row has a score\n") || strings.Contains(got, "NaN") || strings.Contains(got, "gate") {
		t.Error(got)
	}
	whole := resulttest.Scored()
	whole.Claims = whole.Claims[:1]
	if got := write(t, FormatMarkdown, Options{}, whole); !strings.Contains(got, "Every claim of the scored rows is supported.") {
		t.Error(got)
	}
}

func TestMarkdownSizeIsLimited(t *testing.T) {
	for _, letter := range []string{"x", "\u202e", "`", "🌕", "|"} {
		r := resulttest.Scored()
		r.ID = strings.Repeat(letter, 500)
		c := resulttest.Hostile().Claims[1]
		c.Text, c.Reason, c.Evidence[0].Quote = strings.Repeat(letter, 500), strings.Repeat(letter, 500), strings.Repeat(letter, 500)
		r.Claims = slices.Repeat([]result.Claim{c}, 20)
		bad := resulttest.Failed()
		bad.Err = fmt.Errorf("verdict: %w", errFull)
		var rows []*result.Row
		for range 300 {
			rows = append(rows, r, bad)
		}
		got := write(t, FormatMarkdown, Options{Gates: someGates}, rows...)
		if len(got) > MaxMarkdown || utf8.RuneCountInString(got) > 65_536 || !utf8.ValidString(got) {
			t.Errorf("%q: %d bytes", letter, len(got))
		}
		if len(got) < MaxMarkdown/2 {
			t.Errorf("%q: only %d bytes", letter, len(got))
		}
		shown := strings.Count(got, " claims supported\n")
		if want := fmt.Sprintf("\nand %d more rows with unsupported claims\n", 300-shown); !strings.Contains(got, want) {
			t.Errorf("%q: %d rows are shown, and not %q", letter, shown, want)
		}
		if !strings.Contains(got, "\nand 290 more failed rows\n") {
			t.Errorf("%q: failed rows", letter)
		}
	}
}

// What comes from a dataset is only ever in code spans, as a parser of GitHub's
// Markdown sees them, and there it is all.
func TestMarkdownEscapesDataset(t *testing.T) {
	source := []byte(write(t, FormatMarkdown, Options{Gates: someGates, Notes: []string{"@EVIL `` #1"}}, resulttest.Hostile(), hostileFailure()))
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
				if piece, ok := c.(*ast.Text); ok {
					b.Write(piece.Value(source))
				}
			}
			spans[b.String()] = true
			return ast.WalkSkipChildren, nil
		case *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML, *ast.HTMLBlock, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Blockquote, *ast.ThematicBreak:
			t.Errorf("a %s", n.Kind())
		case *ast.Heading:
			if n.Level == 1 {
				t.Error("a heading of the data")
			}
		case *ast.Text:
			if s := string(n.Value(source)); strings.ContainsAny(s, "@#`<>[]!\u202e") || strings.Contains(s, "EVIL") {
				t.Errorf("outside of code: %q", s)
			}
		default:
			if n.Kind() == ast.NewNodeKind("Table") || n.Kind().String() == "Table" {
				tables++
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if tables != 2 {
		t.Errorf("%d tables", tables)
	}
	r := resulttest.Hostile()
	for _, s := range []string{r.ID, r.Claims[1].Text, r.Claims[1].Reason, r.Claims[1].Evidence[0].Quote, hostileFailure().Err.Error()} {
		if !spans[Clip(s, worstText)] {
			t.Errorf("not shown as it is: %q", Clip(s, worstText))
		}
	}
}

func hostileFailure() *result.Row {
	r := resulttest.Failed()
	r.ID = "# EVIL"
	r.Err = fmt.Errorf("verdict: `` <EVIL@evil.example> ## EVIL\n\n---\n> %s", resulttest.Hostile().Claims[1].Text)
	return r
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
				if piece, ok := n.(*ast.Text); ok {
					got.Write(piece.Value(source))
				}
			}
			return ast.WalkContinue, nil
		})
		want := s
		if s == "" {
			want = "(empty)"
		}
		if got.String() != want || nodes > 6 {
			t.Errorf("%q became %q in %d nodes", want, got.String(), nodes)
		}
	})
}
