package extract

import (
	"fmt"
	"strings"
	"testing"
)

// formatCitations returns the citations of each claim in the form
// "names#number". A question mark marks weak citations.
func formatCitations(t *testing.T, answer string) string {
	t.Helper()
	var claims []string
	runes := []rune(answer)
	for _, c := range extract(t, answer).Claims {
		var all []string
		for _, x := range c.Citations {
			if got := string(runes[x.Start:x.End]); got != x.Text {
				t.Errorf("%q: got text %q at the offsets of a citation, want %q", answer, got, x.Text)
			}
			s := strings.Join(x.Names, "|")
			if x.Number >= 0 {
				s += fmt.Sprintf("#%d", x.Number)
			}
			if x.Weak {
				s += "?"
			}
			all = append(all, s)
		}
		claims = append(claims, strings.Join(all, " "))
	}
	return strings.Join(claims, " / ")
}

func TestExtractParsesCitationForms(t *testing.T) {
	for marker, want := range map[string]string{
		"[1]": "#1", "[0]": "#0", "[1][2]": "#1 #2", "[1, 2]": "#1 #2", "[1-3]": "#1 #2 #3", "[1], [3]": "#1 #3",
		"【4:0†source】": "#0", "【4:1†plans.pdf】": "plans.pdf#1", "【3†L10-L12】": "#3",
		"[^1]": "#1", "[^note]": "note", "[#2]": "#2", "[@smith2021]": "smith2021",
		"[doc_2]": "doc_2#2", "[Doc 1]": "Doc 1#1", "[Document 1, 3]": "Document 1#1 #3", "(Source 1, 2)": "Source 1#1 #2", "[citation:3]": "citation:3#3",
		"[1 and 2]": "#1 #2", "[1, 2, and 3]": "#1 #2 #3", "[doc_17:3]": "doc_17:3|doc_17#3", "[Refund Policy §3]": "Refund Policy §3|Refund Policy", "[Refund Policy – Acme]": "Refund Policy – Acme|Refund Policy",
		"[S2]": "S2#2", "[S1, S3]": "S1#1 S3#3", "[Source 1: plans.pdf]": "Source 1|plans.pdf#1", "[1, p. 4]": "#1", "[1: p. 4]": "#1", "[2, 3, p. 4]": "#2 #3", "[kb-0042]": "kb-0042#42", "[3f2504e0-4f89]": "3f2504e0-4f89",
		"[plans.pdf]": "plans.pdf", "[plans.pdf, p. 3]": "plans.pdf", "(plans.pdf, page 3)": "plans.pdf", "(Source: plans.pdf)": "plans.pdf",
		"[plans.pdf; faq.md]": "plans.pdf faq.md",
		"[Refund Policy]":     "Refund Policy", "[Terms, Fees and Rates]": "Terms, Fees and Rates|Terms", "[Refund Policy, p. 3]": "Refund Policy, p. 3|Refund Policy|Refund Policy",
		"[1](https://acme.com/plans)": "https://acme.com/plans#1", "[[1]](https://acme.com/plans)": "https://acme.com/plans#1", "[[1](https://acme.com/plans)]": "https://acme.com/plans#1",
		"[source](https://acme.com/plans)": "https://acme.com/plans", "([plans.pdf](https://acme.com/p))": "plans.pdf|https://acme.com/p",
		"[https://acme.com/plans]": "https://acme.com/plans",
		"<sup>1</sup>":             "#1", "<sup>[1](https://a.com/x)</sup>": "https://a.com/x#1", "<ref>doc_2</ref>": "doc_2#2", `<ref name="doc_2"/>`: "doc_2#2", "¹": "#1", "¹˒²": "#1 #2",
		"(see [1])": "#1", "([1], [2])": "#1 #2", "(Smith et al., 2021)": "Smith et al., 2021?",
		"(page 12)": "", "[p. 4]": "", "(see section 4.2)": "", "[pp. 3, 5]": "",
	} {
		if got := formatCitations(t, "The plan costs $10 a month "+marker+"."); got != want {
			t.Errorf("%s: got %q, want %q", marker, got, want)
		}
	}
}

func TestExtractAttachesCitationsToClaims(t *testing.T) {
	for answer, want := range map[string]string{
		"The plan costs $10 [1]. Support is free [2].":                         "#1 / #2",
		"The plan costs $10. [1] Support is free. [2]":                         "#1 / #2",
		"The plan costs $10.[1] Support is free.[2]":                           "#1 / #2",
		"[1] The plan costs $10.\n[2] Support is free.":                        "#1 / #2",
		"[1] The plan costs $10. [2] Support is free. [3] It is new.":          "#1 / #2 / #3",
		"[1] The plan costs $10. [2] Support is free. [3]":                     "#1 #2 / #3",
		"According to [1], the plan costs $10.":                                "#1",
		"The plan costs $10 [1] and support is free [2].":                      "#1 #2",
		"- The plan costs $10 [1]\n- Support is free [2]":                      "#1 / #2",
		"| plan | price |\n|---|---|\n| basic | $10 [1] |\n| pro | $20 [2] |":  "#1 / #2",
		"Der Tarif „Größe“ kostet 10 € 🌕 [1]. Er ist neu [2].":                 "#1 / #2",
		"The plan costs $10 [1].\n\nSources:\n[1] plans.pdf, p. 3\n[2] faq.md": "plans.pdf, p. 3|plans.pdf|p. 3#1",
		"The plan costs $10 [^1].\n\n[^1]: https://acme.com/plans":             "https://acme.com/plans|https://acme.com/plans#1",
		"The plan costs $10 [2].\n\nSources:\n1. faq.md\n2. Document 1":        "Document 1#1",
		"The plan costs $10 [2].\n\nReferences: [1] faq.md, [2] plans.pdf":     "plans.pdf#2",
		"The plan costs $10 [1].\n\nWhat is new? [2]":                          "#1",
		"# Paris [1]": "#1",
		"<p>The plan costs $10.</p>[1] <p>Support is free.</p>[2]":                      "#1 / #2",
		"The app runs on iOS[1]. It costs $10.50[2].":                                   "#1 / #2",
		"Section 5(2) of the Act says so.":                                              "",
		"Read data[1] and config.list[2] first.":                                        "",
		"The plan costs $10 per month.":                                                 "",
		"The plan costs $10 [1].\n\n## Sources\n- [1]: [Plans](https://acme.com/plans)": "https://acme.com/plans|Plans](https://acme.com/plans|Plans|https://acme.com/plans#1",
	} {
		if got := formatCitations(t, answer); got != want {
			t.Errorf("%q: got %q, want %q", answer, got, want)
		}
	}
}

// A citation may be in brackets within brackets, but not one in each of two million.
func TestExtractReadsManyOpenBrackets(t *testing.T) {
	const link = "[[[1](https://acme.com/plans)]]"
	if got := formatCitations(t, "The plan costs $10 "+link+"."); !strings.Contains(got, "https://acme.com/plans") {
		t.Errorf("%s: got %q, want its link", link, got)
	}
	if text := strings.Repeat("[", 2<<20); len(extract(t, text).Claims) > 0 {
		t.Error("got a claim without words")
	}
}

func TestExtractLimitsCitationSize(t *testing.T) {
	answer := strings.Repeat("It is so [1-99]. ", 20_000)
	n := 0
	for _, c := range extract(t, answer).Claims {
		for _, x := range c.Citations {
			n += len(x.Text) + citationOverhead
		}
	}
	if limit := baseCitationBudget + (citationBudgetPerByte+citationOverhead)*len(answer); n > limit {
		t.Errorf("got %d bytes of citations in an answer of %d, want at most %d", n, len(answer), limit)
	}
}

func TestMentionsInClaimsOfOneSentence(t *testing.T) {
	const answer = "The firm was founded in 1998 and opened a shop in Oslo and was sold in [faq.md]."
	claims := []Claim{
		{Text: "The firm was founded in 1998", Start: 0, End: 28},
		{ID: 1, Text: "The firm opened a shop in Oslo.", Start: -1, End: -1, From: &Span{0, len(answer)}},
		{ID: 2, Text: "was sold in [faq.md].", Start: 59, End: len(answer)},
	}
	for i, c := range WithMentions(answer, claims) {
		if got, want := len(c.Citations), min(i, 1); got != want {
			t.Errorf("%s: got %d mentions, want %d", c.Text, got, want)
		}
	}
}
