package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStripMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                               "plain",
		"**bold** and *soft* and __b__, _i_.": "bold and soft and b, i.",
		"***both***":                          "both",
		"**Bold begins":                       "Bold begins",
		"5 * 3 * 2 = 30":                      "5 * 3 * 2 = 30",
		"snake_case_name and _x":              "snake_case_name and _x",
		"a p* value":                          "a p* value",
		"~~old~~ new, ~5 km":                  "old new, ~5 km",
		"run `a*b*c` now":                     "run a*b*c now",
		"2**8 is 256":                         "2**8 is 256",
		"un**believ**able":                    "unbelievable",
		"a ` alone":                           "a ` alone",
		"a ` quoted ' word, ` twice '":        "a ` quoted ' word, ` twice '",
		"see [the page](https://a.b/c_(d)) x": "see the page x",
		"![a picture](x.png) shows":           "a picture shows",
		"[**bold** link](u)":                  "bold link",
		"[1] is cited [2, 3]":                 "[1] is cited [2, 3]",
		"so it is.[^1] And[^note]":            "so it is. And",
		"H<sub>2</sub>O<br>melts, a < b":      "H 2 O melts, a < b",
		"one\n> two\n  three":                 "one two three",
		`\*literal\* 5\% \alpha`:              `*literal* 5% \alpha`,
		"*not closed":                         "*not closed",
		"a [b] (c) [d":                        "a [b] (c) [d",
	} {
		if got := stripMarkdown(in); got != want {
			t.Errorf("stripMarkdown(%q): got %q, want %q", in, got, want)
		}
	}
}

func TestExtractConvertsTableRows(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         []string
	}{
		{"outer bars", "| City | People |\n|---|--:|\n| **Ulm** | 126,000 |\n| Kiel | |", []string{"City: Ulm; People: 126,000", "City: Kiel"}},
		{"no outer bars", "City | People\n--- | ---\nUlm | 126,000\n\nIt is far.", []string{"City: Ulm; People: 126,000", "It is far."}},
		{"more cells than headings", "| A |\n|---|\n| 1 | 2 |", []string{"A: 1; 2"}},
		{"empty heading", "| | A |\n|---|---|\n| x | 1 |", []string{"x; A: 1"}},
		{"bars within cells", "| A | B |\n|---|---|\n| a \\| b | `c|d` |", []string{"A: a | b; B: c|d"}},
		{"no headings", "| Ulm | 126,000 |\n| Kiel | 246,000 |", []string{"Ulm; 126,000", "Kiel; 246,000"}},
		{"in a block quote", "> | A | B |\n> |---|---|\n> | 1 | 2 |", []string{"A: 1; B: 2"}},
		{"empty row", "| A | B |\n|---|---|\n| | |\n| 1 | 2 |", []string{"A: 1; B: 2"}},
		{"bar in prose", "The union A | B is large.", []string{"The union A | B is large."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, claimTexts(t, c.answer)); d != "" {
				t.Errorf("claims (-want +got):\n%s", d)
			}
		})
	}
}

func TestExtractSetsLeads(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         []string
	}{
		{"lead-in", "Advantages:\n- low cost\n- It is quick and easy to build.", []string{"Advantages: low cost", "It is quick and easy to build."}},
		{"heading", "## Advantages\n\n- low cost", []string{"Advantages: low cost"}},
		{"lead-in that only announces", "The steps are:\n- low heat\n- Stir", []string{"low heat", "Stir"}},
		{"lead-in that says something about the items", "The following are not included:\n- Lunch", []string{"The following are not included: Lunch"}},
		{"incomplete clause", "Renting offers:\n- Freedom to move at any time.", []string{"Renting offers: Freedom to move at any time."}},
		{"lead-in that asserts", "He won three awards:\n- best actor", []string{"He won three awards:", "He won three awards: best actor"}},
		{"nested leads", "1. **Rover**:\n   - six wheels\n2. **Lander**:\n   - four legs", []string{"Rover: six wheels", "Lander: four legs"}},
		{"back to the outer lead", "Parts:\n- wheels:\n  - six\n- one arm", []string{"wheels: six", "Parts: one arm"}},
		{"paragraph ends the list", "Advantages:\n- low cost\n\nIt rains a lot in the north of the land.\n\n- wet", []string{"Advantages: low cost", "It rains a lot in the north of the land.", "wet"}},
		{"table", "## Moons\n\n| Planet | Moons |\n|---|---|\n| Mars | 2 |", []string{"Moons: Planet: Mars; Moons: 2"}},
		{"Chinese", "主要特点：\n- 低成本", []string{"主要特点: 低成本"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, judgedTexts(t, c.answer)); d != "" {
				t.Errorf("claims (-want +got):\n%s", d)
			}
		})
	}
}
