package extract

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExtractUnwrapsJSONAndFences(t *testing.T) {
	t.Parallel()
	const fence = "```"
	for name, tt := range map[string]struct {
		answer string
		claims []string // including their leads
	}{
		"object":          {`{"answer": "The fee is $5 a month. It rises in May."}`, []string{"The fee is $5 a month.", "It rises in May."}},
		"metadata keys":   {`{"answer": "The fee is $5.", "confidence": 0.92, "sources": ["plans.pdf", "faq.md"], "reasoning": "Chunk 1 says so."}`, []string{"The fee is $5."}},
		"content keys":    {`{"fee": "5 dollars a month", "opening_hours": "9 to 5 on weekdays"}`, []string{"Fee: 5 dollars a month", "Opening hours: 9 to 5 on weekdays"}},
		"numbers":         {`{"name": "Alice Roe", "age": 35, "married": true, "full_height": 1.7}`, []string{"Name: Alice Roe", "age: 35", "full height: 1.7"}},
		"short numbers":   {`{"breakfast_price": "$12", "rooms": "4"}`, []string{"Breakfast price: $12", "Rooms: 4"}},
		"nested values":   {`{"plans": {"pro": {"price": "12 dollars"}}, "notes": ["billed in advance", "no refund"]}`, []string{"Price: 12 dollars", "Notes: billed in advance", "Notes: no refund"}},
		"array":           {`["The fee is $5.", "It rises in May."]`, []string{"The fee is $5.", "It rises in May."}},
		"escapes":         {`{"answer": "The \"Pro\" fee is 5\u00a0€.\nIt rises \ud83d\ude80 in May [1]."}`, []string{"The \"Pro\" fee is 5\u00a0€.", "It rises 🚀 in May."}},
		"fenced":          {fence + "json\n{\"answer\": \"The fee is $5.\"}\n" + fence, []string{"The fee is $5."}},
		"fenced prose":    {fence + "\nThe fee is five dollars a month.\n" + fence, []string{"The fee is five dollars a month."}},
		"fenced Markdown": {fence + "markdown\n**The fee** is five dollars.\n" + fence, []string{"The fee is five dollars."}},
		"empty":           {`{"answer": "", "note": null}`, nil},
		"fenced code":     {fence + "\npip install ragfaith\n" + fence, nil},
		"citation":        {"[1] The fee is five dollars.", []string{"The fee is five dollars."}},
		"broken JSON":     {`{"answer": "The fee is $5.`, []string{`{"answer": "The fee is $5.`}},
	} {
		t.Run(name, func(t *testing.T) {
			e := extract(t, tt.answer)
			runes := []rune(tt.answer)
			for _, c := range e.Claims {
				if raw := string(runes[c.Start:c.End]); !restates(c.Text, raw) {
					t.Errorf("claim %q does not restate %q", c.Text, raw)
				}
			}
			if got := judgedTexts(t, tt.answer); !slices.Equal(got, tt.claims) {
				t.Errorf("got %q, want %q", got, tt.claims)
			}
			end := 0
			for _, p := range piecesOf(e) {
				if p.Start < end {
					t.Fatalf("got span [%d, %d) after offset %d, want no overlap", p.Start, p.End, end)
				}
				if gap := string(runes[end:p.Start]); MayAssert(gap) {
					t.Errorf("got neither a claim nor a skipped sentence for %q", gap)
				}
				end = p.End
			}
			if rest := string(runes[end:]); MayAssert(rest) {
				t.Errorf("got neither a claim nor a skipped sentence for %q", rest)
			}
		})
	}
}

// FuzzUnwrap checks that the text of a view equals the raw answer between cuts,
// including views composed of two views.
func FuzzUnwrap(f *testing.F) {
	for _, s := range []string{
		`{"answer":"a [1] b"}`, `["x","y\n\"z\""]`, "```\nfour words of prose.\n```", `{"a":{"b":["c",{"d":"e"}]}}`, `{"a":"\ud83d\ude80\u00e9"}`, `[1,"a<b>c</b>"]`, `{"answer":"<think>x</think>y"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		v := newAnswerView(raw)
		textEnd, rawEnd := 0, 0
		for _, c := range v.cuts {
			if c.start < rawEnd || c.end < c.start || c.at < textEnd || c.end > len(raw) || c.at+c.size > len(v.text) {
				t.Fatalf("%q: got cuts %v of %q, want ascending ranges", raw, v.cuts, v.text)
			}
			if v.text[textEnd:c.at] != raw[rawEnd:c.start] {
				t.Fatalf("%q: got %q before %v, want %q", raw, v.text[textEnd:c.at], c, raw[rawEnd:c.start])
			}
			textEnd, rawEnd = c.at+c.size, c.end
		}
		if v.text[textEnd:] != raw[rawEnd:] {
			t.Fatalf("%q: got %q at the end, want %q", raw, v.text[textEnd:], raw[rawEnd:])
		}
		if utf8.ValidString(raw) && !utf8.ValidString(v.text) {
			t.Fatalf("%q: got %q, want valid UTF-8", raw, v.text)
		}
		if strings.Contains(raw, "\x00") {
			return
		}
		if _, err := (Sentences{}).Extract(t.Context(), "", raw); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSentencesWithinOneCutDoNotOverlap has an escaped quote at a sentence boundary beside the next member.
func TestSentencesWithinOneCutDoNotOverlap(t *testing.T) {
	end := 0
	for _, c := range extract(t, `{"answer":"\"En 1933, Cattell escribió de \"\"raza.\"","n":3,"sources":["a.pdf"]}`).Claims {
		if c.Start < end || c.End < c.Start {
			t.Errorf("got claim %q from %d to %d after one that ends at %d", c.Text, c.Start, c.End, end)
		}
		end = c.End
	}
	if end == 0 {
		t.Error("got no claims")
	}
}
