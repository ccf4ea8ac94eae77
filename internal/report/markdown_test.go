package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/ragfaith/ragfaith/internal/eval"
)

// someGates are a gate that passed and two that did not.
func someGates(*Tally) []Gate {
	return []Gate{
		{Name: GateMinMean, Bar: 0.9, Value: 0.3, Text: "mean faithfulness 0.3333 < 0.90 (n = 1 scored)"},
		{Name: GateMaxFailed, Bar: 1, Value: 1, Passed: true, Text: "1 failed rows <= 1 (--max-failed)"},
		{Name: GateMinMean, Bar: 0.9, Value: math.NaN(), Text: "nothing <b>to judge</b>"},
	}
}

func TestMarkdownShowsFiguresGatesAndTheWorstRows(t *testing.T) {
	worse := marked()
	worse.Faithfulness, worse.Row.ID = 0, "worst"
	o := Options{Gates: someGates, Notes: []string{"rows.jsonl", "--judge lexical", "`@team`"}}
	golden(t, "report.md", write(t, FormatMarkdown, o, scored(), noClaims(), failed(), worse, hostile()))
}

func TestMarkdownOfNothing(t *testing.T) {
	got := write(t, FormatMarkdown, Options{})
	if !strings.HasPrefix(got, "## Faithfulness: no row has a score\n") || strings.Contains(got, "NaN") || strings.Contains(got, "gate") {
		t.Error(got)
	}
	whole := scored()
	whole.Claims, whole.Verdicts = whole.Claims[:1], whole.Verdicts[:1]
	if got := write(t, FormatMarkdown, Options{}, whole); !strings.Contains(got, "Every claim of the scored rows is supported.") {
		t.Error(got)
	}
}

func TestMarkdownIsNeverTooLongForAComment(t *testing.T) {
	for _, letter := range []string{"x", "\u202e", "`", "🌕", "|"} {
		r := scored()
		r.Row.ID = strings.Repeat(letter, 500)
		r.Claims = nil
		v := r.Verdicts[1]
		v.Reason, v.Evidence = strings.Repeat(letter, 500), hostile().Verdicts[1].Evidence
		v.Evidence[0].Quote = strings.Repeat(letter, 500)
		r.Verdicts = nil
		for range 20 {
			c := scored().Claims[1]
			c.Text = strings.Repeat(letter, 500)
			r.Claims, r.Verdicts = append(r.Claims, c), append(r.Verdicts, v)
		}
		bad := failed()
		bad.Err = &eval.StageError{Stage: "verdict", Err: errFull}
		var rows []*eval.Result
		for range 300 {
			rows = append(rows, r, bad)
		}
		got := write(t, FormatMarkdown, Options{Gates: someGates}, rows...)
		if len(got) > MarkdownMost || utf8.RuneCountInString(got) > 65_536 || !utf8.ValidString(got) {
			t.Errorf("%q: %d bytes", letter, len(got))
		}
		if len(got) < MarkdownMost/2 {
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
func TestNothingOfADatasetIsMarkdown(t *testing.T) {
	source := []byte(write(t, FormatMarkdown, Options{Gates: someGates, Notes: []string{"@EVIL `` #1"}}, hostile(), hostileFailure()))
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
	r := hostile()
	for _, s := range []string{r.Row.ID, r.Claims[1].Text, r.Verdicts[1].Reason, r.Verdicts[1].Evidence[0].Quote, hostileFailure().Err.Error()} {
		if !spans[clip(s, worstText)] {
			t.Errorf("not shown as it is: %q", clip(s, worstText))
		}
	}
}

func hostileFailure() *eval.Result {
	r := failed()
	r.Row.ID = "# EVIL"
	r.Err = &eval.StageError{Stage: "verdict", Err: fmt.Errorf("`` <EVIL@evil.example> ## EVIL\n\n---\n> %s", hostile().Claims[1].Text)}
	return r
}

func FuzzCodeSpan(f *testing.F) {
	f.Add("a `` b ` c")
	f.Add("`")
	f.Add(" x ")
	f.Fuzz(func(t *testing.T, s string) {
		s = clip(s, worstText)
		source := []byte("- " + codeSpan(s) + "\n")
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
