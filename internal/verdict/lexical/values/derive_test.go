package values

import (
	"strings"
	"testing"
)

func TestDerive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claim, passages string // passages are separated by "#"
		want            string // "" if nothing is derived; it ends with "!" if only the direction is wrong
	}{
		// Sums.
		{"The two tickets cost $35 in total.", "The adult ticket costs $10. The family ticket costs $25.", "$10 + $25 = $35"},
		{"The two tickets cost $40 in total.", "The adult ticket costs $10. The family ticket costs $25.", "$10 + $25 = $35, not $40"},
		{"Lunch and the tour together cost 48 euros.", "The tour costs 30 euros.#Lunch is 18 euros.", "€30 + €18 = €48"},
		{"Altogether 90 people attended.", "40 people came on Friday, 30 on Saturday and 20 on Sunday.", "40 + 30 + 20 = 90"},
		{"The trip takes 3 hours altogether.", "The drive takes 2 hours and the ferry 60 minutes.", "2 hours + 60 minutes = 3 hours"},
		{"The tickets cost $35.", "The adult ticket costs $10. The family ticket costs $25.", ""},

		// Differences.
		{"The bus is 12 euros cheaper than the train.", "The bus costs 18 euros and the train 30 euros.", "€30 - €18 = €12"},
		{"The bus is 15 euros cheaper than the train.", "The bus costs 18 euros and the train 30 euros.", "€30 - €18 = €12, not €15"},
		{"The lake trail is 3 km longer than the ridge trail.", "The lake trail is 11 km long; the ridge trail is 8 km; the forest trail is 5 km.", "11 km - 8 km = 3 km"},
		{"The lake trail is 6 km longer than the ridge trail.", "The lake trail is 11 km long; the ridge trail is 8 km; the forest trail is 5 km.", "11 km - 8 km = 3 km, not 6 km"},
		{"Turnover rose by $20 million.", "Turnover was $80 million in 2020 and $100 million in 2021.", "$100 million - $80 million = $20 million"},
		{"Unemployment fell by 2 percentage points.", "Unemployment was 9% in 2019 and 7% in 2021.", "9% - 7% = 2 percentage points"},
		{"The plant employed 1,300 people in 2019.", "In 2020 the plant employed 1,100 people, 200 fewer than in 2019.", "1,100 + 200 = 1,300"},
		{"The plant employed 900 people in 2019.", "In 2020 the plant employed 1,100 people, 200 fewer than in 2019.", "1,100 + 200 = 1,300, not 900"},
		{"The bridge was planned to cost 50 million dollars.", "The bridge cost 60 million dollars, 10 million more than planned.", "$60 million - 10 million = $50 million"},

		// Products, quotients and averages.
		{"A stay of four nights costs $320.", "A night costs $80.", "4 × $80 = $320"},
		{"Five licences cost $250 altogether.", "A licence costs $50 per user.", "5 × $50 = $250"},
		{"Each partner receives 30,000 euros.", "The prize of 120,000 euros is shared equally by 4 partners.", "€120,000 / 4 = €30,000"},
		{"On average, 30 visitors came each day.", "In 10 days, 300 visitors came.", "300 / 10 = 30"},
		{"A month costs $20 on average.", "The plan costs $240 for 12 months.", "$240 / 12 = $20"},

		// Shares and multiples.
		{"Half of the 58 members voted for it.", "29 of the 58 members voted for it.", "29 / 58 = 50%"},
		{"25% of the members voted for it.", "The club has 80 members. 20 members voted for it.", "20 / 80 = 25%"},
		{"29 members voted for it.", "The club has 58 members. Half of the members voted for it.", "50% of 58 = 29"},
		{"The price doubled.", "The price was $40 in 2010 and $80 in 2020.", "$80 / $40 = 2"},
		{"The price tripled.", "The price was $40 in 2010 and $80 in 2020.", "$80 / $40 = 2, not 3"},
		{"The tower is twice as tall as the church.", "The tower is 90 metres tall. The church is 45 metres tall.", "90 metres / 45 metres = 2"},
		{"The new engine has 50% more power than the old one.", "The old engine has 100 kW, the new engine 150 kW.", "150 kW / 100 kW - 1 = 50%"},
		{"Exports fell by a third.", "Exports were 90 tonnes in 2019 and 60 tonnes in 2020.", "1 - 60 tonnes / 90 tonnes = 33.3%"},

		// Time.
		{"The show lasts two hours.", "The show runs from 19:00 to 21:00.", "19:00 to 21:00 = 2 hours"},
		{"The war lasted four years.", "The war began in 1914 and ended in 1918.", "1914 to 1918 = 4 years"},
		{"She died at the age of 70.", "She was born in 1900 and died in 1970.", "1900 to 1970 = 70 years"},
		{"She died at the age of 60.", "She was born on 3 May 1900 and died on 4 June 1970.", "3 May 1900 to 4 June 1970 = 70 years, not 60 years"},
		{"The museum opened 13 years after the ground.", "The ground opened in 1998, the museum in 2011.", "1998 to 2011 = 13 years"},
		{"The strike ended ten days later.", "The strike began on 3 June 2019 and ended on 13 June 2019.", "3 June 2019 to 13 June 2019 = 10 days"},

		{"She was 34 years old in 1934.", "She was born in Hull in 1900.", "1900 to 1934 = 34 years"},
		{"She was 36 years old in 1934.", "She was born in Hull in 1900.", "1900 to 1934 = 34 years, not 36 years"},
		{"The talks took six weeks.", "The plant opened in 1998. It was closed in 2004.", ""},
		{"A tour takes two hours.", "Tours start on Sundays at 11:00 and on Mondays at 14:00.", ""},

		// Lists.
		{"The kit has four parts.", "The kit has these parts:\n- a lamp\n- a rope\n- two hooks\n- a bag\n", "a lamp, a rope, two hooks, a bag = 4 parts"},
		{"The kit has five parts.", "The kit has these parts:\n1. a lamp\n2. a rope\n3. two hooks\n", "a lamp, a rope, two hooks = 3 parts!"},
		{"The firm has three offices.", "The firm has offices in Berlin, Lyon and Turin.", "Berlin, Lyon, Turin = 3 offices"},
		{"The firm has four offices.", "The firm has offices in Berlin, Lyon and Turin.", "Berlin, Lyon, Turin = 3 offices!"},

		// No licence, or nothing fits.
		{"The hall has 28 seats.", "The hall has 14 rows. It opened 14 years ago.", ""},
		{"The hall cost $12 million in total.", "The hall has 14 rows and 300 seats.", ""},
		{"It has 35 rooms.", "It has 10 beds and 25 tables.", ""},
	} {
		checkDerivation(t, c.claim, c.passages, c.want)
	}
}

func TestDeriveFromOtherWords(t *testing.T) {
	t.Parallel()
	const (
		trails = "| Trail | Length (km) | Climb (m) | Time |\n|---|---|---|---|\n| Heron | 12 | 340 | 4 h |\n" +
			"| Otter | 7.5 | 120 | 2 h 30 min |\n| Stag | 18 | 910 | 7 h |\n"
		plans = "Plan | Monthly price | Seats | Storage\n--- | --- | --- | ---\nBasic | $12 | 3 | 50 GB\n" +
			"Team | $30 | 10 | 200 GB\nPro | $55 | 25 | 1 TB\n"
	)
	for _, c := range []struct{ claim, passage, want string }{
		{"The remaining 30 rooms are free.", "The inn has 80 rooms. 50 rooms are booked.", "80 - 50 = 30"},
		{"That leaves 30 rooms for guests.", "The inn has 80 rooms, 50 of which are booked by groups.", "80 - 50 = 30"},
		{"Two adults pay $36.", "Tickets cost $18 for adults and $9 for children.", "2 × $18 = $36"},
		{"An adult and a child pay $27 together.", "Tickets cost $18 for adults and $9 for children.", "$18 + $9 = $27"},
		{"An adult ticket costs twice as much as a child ticket.", "Tickets cost $18 for adults and $9 for children.", "$18 / $9 = 2"},
		{"An adult pays $9 more than a child.", "Tickets cost $18 for adults and $9 for children.", "$18 - $9 = $9"},
		{"The fleet has 25 ships in all.", "The fleet consists of 14 ferries, 8 tugs and 3 dredgers.", "14 + 8 + 3 = 25"},
		{"The fleet has 26 ships in all.", "The fleet consists of 14 ferries, 8 tugs and 3 dredgers.", "14 + 8 + 3 = 25, not 26"},
		{"Sales rose by 200 units between 2020 and 2021.", "In 2020 the shop sold 1,000 units; in 2021 it sold 1,200 units.", "1,200 - 1,000 = 200"},
		{"That is an increase of 20%.", "In 2020 the shop sold 1,000 units; in 2021 it sold 1,200 units.", "1,200 / 1,000 - 1 = 20%"},
		{"Sales grew by 20% from 2020 to 2021.", "In 2020 the shop sold 1,000 units; in 2021 it sold 1,200 units.", "1,200 / 1,000 - 1 = 20%"},
		{"Sales grew by 30% from 2020 to 2021.", "In 2020 the shop sold 1,000 units; in 2021 it sold 1,200 units.", "1,200 / 1,000 - 1 = 20%, not 30%"},
		{"The bridge took seven years to build.", "Work on the bridge began in 1923 and it opened in 1930.", "1923 to 1930 = 7 years"},
		{"Construction lasted from 1923 to 1930, seven years.", "Work on the bridge began in 1923 and it opened in 1930.", "1923 to 1930 = 7 years"},
		{"The mayor held office for 12 years.", "She was elected mayor in 1990 and retired in 2002.", "1990 to 2002 = 12 years"},
		{"He was 54 when he died.", "He was born in 1900 and died in 1954.", "1900 to 1954 = 54 years"},
		{"The founder died aged 54.", "The founder (1900-1954) came from Hull.", "1900 to 1954 = 54 years"},
		{"The exam lasts three and a half hours.", "The exam starts at 9:00 and ends at 12:30.", "09:00 to 12:30 = 3 hours 30 minutes"},
		{"The flight takes 2 hours 15 minutes.", "The flight leaves at 10:30 and arrives at 12:45.", "10:30 to 12:45 = 2 hours 15 minutes"},
		{"The flight takes 3 hours.", "The flight leaves at 10:30 and arrives at 12:45.", "10:30 to 12:45 = 2 hours 15 minutes, not 3 hours"},
		{"The pool is open for 10 hours on weekdays.", "The pool is open from 8 am to 6 pm on weekdays and from 10 am to 4 pm on Sundays.", "08:00 to 18:00 = 10 hours"},
		{"With the discount the coat costs $80.", "The coat costs $100. Members get a 20% discount.", "$100 - 20% = $80"},
		{"Members pay $80 for the coat.", "The coat costs $100. Members get a discount of 20%.", "$100 - 20% = $80"},
		{"Members pay $90 for the coat.", "The coat costs $100. Members get a discount of 20%.", "$100 - 20% = $80, not $90"},
		{"The discount for members is $20.", "The coat costs $100. Members get a discount of 20%.", "20% of $100 = $20"},
		{"Membership costs $120 a year.", "Membership costs $10 per month.", "12 × $10 = $120"},
		{"Membership costs $130 a year.", "Membership costs $10 per month.", "12 × $10 = $120, not $130"},
		{"The total area is 50 hectares.", "The park covers 30 hectares and the lake 20 hectares.", "30 hectares + 20 hectares = 50 hectares"},
		{"The profit was 2 million euros.", "Revenue was 10 million euros and costs were 8 million euros.", "€10 million - €8 million = €2 million"},
		{"Three in four members voted for it.", "Of 400 members, 300 voted for it.", "300 / 400 = 75%"},
		{"75% of the members voted for it.", "Of 400 members, 300 voted for it.", "300 / 400 = 75%"},
		{"More than half of the jurors agreed.", "7 of the 12 jurors agreed.", "7 / 12 = 58.3%"},
		{"The second tower is 15 metres taller than the first.", "The first tower is 60 m tall, the second 75 m.", "75 metres - 60 metres = 15 metres"},
		{"The A2 weighs 300 g more than the A1.", "The A1 weighs 900 g. The A2 weighs 1.2 kg.", "1.2 kg - 900 g = 0.3 kg"},
		{"The A2 is 300 g heavier.", "The A1 weighs 900 g. The A2 weighs 1.2 kg.", "1.2 kg - 900 g = 0.3 kg"},
		{"Together they weigh 2.1 kg.", "The A1 weighs 900 g. The A2 weighs 1.2 kg.", "900 g + 1.2 kg = 2,100 g"},
		{"The school has 480 pupils overall.", "There are 230 girls and 250 boys at the school.", "230 + 250 = 480"},
		{"The school has 490 pupils overall.", "There are 230 girls and 250 boys at the school.", "230 + 250 = 480, not 490"},
		{"The two grants amount to $7 million.", "The state gave $4 million and the city $3 million.", "$4 million + $3 million = $7 million"},
		{"The state gave $1 million more than the city.", "The state gave $4 million and the city $3 million.", "$4 million - $3 million = $1 million"},
		{"The difference between the two grants is $1 million.", "The state gave $4 million and the city $3 million.", "$4 million - $3 million = $1 million"},
		{"The population was 12,000 in 1990.", "In 2000 the town had 15,000 inhabitants, 3,000 more than in 1990.", "15,000 - 3,000 = 12,000"},
		{"The library has three times as many books as the school.", "The library has 9,000 books, the school 3,000.", "9,000 / 3,000 = 3"},
		{"He won the title in 2013.", "He won his first title in 2010 and another three years later.", "2010 + 3 years = 2013"},
		{"The line was closed in 1965.", "The line opened in 1925 and was closed 40 years later.", "1925 + 40 years = 1965"},
		{"Each of the four heirs got 5 acres.", "The 20 acres were divided equally among the four heirs.", "20 acres / 4 = 5 acres"},
		{"On average a nurse looks after 6 patients.", "The ward has 5 nurses and 30 patients.", "30 / 5 = 6"},
		{"Ten lessons cost 250 euros.", "One lesson costs 25 euros.", "10 × €25 = €250"},
		{"The deposit is a quarter of the price.", "The price is 200 euros. A deposit of 50 euros is due.", "€50 / €200 = 25%"},
		{"The deposit is a third of the price.", "The price is 200 euros. A deposit of 50 euros is due.", "€50 / €200 = 25%, not 33.3%"},
		{"The tax rate went up by 3 percentage points.", "The tax rate was raised from 19% to 22%.", "22% - 19% = 3 percentage points"},
		{"The tax rate went up by 4 percentage points.", "The tax rate was raised from 19% to 22%.", "22% - 19% = 3 percentage points, not 4 percentage points"},
		{"The fee rose by 15 dollars.", "The fee was increased from $45 to $60.", "$60 - $45 = $15"},
		{"The fee rose by a third.", "The fee was increased from $45 to $60.", "$60 / $45 - 1 = 33.3%"},
		{"The Heron trail is 4.5 km longer than the Otter trail.", trails, "12 km - 7.5 km = 4.5 km"},
		{"The Stag trail is 5 km longer than the Heron trail.", trails, "18 km - 12 km = 6 km, not 5 km"},
		{"The three trails add up to 37.5 km.", trails, "12 km + 7.5 km + 18 km = 37.5 km"},
		{"Heron and Otter together are 19.5 km long.", trails, "12 km + 7.5 km = 19.5 km"},
		{"Walking the Stag trail takes three hours more than walking the Heron trail.", trails, "7 hours - 4 hours = 3 hours"},
		{"The Stag trail climbs 790 m more than the Otter trail.", trails, "910 metres - 120 metres = 790 metres"},
		{"The Team plan costs $18 more a month than the Basic plan.", plans, "$30 - $12 = $18"},
		{"The Pro plan has 15 more seats than the Team plan.", plans, "25 - 10 = 15"},
		{"The Basic plan costs $144 a year.", plans, "12 × $12 = $144"},
		{"The Pro plan has five times the storage of the Team plan.", plans, "1 TB / 200 GB = 5"},
		{"The Pro plan has more than twice as many seats as the Team plan.", plans, "25 / 10 = 2.5"},
		{"The vote passed with a majority of 12.", "The council passed the plan by 31 votes to 19.", "31 - 19 = 12"},
		{"The plan won by 12 votes.", "The council passed the plan by 31 votes to 19.", "31 - 19 = 12"},
		{"Before the change there were 400 seats.", "The hall has 450 seats, 50 more than before.", "450 - 50 = 400"},
		{"15 of the staff work part-time.", "The office has 60 staff, a quarter of whom work part-time.", "25% of 60 = 15"},
		{"The lamp and the shade cost 60 dollars.", "The lamp costs 40 dollars and the shade 20 dollars; the set costs 50 dollars.", "$40 + $20 = $60"},
		{"The lamp costs twice as much as the shade.", "The lamp costs 40 dollars and the shade 20 dollars; the set costs 50 dollars.", "$40 / $20 = 2"},
		{"The trial ran for 14 days.", "The trial ran from 3 March to 17 March.", "3 March to 17 March = 14 days"},
		{"The exhibition was open for three months.", "The exhibition opened on 1 May 2019 and closed on 31 July 2019.", "1 May 2019 to 31 July 2019 = 3 months"},
		{"Registration is open for 30 days.", "Registration opens on 1 April and closes on 30 April.", "1 April to 30 April = 30 days"},
		{"The orchestra turned 50 in 1998.", "The orchestra was founded in 1948.", "1948 to 1998 = 50 years"},
		{"The firm is now 25 years old, in 2023.", "The firm was founded in 1998.", "1998 to 2023 = 25 years"},
		{"The shop is open 9 hours a day.", "Opening hours: Monday to Friday, 9:00–18:00.", "09:00 to 18:00 = 9 hours"},
		{"The pilot had 20 fewer participants than the main study.", "80 people took part in the pilot and 100 in the main study.", "100 - 80 = 20"},
		{"In total, 180 people took part.", "80 people took part in the pilot and 100 in the main study.", "80 + 100 = 180"},
		{"180 people took part in the pilot and the main study.", "80 people took part in the pilot and 100 in the main study.", "80 + 100 = 180"},
		{"Two singles cost 30 euros.", "A single ticket costs 15 euros and a return ticket 25 euros.", "2 × €15 = €30"},
		{"Two single tickets cost 30 euros.", "A single ticket costs 15 euros and a return ticket 25 euros.", "2 × €15 = €30"},
		{"Zusammen kosten sie 16 Euro.", "Erwachsene zahlen 10 Euro, Kinder 6 Euro.", "€10 + €6 = €16"},
		{"A family of two adults and one child pays $45.", "Tickets cost $18 for adults and $9 for children.", ""},
		{"The museum is closed two days a week.", "The museum is closed on Mondays and Tuesdays.", ""},
		{"50 councillors voted.", "The council passed the plan by 31 votes to 19.", ""},
		{"You save 10 dollars with the set.", "The lamp costs 40 dollars and the shade 20 dollars; the set costs 50 dollars.", ""},
		{"A return ticket is 5 euros cheaper than two singles.", "A single ticket costs 15 euros and a return ticket 25 euros.", ""},
	} {
		checkDerivation(t, c.claim, c.passage, c.want)
	}
}

// checkDerivation compares the first derivation for a value of the claim.
func checkDerivation(t *testing.T, text, passageTexts, want string) {
	t.Helper()
	claim := Read(text)
	var passages []Text
	for p := range strings.SplitSeq(passageTexts, "#") {
		passages = append(passages, Read(p))
	}
	got := ""
	for i := range claim.Values {
		if d, ok := Derive(claim, i, passages); ok {
			got = d.Text
			if !d.Holds && !strings.Contains(got, ", not ") {
				got += "!"
			}
			break
		}
	}
	if got != want {
		t.Errorf("claim %q, passages %q: got %q, want %q", text, passageTexts, got, want)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ claim, passages, want string }{
		{"The train is more expensive than the bus.", "The bus costs 18 euros and the train 30 euros.", "€30 > €18"},
		{"The train is cheaper than the bus.", "The bus costs 18 euros and the train 30 euros.", "€30 > €18!"},
		{"The Alpha weighs less than the Beta.", "The Alpha weighs 2.1 kg.|The Beta weighs 3,400 g.", "2.1 kg < 3,400 g"},
		{"The ridge trail is the longest of the three.", "The lake trail is 11 km long; the ridge trail is 8 km; the forest trail is 5 km.", "8 km < 11 km!"},
		{"The lake trail is the longest of the three.", "The lake trail is 11 km long; the ridge trail is 8 km; the forest trail is 5 km.", "11 km > 8 km"},
		{"Sales were higher in 2021 than in 2020.", "Sales were $80 million in 2020 and $100 million in 2021.", "$100 million > $80 million"},
		{"Sales were lower in 2021 than in 2020.", "Sales were $80 million in 2020 and $100 million in 2021.", "$100 million > $80 million!"},
		{"The mill was built earlier than the dam.", "The mill was built in 1820. The dam was built in 1907.", "1820 < 1907"},
		{"The pool is nicer than the gym.", "The pool costs $4 and the gym $9.", ""},
		{"The pool is cheaper than the sauna.", "The pool costs $4 and the gym $9.", ""},
	} {
		var passages []Text
		for p := range strings.SplitSeq(c.passages, "|") {
			passages = append(passages, Read(p))
		}
		got := ""
		if d, ok := Order(c.claim, passages); ok {
			got = d.Text
			if !d.Holds {
				got += "!"
			}
		}
		if got != c.want {
			t.Errorf("claim %q, passages %q: got %q, want %q", c.claim, c.passages, got, c.want)
		}
	}
}

func FuzzDerive(f *testing.F) {
	f.Add("The two tickets cost $40 in total.", "The adult ticket costs $10. The family ticket costs $25.")
	f.Add("The Heron trail is 4.5 km longer than the Otter trail.", "| Trail | Length (km) |\n|---|---|\n| Heron | 12 |\n| Otter | 7.5 |\n")
	f.Add("It is more than 2.", "-|--")
	f.Add("She was 34 years old in 1934.", "She was born in 1900, and three years later: \n- a\n- b")
	f.Fuzz(func(t *testing.T, claim, passage string) {
		c, passages := Read(claim), []Text{Read(passage), Read(claim)}
		for i := range c.Values {
			if d, ok := Derive(c, i, passages); ok != (d.Text != "") {
				t.Fatalf("claim %q, passage %q: got %q, %v", claim, passage, d.Text, ok)
			}
		}
		Order(claim, passages)
	})
}
