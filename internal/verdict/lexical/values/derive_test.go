package values

import (
	"strings"
	"testing"
)

func TestDerive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claim, passages string // passages are separated by "|"
		want            string // "" if nothing is derived; it ends with "!" if only the direction is wrong
	}{
		// Sums.
		{"The two tickets cost $35 in total.", "The adult ticket costs $10. The family ticket costs $25.", "$10 + $25 = $35"},
		{"The two tickets cost $40 in total.", "The adult ticket costs $10. The family ticket costs $25.", "$10 + $25 = $35, not $40"},
		{"Lunch and the tour together cost 48 euros.", "The tour costs 30 euros.|Lunch is 18 euros.", "€30 + €18 = €48"},
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

		// Lists.
		{"The firm has three offices.", "The firm has offices in Berlin, Lyon and Turin.", "Berlin, Lyon, Turin = 3 offices"},
		{"The firm has four offices.", "The firm has offices in Berlin, Lyon and Turin.", "Berlin, Lyon, Turin = 3 offices!"},

		// No licence, or nothing fits.
		{"The hall has 28 seats.", "The hall has 14 rows. It opened 14 years ago.", ""},
		{"The hall cost $12 million in total.", "The hall has 14 rows and 300 seats.", ""},
		{"It has 35 rooms.", "It has 10 beds and 25 tables.", ""},
	} {
		claim := Read(c.claim)
		var passages []Text
		for p := range strings.SplitSeq(c.passages, "|") {
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
		if got != c.want {
			t.Errorf("claim %q, passages %q: got %q, want %q", c.claim, c.passages, got, c.want)
		}
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
