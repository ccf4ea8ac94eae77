package lexical

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	ferries = `Ferries from Skarsund, summer 2025

| Route | Crossing (minutes) | Fare 2024 | Fare 2025 | First ferry |
|:--|--:|--:|--:|---|
| Outer Isles | 95 | €31 | €34 | Tuesday |
| Inner Isles | 40 | €12 | €13 | Sunday |
| Inner Isles North | 55 | €17 | €19 | Friday |

Bicycles cost €4 on every route.`
	ferriesHTML = `<p>Ferries</p><table class="t"><tr><th>Route</th><th>Crossing (minutes)</th><th>Fare 2024</th><th>Fare 2025</th><th>First ferry</th></tr>
<tr><td>Outer Isles</td><td>95</td><td>€31</td><td>€34</td><td>Tuesday</td></tr>
<tr><td>Inner Isles</td><td>40</td><td>€12</td><td>€13</td><td>Sunday</td></tr>
<tr><td><b>Inner Isles North</b></td><td>55</td><td>€17</td><td>€19</td><td>Friday</td></tr></table>
<p>Bicycles cost €4 on every route.</p>`
)

func ferriesTSV() string {
	var b strings.Builder
	for line := range strings.Lines(ferries) {
		if strings.HasPrefix(line, "| ") {
			line = strings.ReplaceAll(strings.Trim(line, "| \n"), " | ", "\t") + "\n"
		}
		if !strings.HasPrefix(line, "|:") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestTableValuesMustMatchRowAndColumn(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	supported, contradicted := []verdict.Label{verdict.Supported}, []verdict.Label{verdict.Contradicted}
	notContradicted := []verdict.Label{verdict.Supported, verdict.NotMentioned}
	for format, context := range map[string]string{"Markdown": ferries, "HTML": extract.NewPlainText(ferriesHTML).Text(), "tabs": ferriesTSV()} {
		for _, tt := range []struct {
			claim string
			want  []verdict.Label // acceptable verdicts
		}{
			{"The crossing to the Outer Isles takes 95 minutes.", supported},
			{"The crossing to the Outer Isles takes 40 minutes.", contradicted}, // value from a different row
			{"The crossing to the Inner Isles takes 40 minutes.", supported},
			{"The crossing to the Inner Isles takes 55 minutes.", contradicted}, // value from the row with a longer name
			{"The crossing to Inner Isles North takes 55 minutes.", supported},
			{"The fare to the Outer Isles is €34 in 2025.", supported},
			{"The fare to the Outer Isles is €31 in 2025.", contradicted}, // value from a different column
			{"The fare to the Outer Isles was €31 in 2024.", supported},
			{"The first ferry to the Inner Isles goes on Sunday.", supported},
			{"The first ferry to the Inner Isles goes on Tuesday.", contradicted},
			{"A bicycle costs €4 to the Outer Isles.", supported}, // stated outside the table
			{"Route: Inner Isles; Crossing (minutes): 40; Fare 2024: €12", supported},
			{"The fare to the Outer Isles rose from €31 in 2024 to €34 in 2025.", supported},
			{"The Outer Isles are 95 minutes away, the Inner Isles 40 minutes.", supported},
			{"In 2025 the ferries to the Outer Isles and Inner Isles cost money.", notContradicted}, // "money" is missing, but not contradicted
		} {
			v := judge(t, j, newTask("", []string{context}, tt.claim))[0]
			if !slices.Contains(tt.want, v.Label) {
				t.Errorf("%s: %q: got %v, %.2f (%s), want %v", format, tt.claim, v.Label, v.Score, v.Reason, tt.want)
			}
			if v.Label == verdict.Contradicted && (len(v.Evidence) != 1 || !strings.Contains(v.Evidence[0].Quote, "Isles")) {
				t.Errorf("%s: %q: got evidence %v, want the row of the table", format, tt.claim, v.Evidence)
			}
		}
	}
}

func TestRowsMustMatchTheirCells(t *testing.T) {
	t.Parallel()
	const (
		swimmers = "| Rank | Lane | Name | Time |\n|---|---|---|---|\n| - | 4 | Ida Moss | 57.10 |\n| 4 | 2 | Bea Lott | 58.00 |"
		plans    = "| Plan | Export | Backup |\n|---|---|---|\n| Duo | ❌ | ✅ |\n| Trio | No | Yes |\n| Solo | $5.00 | $7 |"
	)
	for _, tt := range []struct {
		context, claim string
		want           bool
	}{
		{swimmers, "Rank: 4; Lane: 2; Name: Bea Lott; Time: 58.00", true},
		{swimmers, "Rank: 4; Lane: 2; Name: Bea Lott; Time: 57.10", false},
		{swimmers, "The time of Bea Lott, rank 4, is 58.00.", true},
		{swimmers, "The time of rank 4 is 57.10.", false},
		{plans, "Plan: Duo; Export: ❌; Backup: ✅", true},
		{plans, "Plan: Trio; Export: No; Backup: Yes", true},
		{plans, "Plan: Trio; Export: Yes; Backup: No", false},
		{plans, "Plan: Solo; Export: $5; Backup: $7", true},
	} {
		v := judge(t, newJudge(t, Options{}), newTask("", []string{tt.context}, tt.claim))[0]
		if (v.Label == verdict.Supported) != tt.want || !tt.want && v.Label != verdict.Contradicted {
			t.Errorf("%q: got %v, %.2f (%s), want supported %v", tt.claim, v.Label, v.Score, v.Reason, tt.want)
		}
	}
}

func TestListItemsMustMatchLead(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	const prose = "The rain cover is an extra. Repairs take a week."
	for _, context := range []string{
		"Welcome. The bag contains:\n\n- a tent with poles\n- two sleeping mats\n- a gas stove\n\n" + prose,
		"Welcome. The bag contains:\n1. a tent with poles\n2. two sleeping mats\n   of foam\n3. a gas stove\n" + prose,
		extract.NewPlainText("The bag contains <ul><li>a tent with poles</li><li>two sleeping mats<li>a gas stove</ul> " + prose).Text(),
	} {
		for item, supported := range map[string]bool{
			"a tent":             true,
			"two sleeping mats":  true,
			"the gas stove":      true,
			"a petrol lamp":      false, // missing from the context
			"two folding chairs": false,
		} {
			task := verdict.Task{Contexts: []string{context}, Claims: []extract.Claim{{Lead: "What the bag contains", Text: item}}}
			if v := judge(t, j, task)[0]; (v.Label == verdict.Supported) != supported {
				t.Errorf("%q: got %v, %.2f (%s), want supported %v", item, v.Label, v.Score, v.Reason, supported)
			}
		}
	}
	task := verdict.Task{
		Contexts: []string{"The bag contains:\n- a tent\n- a stove\n\nThe bag also contains a rain cover."},
		Claims:   []extract.Claim{{Lead: "The bag contains", Text: "a rain cover"}},
	}
	if v := judge(t, j, task)[0]; v.Label != verdict.Supported {
		t.Errorf("item and lead in prose: got %v (%s), want supported", v.Label, v.Reason)
	}
}

// A claim that negates a cell or combines several cells is not compared with one cell.
func TestTableCheckIgnoresCalculations(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, claim := range []string{
		"The crossing to the Outer Isles does not take 40 minutes.",
		"The fare to the Inner Isles rose by €1 since 2024, to €13.",
		"Unlike the Inner Isles, the Outer Isles are 95 minutes away.",
	} {
		v := judge(t, j, newTask("", []string{ferries}, claim))[0]
		if strings.HasPrefix(v.Reason, "the table has") {
			t.Errorf("%q: got %s, want no objection", claim, v.Reason)
		}
	}
}

func TestTableWorkIsLimited(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	var table strings.Builder
	table.WriteString("| Name | Day |\n|---|---|\n")
	for i := range 3000 {
		fmt.Fprintf(&table, "| Ann%d Lee | Monday |\n", i)
	}
	s := newScratch(j.values)
	s.index(j.lex, []string{"Ann7 Lee works on Monday."})
	for range 200 {
		j.checkTables(s, &s.claims[0], []string{table.String()})
	}
	if limit := maxTableWork + 2*len(s.tables[0].header()) + 2*3001; s.tableWork > limit {
		t.Errorf("got %d cell comparisons, want at most %d", s.tableWork, limit)
	}
}

func TestCellsAnswerYesOrNo(t *testing.T) {
	t.Parallel()
	const (
		features = "| Feature | Basic | Pro |\n|---|---|---|\n| API access | No | Yes |\n| SSO | ❌ | ✅ |"
		plans    = "| Plan | Users | SSO |\n|---|---|---|\n| Starter | 5 | ✗ |\n| Team | 20 | ✗ |\n| Business | 100 | ✓ |"
		marks    = "| Feature | Free | Pro | Max |\n|---|---|---|---|\n| API access | – | ✓ | Not included |"
		hours    = "| Day | Open | Pool |\n|---|---|---|\n| Monday | 9-17 | yes |\n| Tuesday | 9-17 | no |"
	)
	testSupport(t, false, [][2]string{
		{features, "Basic includes API access."},
		{features, "Pro does not include API access."},
		{features, "Basic includes SSO."},
		{plans, "The Team plan includes SSO."},
		{plans, "The Business plan does not include SSO."},
		{hours, "The pool is open on Tuesday."},
		{marks, "The Free plan has API access."},
		{marks, "The Max plan has API access."},
	})
	testSupport(t, true, [][2]string{
		{features, "Pro includes API access."},
		{features, "Basic does not include API access."},
		{features, "Pro includes SSO."},
		{plans, "The Business plan includes SSO."},
		{plans, "Starter and Team do not include SSO."},
		{hours, "The pool is open on Monday."},
		{marks, "The Pro plan has API access."},
	})
}
