package lexical

import "testing"

func TestJudgeComparesWordOrder(t *testing.T) {
	t.Parallel()
	testVerdicts(t, []verdictTest{
		// Other orders of the same words.
		{"Iceland was beaten by Norway in the cup final.", "Norway beat Iceland in the cup final.", supported, ""},
		{"Norway beat Iceland in the cup final.", "Iceland was beaten by Norway in the cup final.", supported, ""},
		{"Anna Berg married Paul Lind in Oslo.", "Paul Lind married Anna Berg in Oslo.", supported, ""},
		{"The minister met the bishop in Rome on Monday.", "The bishop met the minister in Rome on Monday.", supported, ""},
		{"Norway and Iceland signed the treaty in Oslo.", "Iceland and Norway signed the treaty in Oslo.", supported, ""},
		{"Mount Elbrus is higher than Mont Blanc.", "Mont Blanc is less high than Mount Elbrus.", supported, ""},
		{"Norway beat Iceland in 1987, but Iceland beat Norway in the cup final.", "Iceland beat Norway in the cup final.", supported, ""},
		{"Norway beat Iceland in the cup. In the cup final Iceland beat Norway.", "Iceland beat Norway in the cup.", supported, ""},
		{"Berlin, the capital of Germany, lies on the Spree.", "The capital of Germany, Berlin, lies on the Spree.", supported, ""},
		{"Bill Gates, the founder of Microsoft, gave a talk in Rome.", "Microsoft founder Bill Gates gave a talk in Rome.", supported, ""},
		{"Sales in Spain were higher in 2019 than in 2020.", "In 2019 sales in Spain were higher than in 2020.", supported, ""},
		{"Paul Lind was a friend of Anna Berg.", "Anna Berg was a friend of Paul Lind.", supported, ""},
		{"Tea, coffee and cocoa are grown on the island.", "Cocoa, coffee and tea are grown on the island.", supported, ""},
		{"The plant treated water that the city pumped from the lake.", "The city pumped water from the lake that the plant treated.", supported, ""},

		{"All of the windows were broken in the storm.", "All windows were broken in the storm.", supported, ""},
		{"Each window of the house was broken in the storm.", "All windows of the house were broken in the storm.", supported, ""},
		{"Some windows broke at once, and in the end all windows of the house were broken.", "All windows of the house were broken.", supported, ""},
		{"The windows were broken in the storm, and some doors.", "All the windows were broken in the storm.", supported, ""},
		{"Some of the windows were broken in the storm.", "Some windows were broken in the storm.", supported, ""},
		{"Some of the guests say that the view over all the town is good.", "Some guests say that the view over all the town is good.", supported, ""},
		{"Some trains stop in the town. The whole town is lit at night.", "The whole town is lit at night.", supported, ""},

		// Shares and units.
		{"The firm sold a fifth of its shops in Wales.", "The firm sold 20% of its shops in Wales.", supported, ""},
		{"The firm sold a fifth of its shops in Wales.", "The firm sold 30% of its shops in Wales.", contradicted, "“30%” is not in the contexts (nearest: “a fifth”)"},
		{"Two thirds of the members voted for the plan in Graz.", "67 percent of the members voted for the plan in Graz.", supported, ""},
		{"Half of the members voted for the plan in Graz.", "50% of the members voted for the plan in Graz.", supported, ""},
		{"Five out of six members voted for the plan in Graz.", "Five members voted for the plan in Graz.", supported, ""},
		{"The new pipeline is 40 km long and crosses the border.", "The new pipeline is 40 miles long.", contradicted, "the contexts say “40 km”, not “40 miles”"},
		{"Apprentices may work no more than 40 hours.", "Apprentices may work at least 40 hours.", contradicted, "the contexts say “no more than 40 hours”, not “work at least 40 hours”"},
		{"The bridge in Bergen cost £40 million to build.", "The bridge in Bergen cost $40 million to build.", contradicted, "say “£40 million”, not “$40 million”"},
		{"The pipeline is 40 km long, or 24.9 miles, and crosses the border.", "The pipeline is 24.9 miles long.", supported, ""},
	})
}
