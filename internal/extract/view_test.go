package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// claimTexts returns the text of each claim in an answer.
func claimTexts(t *testing.T, answer string) []string {
	t.Helper()
	var all []string
	for _, c := range extract(t, answer).Claims {
		all = append(all, c.Text)
	}
	return all
}

// judgedTexts returns the text of each claim in an answer with its lead.
func judgedTexts(t *testing.T, answer string) []string {
	t.Helper()
	var all []string
	for _, c := range extract(t, answer).Claims {
		all = append(all, c.Judged())
	}
	return all
}

func TestExtractStripsCitations(t *testing.T) {
	const claim = "The plan costs $10 per month"
	for _, marker := range []string{
		"[1]", "[1, 2]", "[1-3]", "[1][2]", "[1], [2] and [3]", "[12†L3-L5]", "【4:0†source】", "［1］", "〔2〕", "[^1]", "[^note]", "[#3]",
		"[Doc 1]", "[Doc. 2]", "[doc_id: 5]", "[citation:3]", "[chunk_12]", "[S1]", "[web:1]", "[Source A]", "[Passage 2, 3]", "[Quelle 1]",
		"[plans.pdf]", "[plans.pdf, p. 3]", "[faq.md#billing]", "[KB-204]", "[a3f8c2d1]", "[3f2504e0-4f89-11d3-9a0c-0305e82c3301]", "[turn0search3]",
		"[https://docs.example.com/a]", "[[1]](https://docs.example.com/a)", "[1](https://docs.example.com/a)", "[plans.pdf](https://docs.example.com/a)",
		"[source](https://docs.example.com/a)", "([plans.pdf](https://docs.example.com/a))", "[Smith et al., 2021]", "[Handbook, section 4]", "[Pricing FAQ]",
		"(1)", "(2, 3)", "([1], [3])", "(see [2])", "(Source 1)", "(page 12)", "(pp. 3-5)", "(Page 4 of 10)", "(see section 4.2)", "(cf. Section 3)",
		"(Source: Handbook)", "(Smith et al., 2021)", "(Miller & Jones, 2019)", "(WHO, 2020)", "<sup>1</sup>", "<sup>[2]</sup>", "<ref>doc_2</ref>", "¹", "¹,²", "⁽¹⁾",
	} {
		for _, answer := range []string{claim + " " + marker + ".", claim + ". " + marker, claim + "." + marker, claim + marker + "."} {
			if marker == "¹" || marker == "¹,²" || marker == "⁽¹⁾" {
				answer = strings.Replace(answer, " "+marker, marker, 1)
			}
			if d := cmp.Diff([]string{claim + "."}, claimTexts(t, answer)); d != "" {
				t.Errorf("%q (-want +got):\n%s", answer, d)
			}
			if d := cmp.Diff([]string{claim + ".", "It is new."}, claimTexts(t, answer+" It is new.")); d != "" {
				t.Errorf("%q followed by another sentence (-want +got):\n%s", answer, d)
			}
		}
	}
	for answer, want := range map[string]string{
		"The plan [1] costs $10 [2], the other [3] $20.":   "The plan costs $10, the other $20.",
		"The tower[1] is tall and the bridge[2] is long.":  "The tower is tall and the bridge is long.",
		"According to [1], the plan costs $10.":            "According to the source, the plan costs $10.",
		"[2] states that the plan costs $10.":              "the source states that the plan costs $10.",
		"[1] The plan costs $10.":                          "The plan costs $10.",
		"Prices rose in 2019, [3] and again in 2020 [4].":  "Prices rose in 2019, and again in 2020.",
		"> The plan costs $10 [1].":                        "The plan costs $10.",
		"The plan (see page 3 and section 4) costs $10.":   "The plan (see page 3 and section 4) costs $10.",
		"It rose (Smith, 2021; Jones, 2022) by half.":      "It rose by half.",
		"It costs $10 [1], $20 [2] or $30 [3] per month.":  "It costs $10, $20 or $30 per month.",
		"It opened in 2016<sup>2</sup>, on May 3², at 5.":  "It opened in 2016, on May 3, at 5.",
		"✅ It opened. 🎉":                                   "It opened.",
		"The H<sub>2</sub>O level is 5 m<sup>3</sup> [1].": "The H2O level is 5 m3.",
		"There are 10<sup>6</sup> cells [1].":              "There are 10^6 cells.",
	} {
		if d := cmp.Diff([]string{want}, claimTexts(t, answer)); d != "" {
			t.Errorf("%q (-want +got):\n%s", answer, d)
		}
	}
}

func TestExtractKeepsOtherBrackets(t *testing.T) {
	for _, answer := range []string{
		"He wrote that it was a misteak [sic].", "The value of array[1] is 5.", "Read x[0] and args[2] first.", "It is type (2) diabetes.",
		"The area is 5 km² and the volume 3 m³.", "There are two: (1) speed, (2) cost.", "It opened [in 2019].", "It closed (2021).", "Call f(2) first.",
		"She [the director] left.", "It sold 3 million [units] (in 2020).", "`a[1]` is the second element.", "Vitamin (B12) is needed.",
		"The site (https://example.com/x) has it.", "Energy is 10⁶ J and x² grows.", "The range (0, 1, 2) and more is fine.", "Boil it (about 5 minutes).",
		"Numbers in [0.5, 1.5] are kept.", "It costs $10 (plus tax).", "In May (2019, 2020 and 2021) it rained.", "The ratio is <5 and >3 here.",
	} {
		want := strings.ReplaceAll(answer, "`", "")
		if d := cmp.Diff([]string{want}, claimTexts(t, answer)); d != "" {
			t.Errorf("%q (-want +got):\n%s", answer, d)
		}
	}
}

func TestExtractSkipsSourcesReasoningAndDisclaimers(t *testing.T) {
	const claim = "The plan costs $10 per month."
	for _, tt := range []struct {
		answer string
		kind   Kind
	}{
		{claim + "\n\nSources:\n[1] plans.pdf\n[2] https://docs.example.com/billing", Reference},
		{claim + "\n\n**References**\n1. Handbook, section 4\n2. FAQ", Reference},
		{claim + "\n\n---\nSources\n- a.pdf\n- b.pdf", Reference},
		{claim + "\n\n**Sources:** a.pdf; b.pdf", Reference},
		{claim + " Source: handbook.pdf", Reference},
		{claim + "\n\n[1] plans.pdf\n[2] Handbook, section 4", Reference},
		{claim + "\n\n[1]: https://a.example/x\n[2]: https://b.example/y", Reference},
		{claim + "\n\nReferences:\nSmith, J. (2020). Energy prices. Journal of Energy, 12(3), 4-9.", Reference},
		{"<think>The user wants 42 of these.</think>\n\n" + claim, Reasoning},
		{"<reasoning>\nIt is in passage 2.\n</reasoning>\n" + claim, Reasoning},
		{"The user asks this. I look at 3 passages.\n</think>\n\n" + claim, Reasoning},
		{claim + "\n<thinking>And now I was cut o", Reasoning},
		{claim + "\n\nPlease note that this answer is based on the provided context only.", Disclaimer},
		{claim + "\n\n*Disclaimer: This is an AI-generated summary and may contain errors.*", Disclaimer},
		{claim + " I have only used the information in the context.", Disclaimer},
		{claim + " Note: this information comes solely from the documents above.", Disclaimer},
	} {
		e := extract(t, tt.answer)
		if len(e.Claims) != 1 || e.Claims[0].Text != claim {
			t.Errorf("%q: got claims %+v, want %q", tt.answer, e.Claims, claim)
			continue
		}
		found := false
		for _, s := range e.Skipped {
			found = found || s.Kind == tt.kind
			if s.Kind != tt.kind && s.Kind != Marks {
				t.Errorf("%q: got skipped %+v, want %s", tt.answer, s, tt.kind)
			}
		}
		if !found {
			t.Errorf("%q: got skipped %+v, want %s", tt.answer, e.Skipped, tt.kind)
		}
	}
	// Similar text with assertions is not skipped.
	for _, answer := range []string{
		"Sources of vitamin C are oranges and lemons.", "Source: the survey found that prices rose by 5%.", "References are required for all 3 posts.",
		"The answer is no.", "The summary was written by Ann in Rome.", "This information was sold to the police.", "The model is based on data from Chile.",
		"Sources:\nThe river has two of them.\nThey are in the Alps.", "A <b> tag is bold and 3 < 5.",
	} {
		if e := extract(t, answer); len(e.Claims) == 0 {
			t.Errorf("%q: got skipped %+v, want a claim", answer, e.Skipped)
		}
	}
}

func TestExtractStripsHTML(t *testing.T) {
	for answer, want := range map[string][]string{
		"<p>The plan costs $10.</p><p>It is new.</p>":                         {"The plan costs $10.", "It is new."},
		"<ul><li>The plan costs $10.</li><li>It is new.</li></ul>":            {"The plan costs $10.", "It is new."},
		"<div class=\"a\">The <strong>plan</strong> costs&nbsp;$10.</div>":    {"The plan costs $10."},
		"Tom &amp; Ann pay &lt;$10.":                                          {"Tom & Ann pay <$10."},
		"The plan\u00ad costs \u200b$10.\ufeff":                               {"The plan costs $10."},
		"Use `<p>` for a paragraph.":                                          {"Use <p> for a paragraph."},
		"Answer: The plan costs $10.":                                         {"The plan costs $10."},
		"**Final answer:** The plan costs $10.":                               {"The plan costs $10."},
		"The <a href=\"https://a.example\">plan</a> costs $10.<br>It is new.": {"The plan costs $10.", "It is new."},
	} {
		if d := cmp.Diff(want, claimTexts(t, answer)); d != "" {
			t.Errorf("%q (-want +got):\n%s", answer, d)
		}
	}
}

func TestExtractReturnsOffsetsInRawAnswer(t *testing.T) {
	answer := "<think>é</think>Zoë paid [1] $10 [2]. <p>It&nbsp;is new.[3]</p>\n\nSources:\n- a.pdf"
	runes := []rune(answer)
	var got []string
	e := extract(t, answer)
	for _, c := range e.Claims {
		got = append(got, c.Text+"|"+string(runes[c.Start:c.End]))
	}
	for _, s := range e.Skipped {
		if string(runes[s.Start:s.End]) != s.Text {
			t.Errorf("got text %q at the offsets of a sentence, want %q", string(runes[s.Start:s.End]), s.Text)
		}
		got = append(got, string(s.Kind)+"|"+s.Text)
	}
	want := []string{"Zoë paid $10.|Zoë paid [1] $10 [2].", "It is new.|It&nbsp;is new.[3]", "reasoning|<think>é</think>", "reference|Sources:\n- a.pdf"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("views (-want +got):\n%s", d)
	}
}
