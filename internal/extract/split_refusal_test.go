package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExtractClaimsAssertionsInRefusals(t *testing.T) {
	t.Parallel()
	type judged struct{ Text, Judged string }
	for _, c := range []struct {
		answer string
		want   []judged
	}{
		{"The documents do not mention the price, which is $500.", []judged{{"which is $500", "The price is $500."}}},
		{"The documents do not mention the price which is $500.", []judged{{"which is $500", "The price is $500."}}},
		{"The context does not name the founder, who left in 2019, or the venue.", []judged{{"who left in 2019", "The founder left in 2019."}}},
		{"The documents do not mention the price ($500).", []judged{{"$500", "The price is $500."}}},
		{"The context does not say when the hall (built in 1900) was sold.", []judged{{"built in 1900", "The hall was built in 1900."}}},
		{"The documents do not mention the founder, Ada Quill.", []judged{{"Ada Quill", "The founder is Ada Quill."}}},
		{"The price, $500, is not mentioned in the documents.", []judged{{"$500", "The price is $500."}}},
		{"The documents do not mention the price – $500.", []judged{{"$500", "The price is $500."}}},
		{"The documents do not mention the price — it is $500.", []judged{{"it is $500", "The price is $500."}}},
		{"The documents do not mention the price, but it is $500.", []judged{{"it is $500", "The price is $500."}}},
		{"Although the fee is $500, the documents do not say when it is due.", []judged{{"the fee is $500", "the fee is $500"}}},
		{"The fee is $500; the documents do not say when it is due.", []judged{{"The fee is $500", "The fee is $500"}}},
		{"The fee is $500, but it isnʼt mentioned in the passage when it was set.", []judged{{"The fee is $500", "The fee is $500"}}},
		{"The documents do not give the fee because it was abolished in 2019.", []judged{{"it was abolished in 2019.", "it was abolished in 2019."}}},
		{"I don't know who led it, but Ada Quill took the minutes.", []judged{{"Ada Quill took the minutes.", "Ada Quill took the minutes."}}},
		{"The context does not mention X; it says that Y was born in 1970.", []judged{{"it says that Y was born in 1970.", "it says that Y was born in 1970."}}},

		{"The documents do not mention the price, the date, or the venue.", nil},
		{"The documents do not mention Paris, Rome, or Berlin.", nil},
		{"The documents do not mention the price, which would be needed to answer the question.", nil},
		{"The documents do not mention the price, so I cannot answer the question.", nil},
		{"The documents do not say that the fee is $500.", nil},
		{"The range for BNP (B-type Natriuretic Peptide) is not specified in the context.", nil},
		{"As an AI language model, I cannot provide that.", nil},
	} {
		e := extract(t, c.answer)
		var got []judged
		for _, x := range e.Claims {
			got = append(got, judged{x.Text, x.Judged()})
			if text := string([]rune(c.answer)[x.Start:x.End]); text != x.Text {
				t.Errorf("%q: got %q at the claim offsets, want %q", c.answer, text, x.Text)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.answer, d)
		}
		if len(e.Skipped) == 0 || e.Skipped[0].Kind != Refusal {
			t.Errorf("%q: got skipped %+v, want a refusal first", c.answer, e.Skipped)
		}
	}
}
