package lexical

import "testing"

func TestJudgeComparesValues(t *testing.T) {
	t.Parallel()
	testVerdicts(t, []verdictTest{
		{"The entry fee is $10 and the guide costs $25.", "The entry fee and the guide cost $35 in total.", notMentioned, "“$35” is not in the contexts"},
		{"The entry fee is $10 and the guide costs $25.", "The entry fee is $12.", contradicted, ""},
		{"The fleet has 4 fishing boats, 9 rowing boats and a raft.", "The fleet has 4 fishing boats.", supported, ""},
		{"The fleet has 4 fishing boats, 9 rowing boats and a raft.", "The fleet has 9 fishing boats.", contradicted, "the contexts say “4”, not “9”"},
		{"The tour takes 90 minutes.", "The tour takes an hour and a half.", supported, ""},
		{"The tour takes 90 minutes.", "The tour takes four hours.", contradicted, ""},
		{"The gate opens at 09:00.", "The gate opens at 9 am.", supported, ""},
		{"The gate opens after 9 am.", "The gate opens before 9 am.", contradicted, "the contexts say “gate opens after 9 am”, not “gate opens before 9 am”"},
		{"The gate opens after 9 am on weekdays.", "The gate opens after 9 am.", supported, ""},
		{"The ticket is valid until 3 May.", "The ticket is valid from 3 May.", contradicted, ""},
		{"Tickets are available from 3 May to 9 May.", "Tickets are available from 3 May until 9 May.", supported, ""},
		{"The pool is open May through September.", "The pool is open in July.", notMentioned, "“July” is not in the contexts"},
		{"Sales grew from January 2020 to December 2022.", "Sales grew from January 2020 to December 2021.", contradicted, ""},
		{"The rink is open November to March.", "The rink is open in January.", notMentioned, ""},
		{"The pool is open May through September.", "The pool is open in December.", contradicted, "the contexts say “May”, not “December”"},
		{"The fare rose from $10 to $5.", "The fare rose from $5 to $10.", contradicted, ""},
		{"The fare rose from $5 to $10.", "The fare rose to $10 from $5.", supported, ""},
		{"Returns are accepted within 30 days.", "Returns are accepted after 30 days.", contradicted, ""},
		{"The plan costs $12 per month.", "The plan costs $12 per year.", contradicted, "the contexts say “The plan costs $12 per month”, not “The plan costs $12 per year”"},
		{"Die Karte kostet 5 Euro.", "Die Karte kostet nicht 5 Euro.", contradicted, "the contexts say “Die Karte kostet 5 Euro”, not “Karte kostet nicht 5 Euro”"},
		{"Das Fest ist am 4. Mai.", "Das Fest ist am 3. Mai.", notMentioned, "“3. Mai” is not in the contexts (nearest: “4. Mai”)"},
		{"The tool needs Python 3.1.", "The tool needs Python 3.10.", contradicted, "“3.10” is not in the contexts (nearest: “3.1”)"},
		{"The tool needs Python 3.10 or later.", "The tool needs Python 3.10.", supported, ""},
		{"The recipe needs four eggs.", "The recipe needs two eggs.", contradicted, "the contexts say “four”, not “two”"},
		{"The recipe needs four eggs.", "The recipe needs one egg.", contradicted, ""},
		{"The recipe needs 2 eggs.", "The recipe needs two eggs.", supported, ""},
		{"Three of the five members voted yes.", "Two of the five members voted yes.", contradicted, ""},
		{"Take two tablets three times a day.", "Take three tablets two times a day.", contradicted, ""},
		{"Take two tablets three times a day.", "You should take two tablets 3 times daily.", supported, ""},
		{"Anna bought the blue bag.", "The blue bag is the one that Anna bought.", supported, ""},
		{"Jim and Tom, 45, are Anna's sons.", "Jim and Tom are Anna's two sons.", supported, ""},
		{"The learning rate is 1e-3.", "The learning rate is 0.001.", supported, ""},
	})
}

func TestBoundIsNoExactValue(t *testing.T) {
	t.Parallel()
	tests := []verdictTest{
		{"The fine is at least $50.", "The fine is $50.", notMentioned, "the contexts say “is at least $50”, not “The fine is $50”"},
		{"The fine is at least $50.", "The fine is at least $50.", supported, ""},
		{"The fine is $50 or more.", "The fine is $50.", supported, ""},
		{"Patients must stay for at least one night.", "Patients must stay for one night or more.", supported, ""},
		{"The fine is about $50.", "The fine is $50.", supported, ""},
		{"The fine is $50.", "The fine is up to $50.", notMentioned, "the contexts say “The fine is $50”, not “is up to $50”"},
		{"The fine is $50.", "The fine is less than $50.", contradicted, ""},
		{"The fine is $50.", "The fine is less than $60.", supported, ""},
		{"The fine is $50 or less.", "The fine is up to $50.", supported, ""},
		{"The maximum fine is $50.", "The fine is up to $50.", supported, ""},
		{"Orders arrive within 5 days.", "Orders arrive in at most 5 days.", supported, ""},
		{"The maximum stay is up to 5 nights.", "The maximum stay is 5 nights.", supported, ""},
		{"Orders arrive within 24 hours.", "Orders arrive in 24 hours.", supported, ""},
		{"Up to 200 homes were lost. In the end, 200 homes were lost.", "200 homes were lost.", supported, ""},
		{"Officials say that 200 homes were lost.", "200 homes were lost.", supported, ""},
	}
	for _, bound := range []string{"More than", "Up to", "Almost", "Nearly", "At least", "At most", "Less than", "No more than", "Just over"} {
		for _, claim := range []string{"200 homes were lost.", "five hundred people died."} {
			stated := bound + " " + claim
			tests = append(tests, verdictTest{stated, claim, notMentioned, ""}, verdictTest{stated, stated, supported, ""})
		}
	}
	testVerdicts(t, tests)
}

func TestLabelsAndAddressesAreCompared(t *testing.T) {
	t.Parallel()
	testVerdicts(t, []verdictTest{
		{"Articles 5 and 6 ban fees.", "Article 6 bans fees.", supported, ""},
		{"Room 204 is free.", "Room 205 is free.", notMentioned, ""},
		{"Room 204 is free.", "Room 204 is free today.", supported, ""},
		{"The first and second floors are closed.", "The first floor is closed.", supported, ""},
		{"Email: info@acme.com.", "The email is info@acme.org.", notMentioned, "“info@acme.org” is not in the contexts"},
		{"Email: info@acme.com.", "The email is support@acme.com.", notMentioned, ""},
		{"Email: <info@acme.com>.", "The email is Info@acme.com.", supported, ""},
		{"Visit https://acme.com/help for help.", "Visit https://acme.com/support for help.", notMentioned, "“https://acme.com/support” is not in the contexts"},
		{"Visit acme.com/help/ for help.", "Visit https://www.acme.com/help for help.", supported, ""},
		{"Edit /etc/app/db.conf as root.", "Edit /etc/app/app.conf as root.", notMentioned, ""},
		{"Visitors must be at least 18 to enter.", "Visitors must be 18+ to enter.", supported, ""},
		{"Visitors must be 18+ to enter.", "Visitors must be 21+ to enter.", notMentioned, ""},
		{"The fee is CHF 1'200.", "The fee is CHF 200.", contradicted, ""},
		{"The fee is 1’200 francs.", "The fee is 1200 francs.", supported, ""},
		{"The output is 5 mW.", "The output is 5 MW.", contradicted, ""},
		{"The fuse is for 500 mA.", "The fuse is for 0.5 A.", supported, ""},
		{"Add 1½ cups of milk.", "Add ½ cup of milk.", contradicted, ""},
		{"Add 1½ cups of milk.", "Add 1.5 cups of milk.", supported, ""},
		{"The office is open Mon-Fri.", "The office is open Monday to Friday.", supported, ""},
		{"The office is open Mon-Fri.", "The office is open on Saturday.", contradicted, ""},
	})
}
