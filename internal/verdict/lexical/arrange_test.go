package lexical

import (
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestVerdictsOnRearrangedWords(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, c := range []struct {
		context, claim string
		want           verdict.Label
		reason         string // substring of the reason
	}{
		// Swapped roles.
		{"In the cup final of 1987, Norway beat Iceland by two goals to one.", "Iceland beat Norway in the cup final.", no, "“Norway beat Iceland”, not “Iceland beat Norway”"},
		{"The hotel was sold; later Acme Corp acquired Globex Holdings for cash.", "Globex Holdings acquired Acme Corp for cash.", no, "Acme Corp acquired Globex"},
		{"The Romans were defeated by the Parthians near Carrhae.", "The Romans defeated the Parthians near Carrhae.", no, "Romans were defeated by"},
		{"The Romans were defeated by the Parthians near Carrhae.", "The Parthians were defeated by the Romans near Carrhae.", no, "not"},
		{"Mount Elbrus is higher than Mont Blanc and draws many climbers.", "Mont Blanc is higher than Mount Elbrus.", no, "Mount Elbrus is higher than Mont Blanc"},
		{"In spring the harbour ferry carries more passengers than the tram.", "In spring the tram carries more passengers than the harbour ferry.", no, ""},
		{"The Inn is a long tributary of the Danube.", "The Danube is a long tributary of the Inn.", no, ""},
		{"Marie Curie taught Irene Joliot physics at home.", "Irene Joliot taught Marie Curie physics at home.", no, ""},

		{"Iceland was beaten by Norway in the cup final.", "Norway beat Iceland in the cup final.", yes, ""},
		{"Norway beat Iceland in the cup final.", "Iceland was beaten by Norway in the cup final.", yes, ""},
		{"Anna Berg married Paul Lind in Oslo.", "Paul Lind married Anna Berg in Oslo.", yes, ""},
		{"The minister met the bishop in Rome on Monday.", "The bishop met the minister in Rome on Monday.", yes, ""},
		{"Norway and Iceland signed the treaty in Oslo.", "Iceland and Norway signed the treaty in Oslo.", yes, ""},
		{"Mount Elbrus is higher than Mont Blanc.", "Mont Blanc is less high than Mount Elbrus.", yes, ""},
		{"Norway beat Iceland in 1987, but Iceland beat Norway in the cup final.", "Iceland beat Norway in the cup final.", yes, ""},
		{"Norway beat Iceland in the cup. In the cup final Iceland beat Norway.", "Iceland beat Norway in the cup.", yes, ""},
		{"Berlin, the capital of Germany, lies on the Spree.", "The capital of Germany, Berlin, lies on the Spree.", yes, ""},
		{"Bill Gates, the founder of Microsoft, gave a talk in Rome.", "Microsoft founder Bill Gates gave a talk in Rome.", yes, ""},
		{"Sales in Spain were higher in 2019 than in 2020.", "In 2019 sales in Spain were higher than in 2020.", yes, ""},
		{"Paul Lind was a friend of Anna Berg.", "Anna Berg was a friend of Paul Lind.", yes, ""},
		{"Tea, coffee and cocoa are grown on the island.", "Cocoa, coffee and tea are grown on the island.", yes, ""},
		{"The plant treated water that the city pumped from the lake.", "The city pumped water from the lake that the plant treated.", yes, ""},

		// "All" instead of "some".
		{"Some of the windows were broken in the storm of March.", "All windows were broken in the storm of March.", not, "“Some of the windows”, not “All windows”"},
		{"Most guests of the hotel left after the storm.", "Every guest of the hotel left after the storm.", not, "Most guests"},
		{"Three of the windows were broken in the storm.", "All of the windows were broken in the storm.", not, ""},
		{"The eastern side of the market hall burned down in 1911.", "The entire market hall burned down in 1911.", not, "side of the market"},
		{"The museum in Porto is usually open on Mondays in May.", "The museum in Porto is always open on Mondays in May.", not, "usually open"},
		{"A few members of the board voted against the merger plan.", "All members of the board voted against the merger plan.", not, ""},

		{"All of the windows were broken in the storm.", "All windows were broken in the storm.", yes, ""},
		{"Each window of the house was broken in the storm.", "All windows of the house were broken in the storm.", yes, ""},
		{"Some windows broke at once, and in the end all windows of the house were broken.", "All windows of the house were broken.", yes, ""},
		{"The windows were broken in the storm, and some doors.", "All the windows were broken in the storm.", yes, ""},
		{"Some of the windows were broken in the storm.", "Some windows were broken in the storm.", yes, ""},
		{"Some of the guests say that the view over all the town is good.", "Some guests say that the view over all the town is good.", yes, ""},
		{"Some trains stop in the town. The whole town is lit at night.", "The whole town is lit at night.", yes, ""},

		// Numbers in a different year.
		{"Output fell from 70 tonnes in 2001 to 40 tonnes in 2002.", "Output was 40 tonnes in 2001.", no, "“40 tonnes in 2002”, not “40 tonnes in 2001”"},
		{"Output fell from 70 tonnes in 2001 to 40 tonnes in 2002.", "Output was 40 tonnes in 2002.", yes, ""},
		{"Output was 40 tonnes in 2001 and 40 tonnes in 2002.", "Output was 40 tonnes in 2002.", yes, ""},

		// Shares and units.
		{"The firm sold a fifth of its shops in Wales.", "The firm sold 20% of its shops in Wales.", yes, ""},
		{"The firm sold a fifth of its shops in Wales.", "The firm sold 30% of its shops in Wales.", no, "“30%” is not in the contexts (nearest: “a fifth”)"},
		{"Two thirds of the members voted for the plan in Graz.", "67 percent of the members voted for the plan in Graz.", yes, ""},
		{"Half of the members voted for the plan in Graz.", "50% of the members voted for the plan in Graz.", yes, ""},
		{"Five out of six members voted for the plan in Graz.", "Five members voted for the plan in Graz.", yes, ""},
		{"The new pipeline is 40 km long and crosses the border.", "The new pipeline is 40 miles long.", no, "the contexts say “40 km”, not “40 miles”"},
		{"The bridge in Bergen cost £40 million to build.", "The bridge in Bergen cost $40 million to build.", no, "say “£40 million”, not “$40 million”"},
		{"The pipeline is 40 km long, or 24.9 miles, and crosses the border.", "The pipeline is 24.9 miles long.", yes, ""},
	} {
		v := judge(t, j, newTask("", []string{c.context}, c.claim))[0]
		if v.Label != c.want || !strings.Contains(v.Reason, c.reason) {
			t.Errorf("%q in %q: got %v %.3f (%s), want %v (%s)", c.claim, c.context, v.Label, v.Score, v.Reason, c.want, c.reason)
		}
		if c.want != yes && v.Score > maxContradictedScore && c.reason != "" && !strings.Contains(c.reason, "nearest") {
			t.Errorf("%q: got score %v, want at most %v", c.claim, v.Score, maxContradictedScore)
		}
	}
}

func TestChunkWithSwappedRolesIsNotSupport(t *testing.T) {
	t.Parallel()
	swapped, right := "Iceland beat Norway in the cup final of 1987.", "As told, Norway beat Iceland in the cup final."
	for _, contexts := range [][]string{{swapped, right}, {right, swapped}} {
		v := judge(t, newJudge(t, Options{}), newTask("", contexts, "Norway beat Iceland in the cup final of the year."))[0]
		if v.Label != verdict.Supported || len(v.ChunkIDs) != 1 || contexts[v.ChunkIDs[0]] != right {
			t.Errorf("%q: got %v by %v (%s), want supported by %q", contexts, v.Label, v.ChunkIDs, v.Reason, right)
		}
	}
}
