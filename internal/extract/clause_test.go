package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func extractClauses(t testing.TB, lang, answer string) Extraction {
	t.Helper()
	e, err := Clauses{Sentences{Lang: lang}}.Extract(t.Context(), "", answer)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestClausesSplitsIndependentStatements(t *testing.T) {
	for sentence, want := range map[string][]string{
		"Einstein was born in Germany on 20th March 1879.":                                 {"Einstein was born in Germany", "Einstein was born on 20th March 1879."},
		"The festival took place in Berlin in June 2019.":                                  {"The festival took place in Berlin", "The festival took place in June 2019."},
		"Ada Lovelace died in London on 27 November 1852.":                                 {"Ada Lovelace died in London", "Ada Lovelace died on 27 November 1852."},
		"The treaty was signed in Lisbon in 2007.":                                         {"The treaty was signed in Lisbon", "The treaty was signed in 2007."},
		"The company was founded in 1998 and moved its office to Boston.":                  {"The company was founded in 1998", "The company moved its office to Boston."},
		"The Senate passed the bill and the president signed the treaty.":                  {"The Senate passed the bill", "the president signed the treaty."},
		"Sales rose in 2019 but fell in 2020.":                                             {"Sales rose in 2019", "Sales fell in 2020."},
		"The book was written by Jane Austen and was published in 1813.":                   {"The book was written by Jane Austen", "The book was published in 1813."},
		"The museum opened in 1902; the garden was added in 1950.":                         {"The museum opened in 1902", "the garden was added in 1950."},
		"Anna studied law in Leeds and her brother runs a farm.":                           nil, // "her" refers back
		"The road was closed, and guards were sent to the north.":                          {"The road was closed", "guards were sent to the north."},
		"The tower was built in 1889 and is owned by the city.":                            {"The tower was built in 1889", "The tower is owned by the city."},
		"Marie Curie, who was born in Warsaw, won two Nobel Prizes.":                       {"Marie Curie won two Nobel Prizes.", "Marie Curie was born in Warsaw."},
		"The bridge, which opened in 1932, crosses the harbour.":                           {"The bridge crosses the harbour.", "The bridge opened in 1932."},
		"The prize went to Tom Baker, who was born in Oslo.":                               {"The prize went to Tom Baker", "Tom Baker was born in Oslo."},
		"She moved to Paris and worked at the Louvre.":                                     {"She moved to Paris", "She worked at the Louvre."},
		"The club was founded in Leeds, was renamed in 1920, and was closed by the mayor.": {"The club was founded in Leeds", "The club was renamed in 1920", "The club was closed by the mayor."},
		"The engineers tested the pump and the manager approved the plans.":                {"The engineers tested the pump", "the manager approved the plans."},
		"The team has won the cup and lost the final.":                                     {"The team has won the cup", "The team lost the final."},
		"The vaccine was approved in May and reduces the risk by half.":                    {"The vaccine was approved in May", "The vaccine reduces the risk by half."},
		"The author lived in Rome and died in Venice in 1903.":                             {"The author lived in Rome", "The author died in Venice", "The author died in 1903."},
	} {
		var got []string
		for _, c := range extractClauses(t, "en", sentence).Claims {
			got = append(got, c.Text)
		}
		if want == nil {
			want = []string{sentence}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, d)
		}
	}
}

func TestClausesKeepsOtherSentences(t *testing.T) {
	for _, sentence := range []string{
		"Ada, Ben and Cleo are engineers.",
		"You can cancel the booking and request a refund.",
		"The device does not support Bluetooth and cannot be repaired.",
		"The book was written by Jane Austen and published in 1813.",
		"If the deposit is paid and the form is signed, the booking is final.",
		"The shop was not opened in Leeds in 1990.",
		"The shop opens at 9 on Sunday.",
		"The museum is closed on Mondays in January.",
		"The engineer designed and built the bridge.",
		"Few guests stayed for dinner and paid the bill.",
		"He never smoked cigars and drank wine.",
		"The sign reads \"Stop and pay\" in Berlin in June.",
		"The river joins the sea and it is salty.",
		"The queen was the first to speak in Ottawa in 1957.",
		"Sales fell in Germany in 2019.",
		"Three ships were built in Glasgow in 1912.",
		"The coat is warm and light.",
		"In 1998 the company was founded and moved to Boston.",
		"He failed the exam, which surprised the teacher.",
		"The mayor of London, who was born in Leeds, resigned.",
		"The plan allegedly covers dental care and includes glasses.",
		"The price rose from 5 to 9 euros in Japan.",
		"The museum in Paris opened on a Monday.",
		"The site has a history of accidents, including a fire in 2013 and protests in 2007.",
		"The spears were made of ash and consisted of two parts.",
		"She won the race with Redfoot in 2005 and zolabriggs in 2011.",
		"It offers management tools for deploying, automating, monitoring, and scaling containerized apps with no effort.",
		"The cause of the fall was blamed on ice and not wearing good shoes.",
		"This helps us to enter a state of rest and remain calm in the night.",
		"The arrow was found by the couple Brian and Charlotte Smith, who have travelled to Rome.",
		"The gene is found in types K1, K2, and K4 acute leukemias.",
	} {
		if d := cmp.Diff(extract(t, sentence), extractClauses(t, "en", sentence)); d != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, d)
		}
	}
}

func TestClausesSplitsOnlyEnglish(t *testing.T) {
	for _, answer := range []string{"Das Haus wurde 1900 gebaut und der Garten wurde 1950 angelegt.", "Einstein est né en Allemagne et il est mort aux États-Unis."} {
		if got := len(extractClauses(t, "", answer).Claims); got != 1 {
			t.Errorf("%s: got %d claims, want 1", answer, got)
		}
	}
	if got := len(extractClauses(t, "de", "The lake froze in January, and the ferry stopped in February.").Claims); got != 1 {
		t.Errorf("got %d claims of a text said to be German, want 1", got)
	}
}

func TestClausesHaveRangesAndCitations(t *testing.T) {
	const answer = "Hello! The Senate passed the bill [1] and the president signed the treaty [2]. The firm was founded in 1998 and opened a shop in Oslo [3]. **Sales** rose in 2019 but fell in 2020."
	type part struct {
		Raw, Text, From string
		Citations       []string
	}
	var got []part
	for _, c := range extractClauses(t, "", answer).Claims {
		p := part{Text: c.Text}
		if c.From != nil {
			p.From = answer[c.From.Start:c.From.End]
		} else {
			p.Raw = answer[c.Start:c.End]
		}
		for _, cited := range c.Citations {
			p.Citations = append(p.Citations, cited.Text)
		}
		got = append(got, p)
	}
	const first = "The Senate passed the bill [1] and the president signed the treaty [2]."
	const second, third = "The firm was founded in 1998 and opened a shop in Oslo [3].", "**Sales** rose in 2019 but fell in 2020."
	want := []part{
		{From: first, Text: "The Senate passed the bill", Citations: []string{"[1]", "[2]"}},
		{From: first, Text: "the president signed the treaty.", Citations: []string{"[1]", "[2]"}},
		{From: second, Text: "The firm was founded in 1998", Citations: []string{"[3]"}},
		{From: second, Text: "The firm opened a shop in Oslo.", Citations: []string{"[3]"}},
		{From: third, Text: "Sales rose in 2019"},
		{From: third, Text: "Sales fell in 2020."},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
}

func FuzzClauses(f *testing.F) {
	f.Add("The firm was founded in 1998 [1] and moved to Oslo\xff. **He** died in Rome in 1903; the end came.")
	f.Add(strings.Join(fragments(), " "))
	f.Fuzz(func(t *testing.T, answer string) {
		sentences, clauses := extract(t, answer), extractClauses(t, "en", answer)
		if d := cmp.Diff(sentences.Skipped, clauses.Skipped); d != "" {
			t.Fatalf("%q: skipped sentences differ:\n%s", answer, d)
		}
		for i, c := range clauses.Claims {
			inside := func(s Claim) bool {
				return c.From == nil && c.Start == s.Start || c.From != nil && c.From.Start == s.Start
			}
			if c.ID != i || c.Text == "" || strings.TrimSpace(c.Text) != c.Text || !slices.ContainsFunc(sentences.Claims, inside) {
				t.Fatalf("%q: got inconsistent claim %+v", answer, c)
			}
		}
	})
}

func TestMentionsInClausesOfOneSentence(t *testing.T) {
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
