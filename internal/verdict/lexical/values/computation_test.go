package values

import (
	"strings"
	"testing"
)

// computations are passages with a claim that follows from one with the first value in
// place of "%" and contradicts it with the second.
var computations = []struct{ passage, claim, right, wrong string }{
	// Sums.
	{"The choir has 24 sopranos, 18 altos, 11 tenors and 13 basses.", "Altogether the choir has % singers.", "66", "64"},
	{"The ship carried 1,500 passengers and 420 sailors.", "In all, % people were on board the ship.", "1,920", "1,820"},
	{"Room A seats 40, Room B seats 60 and Room C seats 100.", "The three rooms seat % people together.", "200", "220"},
	{"The shop sold 35 lamps on Monday and 49 on Tuesday.", "The shop sold % lamps on Monday and Tuesday together.", "84", "94"},
	{"The north tower has 31 floors, the south tower 24.", "The two towers have % floors in total.", "55", "65"},
	{"The school bought 12 desks in March, 30 in April and 45 in May.", "In the first two months the school bought % desks altogether.", "42", "75"},
	{"Budget of the fair:\n- stage: $4,000\n- lights: $1,500\n- posters: $300", "The budget of the fair adds up to %.", "$5,800", "$6,800"},
	{"| Month | Visitors |\n|---|---|\n| May | 1,200 |\n| June | 1,850 |\n| July | 2,400 |", "From May to July there were % visitors in total.", "5,450", "5,350"},
	{"| Item | Price |\n|---|---|\n| Desk | $240 |\n| Chair | $95 |\n| Lamp | $40 |", "The desk and the lamp cost % together.", "$280", "$335"},
	{"A night in the hostel costs 28 euros. Breakfast costs 6 euros.", "A night in the hostel and breakfast cost %.", "34 euros", "36 euros"},
	{"The film runs for 142 minutes; the cut scenes last another 27 minutes.", "The film and the cut scenes last % in total.", "169 minutes", "159 minutes"},

	// Differences.
	{"Anna is 1.72 m tall and her brother is 1.88 m tall.", "Anna's brother is % taller than Anna.", "16 cm", "26 cm"},
	{"The north tower has 31 floors, the south tower 24.", "The north tower has % more floors than the south tower.", "seven", "nine"},
	{"Last year the club had 320 members; this year it has 400 members.", "The club has gained % members since last year.", "80", "100"},
	{"The average wage rose from $2,400 to $2,640.", "The average wage rose by %.", "$240", "$340"},
	{"Ticket sales brought in $48,000, and costs came to $31,500.", "The profit was %.", "$16,500", "$17,500"},
	{"Maya ran the course in 48 minutes, Ella in 53 minutes.", "Maya was % faster than Ella.", "five minutes", "six minutes"},
	{"In 2018, 45% of the tenants agreed; in 2022, 58% did.", "Agreement rose by % between 2018 and 2022.", "13 percentage points", "15 percentage points"},
	{"The first edition had 212 pages and the second had 265 pages.", "The second edition is % longer than the first.", "53 pages", "43 pages"},
	{"A year lasts 88 days on Mercury and 225 days on Venus.", "A year on Venus is % longer than on Mercury.", "137 days", "147 days"},
	{"The vote was 27 to 18 in favour.", "The motion was carried with a majority of % votes.", "nine", "eleven"},

	// Remainders.
	{"The fund started with $2 million. It has paid out $650,000.", "The remaining sum is %.", "$1.35 million", "$1.25 million"},
	{"Of the 240 saplings planted, 36 died.", "The remaining % saplings survived.", "204", "214"},
	{"The team won 12 of its 20 matches.", "The team failed to win the other % matches.", "8", "10"},
	{"The river is 310 km long, and 85 km of it are in Latvia.", "The remaining % of the river are outside Latvia.", "225 km", "215 km"},

	// Products and quotients.
	{"A pack of six bulbs costs £9.", "Each bulb costs %.", "£1.50", "£3"},
	{"Each of the 14 buses has 52 seats.", "The buses have % seats in total.", "728", "708"},
	{"The course has eight lectures of 45 minutes each.", "The lectures last % in total.", "six hours", "five hours"},
	{"The grant is worth 12,000 euros a year for three years.", "In total, the grant is worth %.", "36,000 euros", "30,000 euros"},
	{"A single crate weighs 12 kg.", "Five crates weigh %.", "60 kg", "72 kg"},
	{"The gym charges $30 a month.", "The gym charges % a year.", "$360", "$300"},

	// Shares and multiples.
	{"Of the 240 saplings planted, 36 died.", "% of the saplings died.", "15%", "25%"},
	{"The team won 12 of its 20 matches.", "The team won % of its matches.", "60%", "70%"},
	{"The reserve covers 450 hectares, of which 90 hectares are wetland.", "% of the reserve is wetland.", "A fifth", "A third"},
	{"Last year the club had 320 members; this year it has 400 members.", "Membership grew by %.", "a quarter", "a third"},
	{"The old pump uses 80 litres, the new pump 20 litres.", "The new pump uses % less than the old pump.", "75%", "60%"},
	{"The average wage rose from $2,400 to $2,640.", "The average wage rose by %.", "10%", "15%"},
	{"The jar holds 750 ml and the bottle 1.5 litres.", "The bottle holds % as much as the jar.", "twice", "three times"},
	{"The jar holds 750 ml and the bottle 1.5 litres.", "The jar holds % as much as the bottle.", "half", "a third"},
	{"| Month | Visitors |\n|---|---|\n| May | 1,200 |\n| June | 1,850 |\n| July | 2,400 |", "July had % as many visitors as May.", "twice", "three times"},
	{"Half of the 84 pupils walk to school.", "% pupils walk to school.", "42", "44"},
	{"The ticket costs $15, and groups get 20% off.", "With the group discount a ticket costs %.", "$12", "$13"},

	// Time.
	{"The lease began on 1 March 2019 and ends on 29 February 2024.", "The lease runs for %.", "five years", "six years"},
	{"The bakery opens at 6:30 and closes at 14:00.", "The bakery is open for % a day.", "seven and a half hours", "eight hours"},
	{"The flight left Oslo at 22:40 and landed at 01:15.", "The flight took %.", "2 hours 35 minutes", "3 hours 35 minutes"},
	{"Rita was born in 1951 and won the prize in 1987.", "Rita won the prize at the age of %.", "36", "39"},
	{"Rita was born in 1951 and won the prize in 1987.", "Rita was % when she won the prize.", "36", "39"},
	{"Registration closes on 12 June; the race is on 26 June.", "Registration closes % before the race.", "two weeks", "three weeks"},
	{"The bridge opened in 1932, and the tunnel 24 years later.", "The tunnel opened in %.", "1956", "1958"},

	// Counts.
	{"The bursary covers these costs:\n- tuition\n- books\n- travel", "The bursary covers % costs.", "three", "four"},
	{"The trains call at the stations of Aldby, Corran, Deal and Fenwick.", "The trains call at % stations.", "four", "five"},
	{"The authors are Mira Lund, Jo Reyes and Tom Abel.", "There are % authors.", "three", "four"},
}

func TestDeriveRightAndWrongResults(t *testing.T) {
	t.Parallel()
	for _, c := range computations {
		for _, want := range []bool{true, false} {
			value := c.right
			if !want {
				value = c.wrong
			}
			claim, holds, text := Read(strings.Replace(c.claim, "%", value, 1)), false, ""
			for i := range claim.Values {
				if d, ok := Derive(claim, i, passagesOf(c.passage)); ok && (!claim.Values[i].Loose || d.Holds) {
					holds, text = d.Holds, d.Text
					break
				}
			}
			if holds != want || text == "" {
				t.Errorf("%q, claim %q: got %q, %v, want a computation and %v", c.passage, claim.Text, text, holds, want)
			}
		}
	}
}

// passagesOf returns the sentences of a text, or the whole text if it has several lines.
func passagesOf(text string) []Text {
	if strings.Contains(text, "\n") {
		return []Text{Read(text)}
	}
	var out []Text
	for s := range strings.SplitSeq(text, ". ") {
		out = append(out, Read(s))
	}
	return out
}

func TestDeriveUsesRelatedValuesOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ passage, claim string }{
		{"The boat costs $10. The hut costs $25.", "The flag and the drum cost $35 in total."},
		{"The boat costs $10. The hut costs $25.", "The flag is $15 cheaper than the drum."},
		{"The mast is 12 m high. The oars are 3 m long.", "The rope is 9 m longer than the sail."},
		{"The hall has 14 rows. The roof was built in 1960 and the door in 1974.", "The choir sang for 14 years."},
		{"The inn has 12 rooms. The stable has 7 horses.", "The inn has 19 guests in all."},
		{"The inn has 12 rooms. The farm has 3 rooms.", "The inn employs four times as many cooks as the farm."},
		{"The mayor was elected in 1990. The well was dug in 2002.", "The drought lasted 12 years."},
		{"The kiosk sold 40 papers. The tram carried 160 people.", "A quarter of the voters stayed at home."},
		{"Half of the roofs are red. The school has 84 pupils.", "42 teachers live in the village."},
		{"Tickets cost $12 each. The zoo has 5 lions.", "The aviary costs $60."},
		{"Bo weighs 80 kg, and Cy weighs 20 kg.", "The lorry carries 100 kg of sand in all."},
		{"Lunch is served from 12:00 to 14:00.", "The concert lasted two hours."},
		{"The towns are Aldby, Corran and Deal.", "The towns have three mayors."},
	} {
		claim := Read(c.claim)
		for i := range claim.Values {
			if d, ok := Derive(claim, i, passagesOf(c.passage)); ok && d.Holds {
				t.Errorf("%q, claim %q: got %q, want no computation", c.passage, c.claim, d.Text)
			}
		}
	}
}
